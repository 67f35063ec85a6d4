/* sums.h -- all sums of a heap by groups of whole words: no atomics, nothing read twice.
 *
 * From level 6 on 64 consecutive nodes fill D - d + 1 whole aligned words, so that whoever owns
 * 64-node groups of every level of a subtree writes no word that another writes.  A block is 64
 * words of the field: levels D-1 to D-6 of it are made by adding up neighbouring fields within a
 * word and squeezing out the bits that narrower sums do not need.  The 64 counts of level D-6 of
 * each of eight blocks, a batch, then go up in 32-bit numbers until 64 are left, packed level by
 * level; so do those of the batches of a subtree, of up to 2^18 leaves.  Subtrees are independent
 * of each other; what is above them is done once they are all finished.
 */
#ifndef GPUBENCH_CPU_CBT_PARTS_SUMS_H
#define GPUBENCH_CPU_CBT_PARTS_SUMS_H

#include "cpu/cbt/parts/sums_avx512.h"

/* A heap whose sums are made, as above. */
struct cbt_sums {
	uint64_t *heap;
	unsigned depth;
	unsigned levels; /* of a subtree; 0: less than a block, all is done by cbt_sums_top() */
	enum cpu_simd simd;
	bool around;             /* write the lowest sums around the caches */
	uint32_t *count;         /* of the 64 nodes six levels below each subtree's root */
	struct cbt_joint *joint; /* of widths CBT_FIRST_JOINT and on */
};

/* For a heap of its own; `threads` will share the work. */
enum gb_status cbt_sums_init(struct cbt_sums *s, uint64_t *heap, unsigned depth, int threads,
			     struct gb_error *err);

/* Number of subtrees. */
size_t cbt_sums_subtrees(const struct cbt_sums *s);
/* All sums within subtree number i, but for those of its six highest levels; cbt_sums_fence() is
 * due after it. */
void cbt_sums_subtree(const struct cbt_sums *s, size_t i);
/* The sums of the six highest levels of the subtrees and those above, and the depth marker. */
void cbt_sums_top(const struct cbt_sums *s);

/* By each thread after its blocks: other threads will see what it wrote. */
void cbt_sums_fence(const struct cbt_sums *s);

#endif
