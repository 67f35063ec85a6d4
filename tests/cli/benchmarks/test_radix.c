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
	uint64_t rank, key, value;
	size_t place;
};

/* Order keys, ties by place, as a stable sort does. */
static int ascending(const void *a_, const void *b_)
{
	const struct record *a = a_, *b = b_;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static void sort_segment(const struct radix_input *in, size_t begin, size_t end, void *output)
{
	const int spare = 64 - in->end_bit;
	struct record *r = calloc(end - begin + 1, sizeof *r);

	for (size_t i = begin; i < end; i++) {
		const uint64_t key = radix_load(in->keys, in->key_size, i);
		const uint64_t rank = radix_order(in->type, key) << spare >> spare >> in->begin_bit;
		const uint64_t value =
			in->value_size ? radix_load(in->values, in->value_size, i) : 0;

		r[i - begin] = (struct record){ rank, key, value, i };
	}
	qsort(r, end - begin, sizeof *r, ascending);
	for (size_t i = begin; i < end; i++) {
		radix_store(output, in->key_size, i, r[i - begin].key);
		if (in->value_size)
			radix_store(radix_output_values(in, output), in->value_size, i,
				    r[i - begin].value);
	}
	free(r);
}

static void sort(const struct radix_input *in, void *output)
{
	for (size_t s = 0; s < in->segments; s++)
		sort_segment(in, in->offsets ? in->offsets[s] : 0,
			     in->offsets ? in->offsets[s + 1] : in->count, output);
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
	const size_t size = is_value ? in->value_size : in->key_size;
	void *array = is_value ? radix_output_values(in, output) : output;
	const uint64_t old = radix_load(array, size, at);

	radix_store(array, size, at,
		    what == SET                        ? with
		    : what == ADD || what == VALUE_ADD ? old + with
						       : radix_load(array, size, with));
	if (what == SWAP_NEXT)
		change(in, output, SWAP, at + 1, with + 1);
	if (what == COPY_PAIR)
		change(in, output, VALUE_COPY, at, with);
	if (what == SWAP || what == VALUE_SWAP || what == SWAP_NEXT)
		radix_store(array, size, with, old);
}

Test(radix_verify, planted_faults)
{
	static const struct {
		int type, values, distribution;
		int64_t count;
		enum what what;
		size_t at;
		uint64_t with;
		const char *words;
	} fault[] = {
		/* order */
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_SORTED, 999, SWAP, 0, 1,
		  "key 1 is out of order: 0 comes after 4299266 at 0 of 999" },
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_SORTED, 999, SWAP, 331, 332,
		  "key 332 is out of order: 1423057232 comes after 1427356498 at 331 of 999" },
		{ RADIX_U64, RADIX_NO_VALUES, RADIX_SORTED, 1000, SWAP, 100, 900,
		  "key 101 is out of order: 1863121151444664713 comes after 16602069666338596454" },
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_SORTED, 100000, SWAP_NEXT, 12345, 80000,
		  "key 12347 is out of order" },
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_SORTED, 4097, SET, 4096, 0,
		  "key 4096 is out of order: 0 comes after" },
		{ RADIX_U64, RADIX_NO_VALUES, RADIX_CONSTANT, 10, ADD, 6, 1,
		  "key 7 is out of order" },
		/* floats as unsigned numbers */
		{ RADIX_F32, RADIX_NO_VALUES, RADIX_SORTED, 4, SWAP_NEXT, 0, 2,
		  "key 2 is out of order: -" },
		/* lost records and records that were not in the input */
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_SORTED, 1000, COPY, 500, 499,
		  "not a permutation of the input: the digests of the 1000 records differ" },
		{ RADIX_U64, RADIX_NO_VALUES, RADIX_SORTED, 1000, COPY, 500, 499,
		  "not a permutation" },
		{ RADIX_F32, RADIX_NO_VALUES, RADIX_SORTED, 1000, COPY, 500, 499,
		  "not a permutation" },
		{ RADIX_U32, RADIX_INDEX_VALUES, RADIX_SORTED, 1000, COPY_PAIR, 500, 499,
		  "not a permutation" },
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_SORTED, 1000, ADD, 500, -1,
		  "not a permutation" },
		{ RADIX_U32, RADIX_NO_VALUES, RADIX_CONSTANT, 1, ADD, 0, 1, "not a permutation" },
		{ RADIX_U32, RADIX_INDEX_VALUES, RADIX_SORTED, 1000, VALUE_ADD, 700, 1000,
		  "not a permutation" },
		{ RADIX_U32, RADIX_INDEX_VALUES, RADIX_SORTED, 1000, VALUE_SWAP, 20, 21,
		  "not a permutation" },
		/* stability */
		{ RADIX_U32, RADIX_INDEX_VALUES, RADIX_CONSTANT, 1000, VALUE_SWAP, 600, 601,
		  "the sort is not stable: of two keys *, value 600 at 601 comes after value 601 "
		  "at 600" },
		{ RADIX_U32, RADIX_INDEX_VALUES, RADIX_FEW, 10000, VALUE_SWAP, 5001, 5002,
		  "the sort is not stable: of two keys *, value 3359 at 5002 comes after value "
		  "3543" },
	};

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		const struct radix_params p = { .count = fault[i].count,
						.type = fault[i].type,
						.values = fault[i].values,
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
	for (int64_t values = RADIX_INDEX_VALUES; values < RADIX_VALUES; values++) {
		const struct radix_params p = { .count = 500,
						.type = RADIX_U32,
						.distribution = RADIX_FEW,
						.values = values,
						.seed = 4 };
		struct trial t = right(&p);
		const struct radix_input *in = t.input;
		const size_t size = in->value_size;
		const uint32_t *key = t.output;
		void *value = radix_output_values(in, t.output);

		for (size_t i = 1; i < 500; i++)
			for (size_t k = i;
			     k && key[k] == key[k - 1] &&
			     radix_load(value, size, k) < radix_load(value, size, k - 1);
			     k--)
				change(in, t.output, VALUE_SWAP, k, k - 1);
		refuse(&t, values == RADIX_INDEX_VALUES ? NULL : "the sort is not stable");
	}
}

