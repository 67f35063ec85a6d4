/* words_avx2.h -- the vector operations of kernels_body.h in AVX2; words_plain.h describes them.
 *
 * Only f8_fma() fuses: every other product and sum is rounded alone, as common/lbvh.h demands.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_AVX2_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_AVX2_H

#include "cpu/simd.h"

#define WORDS_FN static inline __attribute__((always_inline)) CPU_AVX2_TARGET

/* A function that is called from outside. */
#define WORDS_ENTRY CPU_AVX2_TARGET static

#include "cpu/lbvh/parts/words_f8.h"

WORDS_FN unsigned f8_le(F8 a, F8 b)
{
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

WORDS_FN unsigned f8_lt(F8 a, F8 b)
{
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

WORDS_FN unsigned f8_eq(F8 a, F8 b)
{
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ));
}

/* Lane i has all bits set if bit i is set. */
WORDS_FN __m256i words_spread(unsigned bits)
{
	const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

	return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), each), each);
}

WORDS_FN F8 f8_select(F8 a, F8 b, unsigned bits)
{
	return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(words_spread(bits)));
}

WORDS_FN void f8_put(uint32_t *p, uint32_t v, unsigned bits)
{
	_mm256_maskstore_epi32((int *)p, words_spread(bits), _mm256_set1_epi32((int)v));
}

#define SORT_STEP(a, other, LOW) \
	_mm256_blend_epi32(_mm256_max_epi32(a, other), _mm256_min_epi32(a, other), LOW)
#include "cpu/lbvh/parts/words_sort.h"

#endif
