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

#include "cpu/cbt/parts/tree.h"

enum {
	CBT_BLOCK_LEVELS = 12,   /* a block is 2^12 bits of the field */
	CBT_SUBTREE_LEVELS = 18, /* a subtree at most 2^18 */
	CBT_BATCH = 8, /* blocks that are taken together; they fill whole lines of each level */
	CBT_FIRST_JOINT = 9, /* bits: of numbers that are packed by a table */
	CBT_JOINTS = 8,
};

/* The field of a block and the first words of its six levels; level[i]: level D - i, 1 .. 6. */
struct cbt_rows {
	const uint64_t *field;
	uint64_t *level[7];
};

/* Words of level D - i in a block: 64 nodes of 2^i leaves fill i + 1. */
static const size_t cbt_row_words[7] = { 64, 64, 48, 32, 20, 12, 7 };

/* Lines of levels D-4 .. D-6 in a batch, one level behind the other: one per word of a block. */
enum {
	CBT_STAGE_LEVEL_5 = 20,
	CBT_STAGE_LEVEL_6 = CBT_STAGE_LEVEL_5 + 12,
	CBT_STAGE_LINES = CBT_STAGE_LEVEL_6 + 7,
};

/* What is still to be written of the batches that go around the caches. */
struct cbt_staged {
	uint64_t line[CBT_STAGE_LINES][8] __attribute__((aligned(64)));
	uint64_t *to[3]; /* levels D-4 .. D-6 */
};
struct cbt_stage {
	struct cbt_staged batch[2];
	size_t batches; /* made so far, 0 at first */
};

/* How 32 numbers of one width, four to a 64-bit lane, become consecutive bytes: those that `take`
 * says, from the lanes' bytes `from`; of even fours and of odd ones. */
struct cbt_joint {
	uint8_t from[2][64] __attribute__((aligned(64)));
	uint64_t take[2];
};

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

/* ---- in AVX-512, CPU_VBMI2 (sums_avx512.c) -------------------------------------------------- */

/* n blocks, from that of these rows on. */
void cbt_sum_blocks_avx512(const struct cbt_rows *first, size_t n, uint32_t *count);
/* A batch, around the caches, which saves reading each line before it is overwritten; the field is
 * read some way beyond its end. */
void cbt_sum_around_avx512(struct cbt_stage *stage, const struct cbt_rows *to, uint32_t *count);
void cbt_stage_end_avx512(struct cbt_stage *stage);
void cbt_sums_fence_avx512(void);
/* 64 numbers of 8 bits. */
void cbt_pack_bytes_avx512(uint64_t *to, const uint32_t count[64]);
/* 64 numbers of 9 .. 16 bits. */
void cbt_pack_joint_avx512(uint64_t *to, const uint32_t count[64], const struct cbt_joint *joint,
			   unsigned width);
void cbt_add_pairs_avx512(uint32_t *count, size_t n);

#endif
