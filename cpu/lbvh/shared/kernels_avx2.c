/* kernels_avx2.c -- the kernels in AVX2. */
#include "cpu/runtime/simd.h"

#if defined(__x86_64__)
#define WORDS_TARGET CPU_AVX2_TARGET
#define WORDS_SIMD   1
#define KERNELS      lbvh_kernels_avx2
#include "cpu/lbvh/shared/kernels_body.h"
#endif
