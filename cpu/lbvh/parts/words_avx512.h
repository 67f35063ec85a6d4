/* words_avx512.h -- the vector operations of kernels_body.h in AVX-512: eight lanes for the
 * children of a node, sixteen for the rays of a packet; words_plain.h describes them. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_AVX512_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_AVX512_H

#include "cpu/simd.h"

#define WORDS_FN static inline __attribute__((always_inline)) CPU_AVX512_TARGET

/* A function that is called from outside. */
#define WORDS_ENTRY CPU_AVX512_TARGET static

#define MASK __mmask8
#include "cpu/lbvh/parts/words_f8.h"

#define FW       __m512
#define FW_LANES 16

#define VECTOR     FW
#define WORD(name) fw_##name
#define MM(name)   _mm512_##name
#define MASK       __mmask16
#include "cpu/lbvh/parts/words_vector.h"

WORDS_FN float fw_most(FW a)
{
	return _mm512_reduce_max_ps(a);
}

#define SORT_STEP(a, other, LOW) _mm256_mask_min_epi32(_mm256_max_epi32(a, other), LOW, a, other)
#include "cpu/lbvh/parts/words_sort.h"

#endif
