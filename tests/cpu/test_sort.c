/* test_sort.c -- the steps of a CPU sort: vectors at each level, every size around those of vectors
 * and networks, keys that defeat most pivots, and splits at middles, which medians rarely need;
 * digits; orders.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "cpu/primitives/sort.h"
#include "cpu/runtime/simd.h"

enum { MOST = 5000, GUARD = 16 }; /* records; guards on either side */
static const uint64_t guard = UINT64_C(0x5a5a5a5a5a5a5a5a);

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Key i of n: uniform, few values, few bits set, all equal but one, all equal, the largest,
 * descending, most equal to a middle, the least or the largest key. */
static uint64_t key_of(int kind, size_t i, size_t n, uint64_t *state)
{
	const uint64_t word = next(state), last = i + 1 == n;

	switch (kind) {
	case 0:
		return word;
	case 1:
		return word % 5 * UINT64_C(0x3333333333333333);
	case 2:
		return word & next(state) & next(state) & next(state) & next(state);
	case 3:
		return 7 - last;
	case 4:
		return UINT64_C(1) << 63 | UINT64_C(1) << 31;
	case 5:
		return UINT64_MAX - (word & 1);
	case 6:
		return n - i;
	default:
		return word >> 60 == 0 ? next(state)
		       : kind == 7     ? UINT64_C(0x8000000080000000)
		       : kind == 8     ? 0
				       : UINT64_MAX;
	}
}
enum { KINDS = 10 };

