/* test_radix.c -- the verifier of radix: a correct result passes, and each planted fault is found
 * and located.  Also the preparation of the input.
 */
#include <stdio.h>
#include <unistd.h>

#include "common/radix_types.h"
#include "datasets/keys/keys.h"
#include "tests/cli/benchmarks/trial.h"
#include "tests/file_of.h"

/* ---- a correct result ------------------------------------------------------------------------ */

struct record {
	uint64_t order;
	uint64_t key;
	size_t place;
	uint32_t value;
};

/* Order keys, ties by place, as a stable sort does. */
static int ascending(const void *a_, const void *b_)
{
	const struct record *a = a_, *b = b_;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
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
		r[i].place = i;
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

/* A trial with the correct output. */
static struct trial right(const struct radix_params *params)
{
	struct trial t = start_trial(&gb_radix_benchmark, params);

	sort(t.input, t.output);
	return t;
}

/* ---- planted faults ---------------------------------------------------------------------- */

/* A change to key or value number `at`, with a number, or for the others with the position of the
 * other one.  SWAP_NEXT also swaps the keys behind both, COPY_PAIR also copies the value. */
enum what { SET, ADD, SWAP, COPY, VALUE_ADD, VALUE_SWAP, VALUE_COPY, SWAP_NEXT, COPY_PAIR };

static void change(const struct radix_input *in, void *output, enum what what, size_t at,
		   uint64_t with)
{
	const bool is_value = what >= VALUE_ADD && what <= VALUE_COPY;
	const bool wide = !is_value && in->key_size == 8;
	uint32_t *narrow = is_value ? radix_output_values(in, output) : output;
	uint64_t *key64 = output;
	const uint64_t old = wide ? key64[at] : narrow[at];
	uint64_t new = old + with;

	if (what == SET)
		new = with;
	else if (what != ADD && what != VALUE_ADD)
		new = wide ? key64[with] : narrow[with];
	if (wide)
		key64[at] = new;
	else
		narrow[at] = (uint32_t) new;
	if (what == SWAP_NEXT)
		change(in, output, SWAP, at + 1, with + 1);
	if (what == COPY_PAIR)
		change(in, output, VALUE_COPY, at, with);
	if (what != SWAP && what != VALUE_SWAP && what != SWAP_NEXT)
		return;
	if (wide)
		key64[with] = old;
	else
		narrow[with] = (uint32_t)old;
}

Test(radix_verify, planted_faults)
{
	static const struct {
		int type, distribution;
		int64_t count;
		enum what what;
		size_t at;
		uint64_t with;
		const char *words;
	} fault[] = {
		/* order */
		{ RADIX_U32, RADIX_SORTED, 999, SWAP, 0, 1,
		  "key 1 is out of order: 0 comes after 4299266 at 0 of 999" },
		{ RADIX_U32, RADIX_SORTED, 999, SWAP, 331, 332,
		  "key 332 is out of order: 1423057232 comes after 1427356498 at 331 of 999" },
		{ RADIX_U64, RADIX_SORTED, 1000, SWAP, 100, 900,
		  "key 101 is out of order: 1863121151444664713 comes after 16602069666338596454" },
		{ RADIX_U32, RADIX_SORTED, 100000, SWAP_NEXT, 12345, 80000,
		  "key 12347 is out of order" },
		{ RADIX_U32, RADIX_SORTED, 4097, SET, 4096, 0,
		  "key 4096 is out of order: 0 comes after" },
		{ RADIX_U64, RADIX_CONSTANT, 10, ADD, 6, 1, "key 7 is out of order" },
		/* floats as unsigned numbers */
		{ RADIX_F32, RADIX_SORTED, 4, SWAP_NEXT, 0, 2, "key 2 is out of order: -" },
		/* lost records and records that were not in the input */
		{ RADIX_U32, RADIX_SORTED, 1000, COPY, 500, 499,
		  "not a permutation of the input: the digests of the 1000 records differ" },
		{ RADIX_U64, RADIX_SORTED, 1000, COPY, 500, 499, "not a permutation" },
		{ RADIX_F32, RADIX_SORTED, 1000, COPY, 500, 499, "not a permutation" },
		{ RADIX_PAIRS, RADIX_SORTED, 1000, COPY_PAIR, 500, 499, "not a permutation" },
		{ RADIX_U32, RADIX_SORTED, 1000, ADD, 500, -1, "not a permutation" },
		{ RADIX_U32, RADIX_CONSTANT, 1, ADD, 0, 1, "not a permutation" },
		{ RADIX_PAIRS, RADIX_SORTED, 1000, VALUE_ADD, 700, 1000, "not a permutation" },
		{ RADIX_PAIRS, RADIX_SORTED, 1000, VALUE_SWAP, 20, 21, "not a permutation" },
		/* stability */
		{ RADIX_PAIRS, RADIX_CONSTANT, 1000, VALUE_SWAP, 600, 601,
		  "the sort is not stable: of two keys *, value 600 at 601 comes after value 601 "
		  "at 600" },
		{ RADIX_PAIRS, RADIX_FEW, 10000, VALUE_SWAP, 5001, 5002,
		  "the sort is not stable: of two keys *, value 3359 at 5002 comes after value "
		  "3543" },
	};

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		const struct radix_params p = { .count = fault[i].count,
						.type = fault[i].type,
						.distribution = fault[i].distribution,
						.seed = 4 };
		struct trial t = right(&p);

		change(t.input, t.output, fault[i].what, fault[i].at, fault[i].with);
		refuse(&t, fault[i].words);
	}
}

