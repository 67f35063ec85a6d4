/* The leaves that sort by vectors of AVX2: every size around those of vectors and networks, keys that few of
 * its ways to split suit, and the way by bits, which samples hardly ever leave anything to.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#define radix_leaf_avx2 leaf_of_this_test
#include "cpu/sort/vector_avx2.c"
#undef radix_leaf_avx2

#if defined(__x86_64__)

enum { MOST = 5000, GUARD = 16 }; /* keys; keys around them that must stay */
static const uint64_t guard = UINT64_C(0x5a5a5a5a5a5a5a5a);

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Key i of n: evenly spread, few, one bit each or none, equal but for one, all equal, the largest, falling. */
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
	default:
		return n - i;
	}
}
enum { KINDS = 7 };

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

/* One leaf, as a caller has it sorted, or by bits alone. */
static void sort_one(size_t width, int kind, size_t n, bool in_spare, bool by_bits)
{
	static uint64_t array[2][MOST + 2 * GUARD], wanted[MOST];
	const uint64_t around = width == 8 ? guard : (uint32_t)guard;
	uint64_t state = 88172645463325252U + n;
	unsigned char *record = (unsigned char *)array[0] + GUARD * width;
	unsigned char *spare = (unsigned char *)array[1] + GUARD * width;
	void *key = in_spare ? spare : record;
	const struct radix_leaf leaf = { .record = record,
					 .spare = spare,
					 .count = n,
					 .width = width,
					 .top = (unsigned)(8 * width),
					 .in_spare = in_spare };

	for (size_t i = 0; i < n + 2 * GUARD; i++) {
		put(array[0], width, i, guard);
		put(array[1], width, i, guard);
	}
	for (size_t i = 0; i < n; i++) {
		put(key, width, i, key_of(kind, i, n, &state));
		wanted[i] = get(key, width, i);
	}
	qsort(wanted, n, sizeof *wanted, compare_64);
	if (!by_bits)
		leaf_of_this_test(&leaf);
	else if (width == 8)
		sort_64(key, in_spare ? (void *)record : (void *)spare, n, 0, (void *)record);
	else
		sort_32(key, in_spare ? (void *)record : (void *)spare, n, 0, (void *)record);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(record, width, i), wanted[i], "width %zu kind %d, key %zu of %zu",
			     width, kind, i, n);
	for (size_t i = 0; i < GUARD; i++)
		for (int a = 0; a < 2; a++) {
			cr_assert_eq(get(array[a], width, i), around, "before %zu keys", n);
			cr_assert_eq(get(array[a], width, GUARD + n + i), around, "behind %zu keys",
				     n);
		}
}

static void sort_all(size_t n)
{
	for (size_t width = 4; width <= 8; width += 4)
		for (int kind = 0; kind < KINDS; kind++)
			for (int way = 0; way < 4; way++)
				sort_one(width, kind, n, way & 1, way >> 1);
}

Test(leaf_avx2, every_size)
{
	if (cpu_simd() < CPU_AVX2)
		cr_skip("no AVX2");
	for (size_t n = 0; n <= 300; n++)
		sort_all(n);
	for (size_t n = MANY - 1; n <= MANY + 1; n++)
		sort_all(n);
	sort_all(MOST);
}

/* A vector's lanes in all orders of high and low. */
Test(leaf_avx2, orders)
{
	for (unsigned m = 0; m < 256; m++) {
		const unsigned char *order = (const unsigned char *)&order_32[m];
		unsigned lows = 0, highs = 8 - (unsigned)__builtin_popcount(m);

		for (unsigned lane = 0; lane < 8; lane++)
			cr_assert_eq(order[m >> lane & 1 ? highs++ : lows++], lane, "mask %u", m);
	}
	for (unsigned m = 0; m < 16; m++)
		for (unsigned i = 0; i < 8; i += 2) {
			const unsigned char *order = (const unsigned char *)&order_64[m];

			cr_assert_eq(order[i] % 2, 0);
			cr_assert_eq(order[i + 1], order[i] + 1);
			cr_assert_eq(m >> order[i] / 2 & 1,
				     i / 2 >= 4 - (unsigned)__builtin_popcount(m));
		}
}

#endif
