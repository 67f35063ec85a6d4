/* test_radix.c -- the CPU radix sorts on difficult inputs, with each instruction set, against the
 * stable order that qsort(3) gives on (key, index).
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "common/radix_types.h"
#include "common/text.h"
#include "common/timer.h"
#include "cpu/runtime/range.h"
#include "cpu/runtime/simd.h"
#include "datasets/keys/keys.h"
#include "tests/sanitized.h"

extern const struct gb_variant_ops radix_cpu_best, radix_cpu_lsd8, radix_cpu_split_omp;

static const struct gb_variant_ops *const sorts[] = { &radix_cpu_best, &radix_cpu_lsd8,
						      &radix_cpu_split_omp };

/* Sizes around those of vectors, networks, leaves and shares.  The last ones are split more than
 * once. */
static const size_t sizes[] = { 0,
				1,
				2,
				15,
				16,
				17,
				31,
				32,
				33,
				127,
				128,
				129,
				255,
				256,
				257,
				1000,
				4097,
				16383,
				16384,
				16385,
				20000,
				70000,
				UNLESS_SANITIZED(1200000, 200000) };

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

enum shape {
	UNIFORM,
	ASCENDING,
	DESCENDING,
	EQUAL,
	TWO,
	FEW,
	LOW_BITS,
	HIGH_BITS,
	SPARSE,
	OUTLIERS,
	FLOATS,
	/* patterns: orders and repeated keys */
	LAST,
	SCATTERED,
	ORGANPIPE,
	RUNS,
	RUNS_UNEVEN,
	RUNS_EIGHT,
	STEPS_DOWN,
	STEPS_UP,
	DOMINANT,
	DOMINANT_LEAST,
	DOMINANT_MOST,
	TWO_BUT_ONE,
	SIXTEEN,
	PATTERNS
};
enum { SHAPES = FLOATS + 1 };

/* Infinities, NaNs of both signs and several payloads, zeros, denormals. */
static const uint32_t odd_floats[] = { 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
				       0x7f800001, 0xff800001, 0x00000001, 0x80000001,
				       0x3f800000, 0xbf800000, 0x7fffffff, 0xffffffff };

/* Key i of n, 64 bits; a 32-bit key is its upper half. */
static uint64_t make_key(enum shape shape, size_t i, size_t n)
{
	const uint64_t r = mix(i + UINT64_C(0x9e3779b97f4a7c15));

	switch (shape) {
	case UNIFORM:
		return r;
	case ASCENDING:
		return UINT64_MAX / (n + 1) * i;
	case DESCENDING:
		return UINT64_MAX / (n + 1) * (n - i);
	case EQUAL:
		return UINT64_C(0x0123456789abcdef);
	case TWO:
		return r & 1 ? UINT64_MAX : 0;
	case FEW:
		return mix(r & 7);
	case LOW_BITS: /* the halves differ only in their last few bits */
		return (r & 7) << 32 | (r >> 8 & 7);
	case HIGH_BITS:
		return r & UINT64_C(3) << 62;
	case SPARSE: /* most are equal, the others arbitrary */
		return r % 1000 ? UINT64_C(0x8000000080000000) : mix(r);
	case OUTLIERS: /* which samples miss */
		return i % 5000 == 4321 ? r : (r & 0xfff) << 32 | (r >> 20 & 0xfff);
	case FLOATS:
		return (uint64_t)odd_floats[r % GB_COUNT(odd_floats)] << 32;
	case LAST:
		return UINT64_MAX / (n + 1) * (i + 2 < n ? i : n / (n - i + 1)); /* n / 3, n / 2 */
	case SCATTERED:
		return i % 150 == 5 ? r : UINT64_MAX / (n + 1) * i;
	case ORGANPIPE:
		return UINT64_MAX / (n + 1) * (i < n / 2 ? i : n - i);
	case RUNS:
		return UINT64_MAX / (n + 1) * (4 * i % n);
	case RUNS_UNEVEN: /* a short run, ties, and a last run of any length */
		return UINT64_MAX / (n + 1) *
		       (i < n / 40      ? i
			: i < n / 3     ? (n - i) / 5
			: i < n - n / 9 ? i / 3
					: n - i);
	case RUNS_EIGHT:
		return UINT64_MAX / (n + 1) * (i * 8 / n % 2 ? n - 1 - 8 * i % n : 8 * i % n);
	case STEPS_DOWN: /* ties, whose values must not be reversed */
		return UINT64_MAX / (n + 1) * ((n - i) / 7);
	case STEPS_UP:
		return UINT64_MAX / (n + 1) * (i == n / 2 ? 0 : i / 7);
	case DOMINANT:
		return r % 100 ? UINT64_C(0x7000000070000000) : mix(r);
	case DOMINANT_LEAST:
		return r % 100 ? 0 : mix(r);
	case DOMINANT_MOST:
		return r % 100 ? UINT64_MAX : mix(r);
	case TWO_BUT_ONE:
		return (uint64_t)(i == n / 3 ? 4 : 3 + 2 * (r & 1)) << 33;
	case SIXTEEN:
		return mix(r & 15);
	case PATTERNS:
		break;
	}
	return 0;
}

