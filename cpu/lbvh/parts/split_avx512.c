/* split_avx512.c -- the operations of split_ways.h in AVX-512. */
#include "cpu/lbvh/parts/split_ways.h"

#if defined(__x86_64__)
#define SPLIT_TARGET CPU_AVX512_TARGET
#define SPLIT_AVX512
#include "cpu/lbvh/parts/split_words_vector.h"

#define SPLIT_WAYS lbvh_split_avx512
#include "cpu/lbvh/parts/split_body.h"
#else
const struct lbvh_split_ways lbvh_split_avx512 = { 0 };
#endif
