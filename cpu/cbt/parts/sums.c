/* sums.c -- see sums.h for the method.
 *
 * Within a word w of the field: pairs of bits become 2-bit sums, which is level D-1 as it stands;
 * 4-bit sums hold 0 .. 4 and need 3 bits, 8-bit sums 4, 16-bit sums 5, 32-bit sums 6, 64-bit
 * sums 7. Sixteen 3-bit sums and so on are squeezed together by PEXT, by shifts where there is no
 * BMI2, or for sixteen words at once by multiply-add and permutation with AVX-512
 * (sums_avx512.c).
 *
 * The bound is memory: 2^D bits are read and 3 * 2^D written.  Heaps that no cache holds are
 * written around them by whole lines, which saves reading what is overwritten, and nothing waits
 * for those lines before a thread has done its part.  At depth 28 one thread comes to 70 % of the
 * bandwidth of a copy.
 */
#include "cpu/cbt/parts/sums.h"

#include <string.h>

#include "common/memory.h"
#include "cpu/cbt/parts/writer.h"

enum {
	GROUP = 64,
	/* Batches in the largest subtree. */
	BATCHES = (1 << (CBT_SUBTREE_LEVELS - CBT_BLOCK_LEVELS)) / CBT_BATCH,
};

/* From this depth on the heap is too large for the caches: 2^D/2 bytes. */
enum { AROUND_DEPTH = 27 };

/* First word of a level that has whole words. */
static size_t level_word(unsigned depth, unsigned level)
{
	return (size_t)(cbt_level_bit(depth, level) / 64);
}

enum gb_status cbt_sums_init(struct cbt_sums *s, uint64_t *heap, unsigned depth, int threads,
			     struct gb_error *err)
{
	*s = (struct cbt_sums){ .depth = depth,
				.simd = cpu_simd(),
				.around = depth >= AROUND_DEPTH };
	s->heap = heap;
	if (depth < CBT_BLOCK_LEVELS)
		return GB_OK;
	s->levels = depth < CBT_SUBTREE_LEVELS ? depth : CBT_SUBTREE_LEVELS;
	/* Four subtrees per thread, if there is that much to do. */
	while (threads > 1 && s->levels > CBT_BLOCK_LEVELS &&
	       (size_t)1 << (depth - s->levels) < 4 * (size_t)threads)
		s->levels--;
	s->count = gb_host_alloc(cbt_sums_subtrees(s), GROUP * sizeof *s->count, err);
	s->joint = gb_host_alloc(CBT_JOINTS, sizeof *s->joint, err);
	if (s->joint)
		cbt_joints_init(s->joint);
	return err->code;
}

size_t cbt_sums_subtrees(const struct cbt_sums *s)
{
	return s->levels ? (size_t)1 << (s->depth - s->levels) : 0;
}

/* ---- counts as 32-bit numbers ------------------------------------------------------------ */

/* The sums of n nodes (a multiple of 64) of a level, from its node number `first` (one too). */
static void pack_level(const struct cbt_sums *s, unsigned level, size_t first,
		       const uint32_t *count, size_t n)
{
	const unsigned width = cbt_width(s->depth, level);

	cbt_pack_groups(s, s->heap + level_word(s->depth, level) + first / GROUP * width, count, n,
			width);
}

/* The levels above `level` down to the one of which 64 of n nodes are left: those are in count
 * then.  It is piece number `piece` of as many nodes. */
static void fold(const struct cbt_sums *s, unsigned level, size_t piece, uint32_t *count, size_t n)
{
	while (n > GROUP) {
		n /= 2;
		level--;
		cbt_add_pairs(s->simd, count, n);
		pack_level(s, level, piece * n, count, n);
	}
}

void cbt_sums_subtree(const struct cbt_sums *s, size_t i)
{
	const size_t blocks = (size_t)1 << (s->levels - CBT_BLOCK_LEVELS);
	const size_t batch = blocks < CBT_BATCH ? blocks : CBT_BATCH, batches = blocks / batch;
	const unsigned level = s->depth - 6;
	uint32_t count[GROUP * CBT_BATCH], above[GROUP * BATCHES];
	struct cbt_stage stage;

	stage.batches = 0;
	for (size_t b = 0; b < batches; b++) {
		const size_t piece = i * batches + b;

		cbt_sum_blocks(s, piece * batch, batch, count, &stage);
		fold(s, level, piece, count, GROUP * batch);
		memcpy(above + GROUP * b, count, GROUP * sizeof *count);
	}
	cbt_stage_end(s, &stage);
	fold(s, level - cbt_log2((uint32_t)batch), i, above, GROUP * batches);
	memcpy(s->count + GROUP * i, above, GROUP * sizeof *above);
}

/* ---- the top ----------------------------------------------------------------------------- */

/* The depth marker and levels 0 .. levels - 1, which lie one behind the other, to be followed by level
 * `levels`.  node: the sums of that one from element 2^levels on; the others are made before it. */
static struct cbt_writer begin(const struct cbt_sums *s, unsigned levels, uint32_t *node)
{
	struct cbt_writer w = { .to = s->heap };

	for (size_t k = ((size_t)1 << levels) - 1; k >= 1; k--)
		node[k] = node[2 * k] + node[2 * k + 1];
	cbt_append(&w, UINT64_C(1) << s->depth, (unsigned)cbt_level_bit(s->depth, 0));
	for (unsigned level = 0; level < levels; level++)
		for (uint32_t k = UINT32_C(1) << level; k < UINT32_C(2) << level; k++)
			cbt_append(&w, node[k], cbt_width(s->depth, level));
	return w;
}

/* A tree of less than a block, field included: its words' six levels apart, for only those levels of a heap
 * that have 64 nodes begin with a word, then all of it in order. */
static void whole_tree(const struct cbt_sums *s)
{
	enum { WORDS = 1 << (CBT_BLOCK_LEVELS - 1 - 6) };
	const size_t words = cbt_field_words(s->depth);
	const unsigned rows = s->depth < 6 ? s->depth : 6; /* levels within a word */
	uint64_t row[7][WORDS];                            /* the field, and the levels above it */
	const struct cbt_rows r = { row[0],
				    { NULL, row[1], row[2], row[3], row[4], row[5], row[6] } };
	uint32_t node[2 * WORDS];
	struct cbt_writer w;

	if (s->depth < 6)
		row[0][0] = cbt_bits(s->heap, cbt_level_bit(s->depth, s->depth), 1U << s->depth);
	else
		memcpy(row[0], s->heap + cbt_field_at(s->depth), words * sizeof row[0][0]);
	cbt_sum_words(s->simd, &r, words, node + words);
	w = begin(s, s->depth - rows, node);
	for (unsigned i = rows + 1; i-- > 0;) {
		size_t bits = (size_t)(i + 1) << (s->depth - i);

		for (const uint64_t *from = row[i]; bits; bits -= bits < 64 ? bits : 64)
			cbt_append(&w, *from++, bits < 64 ? (unsigned)bits : 64);
	}
	cbt_append_end(&w);
}

void cbt_sums_top(const struct cbt_sums *s)
{
	uint32_t node[2 * GROUP];

	if (!s->levels) {
		whole_tree(s);
		return;
	}
	fold(s, s->depth - s->levels + 6, 0, s->count, GROUP * cbt_sums_subtrees(s));
	memcpy(node + GROUP, s->count, GROUP * sizeof *node);
	(void)begin(s, 6, node);
}
