/* split_avx2.c -- the operations of split_ways.h in AVX2. */
#include "cpu/lbvh/parts/split_ways.h"

#if defined(__x86_64__)
#define SPLIT_TARGET CPU_AVX2_TARGET
#include "cpu/lbvh/parts/split_words_vector.h"

#define SPLIT_WAYS lbvh_split_avx2
#include "cpu/lbvh/parts/split_body.h"
#else
const struct lbvh_split_ways lbvh_split_avx2 = { 0 };
#endif
