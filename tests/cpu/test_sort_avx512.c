/* test_sort_avx512.c -- the AVX-512 leaf sorts. */
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
	sort_sizes(600);
	merge_sizes();
}

#endif
