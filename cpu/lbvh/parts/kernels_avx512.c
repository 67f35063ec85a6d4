/* kernels_avx512.c -- the traversal kernels in AVX-512. */
#include "cpu/lbvh/parts/kernels.h"

#if defined(__x86_64__)
#include "cpu/lbvh/parts/words_avx512.h"

#define KERNELS lbvh_kernels_avx512
#include "cpu/lbvh/parts/kernels_body.h"
#else
const struct lbvh_kernels lbvh_kernels_avx512 = { 0 };
#endif
