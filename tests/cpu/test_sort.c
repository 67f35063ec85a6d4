/* The leaves that sort by vectors of AVX2. */
#define radix_leaf_avx2 leaf_of_this_test
#define radix_cut_avx2  cut_of_this_test
#include "cpu/sort/vector_avx2.c"
#undef radix_leaf_avx2
#undef radix_cut_avx2

#include "tests/cpu/leaf_cases.h"

#if defined(__x86_64__)

Test(leaf_avx2, every_size)
{
	if (cpu_simd() < CPU_AVX2)
		cr_skip("no AVX2");
	sort_sizes();
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
