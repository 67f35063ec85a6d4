/* kernels_avx2.c -- the traversal kernels in AVX2. */
#include "cpu/lbvh/parts/kernels.h"

#if defined(__x86_64__)
#include "cpu/lbvh/parts/words_avx2.h"

#define KERNELS lbvh_kernels_avx2
#include "cpu/lbvh/parts/kernels_body.h"
#else
const struct lbvh_kernels lbvh_kernels_avx2 = { 0 };
#endif
