/* cbt_sums_block.h -- the inner loops of cbt_sums.c, for each instruction set. */
#ifndef GPUBENCH_CPU_CBT_SUMS_BLOCK_H
#define GPUBENCH_CPU_CBT_SUMS_BLOCK_H

#include "cpu/cbt_sums.h"

/* Blocks that are written around the caches together. */
enum { CBT_AROUND_BLOCKS = 8 };

/* The field of a block and the first words of its six levels; level[i]: level D - i, 1 .. 6. */
struct cbt_rows {
	const uint64_t *field;
	uint64_t *level[7];
};

/* Words of level D - i in a block: 64 nodes of 2^i leaves fill i + 1. */
static const size_t cbt_row_words[7] = { 64, 64, 48, 32, 20, 12, 7 };

/* Levels D-1 .. D-6 of n blocks from number `first` on (a multiple of 8, if n is not below), and
 * their 64 sums of level D-6 each. */
void cbt_sum_blocks(const struct cbt_sums *s, size_t first, size_t n, uint32_t *count);

/* n numbers (a multiple of 64) of `width` bits (8 .. 31) as n / 64 * width words. */
void cbt_pack_groups(const struct cbt_sums *s, uint64_t *to, const uint32_t *count, size_t n,
		     unsigned width);

/* For all widths that cbt_pack_joint_avx512() knows. */
void cbt_joints_init(struct cbt_joint joint[CBT_JOINTS]);

/* count[i] = count[2i] + count[2i + 1], i < n, n a multiple of 32. */
void cbt_add_pairs(enum cbt_simd simd, uint32_t *count, size_t n);

/* ---- AVX-512 ----------------------------------------------------------------------------- */

/* n blocks, from that of these rows on. */
void cbt_sum_blocks_avx512(const struct cbt_rows *first, size_t n, uint32_t *count);
/* CBT_AROUND_BLOCKS blocks, which fill whole lines of each level: they are made in the nearest
 * cache and go from there around the others, which saves reading each line before it is
 * overwritten. */
void cbt_sum_around_avx512(const struct cbt_rows *to, uint32_t *count);
/* 64 numbers of 8 bits. */
void cbt_pack_bytes_avx512(uint64_t *to, const uint32_t count[64]);
/* 64 numbers of 9 .. 16 bits. */
void cbt_pack_joint_avx512(uint64_t *to, const uint32_t count[64], const struct cbt_joint *joint,
			   unsigned width);
void cbt_add_pairs_avx512(uint32_t *count, size_t n);

#endif
