/* kernels_plain.c -- the kernels for any processor. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* all functions with vectors are inlined */
#endif
#define WORDS_TARGET
#define WORDS_SIMD 0
#define KERNELS    lbvh_kernels_plain
#include "cpu/lbvh/parts/kernels_body.h"
