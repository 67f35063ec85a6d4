/* test_sort.c -- the AVX2 leaf sorts. */
#define radix_leaf_avx2  leaf_of_this_test
#define radix_cut_avx2   cut_of_this_test
#define radix_merge_avx2 merge_of_this_test
#include "cpu/sort/vector_avx2.c"
#undef radix_leaf_avx2
#undef radix_cut_avx2
#undef radix_merge_avx2

#if defined(__x86_64__)
#include "tests/cpu/leaf_cases.h"

Test(leaf_avx2, every_size)
{
	if (cpu_simd() < CPU_AVX2)
		cr_skip("no AVX2");
	sort_sizes();
	merge_sizes();
}

#endif
