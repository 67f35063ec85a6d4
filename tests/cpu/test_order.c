/* test_order.c -- records that are sorted, reversed or nearly sorted: which are recognised, and
 * that all others are left for a sort of any input.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "cpu/sort/order.h"

enum { MOST = 5000 };

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static int ascending(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

enum shape {
	SORTED,
	LAST,      /* the last record is the least */
	FIRST,     /* the first record is the largest */
	MIDDLE,    /* one record is far too large */
	GROUPS,    /* groups of three neighbours that are too large or too small */
	SWAPS,     /* some neighbours are exchanged */
	SCATTERED, /* some records are anywhere */
	EQUAL,     /* a few values, one of them misplaced at times */
	HALVES,    /* from here on not nearly sorted: two runs, */
	ORGANPIPE, /* up and down, */
	MANY,      /* one in ten is anywhere */
	UNIFORM,
	STEP, /* 256 equal ones, then lower ones */
	SHAPES
};

static uint64_t number(enum shape shape, size_t i, size_t n)
{
	const uint64_t at = 1000 + 10 * i, any = mix(i) % (10 * n + 2000);

	switch (shape) {
	case SORTED:
	case SHAPES:
		break;
	case LAST:
		return i + 1 == n ? 3 : at;
	case FIRST:
		return i == 0 ? 100000 : at;
	case MIDDLE:
		return i == n / 2 ? 100000 : at;
	case GROUPS:
		return i % 500 < 497 ? at : i % 1000 < 500 ? 90000 - i : i;
	case SWAPS:
		return i % 400 == 7 ? at + 10 : i % 400 == 8 ? at - 10 : at;
	case SCATTERED:
		return i % 200 == 5 ? any : at;
	case EQUAL:
		return i % 300 == 299 ? 2 : 5 + 4 * i / n;
	case HALVES:
		return i < n / 2 ? at : at - 5 * n;
	case ORGANPIPE:
		return i < n / 2 ? at : 2000 + 10 * (n - i);
	case MANY:
		return i % 10 == 3 ? any : at;
	case UNIFORM:
		return any;
	case STEP:
		return i < 256 ? 5 : 1;
	}
	return at;
}

static void put(void *array, size_t width, size_t i, uint64_t x)
{
	if (width == 8)
		((uint64_t *)array)[i] = x;
	else
		((uint32_t *)array)[i] = (uint32_t)x;
}

static uint64_t get(const void *array, size_t width, size_t i)
{
	return width == 8 ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

static void sort_all(uint64_t *x, size_t n)
{
	qsort(x, n, sizeof *x, ascending);
}

static void sort_few(void *record, size_t n, void *width)
{
	uint64_t *copy = malloc((n + 1) * sizeof *copy);

	for (size_t i = 0; i < n; i++)
		copy[i] = get(record, *(size_t *)width, i);
	sort_all(copy, n);
	for (size_t i = 0; i < n; i++)
		put(record, *(size_t *)width, i, copy[i]);
	free(copy);
}

static void try_shape(enum shape shape, size_t n, size_t width, enum cpu_simd simd)
{
	static uint64_t array[MOST + 1], wanted[MOST], few[MOST];
	const enum radix_type type = width == 8 ? RADIX_U64 : RADIX_U32;
	const size_t room = n / 64 + 16;
	size_t ordered;
	bool done;

	for (size_t i = 0; i < n; i++) {
		wanted[i] = number(shape, i, n);
		put(array, width, i, wanted[i]);
	}
	put(array, width, n, 77);
	put(few, width, room, 78);
	sort_all(wanted, n);
	ordered = radix_ordered(array, n, type, RADIX_ASCENDING, simd);
	for (size_t i = 1; i < n; i++)
		if (get(array, width, i) < get(array, width, i - 1)) {
			cr_assert_eq(ordered, i, "shape %d, %zu of %zu", (int)shape, ordered, n);
			break;
		}
	done = radix_sort_nearly(array, n, width, ordered, few, room, sort_few, &width, simd);
	cr_assert(done == (shape < HALVES) || n < 1000, "shape %d, %zu", (int)shape, n);
	if (!done) {
		uint64_t copy[MOST];

		for (size_t i = 0; i < n; i++)
			copy[i] = get(array, width, i);
		sort_all(copy, n);
		for (size_t i = 0; i < n; i++)
			put(array, width, i, copy[i]);
	}
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(array, width, i), wanted[i], "shape %d, width %zu, key %zu of %zu",
			     (int)shape, width, i, n);
	cr_assert(get(array, width, n) == 77 && get(few, width, room) == 78, "wrote behind");
}

