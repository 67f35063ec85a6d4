/* cbt_sums_block.h -- the inner loops of cbt_sums.c, for each instruction set. */
#ifndef GPUBENCH_CPU_CBT_SUMS_BLOCK_H
#define GPUBENCH_CPU_CBT_SUMS_BLOCK_H

#include "cpu/cbt_sums.h"

/* Blocks that are written around the caches together. */
enum { CBT_AROUND_BLOCKS = 8 };

/* Levels D-1 .. D-6 of n blocks from number `first` on (a multiple of 8, if n is not below), and
 * their 64 sums of level D-6 each. */
void cbt_sum_blocks(const struct cbt_sums *s, size_t first, size_t n, uint32_t *count);

/* 64 numbers of `width` bits (8 .. 31) as `width` words. */
void cbt_pack_group(enum cbt_simd simd, uint64_t *to, const uint32_t count[64], unsigned width);

/* count[i] = count[2i] + count[2i + 1], i < n, n a multiple of 32. */
void cbt_add_pairs(enum cbt_simd simd, uint32_t *count, size_t n);

#endif
