/* test_stream.c -- every variant of stream copies every size exactly, and verify() detects one
 * flipped bit.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>

#include "common/rng.h"
#include "common/stream_types.h"
#include "common/variants.h"
#include "tests/cli/benchmarks/trial.h"

enum { GUARD = 64, POISON = 0xa5 };

struct size_case {
	int64_t count, threads;
};

/* Bytes, words, lines, pages, groups of pages, and (from 1 MiB) the non-temporal paths. */
static struct size_case sizes[] = {
	{ 0, 1 },       { 1, 1 },        { 7, 2 },         { 8, 1 },       { 9, 2 },
	{ 63, 1 },      { 64, 2 },       { 65, 2 },        { 4095, 1 },    { 16384, 2 },
	{ 32767, 2 },   { 32768, 2 },    { 32769, 3 },     { 65536, 2 },   { 1048579, 2 },
	{ 4194303, 2 }, { 4194304, 1 },  { 4194304, 5 },   { 4227072, 2 }, { 4259839, 3 },
	{ 6000001, 7 }, { 16777219, 2 }, { 16777216, 64 },
};

/* Run create .. destroy on `input`, into an output with guard bytes behind it.  If the variant is
 * not available here, return GB_OK and set *skipped. */
static enum gb_status drive(const struct gb_variant *variant, const struct stream_params *params,
			    const struct stream_input *input, unsigned char *output, bool *skipped,
			    struct gb_error *err)
{
	const struct gb_variant_ops *ops = variant->ops;
	struct gb_timer timer = { .err = err };
	void *state = NULL;

	if (gb_state_create(ops, params, input, &state, err) == GB_OK &&
	    (!ops->upload || ops->upload(state, err) == GB_OK) &&
	    ops->run(state, &timer, err) == GB_OK && ops->run(state, &timer, err) == GB_OK)
		(void)ops->download(state, output, err);
	gb_state_destroy(ops, state);
	*skipped = err->code == GB_EMEMORY;
	return *skipped ? GB_OK : err->code;
}

/* False if this machine does not have the back end. */
static bool open_backend(enum gb_backend backend)
{
#if GB_HAVE_CUDA
	struct gb_error err = { 0 };

	if (backend == GB_CUDA)
		return gb_backends[GB_CUDA]->open(0, &err) == GB_OK;
#endif
	return backend == GB_CPU;
}

static void check_size(const struct gb_variant *variant, const struct size_case *size)
{
	const struct stream_params params = { .count = size->count,
					      .threads = size->threads,
					      .seed = 5 };
	const struct gb_benchmark *w = &gb_stream_benchmark;
	const size_t count = (size_t)size->count;
	unsigned char *output = malloc(count + GUARD);
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };
	void *input = NULL;
	bool skipped = false;

	cr_assert(output);
	memset(output, POISON, count + GUARD);
	cr_assert_eq(w->prepare(&params, &input, &err), GB_OK, "%s", err.message);
	cr_expect_eq(w->output_size(&params, input), count);
	cr_expect_eq(drive(variant, &params, input, output, &skipped, &err), GB_OK, "%s: %s",
		     variant->name, err.message);
	if (!skipped)
		cr_expect_eq(w->verify(&params, input, 0, output, &metrics, &err), GB_OK,
			     "%s, %zu bytes: %s", variant->name, count, err.message);
	for (size_t i = 0; i < GUARD; i++)
		cr_expect_eq(output[count + i], POISON, "byte %zu behind the output", i);
	w->release(input);
	free(output);
	cr_expect_eq(gb_memory_used(GB_HOST_MEMORY), 0);
	cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0);
}

ParameterizedTestParameters(stream, copies_every_byte)
{
	return cr_make_param_array(struct size_case, sizes, GB_COUNT(sizes));
}

ParameterizedTest(struct size_case *size, stream, copies_every_byte)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (gb_equal(v->benchmark, "stream") && v->ops && open_backend(v->backend))
			check_size(v, size);
	}
}

Test(stream, verify_finds_one_flipped_bit)
{
	const struct stream_params params = { .count = 1003, .seed = 2 };
	struct trial t = start_trial(&gb_stream_benchmark, &params);
	unsigned char *output = t.output;
	char where[40];

	memcpy(output, ((const struct stream_input *)t.input)->words, t.size);
	for (size_t at = 0; at < t.size; at++) {
		output[at] ^= 1u << at % 8;
		(void)snprintf(where, sizeof where, "byte %zu of 1003", at);
		expect_of(&t, 0, where);
		output[at] ^= 1u << at % 8;
	}
	refuse(&t, NULL);
}

/* The input depends on seed and index; its work is the bytes read and written. */
Test(stream, input_and_work)
{
	const struct stream_params params = { .count = 800, .seed = 77 };
	struct trial t = start_trial(&gb_stream_benchmark, &params);
	const struct stream_input *in = t.input;

	for (size_t i = 0; i < 100; i++)
		cr_expect_eq(in->words[i], gb_random_half(gb_random_block(77, 0, i / 2), i % 2));
	cr_expect_eq(gb_stream_benchmark.work(&params, in).items, 1600);
	cr_expect_eq(gb_stream_benchmark.work(&params, in).bytes, 1600);
	end_trial(&t);
}
