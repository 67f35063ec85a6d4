/* test_sort.c -- the steps of a CPU sort: vectors at each level, every size around those of vectors
 * and networks, keys that defeat most pivots, and splits at middles, which medians rarely need;
 * digits; orders.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/radix_types.h"
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

/* Store a key of this order. */
static void put(void *array, enum radix_type type, size_t i, uint64_t order)
{
	radix_store(array, radix_key_size(type), i, radix_bits(type, order));
}

static uint64_t get(const void *array, enum radix_type type, size_t i)
{
	return radix_order(type, radix_load(array, radix_key_size(type), i));
}

/* Sort keys by vectors. */
static void sort_keys(void *key, enum radix_type type, size_t n, unsigned medians,
		      enum cpu_simd simd)
{
	const struct radix_vector_ops *v =
		radix_vectors(radix_key_size(type), type >= RADIX_I32, simd);

	v->sort(key, n, medians, n);
	if (type >= RADIX_F32) {
		const size_t negatives = v->negatives(key, n);

		v->reverse(key, negatives, 0, negatives / 2);
	}
}

/* By medians, by middles alone, and by digits from either array. */
enum way { BY_MEDIANS, BY_MIDDLES, BY_DIGITS, BY_DIGITS_SPARE, WAYS };

static void sort_one(enum radix_type type, int kind, size_t n, enum way way, enum cpu_simd simd)
{
	static uint64_t array[2][MOST + 2 * GUARD], wanted[MOST];
	const size_t width = radix_key_size(type);
	const uint64_t around = width == 8 ? guard : (uint32_t)guard;
	uint64_t state = 88172645463325252U + n;
	char *record = (char *)array[0] + GUARD * width;
	char *spare = (char *)array[1] + GUARD * width;
	void *key = way == BY_DIGITS_SPARE ? spare : record;

	for (size_t i = 0; i < n + 2 * GUARD; i++) {
		put(array[0], type, i, guard);
		put(array[1], type, i, guard);
	}
	for (size_t i = 0; i < n; i++) {
		put(key, type, i, key_of(kind, i, n, &state));
		wanted[i] = get(key, type, i);
	}
	qsort(wanted, n, sizeof *wanted, compare_64);
	if (way >= BY_DIGITS)
		radix_sort_digits(record, spare, key == spare, n, width, 0, (unsigned)width * 8);
	else
		sort_keys(record, type, n, way == BY_MEDIANS ? radix_medians_for(n) : 0, simd);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(record, type, i), wanted[i],
			     "level %d type %d kind %d way %d, key %zu of %zu", (int)simd,
			     (int)type, kind, (int)way, i, n);
	for (size_t i = 0; i < GUARD; i++)
		for (int a = 0; a < 2; a++) {
			cr_assert_eq(get(array[a], type, i), around, "before %zu keys", n);
			cr_assert_eq(get(array[a], type, GUARD + n + i), around, "behind %zu keys",
				     n);
		}
}

static void sort_all(size_t n, enum way first, enum way last, enum cpu_simd simd)
{
	const enum radix_type end = first < BY_DIGITS ? RADIX_TYPES : RADIX_I32;

	for (enum radix_type type = RADIX_U32; type < end; type++)
		for (int kind = 0; kind < KINDS; kind++)
			for (enum way way = first; way <= last; way++)
				sort_one(type, kind, n, way, simd);
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
	(void)radix_digit_positions(count, 1, 0, position);
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
	uint64_t key[COUNT];

	cr_assert_null(radix_vectors(8, false, CPU_PLAIN));
	for (enum cpu_simd simd = CPU_PLAIN + 1; simd <= cpu_simd(); simd++) {
		const struct radix_vector_ops *v = radix_vectors(8, false, simd);

		for (size_t i = 0; i < COUNT; i++)
			key[i] = i / 2 << 32 | (i % 2 ? 0 : 7);
		cr_assert_eq(v->order(key, 0, 0, 0), 0);
		cr_assert_eq(v->order(key, COUNT, 32, 0), RADIX_ASCENDS);
		cr_assert_eq(v->order(key, COUNT, 0, 0), 0);
		for (size_t i = 0; i < COUNT; i++)
			key[i] = COUNT - i;
		cr_assert_eq(v->order(key, COUNT, 0, 0), RADIX_DESCENDS);
		for (size_t i = 0; i + 1 < COUNT; i++) {
			key[i]--;
			cr_assert_eq(v->order(key, COUNT, 0, 0), 0);
			key[i]++;
		}
	}
}

/* One of `every` keys is too large or too small; 0: none. */
static void sort_nearly(enum radix_type type, size_t n, size_t every, enum cpu_simd simd)
{
	static uint64_t key[MOST], few[MOST], wanted[MOST];
	const size_t width = radix_key_size(type);
	const uint64_t middle = UINT64_C(1) << (8 * width - 1);
	bool done;

	for (size_t i = 0; i < n; i++) {
		wanted[i] = middle - n;
		wanted[i] += every && i % every == every / 2 ? i * 7919 % (2 * n) : 2 * i;
		put(key, type, i, wanted[i]);
	}
	qsort(wanted, n, sizeof *wanted, compare_64);
	done = radix_vectors(width, type >= RADIX_I32, simd)
		       ->sort_nearly(key, n, few, type < RADIX_F32 ? 0 : middle - 1);
	if (!every || every > 200)
		cr_assert(done, "%zu keys, type %d, every %zu", n, (int)type, every);
	if (every && every < 20 && n > 4000)
		cr_assert_not(done);
	if (!done)
		sort_keys(key, type, n, radix_medians_for(n), simd);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(key, type, i), wanted[i], "key %zu of %zu, every %zu", i, n,
			     every);
}

Test(sort, nearly)
{
	for (enum cpu_simd simd = CPU_PLAIN + 1; simd <= cpu_simd(); simd++)
		for (enum radix_type type = RADIX_U32; type < RADIX_TYPES; type++)
			for (size_t n = 1; n <= MOST; n = n < 70 ? n + 1 : n * 3 / 2)
				for (size_t every = 0; every < 700; every = every * 3 / 2 + 1)
					sort_nearly(type, n, every, simd);
}