/* Random values do not tell a stable order by themselves: sorting whole pairs is a fault. */
Test(radix_verify, pairs_sorted_by_key_and_value)
{
	for (int64_t values = 0; values < RADIX_VALUES; values++) {
		const struct radix_params p = { .count = 500,
						.type = RADIX_PAIRS,
						.distribution = RADIX_FEW,
						.values = values,
						.seed = 4 };
		struct trial t = right(&p);
		uint32_t *key = t.output, *value = radix_output_values(t.input, t.output);

		for (size_t i = 1; i < 500; i++)
			for (size_t k = i; k && key[k] == key[k - 1] && value[k] < value[k - 1];
			     k--) {
				const uint32_t swap = value[k];

				value[k] = value[k - 1];
				value[k - 1] = swap;
			}
		refuse(&t, values == RADIX_INDEX_VALUES ? NULL : "the sort is not stable");
	}
}

Test(radix_verify, unwritten_output)
{
	const struct radix_params p = { .count = 1000 };
	struct trial t = start_trial(&gb_radix_benchmark, &p);

	refuse(&t, "not a permutation of the input");
}

/* ---- floats ------------------------------------------------------------------------------ */

/* The special floats in this order as input and output.  In the output key `at` becomes `with`, or
 * is swapped with the next one if `with` is 0. */
static struct trial special_floats(size_t at, uint32_t with)
{
	/* -NaN (two payloads), -inf, -1, -0, +0, 1, inf, NaN */
	static const uint32_t special[] = { 0xffc00001, 0xffc00000, 0xff800000,
					    0xbf800000, 0x80000000, 0x00000000,
					    0x3f800000, 0x7f800000, 0x7fc00000 };
	static const struct radix_params params = { .count = GB_COUNT(special), .type = RADIX_F32 };
	struct trial t = right(&params);
	uint32_t *key = t.output;

	memcpy(((struct radix_input *)t.input)->keys, special, sizeof special);
	memcpy(key, special, sizeof special);
	key[at] = with;
	if (!with) {
		key[at] = special[at + 1];
		key[at + 1] = special[at];
	}
	return t;
}

/* -0 and +0 are equal; NaNs are distinguished by their bits. */
Test(radix_verify, special_floats)
{
	for (size_t i = 0; i < 8; i++) {
		struct trial t = special_floats(i, 0);
		char words[64];

		(void)snprintf(words, sizeof words, "key %zu is out of order", i + 1);
		refuse(&t, i == 4   ? NULL
			   : i == 7 ? "inf (0x7f800000) comes after nan (0x7fc00000) at 7 of 9"
				    : words);
	}
}

Test(radix_verify, changed_floats)
{
	struct trial t = special_floats(5, 0x80000000);

	refuse(&t, "not a permutation of the input");
	t = special_floats(8, 0x7fc00001);
	refuse(&t, "not a permutation of the input");
}

/* ---- the benchmark ------------------------------------------------------------------------ */

Test(radix_benchmark, input)
{
	for (int type = 0; type < RADIX_TYPES; type++) {
		const struct radix_params p = { .count = 1000, .type = type };
		struct trial t = start_trial(&gb_radix_benchmark, &p);
		const struct radix_input *in = t.input;
		const size_t record = type == RADIX_U64 || type == RADIX_PAIRS ? 8 : 4;
		const struct gb_work work = gb_radix_benchmark.work(&p, in);

		cr_assert_eq(in->count, 1000);
		cr_assert_eq(in->values != NULL, type == RADIX_PAIRS);
		cr_assert_eq(t.size, 1000 * record);
		cr_assert(work.items == 1000 && work.bytes == 2000 * (double)record);
		end_trial(&t);
	}
}

Test(radix_benchmark, file)
{
	const uint32_t data[] = { 3, 1, 2, 3 };
	struct radix_params params = { .count = 3,
				       .type = RADIX_PAIRS,
				       .file = file_of("", data, sizeof data) };
	struct trial t = start_trial(&gb_radix_benchmark, &params);
	const struct radix_input *in = t.input;

	cr_assert_eq(in->count, 3);
	cr_assert_arr_eq(in->keys, data, 12);
	cr_assert(in->values[0] == 0 && in->values[2] == 2);
	cr_assert_str_eq(gb_benchmark_source(&gb_radix_benchmark, &params), "file");
	end_trial(&t);
	unlink(params.file);
	refuse_input(&gb_radix_benchmark, &params, params.file);
	params.file = NULL;
	cr_assert_str_eq(gb_benchmark_source(&gb_radix_benchmark, &params), "generated");
}

Test(radix_benchmark, dry_run_counts_the_largest_input)
{
	const struct radix_params most = { .count = INT64_C(1) << 33, .type = RADIX_U64 };
	const struct radix_params pairs = { .count = (INT64_C(1) << 32) + 1, .type = RADIX_PAIRS };

	const struct radix_params full = { .count = INT64_C(1) << 32, .type = RADIX_PAIRS };

	cr_assert_eq(dry_bytes(&gb_radix_benchmark, &most), (size_t)1 << 36);
	cr_assert_eq(dry_bytes(&gb_radix_benchmark, &full), (size_t)1 << 35);
	gb_memory_set_dry(true);
	refuse_input(&gb_radix_benchmark, &pairs, "4294967297 keys are more than 4294967296");
	gb_memory_set_dry(false);
}

/* ---- presets --------------------------------------------------------------------------------- */