/* The array to sort; all bits if `end` is 0. */
struct kind {
	enum radix_type type;
	enum radix_values values;
	int begin, end;
	size_t segments;
};

static const struct kind kinds[] = {
	{ RADIX_U32, RADIX_NO_VALUES, 0, 0, 1 },
	{ RADIX_U64, RADIX_NO_VALUES, 0, 0, 1 },
	{ RADIX_F32, RADIX_NO_VALUES, 0, 0, 1 },
	{ RADIX_U32, RADIX_U32_VALUES, 0, 0, 1 },
};
enum { PAIRS = 3 };

struct case_ {
	struct radix_input input;
	unsigned char *expected;
	size_t bytes;
};

struct indexed {
	uint64_t key;
	size_t place;
};

static int by_key_and_place(const void *left, const void *right)
{
	const struct indexed *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void make_expected(struct case_ *c)
{
	const struct radix_input *in = &c->input;
	const int spare = 64 - in->end_bit;
	struct indexed *sorted = malloc((in->count + 1) * sizeof *sorted);
	void *values = radix_output_values(in, c->expected);

	memset(c->expected, 0xa5, c->bytes); /* between keys and values */
	for (size_t i = 0; i < in->count; i++) {
		const uint64_t key = radix_load(in->keys, in->key_size, i);

		sorted[i].place = i;
		sorted[i].key = radix_order(in->type, key) << spare >> spare >> in->begin_bit;
	}
	for (size_t s = 0; s < in->segments; s++)
		qsort(sorted + in->offsets[s], in->offsets[s + 1] - in->offsets[s], sizeof *sorted,
		      by_key_and_place);
	for (size_t i = 0; i < in->count; i++) {
		const size_t from = sorted[i].place;

		radix_store(c->expected, in->key_size, i, radix_load(in->keys, in->key_size, from));
		if (in->value_size)
			radix_store(values, in->value_size, i,
				    radix_load(in->values, in->value_size, from));
	}
	free(sorted);
}

static void make_case(struct case_ *c, const struct kind *kind, enum shape shape, size_t n)
{
	const size_t size = radix_key_size(kind->type), value_size[] = { 0, 4, 4, 8 };
	/* Ascending values may be sorted with the keys; in half of the shapes they do not ascend. */
	const bool ascends = kind->values == RADIX_INDEX_VALUES || shape % 2;
	struct radix_input *in = &c->input;

	*in = (struct radix_input){ .count = n,
				    .type = kind->type,
				    .key_size = size,
				    .value_size = value_size[kind->values],
				    .begin_bit = kind->begin,
				    .end_bit = kind->end ? kind->end : (int)(8 * size),
				    .segments = kind->segments };
	in->keys = malloc((n + 1) * size);
	in->values = malloc((n + 1) * sizeof(uint64_t));
	in->offsets = malloc((kind->segments + 1) * sizeof *in->offsets);
	for (size_t i = 0; i < n; i++) {
		radix_store(in->keys, size, i, make_key(shape, i, n) >> (64 - 8 * size));
		radix_store(in->values, in->value_size, i,
			    i * (ascends ? 1 : UINT64_C(0x9e3779b99e3779b1)));
	}
	gb_keys_segments(in->offsets, kind->segments, RADIX_ZIPF_LENGTHS, n, 1);
	c->bytes = radix_output_size(in);
	c->expected = malloc(c->bytes + 1);
	make_expected(c);
}

static void free_case(struct case_ *c)
{
	free(c->input.keys);
	free(c->input.values);
	free(c->input.offsets);
	free(c->expected);
}

/* Two runs from one state, because a run leaves its arrays swapped and its lists filled. */
static void check(const struct gb_variant_ops *ops, const struct case_ *c, int64_t threads,
		  const char *what)
{
	const size_t n = c->input.count;
	const size_t size = c->input.value_size;
	struct radix_params params = { .count = (int64_t)n,
				       .threads = threads,
				       .values = !size       ? RADIX_NO_VALUES
						 : size == 8 ? RADIX_U64_VALUES
						 : !n || radix_load(c->input.values, 4, n - 1) ==
									 n - 1
							 ? RADIX_INDEX_VALUES
							 : RADIX_U32_VALUES };
	unsigned char *output = malloc(c->bytes + 1), *expected = malloc(c->bytes + 1);
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state = NULL;

	memcpy(expected, c->expected, c->bytes);
	cr_assert_eq(gb_state_create(ops, &params, &c->input, &state, &err), GB_OK, "%s",
		     err.message);
	for (int64_t sample = 0; sample < 2; sample++) {
		cr_assert_eq(ops->reset(state, sample, &err), GB_OK);
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK);
		memset(output, 0xa5, c->bytes + 1);
		cr_assert_eq(ops->download(state, output, &err), GB_OK);
		cr_assert_eq(memcmp(output, expected, c->bytes), 0, "%s", what);
		cr_assert_eq(output[c->bytes], 0xa5, "%s: wrote behind the output", what);
	}
	gb_state_destroy(ops, state);
	free(output);
	free(expected);
}

