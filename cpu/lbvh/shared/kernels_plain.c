/* kernels_plain.c -- the kernels for any processor. */
#define WORDS_TARGET
#define WORDS_SIMD 0
#define KERNELS    lbvh_kernels_plain
#include "cpu/lbvh/shared/kernels_body.h"
