/* kernels_avx512.c -- the kernels with the comparisons and registers of AVX-512. */
#include "cpu/runtime/simd.h"

#if defined(__x86_64__)
#define WORDS_TARGET CPU_AVX512_TARGET
#define WORDS_SIMD   2
#define KERNELS      lbvh_kernels_avx512
#include "cpu/lbvh/shared/kernels_body.h"
#endif