Test(radix_verify, unwritten_output)
{
	const struct radix_params p = { .count = 1000, .type = RADIX_U32 };
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

/* ---- some of the bits, and segments ----------------------------------------------------------- */

/* Every type: a right result passes; then two unequal keys with the same bits are swapped. */
Test(radix_verify, stable_by_bits)
{
	for (int type = 0; type < RADIX_TYPES; type++)
		for (int values = 0; values < RADIX_VALUES; values++) {
			const struct radix_params p = {
				.count = 3000, .type = type, .values = values, .bits = "2:7"
			};
			struct trial t = right(&p);
			const unsigned char *key = t.output;
			const size_t size = radix_key_size((enum radix_type)type);
			size_t at = 1;

			expect_of(&t, 0, NULL);
			while (!memcmp(key + at * size, key + (at - 1) * size, size))
				at++;
			change(t.input, t.output, SWAP, at, at - 1);
			if (values)
				change(t.input, t.output, VALUE_SWAP, at, at - 1);
			refuse(&t, values ? "the sort is not stable: of two keys"
					  : "is not where a stable sort by bits 2:7 puts it");
		}
}

Test(radix_verify, segments)
{
	for (int lengths = 0; lengths < RADIX_LENGTHS; lengths++)
		for (int64_t segments = 2; segments <= 2000; segments += 999) {
			const struct radix_params p = { .count = 1000,
							.type = RADIX_I32,
							.values = RADIX_U64_VALUES,
							.segments = segments,
							.lengths = lengths };
			struct trial t = right(&p);
			const struct radix_input *in = t.input;
			size_t next = 0; /* start of the last segment that has keys */

			cr_assert(in->offsets[0] == 0 && in->offsets[segments] == 1000);
			for (int64_t s = 0; s < segments; s++) {
				cr_assert(in->offsets[s] <= in->offsets[s + 1]);
				next = in->offsets[s] < 1000 ? in->offsets[s] : next;
			}
			expect_of(&t, 0, NULL);
			/* Exchange two keys of different segments without a fault in the order. */
			radix_store(t.output, 4, 999, INT32_MAX);
			change(t.input, t.output, SET, next - 1, INT32_MAX);
			refuse(&t, "not a permutation");
		}
}

Test(radix_verify, zeros_in_some_of_the_bits)
{
	/* -0 has bits 0xff here, or 0 as +0. */
	static const uint32_t keys[] = { 0x3f800001, 0x80000000, 0x3f800000, 0 };
	static const uint32_t apart[] = { 0x3f800000, 0, 0x3f800001, 0x80000000 };
	static const uint32_t equal[] = { 0x80000000, 0x3f800000, 0, 0x3f800001 };
	static const struct radix_params p = { .count = 4, .type = RADIX_F32, .bits = "0:8" };
	struct trial t = start_trial(&gb_radix_benchmark, &p);

	memcpy(((struct radix_input *)t.input)->keys, keys, sizeof keys);
	memcpy(t.output, apart, sizeof apart);
	expect_of(&t, 0, NULL);
	memcpy(t.output, equal, sizeof equal);
	expect_of(&t, 0, NULL);
	change(t.input, t.output, SWAP, 0, 2);
	refuse(&t, "key 1 of the input is not where");
}

Test(radix_benchmark, bits)
{
	static const char *const wrong[] = { "",     "1",   "8",     "3:3", "5:2",
					     "-1:3", "0:9", "1:2:3", "1:2x" };

	for (size_t i = 0; i < GB_COUNT(wrong); i++) {
		const struct radix_params p = { .count = 4, .bits = wrong[i] };

		refuse_input(&gb_radix_benchmark, &p,
			     "not LOW:HIGH with 0 <= LOW < HIGH <= 8, the bits of u8 keys");
	}
}

/* ---- the benchmark ------------------------------------------------------------------------ */

Test(radix_benchmark, input)
{
	static const size_t key_size[] = { 1, 2, 4, 8, 4, 8, 4, 8 }, value_size[] = { 0, 4, 4, 8 };

	for (int type = 0; type < RADIX_TYPES; type++)
		for (int values = 0; values < RADIX_VALUES; values++) {
			const struct radix_params p = { .count = 1001,
							.type = type,
							.values = values };
			struct trial t = start_trial(&gb_radix_benchmark, &p);
			const struct radix_input *in = t.input;
			const struct gb_work work = gb_radix_benchmark.work(&p, in);
			size_t size = 1001 * key_size[type];

			if (values)
				size = (size + 7) / 8 * 8 + 1001 * value_size[values];
			cr_assert(in->count == 1001 && in->key_size == key_size[type]);
			cr_assert(in->value_size == value_size[values] && !in->values == !values);
			cr_assert_eq(t.size, size);
			cr_assert(work.items == 1001 && work.bytes == 2 * (double)size);
			end_trial(&t);
		}
}

Test(radix_benchmark, file)
{
	const uint32_t data[] = { 3, 1, 2, 3 };
	struct radix_params params = { .count = 3,
				       .type = RADIX_U32,
				       .values = RADIX_INDEX_VALUES,
				       .file = file_of("", data, sizeof data) };
	struct trial t = start_trial(&gb_radix_benchmark, &params);
	const struct radix_input *in = t.input;

	cr_assert_eq(in->count, 3);
	cr_assert_arr_eq(in->keys, data, 12);
	cr_assert(((uint32_t *)in->values)[0] == 0 && ((uint32_t *)in->values)[2] == 2);
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
	const struct radix_params pairs = { .count = (INT64_C(1) << 32) + 1,
					    .type = RADIX_U32,
					    .values = RADIX_U32_VALUES };
	const struct radix_params full = { .count = INT64_C(1) << 32,
					   .type = RADIX_U32,
					   .values = RADIX_INDEX_VALUES };

	cr_assert_eq(dry_bytes(&gb_radix_benchmark, &most), (size_t)1 << 36);
	cr_assert_eq(dry_bytes(&gb_radix_benchmark, &full), (size_t)1 << 35);
	gb_memory_set_dry(true);
	refuse_input(&gb_radix_benchmark, &pairs, "4294967297 keys are more than 4294967296");
	gb_memory_set_dry(false);
}

/* ---- presets --------------------------------------------------------------------------------- */
