/* sums.h -- all sums of a heap by groups of whole words: no atomics, nothing read twice.
 *
 * From level 6 on, 64 consecutive nodes of level d fill D - d + 1 whole aligned words.  A thread
 * that owns the 64-node groups of every level of a subtree therefore writes no word that another
 * thread writes.  A block is 64 words of the field.  Its levels D-1 to D-6 are made by adding up
 * neighbouring fields within a word and squeezing out the bits that narrower sums do not need.  A
 * batch is eight blocks: their 64 counts each of level D-6 are added up as 32-bit numbers, and
 * packed level by level, until 64 are left.  The batches of a subtree, which has up to 2^18 leaves,
 * are added up in the same way.  Subtrees are independent; the levels above them follow once all
 * are finished.
 */
#ifndef GPUBENCH_CPU_CBT_SHARED_SUMS_H
#define GPUBENCH_CPU_CBT_SHARED_SUMS_H

#include "cpu/cbt/shared/tree.h"

/* A heap whose sums are to be computed. */
struct cbt_sums {
	uint64_t *heap;
	unsigned depth;
	unsigned levels; /* subtree height; 0: less than a block, see cbt_sums_top() */
	enum cpu_simd simd;
	bool around;     /* write the lowest sums around the caches */
	uint32_t *count; /* counts of the 64 nodes six levels below each subtree's root */
};

/* Prepare the sums of `heap`, which `threads` threads will share. */
enum gb_status cbt_sums_init(struct cbt_sums *s, uint64_t *heap, unsigned depth, int threads,
			     struct gb_error *err);

/* Number of subtrees. */
size_t cbt_sums_subtrees(const struct cbt_sums *s);
/* Compute all sums within subtree number i except those of its six highest levels; call
 * cbt_sums_fence() after it. */
void cbt_sums_subtree(const struct cbt_sums *s, size_t i);
/* Compute the sums of the subtrees' six highest levels and of all levels above; set the depth
 * marker. */
void cbt_sums_top(const struct cbt_sums *s);

/* Make a thread's sums visible to other threads; each calls it after its subtrees. */
void cbt_sums_fence(const struct cbt_sums *s);

#endif