Test(order, nearly_sorted)
{
	static const size_t counts[] = { 1, 2, 3, 9, 63, 64, 65, 66, 129, 1000, 4097, MOST };

	for (enum cpu_simd simd = CPU_PLAIN; simd <= CPU_AVX2 && simd <= cpu_simd(); simd++)
		for (enum shape shape = SORTED; shape < SHAPES; shape++)
			for (size_t c = 0; c < GB_COUNT(counts); c++)
				for (size_t width = 4; width <= 8; width += 4)
					try_shape(shape, counts[c], width, simd);
}

/* Record i of n ascending or descending ones, each `repeat` times. */
static void put_ramp(void *array, enum radix_type type, size_t i, size_t n, size_t repeat,
		     bool down)
{
	const uint64_t step = UINT32_MAX / (n + 1) * ((down ? n - 1 - i : i) / repeat);
	uint64_t *wide = array;
	uint32_t *narrow = array;

	switch (type) {
	case RADIX_U64:
		wide[i] = step << 32 | 5;
		break;
	case RADIX_PAIRS: /* values do not count */
		wide[i] = step << 32 | (uint32_t)mix(i);
		break;
	case RADIX_F32:
		narrow[i] = radix_f32_bits((uint32_t)step);
		break;
	default:
		narrow[i] = (uint32_t)step;
	}
}

/* Ramps of all types are recognised up to the first record that breaks them. */
Test(order, ramps)
{
	static const size_t counts[] = { 255, 256, 257, 320, 1001 };
	static uint64_t array[1001];

	for (enum cpu_simd simd = CPU_PLAIN; simd <= CPU_AVX2 && simd <= cpu_simd(); simd++)
		for (enum radix_type type = RADIX_U32; type < RADIX_TYPES; type++)
			for (size_t c = 0; c < GB_COUNT(counts); c++)
				for (int kind = 0; kind < 4; kind++) {
					const size_t n = counts[c], broken = n - 1 - (size_t)kind;
					const enum radix_order order =
						kind & 1 ? RADIX_DESCENDING : RADIX_ASCENDING;

					for (size_t i = 0; i < n; i++)
						put_ramp(array, type, i, n, kind & 2 ? 3 : 1,
							 kind & 1);
					cr_assert_eq(radix_guess_order(array, n, type, simd),
						     n < 256 ? RADIX_NO_ORDER : order);
					cr_assert_eq(radix_ordered(array, n, type, order, simd), n);
					put_ramp(array, type, broken, n, 1, !(kind & 1));
					cr_assert_eq(radix_ordered(array, n, type, order, simd),
						     broken, "type %d, kind %d, %zu", (int)type,
						     kind, n);
				}
}

Test(order, mirrors)
{
	for (size_t width = 4; width <= 8; width += 4)
		for (size_t n = 0; n < 300; n++) {
			static uint64_t array[300];

			for (size_t i = 0; i < n; i++)
				put(array, width, i, i);
			radix_mirror(array, n, width, 0, n / 4);
			radix_mirror(array, n, width, n / 4, n / 2);
			for (size_t i = 0; i < n; i++)
				cr_assert_eq(get(array, width, i), n - 1 - i);
		}
}

Test(order, mirrored_ties)
{
	uint64_t pair[] = { 1,
			    2,
			    (UINT64_C(1) << 32) + 9,
			    (UINT64_C(1) << 32) + 8,
			    (UINT64_C(1) << 32) + 7,
			    UINT64_C(5) << 32 };
	const uint64_t wanted[] = { 2,
				    1,
				    (UINT64_C(1) << 32) + 7,
				    (UINT64_C(1) << 32) + 8,
				    (UINT64_C(1) << 32) + 9,
				    UINT64_C(5) << 32 };

	radix_mirror_ties(pair, GB_COUNT(pair));
	cr_assert_arr_eq(pair, wanted, sizeof wanted);
}