ParameterizedTestParameters(radix_cpu, hard_inputs)
{
	static size_t numbers[] = { 0, 1, 2, 3 };

	return cr_make_param_array(size_t, numbers, GB_COUNT(numbers));
}

/* Each sort with each instruction set; large inputs only with best. */
static void check_case(const struct case_ *c, int64_t threads, const char *where)
{
	static const enum cpu_simd sets[] = { CPU_PLAIN, CPU_AVX512, CPU_VBMI2 };
	const size_t count = c->input.count > 70000 ? 1 : GB_COUNT(sorts);

	for (size_t i = 0; i < GB_COUNT(sets) * count; i++) {
		char what[160];

		(void)snprintf(what, sizeof what, "sort %zu, simd %d, %s", i % count,
			       (int)sets[i / count], where);
		cpu_limit_simd(sets[i / count]);
		check(sorts[i % count], c, threads, what);
	}
}

ParameterizedTest(size_t *number, radix_cpu, hard_inputs)
{
	for (size_t i = 0; i < GB_COUNT(sizes); i++)
		for (int shape = 0; shape < SHAPES; shape++) {
			const size_t n = sizes[i];
			struct case_ c;
			char where[80];

			if (n > 100000 && shape != UNIFORM && shape != FEW && shape != SPARSE)
				continue;
			(void)snprintf(where, sizeof where, "kind %zu, shape %d, %zu keys", *number,
				       shape, n);
			make_case(&c, &kinds[*number], (enum shape)shape, n);
			check_case(&c, n > 10000 ? 1 + (shape + (int)*number) % 3 : 1, where);
			free_case(&c);
		}
}

/* Types, values, some of the bits and segments, by best and lsd8: counts, digits, and words of which
 * all bits fit or not. */
static void check_kind(const struct kind *kind, size_t n, enum shape shape)
{
	static const enum cpu_simd sets[] = { CPU_PLAIN, CPU_AVX2, CPU_VBMI2 };
	struct case_ c;

	make_case(&c, kind, shape, n);
	for (size_t i = 0; i < GB_COUNT(sets); i++)
		for (int64_t threads = 1; threads <= 6; threads += 5)
			for (size_t s = 0; s < 2; s++) {
				char what[160];

				(void)snprintf(what, sizeof what,
					       "sort %zu, simd %d, %d threads, type %d, values %d, "
					       "bits %d:%d, %zu segments, shape %d, %zu keys",
					       s, (int)sets[i], (int)threads, (int)kind->type,
					       (int)kind->values, kind->begin, kind->end,
					       kind->segments, (int)shape, n);
				cpu_limit_simd(sets[i]);
				check(sorts[s], &c, threads, what);
			}
	free_case(&c);
}

