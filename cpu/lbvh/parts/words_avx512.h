/* words_avx512.h -- the words of lbvh_kernels_body.h in AVX-512 (F, DQ, VL): eight lanes for
 * the children of a node, sixteen for the rays of a packet; what they mean: lbvh_words_plain.h.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_AVX512_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define WORDS_FN                                    \
	static inline __attribute__((always_inline, \
				     target("avx512f,avx512dq,avx512vl,avx2,fma,bmi,lzcnt")))

/* A function that is called from outside. */
#define WORDS_ENTRY __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma,bmi,lzcnt")))

#define FW       __m512
#define FW_LANES 16

#include "cpu/lbvh/parts/words_f8.h"

WORDS_FN unsigned f8_le(F8 a, F8 b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

WORDS_FN unsigned f8_lt(F8 a, F8 b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

WORDS_FN unsigned f8_eq(F8 a, F8 b)
{
	return _mm256_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

WORDS_FN F8 f8_select(F8 a, F8 b, unsigned bits)
{
	return _mm256_mask_mov_ps(a, (__mmask8)bits, b);
}

WORDS_FN void f8_put(uint32_t *p, uint32_t v, unsigned bits)
{
	_mm256_mask_storeu_epi32(p, (__mmask8)bits, _mm256_set1_epi32((int)v));
}

WORDS_FN FW fw_set(float a)
{
	return _mm512_set1_ps(a);
}

WORDS_FN FW fw_load(const float *p)
{
	return _mm512_loadu_ps(p);
}

WORDS_FN void fw_store(float *p, FW a)
{
	_mm512_storeu_ps(p, a);
}

WORDS_FN FW fw_add(FW a, FW b)
{
	return _mm512_add_ps(a, b);
}

WORDS_FN FW fw_sub(FW a, FW b)
{
	return _mm512_sub_ps(a, b);
}

WORDS_FN FW fw_mul(FW a, FW b)
{
	return _mm512_mul_ps(a, b);
}

WORDS_FN FW fw_fma(FW a, FW b, FW c)
{
	return _mm512_fmadd_ps(a, b, c);
}

WORDS_FN FW fw_div(FW a, FW b)
{
	return _mm512_div_ps(a, b);
}

WORDS_FN FW fw_sqrt(FW a)
{
	return _mm512_sqrt_ps(a);
}

WORDS_FN FW fw_abs(FW a)
{
	return _mm512_and_ps(a, _mm512_castsi512_ps(_mm512_set1_epi32(INT32_MAX)));
}

WORDS_FN FW fw_min(FW a, FW b)
{
	return _mm512_min_ps(a, b);
}

WORDS_FN FW fw_max(FW a, FW b)
{
	return _mm512_max_ps(a, b);
}

WORDS_FN float fw_most(FW a)
{
	return _mm512_reduce_max_ps(a);
}

WORDS_FN unsigned fw_le(FW a, FW b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

WORDS_FN unsigned fw_lt(FW a, FW b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

WORDS_FN unsigned fw_eq(FW a, FW b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

WORDS_FN FW fw_select(FW a, FW b, unsigned bits)
{
	return _mm512_mask_mov_ps(a, (__mmask16)bits, b);
}

WORDS_FN void fw_put(uint32_t *p, uint32_t v, unsigned bits)
{
	_mm512_mask_storeu_epi32(p, (__mmask16)bits, _mm512_set1_epi32((int)v));
}

#endif