static int compare_64(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void put(void *array, size_t width, size_t i, uint64_t key)
{
	if (width == 8)
		((uint64_t *)array)[i] = key;
	else
		((uint32_t *)array)[i] = (uint32_t)key;
}

static uint64_t get(const void *array, size_t width, size_t i)
{
	return width == 8 ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

/* By medians, by middles alone, and by digits from either array. */
enum way { BY_MEDIANS, BY_MIDDLES, BY_DIGITS, BY_DIGITS_SPARE, WAYS };

static void sort_one(size_t width, int kind, size_t n, enum way way, enum cpu_simd simd)
{
	static uint64_t array[2][MOST + 2 * GUARD], wanted[MOST];
	const uint64_t around = width == 8 ? guard : (uint32_t)guard;
	uint64_t state = 88172645463325252U + n;
	char *record = (char *)array[0] + GUARD * width;
	char *spare = (char *)array[1] + GUARD * width;
	void *key = way == BY_DIGITS_SPARE ? spare : record;

	for (size_t i = 0; i < n + 2 * GUARD; i++) {
		put(array[0], width, i, guard);
		put(array[1], width, i, guard);
	}
	for (size_t i = 0; i < n; i++) {
		put(key, width, i, key_of(kind, i, n, &state));
		wanted[i] = get(key, width, i);
	}
	qsort(wanted, n, sizeof *wanted, compare_64);
	if (way >= BY_DIGITS)
		radix_sort_digits(record, spare, key == spare, n, width, 0, (unsigned)width * 8);
	else
		radix_vectors(width, simd)
			->sort(record, n, way == BY_MEDIANS ? radix_medians_for(n) : 0, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(record, width, i), wanted[i],
			     "level %d width %zu kind %d way %d, key %zu of %zu", (int)simd, width,
			     kind, (int)way, i, n);
	for (size_t i = 0; i < GUARD; i++)
		for (int a = 0; a < 2; a++) {
			cr_assert_eq(get(array[a], width, i), around, "before %zu keys", n);
			cr_assert_eq(get(array[a], width, GUARD + n + i), around, "behind %zu keys",
				     n);
		}
}

static void sort_all(size_t n, enum way first, enum way last, enum cpu_simd simd)
{
	for (size_t width = 4; width <= 8; width += 4)
		for (int kind = 0; kind < KINDS; kind++)
			for (enum way way = first; way <= last; way++)
				sort_one(width, kind, n, way, simd);
}

/* Networks sort up to 256 keys; the number of samples changes at 4096. */
Test(sort, vectors)
{
	static const size_t other[] = { 1024, 4096 };

	for (enum cpu_simd simd = CPU_PLAIN + 1; simd <= cpu_simd(); simd++) {
		for (size_t n = 0; n <= 600; n++)
			sort_all(n, BY_MEDIANS, BY_MIDDLES, simd);
		for (size_t i = 0; i < GB_COUNT(other); i++)
			for (size_t n = other[i] - 1; n <= other[i] + 1; n++)
				sort_all(n, BY_MEDIANS, BY_MIDDLES, simd);
		sort_all(MOST, BY_MEDIANS, BY_MIDDLES, simd);
	}
}

Test(sort, digits)
{
	for (size_t n = 0; n <= MOST; n = n < 20 ? n + 1 : n * 3 / 2)
		sort_all(n, BY_DIGITS, BY_DIGITS_SPARE, CPU_PLAIN);
}

/* Outputs of this size are staged; the last windows of digits overlap their neighbours. */
Test(sort, digits_of_many_records)
{
	enum { COUNT = 5000000 };
	uint32_t *key = malloc(4 * COUNT), *out = aligned_alloc(256, 4 * COUNT);
	size_t count[1][RADIX_DIGITS] = { { 0 } }, position[RADIX_DIGITS];
	uint64_t state = 1, sum = 0;

	cr_assert(key && out);
	for (size_t i = 0; i < COUNT; i++)
		sum += key[i] = (uint32_t)next(&state);
	radix_digit_count(key, COUNT, 4, radix_digit_from(24, 32), count[0]);
	radix_digit_positions(count, 1, 0, position);
	radix_digit_scatter(key, COUNT, 4, radix_digit_from(24, 32), out, position);
	for (size_t i = 0; i < COUNT; i++) {
		sum -= out[i];
		cr_assert(i == 0 || out[i - 1] >> 24 <= out[i] >> 24);
	}
	cr_assert_eq(sum, 0);
	free(key);
	free(out);
}

/* One key is out of order, at any place; only the upper halves of pairs count. */
Test(sort, orders)
{
	enum { COUNT = 700 };
	const struct radix_flips none = { 0, 0 };
	uint64_t key[COUNT];

	cr_assert_null(radix_vectors(8, CPU_PLAIN));
	for (enum cpu_simd simd = CPU_PLAIN + 1; simd <= cpu_simd(); simd++) {
		const struct radix_vector_ops *v = radix_vectors(8, simd);

		for (size_t i = 0; i < COUNT; i++)
			key[i] = i / 2 << 32 | (i % 2 ? 0 : 7);
		cr_assert_eq(v->order(key, 0, 0, none), 0);
		cr_assert_eq(v->order(key, COUNT, 32, none), RADIX_ASCENDS);
		cr_assert_eq(v->order(key, COUNT, 0, none), 0);
		for (size_t i = 0; i < COUNT; i++)
			key[i] = COUNT - i;
		cr_assert_eq(v->order(key, COUNT, 0, none), RADIX_DESCENDS);
		for (size_t i = 0; i + 1 < COUNT; i++) {
			key[i]--;
			cr_assert_eq(v->order(key, COUNT, 0, none), 0);
			key[i]++;
		}
	}
}

/* One of `every` keys is too large or too small; 0: none. */
static void sort_nearly(size_t width, size_t n, size_t every, enum cpu_simd simd)
{
	static uint64_t key[MOST], few[MOST], wanted[MOST];
	bool done;

	for (size_t i = 0; i < n; i++) {
		wanted[i] = every && i % every == every / 2 ? i * 7919 % (2 * n) : 2 * i;
		put(key, width, i, wanted[i]);
	}
	qsort(wanted, n, sizeof *wanted, compare_64);
	done = radix_vectors(width, simd)->sort_nearly(key, n, few);
	if (!every || every > 200)
		cr_assert(done, "%zu keys, width %zu, every %zu", n, width, every);
	if (every && every < 20 && n > 4000)
		cr_assert_not(done);
	if (!done)
		radix_vectors(width, simd)->sort(key, n, radix_medians_for(n), n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(key, width, i), wanted[i], "key %zu of %zu, every %zu", i, n,
			     every);
}

Test(sort, nearly)
{
	for (enum cpu_simd simd = CPU_PLAIN + 1; simd <= cpu_simd(); simd++)
		for (size_t width = 4; width <= 8; width += 4)
			for (size_t n = 1; n <= MOST; n = n < 70 ? n + 1 : n * 3 / 2)
				for (size_t every = 0; every < 700; every = every * 3 / 2 + 1)
					sort_nearly(width, n, every, simd);
}
