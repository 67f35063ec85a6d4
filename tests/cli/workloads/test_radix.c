/* test_radix.c -- the verifier of radix: a right result passes, and each planted fault is found
 * and its place told.  Also how the workload prepares its input.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/workloads/registry.h"
#include "common/memory.h"
#include "common/radix.h"
#include "common/text.h"
#include "common/workload.h"
#include "datasets/keys/keys.h"

/* ---- a right result ---------------------------------------------------------------------- */

struct record {
	uint64_t order;
	uint64_t key;
	uint32_t value;
};

/* Keys by their order, ties by value: what a stable sort gives. */
static int ascending(const void *a_, const void *b_)
{
	const struct record *a = a_, *b = b_;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

static void sort(const struct radix_input *in, void *output)
{
	struct record *r = calloc(in->count + 1, sizeof *r);
	uint32_t *key32 = output;
	uint64_t *key64 = output;

	for (size_t i = 0; i < in->count; i++) {
		r[i].key =
			in->key_size == 8 ? ((uint64_t *)in->keys)[i] : ((uint32_t *)in->keys)[i];
		r[i].order = r[i].key;
		if (in->type == RADIX_F32)
			r[i].order = radix_f32_order((uint32_t)r[i].key);
		r[i].value = in->values ? in->values[i] : 0;
	}
	qsort(r, in->count, sizeof *r, ascending);
	for (size_t i = 0; i < in->count; i++) {
		if (in->key_size == 8)
			key64[i] = r[i].key;
		else
			key32[i] = (uint32_t)r[i].key;
		if (in->values)
			radix_output_values(in, output)[i] = r[i].value;
	}
	free(r);
}

/* An input, the right output and the parameters of both. */
struct scene {
	struct radix_params params;
	struct radix_input *in;
	void *output;
	uint32_t *key32, *value;
	uint64_t *key64;
};

static struct scene set_up(enum radix_type type, enum radix_distribution distribution, size_t count)
{
	struct scene s = { .params = { .count = (int64_t)count,
				       .type = type,
				       .distribution = distribution,
				       .seed = 4 } };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_radix_workload.prepare(&s.params, &input, &err), GB_OK, "%s", err.message);
	s.in = input;
	s.output = calloc(gb_radix_workload.output_size(&s.params, input) + 1, 1);
	s.key32 = s.output;
	s.key64 = s.output;
	sort(s.in, s.output);
	if (s.in->values)
		s.value = radix_output_values(s.in, s.output);
	return s;
}

static enum gb_status verify(const struct scene *s, struct gb_error *err)
{
	struct gb_metrics metrics = { 0 };

	*err = (struct gb_error){ 0 };
	return gb_radix_workload.verify(&s->params, s->in, 0, s->output, &metrics, err);
}

static void pass(const struct scene *s)
{
	struct gb_error err;

	cr_assert_eq(verify(s, &err), GB_OK, "%s", err.message);
}

/* Expect a refusal in these words, and clean up. */
static void fault(struct scene *s, const char *words)
{
	struct gb_error err;

	cr_assert_eq(verify(s, &err), GB_EVERIFY, "the fault was not found");
	cr_assert(strstr(err.message, words), "the message is: %s\nit lacks: %s", err.message,
		  words);
	gb_radix_workload.release(s->in);
	free(s->output);
}

static void tear_down(struct scene *s)
{
	gb_radix_workload.release(s->in);
	free(s->output);
}

