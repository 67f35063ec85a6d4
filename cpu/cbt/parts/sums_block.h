/* sums_block.h -- the inner loops of sums.c, by the best instruction set there is. */
#ifndef GPUBENCH_CPU_CBT_PARTS_SUMS_BLOCK_H
#define GPUBENCH_CPU_CBT_PARTS_SUMS_BLOCK_H

#include "cpu/cbt/parts/sums_avx512.h"

/* A heap whose sums are made: see sums.h. */
struct cbt_sums {
	uint64_t *heap;
	unsigned depth;
	unsigned levels; /* of a subtree; 0: less than a block, all is done by cbt_sums_top() */
	enum cpu_simd simd;
	bool around;             /* write the lowest sums around the caches */
	uint32_t *count;         /* of the 64 nodes six levels below each subtree's root */
	struct cbt_joint *joint; /* of widths CBT_FIRST_JOINT and on */
};

/* Levels D-1 .. D-6 of n blocks from number `first` on (both multiples of CBT_BATCH, or n is
 * smaller), and their 64 sums of level D-6 each.  They are written after cbt_stage_end(). */
void cbt_sum_blocks(const struct cbt_sums *s, size_t first, size_t n, uint32_t *count,
		    struct cbt_stage *stage);
void cbt_stage_end(const struct cbt_sums *s, struct cbt_stage *stage);
/* The same for n words of one block, up to 64, and their sums; what is left of the last word of a level is
 * 0. */
void cbt_sum_words(enum cpu_simd simd, const struct cbt_rows *rows, size_t n, uint32_t *count);
/* By each thread after its blocks: other threads will see what it wrote. */
void cbt_sums_fence(const struct cbt_sums *s);

/* n numbers (a multiple of 64) of `width` bits (8 .. 31) as n / 64 * width words. */
void cbt_pack_groups(const struct cbt_sums *s, uint64_t *to, const uint32_t *count, size_t n,
		     unsigned width);

/* For all widths that cbt_pack_joint_avx512() knows. */
void cbt_joints_init(struct cbt_joint joint[CBT_JOINTS]);

/* count[i] = count[2i] + count[2i + 1], i < n, n a multiple of 32. */
void cbt_add_pairs(enum cpu_simd simd, uint32_t *count, size_t n);

#endif
