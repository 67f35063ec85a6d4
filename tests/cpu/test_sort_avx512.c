/* test_sort_avx512.c -- the AVX-512 leaf sorts, and pairs. */
#define radix_leaf_pivots   pivots_of_this_test
#define radix_leaf_cut      cut_of_vectors
#define radix_merge_vectors merge_of_vectors
#include "cpu/sort/vector.c"
#undef radix_leaf_pivots
#undef radix_leaf_cut
#undef radix_merge_vectors

#if defined(__x86_64__)
#include "tests/cpu/leaf_cases.h"

Test(leaf_avx512, every_size)
{
	if (cpu_simd() < CPU_AVX512)
		cr_skip("no AVX-512");
	sort_sizes();
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

	for (enum cpu_simd simd = CPU_AVX2; simd <= cpu_simd(); simd++)
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