ParameterizedTestParameters(radix_cpu, all_kinds)
{
	static enum radix_type types[RADIX_TYPES];

	for (int t = 0; t < RADIX_TYPES; t++)
		types[t] = (enum radix_type)t;
	return cr_make_param_array(enum radix_type, types, RADIX_TYPES);
}

ParameterizedTest(enum radix_type *type, radix_cpu, all_kinds)
{
	static const size_t counts[] = { 1, 50, 3001, UNLESS_SANITIZED(40000, 20000) };
	static const enum shape shapes[] = { UNIFORM, FEW, SPARSE, FLOATS, OUTLIERS };
	const int most = 8 * (int)radix_key_size(*type);
	const int bits[][2] = { { 0, 0 }, { 2, 7 }, { most / 4, most - 1 }, { 0, most / 2 } };

	for (int values = 0; values < RADIX_VALUES; values++)
		for (size_t b = 0; b < GB_COUNT(bits); b++)
			for (size_t segments = 1; segments <= 900; segments *= 30)
				for (size_t i = 0; i < GB_COUNT(counts); i++) {
					const struct kind kind = { *type, (enum radix_values)values,
								   bits[b][0], bits[b][1],
								   segments };

					check_kind(&kind, counts[i],
						   shapes[(i + b + (size_t)values + segments) % 5]);
				}
}

/* The values are multiples of an odd number: 1 for ascending ones. */
static void set_values(struct case_ *c, uint32_t factor)
{
	for (size_t i = 0; i < c->input.count; i++)
		((uint32_t *)c->input.values)[i] = (uint32_t)i * factor;
	make_expected(c);
}

/* All types at each level of vector instructions, with one thread and more. */
Test(radix_cpu, patterns)
{
	static const enum cpu_simd levels[] = { CPU_PLAIN, CPU_AVX2, CPU_AVX512 };
	static const size_t counts[] = { 1, 255, 257, 700, 4099, 20011 };

	for (int kind = 0; kind <= PAIRS; kind++)
		for (int shape = SHAPES; shape < PATTERNS; shape++)
			for (size_t i = 0; i < 2 * GB_COUNT(counts); i++) {
				struct case_ c;

				if (i % 2 && kind != PAIRS)
					continue;
				make_case(&c, &kinds[kind], (enum shape)shape, counts[i / 2]);
				if (kind == PAIRS)
					set_values(&c, i % 2 ? 2654435761U : 1);
				for (size_t k = 0; k < GB_COUNT(levels); k++)
					for (int threads = 1; threads <= 3; threads += 2) {
						char what[160];

						(void)snprintf(what, sizeof what,
							       "simd %d, kind %d, shape %d, %zu "
							       "keys, %d threads",
							       (int)levels[k], kind, shape,
							       c.input.count, threads);
						cpu_limit_simd(levels[k]);
						check(&radix_cpu_best, &c, threads, what);
					}
				free_case(&c);
			}
}

/* More threads than keys and than cores. */
Test(radix_cpu, many_threads)
{
	static const size_t counts[] = { 0, 3, 40, 100000 };

	for (size_t i = 0; i < GB_COUNT(counts); i++)
		for (size_t s = 0; s < GB_COUNT(sorts); s++) {
			struct case_ c;

			make_case(&c, &kinds[PAIRS], FEW, counts[i]);
			check(sorts[s], &c, 5, "five threads");
			free_case(&c);
		}
}

/* Values ascend in both halves, and half of the keys share the highest digit.  The values of a part
 * do not ascend, although those at its place before the split did. */
Test(radix_cpu, values_by_halves)
{
	enum { COUNT = 400000 };
	struct case_ c;

	make_case(&c, &kinds[PAIRS], FEW, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		((uint32_t *)c.input.keys)[i] = (uint32_t)(i % 2 << 31 | mix(i) % 4 << 8);
		((uint32_t *)c.input.values)[i] = (uint32_t)(i % (COUNT / 2));
	}
	free(c.expected);
	c.expected = malloc(c.bytes + 1);
	make_expected(&c);
	for (int64_t threads = 1; threads <= 5; threads += 2)
		check(&radix_cpu_best, &c, threads, "values by halves");
	free_case(&c);
}
