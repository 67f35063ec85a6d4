/* test_sort.c -- the leaf sorts with AVX2 and NEON, and pairs. */
#include "cpu/simd.h"

#if defined(__x86_64__)
#define radix_leaf_avx2  leaf_of_this_test
#define radix_cut_avx2   cut_of_this_test
#define radix_merge_avx2 merge_of_this_test
#include "cpu/sort/vector_avx2.c"
#undef radix_leaf_avx2
#undef radix_cut_avx2
#undef radix_merge_avx2
#define LEVEL CPU_AVX2
#elif defined(__aarch64__)
#define radix_leaf_pivots   leaf_of_this_test
#define radix_leaf_cut      cut_of_this_test
#define radix_merge_vectors merge_of_this_test
#include "cpu/sort/vector_neon.c"
#undef radix_leaf_pivots
#undef radix_leaf_cut
#undef radix_merge_vectors
#define LEVEL CPU_NEON
#endif

#if defined(LEVEL)
#include "tests/cpu/leaf_cases.h"

Test(leaf_narrow, every_size)
{
	if (cpu_simd() < LEVEL)
		cr_skip("no AVX2");
	sort_sizes(3 * NETWORK_32);
	merge_sizes();
}

/* Stable insertion sort: pairs with equal upper halves keep their order. */
static void insert_pairs(const uint64_t *pair, size_t n, uint64_t *sorted)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = i;

		for (; j && sorted[j - 1] >> 32 > pair[i] >> 32; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = pair[i];
	}
}

/* Pairs with few distinct keys, and values that ascend, descend or are random: stable at every
 * level. */
Test(leaf_pairs, stable)
{
	enum { PAIRS = 3000 };
	static uint64_t record[PAIRS], spare[PAIRS], wanted[PAIRS];
	static uint32_t value[PAIRS];

	for (enum cpu_simd simd = LEVEL; simd <= cpu_simd(); simd++)
		for (size_t n = 0; n < PAIRS; n = n < 20 ? n + 1 : n * 3 / 2)
			for (int kind = 0; kind < 6; kind++) {
				const struct radix_leaf leaf = { .record = record,
								 .spare = spare,
								 .count = n,
								 .width = 8,
								 .low = 32,
								 .top = 64,
								 .in_spare = kind & 1 };
				uint64_t *pair = leaf.in_spare ? spare : record;
				uint64_t state = 88172645463325252U + n;

				for (size_t i = 0; i < n; i++) {
					const uint64_t any = next(&state);
					const uint32_t v = kind < 2   ? (uint32_t)i
							   : kind < 4 ? (uint32_t)(n - i)
								      : (uint32_t)any;

					pair[i] = (any >> 40) % 7 << 61 | v;
				}
				insert_pairs(pair, n, wanted);
				radix_leaf_pairs(&leaf, value, simd);
				cr_assert_eq(memcmp(record, wanted, n * sizeof *wanted), 0,
					     "level %d, kind %d, %zu pairs", (int)simd, kind, n);
			}
}

#endif
