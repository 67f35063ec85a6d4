/* kernels_neon.c -- the traversal kernels in NEON. */
#include "cpu/lbvh/parts/kernels.h"

#if defined(__aarch64__)
#include "cpu/lbvh/parts/words_neon.h"

#define KERNELS lbvh_kernels_neon
#include "cpu/lbvh/parts/kernels_body.h"
#endif