/* The expected words with their numbers; holds until the next call. */
static const char *words(const char *format, ...)
{
	static char text[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return text;
}

Test(radix_verify, right_results_pass)
{
	const size_t counts[] = { 0, 1, 2, 33, 4097 };

	for (int t = 0; t < RADIX_TYPES; t++)
		for (int d = 0; d < RADIX_DISTRIBUTIONS; d++)
			for (size_t c = 0; c < GB_COUNT(counts); c++) {
				struct scene s = set_up(t, d, counts[c]);

				pass(&s);
				tear_down(&s);
			}
}

/* ---- planted faults: order --------------------------------------------------------------- */

Test(radix_verify, swapped_neighbours)
{
	for (size_t at = 0; at < 998; at += 331) {
		struct scene s = set_up(RADIX_U32, RADIX_SORTED, 999);
		uint32_t key = s.key32[at];

		s.key32[at] = s.key32[at + 1];
		s.key32[at + 1] = key;
		fault(&s, words("key %zu is out of order: %u comes after %u at %zu of 999", at + 1,
				s.key32[at + 1], s.key32[at], at));
	}
}

Test(radix_verify, swapped_far_apart)
{
	struct scene s = set_up(RADIX_U64, RADIX_SORTED, 1000);
	uint64_t key = s.key64[100];

	s.key64[100] = s.key64[900];
	s.key64[900] = key;
	fault(&s, words("key 101 is out of order: %llu comes after %llu at 100 of 1000",
			(unsigned long long)s.key64[101], (unsigned long long)s.key64[100]));
}

Test(radix_verify, the_first_of_many_is_told)
{
	struct scene s = set_up(RADIX_U32, RADIX_SORTED, 100000);

	for (size_t i = 12345; i < 100000; i++)
		s.key32[i] = s.key32[99999 - i];
	fault(&s, "key 12346 is out of order");
}

Test(radix_verify, only_the_last_key_is_wrong)
{
	struct scene s = set_up(RADIX_U32, RADIX_SORTED, 4097);

	s.key32[4096] = 0;
	fault(&s, "key 4096 is out of order: 0 comes after");
}

Test(radix_verify, a_low_bit_of_a_wide_key)
{
	struct scene s = set_up(RADIX_U64, RADIX_CONSTANT, 10);

	s.key64[6] |= 1;
	s.key64[7] &= ~UINT64_C(1);
	fault(&s, "key 7 is out of order");
}

Test(radix_verify, floats_sorted_as_unsigned)
{
	struct scene s = set_up(RADIX_F32, RADIX_SORTED, 4);
	uint32_t wrong[4] = { s.key32[2], s.key32[3], s.key32[1], s.key32[0] };

	memcpy(s.key32, wrong, sizeof wrong);
	fault(&s, "key 2 is out of order: -");
}

/* ---- planted faults: records ------------------------------------------------------------- */

Test(radix_verify, lost_and_duplicated_key)
{
	for (int t = 0; t < RADIX_TYPES; t++) {
		struct scene s = set_up(t, RADIX_SORTED, 1000);

		if (t == RADIX_U64)
			s.key64[500] = s.key64[499];
		else
			s.key32[500] = s.key32[499];
		if (t == RADIX_PAIRS)
			s.value[500] = s.value[499];
		fault(&s, "not a permutation of the input: the output has key");
	}
}

Test(radix_verify, the_lost_key_is_named)
{
	struct scene s = set_up(RADIX_U32, RADIX_SORTED, 1000);
	uint32_t lost = s.key32[500];

	s.key32[500] = s.key32[501];
	fault(&s, words("the output lacks key %u, or has it less often (about key 500)", lost));
}

Test(radix_verify, the_foreign_key_is_named)
{
	struct scene s = set_up(RADIX_U32, RADIX_SORTED, 1000);
	uint32_t foreign = --s.key32[500];

	fault(&s, words("the output has key %u, which the input has not or less often "
			"(about key 500)",
			foreign));
}

Test(radix_verify, an_output_that_was_never_written)
{
	struct scene s = set_up(RADIX_U32, RADIX_UNIFORM, 1000);

	memset(s.output, 0xa5, 4000);
	fault(&s, "not a permutation of the input");
}

Test(radix_verify, the_first_key_of_one)
{
	struct scene s = set_up(RADIX_U32, RADIX_CONSTANT, 1);

	s.key32[0]++;
	fault(&s, "not a permutation of the input");
}

Test(radix_verify, too_many_records_to_look_for_the_culprit)
{
	struct scene s = set_up(RADIX_U32, RADIX_CONSTANT, 10);

	gb_memory_fail_at(1); /* the same way out as for more than 2^24 records */
	s.key32[9]++;
	fault(&s, "the digests of the 10 records differ");
	gb_memory_fail_at(0);
}

Test(radix_verify, altered_value)
{
	struct scene s = set_up(RADIX_PAIRS, RADIX_SORTED, 1000);

	s.value[700] += 1000;
	fault(&s, words("the output lacks key %u with value 700, or has it less often (about key "
			"700)",
			s.key32[700]));
}

Test(radix_verify, values_of_two_keys_exchanged)
{
	struct scene s = set_up(RADIX_PAIRS, RADIX_SORTED, 1000);

	s.value[20] = 21;
	s.value[21] = 20;
	fault(&s, words("the output lacks key %u with value 20, ", s.key32[20]));
}

/* ---- planted faults: stability ----------------------------------------------------------- */

Test(radix_verify, unstable_pair)
{
	struct scene s = set_up(RADIX_PAIRS, RADIX_CONSTANT, 1000);

	s.value[600] = 601;
	s.value[601] = 600;
	fault(&s,
	      words("the sort is not stable: of two keys %u, value 600 at 601 comes after value "
		    "601 at 600",
		    s.key32[600]));
}

Test(radix_verify, unstable_among_few_keys)
{
	struct scene s = set_up(RADIX_PAIRS, RADIX_FEW, 10000);
	size_t at = 5000;
	uint32_t value;

	while (s.key32[at] != s.key32[at + 1])
		at++;
	value = s.value[at];
	s.value[at] = s.value[at + 1];
	s.value[at + 1] = value;
	fault(&s, words("the sort is not stable: of two keys %u, value %u at %zu", s.key32[at],
			value, at + 1));
}

/* ---- floats ------------------------------------------------------------------------------ */

/* -NaN (two payloads), -inf, -1, -0, +0, 1, inf, NaN */
static const uint32_t special[] = { 0xffc00001, 0xffc00000, 0xff800000, 0xbf800000, 0x80000000,
				    0x00000000, 0x3f800000, 0x7f800000, 0x7fc00000 };

/* The special floats as input, in this very order, and as output. */
static struct scene special_floats(void)
{
	struct scene s = set_up(RADIX_F32, RADIX_CONSTANT, GB_COUNT(special));

	memcpy(s.in->keys, special, sizeof special);
	memcpy(s.output, special, sizeof special);
	return s;
}

static void exchange(struct scene *s, size_t i)
{
	uint32_t key = s->key32[i];

	s->key32[i] = s->key32[i + 1];
	s->key32[i + 1] = key;
}

Test(radix_verify, special_floats_pass)
{
	struct scene s = special_floats();

	pass(&s);
	exchange(&s, 4); /* +0 before -0: they are equal */
	pass(&s);
	tear_down(&s);
}

Test(radix_verify, every_other_exchange_of_special_floats_is_found)
{
	for (size_t i = 0; i + 1 < GB_COUNT(special); i++) {
		struct scene s = special_floats();

		if (i != 4) {
			exchange(&s, i);
			fault(&s, words("key %zu is out of order", i + 1));
		} else {
			tear_down(&s);
		}
	}
}

Test(radix_verify, nan_after_infinity_is_told_by_its_bits)
{
	struct scene s = special_floats();

	exchange(&s, 7);
	fault(&s, "inf (0x7f800000) comes after nan (0x7fc00000) at 7 of 9");
}

Test(radix_verify, a_zero_of_the_wrong_sign)
{
	struct scene s = special_floats();

	s.key32[4] = 0;
	fault(&s, "the output lacks key -0 (0x80000000), or has it less often");
}

Test(radix_verify, a_changed_payload)
{
	struct scene s = special_floats();

	s.key32[8] = 0x7fc00001;
	fault(&s, "the output lacks key nan (0x7fc00000)");
}

/* ---- the workload ------------------------------------------------------------------------ */

Test(radix_workload, input)
{
	for (int t = 0; t < RADIX_TYPES; t++) {
		struct scene s = set_up(t, RADIX_UNIFORM, 1000);
		size_t record = t == RADIX_U64 || t == RADIX_PAIRS ? 8 : 4;
		struct gb_work work = gb_radix_workload.work(&s.params, s.in);

		cr_assert_eq(s.in->count, 1000);
		cr_assert_eq(s.in->values != NULL, t == RADIX_PAIRS);
		cr_assert_eq(gb_radix_workload.output_size(&s.params, s.in), 1000 * record);
		cr_assert(work.items == 1000 && work.bytes == 2000 * (double)record);
		tear_down(&s);
	}
}

Test(radix_workload, file)
{
	char path[] = "/tmp/gpubench-radix-XXXXXX";
	const uint32_t data[] = { 3, 1, 2, 3 };
	struct radix_params params = { .count = 3, .type = RADIX_PAIRS, .file = path };
	struct gb_error err = { 0 };
	struct radix_input *in;
	void *input;
	int file = mkstemp(path);

	cr_assert(file >= 0 && write(file, data, sizeof data) == sizeof data);
	close(file);
	cr_assert_eq(gb_radix_workload.prepare(&params, &input, &err), GB_OK, "%s", err.message);
	in = input;
	cr_assert_eq(in->count, 3);
	cr_assert_arr_eq(in->keys, data, 12);
	cr_assert(in->values[0] == 0 && in->values[2] == 2);
	cr_assert_str_eq(gb_workload_source(&gb_radix_workload, &params), "file");
	gb_radix_workload.release(input);
	unlink(path);
	cr_assert_eq(gb_radix_workload.prepare(&params, &input, &err), GB_EUSAGE);
	cr_assert_null(input);
	cr_assert(strstr(err.message, path));
	params.file = NULL;
	cr_assert_str_eq(gb_workload_source(&gb_radix_workload, &params), "generated");
}

Test(radix_workload, more_pairs_than_values)
{
	struct radix_params params = { .count = (INT64_C(1) << 32) + 1, .type = RADIX_PAIRS };
	struct gb_error err = { 0 };
	void *input;

	gb_memory_set_dry(true);
	cr_assert_eq(gb_radix_workload.prepare(&params, &input, &err), GB_EUSAGE);
	cr_assert(strstr(err.message, "4294967297 keys are more than 4294967296"), "%s",
		  err.message);
	cr_assert_null(input);
	gb_memory_set_dry(false);
}

Test(radix_workload, dry_run_allocates_the_largest_input)
{
	struct radix_params params = { .count = INT64_C(1) << 33, .type = RADIX_U64 };
	struct gb_error err = { 0 };
	size_t used = gb_memory_used(GB_HOST_MEMORY);
	void *input;

	gb_memory_set_dry(true);
	cr_assert_eq(gb_radix_workload.prepare(&params, &input, &err), GB_OK, "%s", err.message);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used + ((size_t)1 << 36));
	gb_radix_workload.release(input);
	gb_memory_set_dry(false);
}
