/* words_f8.h -- the operations on eight lanes in AVX2 or, with MASK, in AVX-512; words_plain.h
 * describes them. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_F8_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_F8_H

#include <immintrin.h>
#include <stdint.h>

#define F8 __m256

#define VECTOR     F8
#define WORD(name) f8_##name
#define MM(name)   _mm256_##name
#include "cpu/lbvh/parts/words_vector.h"

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
