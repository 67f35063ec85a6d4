/* words_f8.h -- the words over eight lanes that AVX2 and AVX-512 say alike; the file that
 * includes it has defined WORDS_FN.  What they mean: lbvh_words_plain.h.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_F8_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_F8_H

#include <immintrin.h>
#include <stdint.h>

#define F8 __m256

WORDS_FN F8 f8_set(float a)
{
	return _mm256_set1_ps(a);
}

WORDS_FN F8 f8_load(const float *p)
{
	return _mm256_loadu_ps(p);
}

WORDS_FN void f8_store(float *p, F8 a)
{
	_mm256_storeu_ps(p, a);
}

WORDS_FN F8 f8_add(F8 a, F8 b)
{
	return _mm256_add_ps(a, b);
}

WORDS_FN F8 f8_sub(F8 a, F8 b)
{
	return _mm256_sub_ps(a, b);
}

WORDS_FN F8 f8_mul(F8 a, F8 b)
{
	return _mm256_mul_ps(a, b);
}

WORDS_FN F8 f8_fma(F8 a, F8 b, F8 c)
{
	return _mm256_fmadd_ps(a, b, c);
}

WORDS_FN F8 f8_div(F8 a, F8 b)
{
	return _mm256_div_ps(a, b);
}

WORDS_FN F8 f8_sqrt(F8 a)
{
	return _mm256_sqrt_ps(a);
}

WORDS_FN F8 f8_abs(F8 a)
{
	return _mm256_and_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX)));
}

WORDS_FN F8 f8_min(F8 a, F8 b)
{
	return _mm256_min_ps(a, b);
}

WORDS_FN F8 f8_max(F8 a, F8 b)
{
	return _mm256_max_ps(a, b);
}

WORDS_FN float f8_most(F8 a)
{
	__m128 most = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));

	most = _mm_max_ps(most, _mm_movehl_ps(most, most));
	return _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
}

WORDS_FN void f8_keys(uint32_t *p, F8 a)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i high = _mm256_andnot_si256(_mm256_set1_epi32(7), _mm256_castps_si256(a));

	_mm256_storeu_si256((__m256i *)(void *)p, _mm256_or_si256(high, lane));
}

#endif
