/* sums_block.h -- the inner loops of sums.c, by the best instruction set there is. */
#ifndef GPUBENCH_CPU_CBT_PARTS_SUMS_BLOCK_H
#define GPUBENCH_CPU_CBT_PARTS_SUMS_BLOCK_H

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
