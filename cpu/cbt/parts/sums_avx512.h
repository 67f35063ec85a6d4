/* sums_avx512.h -- blocks of the field and packing of numbers with AVX-512 (CPU_VBMI2). */
#ifndef GPUBENCH_CPU_CBT_PARTS_SUMS_AVX512_H
#define GPUBENCH_CPU_CBT_PARTS_SUMS_AVX512_H

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
