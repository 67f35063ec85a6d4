/* sums_avx512.h -- sums of blocks and packing of numbers with AVX-512 (CPU_VBMI2). */
#ifndef GPUBENCH_CPU_CBT_PARTS_SUMS_AVX512_H
#define GPUBENCH_CPU_CBT_PARTS_SUMS_AVX512_H

#include "cpu/cbt/parts/tree.h"

enum {
	CBT_BLOCK_LEVELS = 12,   /* a block is 2^12 bits of the field */
	CBT_SUBTREE_LEVELS = 18, /* a subtree has at most 2^18 */
	CBT_BATCH = 8,           /* blocks of a batch; they fill whole cache lines of each level */
	CBT_FIRST_JOINT = 9,     /* bits: narrowest numbers packed by a table */
	CBT_JOINTS = 8,
};

/* The field of a block and the first words of its six levels; level[i]: level D - i, 1 .. 6. */
struct cbt_rows {
	const uint64_t *field;
	uint64_t *level[7];
};

/* Words of level D - i in a block; 64 nodes fill i + 1 words. */
static const size_t cbt_row_words[7] = { 64, 64, 48, 32, 20, 12, 7 };

/* Lines of levels D-4 .. D-6 in a batch, level after level: one line per word of a block. */
enum {
	CBT_STAGE_LEVEL_5 = 20,
	CBT_STAGE_LEVEL_6 = CBT_STAGE_LEVEL_5 + 12,
	CBT_STAGE_LINES = CBT_STAGE_LEVEL_6 + 7,
};

/* Lines of a batch that are still to be written around the caches. */
struct cbt_staged {
	uint64_t line[CBT_STAGE_LINES][8] __attribute__((aligned(64)));
	uint64_t *to[3]; /* first words of levels D-4 .. D-6 */
};
struct cbt_stage {
	struct cbt_staged batch[2];
	size_t batches; /* summed so far, 0 at first */
};

/* Tables that turn 32 numbers of one width, four to a 64-bit lane, into consecutive bytes.  Byte i
 * of the result is byte from[f][i] of the lanes if bit i of take[f] is set; f is 0 for even fours
 * of numbers, 1 for odd ones. */
struct cbt_joint {
	uint8_t from[2][64] __attribute__((aligned(64)));
	uint64_t take[2];
};

/* Sum n consecutive blocks, the first of which has the rows `first`. */
void cbt_sum_blocks_avx512(const struct cbt_rows *first, size_t n, uint32_t *count);
/* Sum a batch and write it around the caches, which saves reading each line before it is
 * overwritten.  Prefetches some way past the end of the field. */
void cbt_sum_around_avx512(struct cbt_stage *stage, const struct cbt_rows *to, uint32_t *count);
void cbt_stage_end_avx512(struct cbt_stage *stage);
void cbt_sums_fence_avx512(void);
/* Pack 64 numbers of 8 bits. */
void cbt_pack_bytes_avx512(uint64_t *to, const uint32_t count[64]);
/* Pack 64 numbers of 9 .. 16 bits. */
void cbt_pack_joint_avx512(uint64_t *to, const uint32_t count[64], const struct cbt_joint *joint,
			   unsigned width);
void cbt_add_pairs_avx512(uint32_t *count, size_t n);

#endif
