/* sums.c -- see sums.h for the method.
 *
 * Within a word of the field, pairs of bits become 2-bit sums, which are level D-1 as they stand.
 * 4-bit sums hold 0 .. 4 and need 3 bits, 8-bit sums 4, 16-bit sums 5, 32-bit sums 6, 64-bit sums
 * 7. They are squeezed together, sixteen 3-bit sums per word and so on, by PEXT, by shifts without
 * BMI2, or for many words at once with AVX-512 or NEON (sums_avx512.c, sums_neon.c).
 *
 * The bound is memory: 2^D bits are read and 3 * 2^D written.  Heaps that fit in no cache are
 * written around the caches in whole lines, which saves reading what is overwritten.  A thread
 * waits for those lines only after it has done its part.
 */
#include "cpu/cbt/parts/sums.h"

#include <string.h>

#include "common/memory.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
	GROUP = 64,
	/* Batches in the largest subtree. */
	BATCHES = (1 << (CBT_SUBTREE_LEVELS - CBT_BLOCK_LEVELS)) / CBT_BATCH,
};

/* From this depth on the heap, 2^D / 2 bytes, is too large for the caches. */
enum { AROUND_DEPTH = 27 };

/* First word of a level that fills whole words. */
static size_t level_word(unsigned depth, unsigned level)
{
	return (size_t)(cbt_level_bit(depth, level) / 64);
}

/* ---- packing numbers of a few bits into words ---------------------------------------------- */

struct writer {
	uint64_t word; /* the lowest `used` bits are taken */
	unsigned used; /* < 64 */
	uint64_t *to;
};

/* Append value < 2^bits; bits is 1 .. 64. */
CBT_ALWAYS void append(struct writer *w, uint64_t value, unsigned bits)
{
	w->word |= value << w->used;
	w->used += bits;
	if (w->used < 64)
		return;
	*w->to++ = w->word;
	w->used -= 64;
	w->word = w->used ? value >> (bits - w->used) : 0;
}

/* Write the last word, its other bits 0. */
CBT_ALWAYS void append_end(const struct writer *w)
{
	if (w->used)
		*w->to = w->word;
}

/* ---- packing, portable ------------------------------------------------------------------- */

CBT_ALWAYS void pack_plain(uint64_t *to, const uint32_t count[64], unsigned width)
{
	struct writer w = { 0 };

	w.to = to;
	for (size_t i = 0; i < 64; i++)
		append(&w, count[i], width);
}

/* ---- a block, word by word --------------------------------------------------------------- */

/* Move the bits of x where mask has ones together.  The ones come in runs of `run` bits every
 * `step` bits throughout the word, so each round closes half of the gaps. */
typedef uint64_t squeeze_fn(uint64_t x, uint64_t mask, unsigned run, unsigned step);

static inline uint64_t squeeze_plain(uint64_t x, uint64_t mask, unsigned run, unsigned step)
{
	for (; step < 64; run *= 2, step *= 2) {
		/* Fields of `run` bits every `step` bits: every second one joins the one below. */
		uint64_t low = ((UINT64_C(1) << run) - 1), keep = 0;

		for (unsigned at = 0; at < 64; at += 2 * step)
			keep |= low << at;
		x = (x & keep) | (x >> (step - run) & keep << run);
	}
	return x;
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static inline uint64_t squeeze_bmi2(uint64_t x, uint64_t mask, unsigned run,
						    unsigned step)
{
	return _pext_u64(x, mask);
}
#endif

static struct cbt_rows rows_of(const struct cbt_sums *s, size_t block)
{
	struct cbt_rows r = { s->heap + cbt_field_at(s->depth) + cbt_row_words[0] * block,
			      { NULL } };

	for (unsigned i = 1; i <= 6; i++)
		r.level[i] = s->heap + cbt_level_bit(s->depth, s->depth - i) / 64 +
			     cbt_row_words[i] * block;
	return r;
}

CBT_ALWAYS void sum_by(const struct cbt_rows *r, size_t n, uint32_t *count, squeeze_fn *squeeze)
{
	const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333;
	struct writer w2 = { 0, 0, r->level[2] }, w3 = { 0, 0, r->level[3] };
	struct writer w4 = { 0, 0, r->level[4] }, w5 = { 0, 0, r->level[5] };
	struct writer w6 = { 0, 0, r->level[6] };

	for (size_t i = 0; i < n; i++) {
		uint64_t x = r->field[i];

		x = (x & m1) + (x >> 1 & m1);
		r->level[1][i] = x;
		x = (x & m2) + (x >> 2 & m2);
		append(&w2, squeeze(x, 0x7777777777777777, 3, 4), 48);
		x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
		append(&w3, squeeze(x, 0x0f0f0f0f0f0f0f0f, 4, 8), 32);
		x = (x + (x >> 8)) & 0x001f001f001f001f;
		append(&w4, squeeze(x, 0x001f001f001f001f, 5, 16), 20);
		x = (x + (x >> 16)) & 0x0000003f0000003f;
		append(&w5, squeeze(x, 0x0000003f0000003f, 6, 32), 12);
		x = (x + (x >> 32)) & 0x7f;
		append(&w6, x, 7);
		count[i] = (uint32_t)x;
	}
	append_end(&w2);
	append_end(&w3);
	append_end(&w4);
	append_end(&w5);
	append_end(&w6);
}

static void sum_plain(const struct cbt_rows *r, size_t n, uint32_t *count)
{
	sum_by(r, n, count, squeeze_plain);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static void sum_bmi2(const struct cbt_rows *r, size_t n, uint32_t *count)
{
	sum_by(r, n, count, squeeze_bmi2);
}
#endif

/* Compute levels D-1 .. D-6 of n <= 64 words of a block, and their counts.  The rest of a level's
 * last word is 0. */
static void sum_words(enum cpu_simd simd, const struct cbt_rows *r, size_t n, uint32_t *count)
{
#if defined(__x86_64__)
	if (simd >= CPU_VBMI2 && n == 64) {
		cbt_sum_blocks_avx512(r, 1, count);
		return;
	}
	if (simd >= CPU_AVX2) {
		sum_bmi2(r, n, count);
		return;
	}
#elif defined(__aarch64__)
	if (simd == CPU_NEON && n == 64) {
		cbt_sum_block_neon(r, count);
		return;
	}
#endif
	sum_plain(r, n, count);
}

/* ---- choice of instructions -------------------------------------------------------------- */

/* Sum n blocks from number `first` on; both are multiples of CBT_BATCH, or n is smaller.  All sums
 * are written only after stage_end(). */
static void sum_blocks(const struct cbt_sums *s, size_t first, size_t n, uint32_t *count,
		       struct cbt_stage *stage)
{
	struct cbt_rows r = rows_of(s, first);

#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2) {
		if (s->around && n == CBT_BATCH)
			cbt_sum_around_avx512(stage, &r, count);
		else
			cbt_sum_blocks_avx512(&r, n, count);
		return;
	}
#endif
	for (size_t b = 0; b < n; b++) {
		r = rows_of(s, first + b);
		sum_words(s->simd, &r, 64, count + 64 * b);
	}
}

static void stage_end(const struct cbt_sums *s, struct cbt_stage *stage)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2)
		cbt_stage_end_avx512(stage);
#endif
}

void cbt_sums_fence(const struct cbt_sums *s)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2 && s->around)
		cbt_sums_fence_avx512();
#endif
}

/* Fill the tables of cbt_pack_joint_avx512() for all its widths. */
static void init_joints(struct cbt_joint joint[CBT_JOINTS])
{
	for (unsigned width = CBT_FIRST_JOINT; width < CBT_FIRST_JOINT + CBT_JOINTS; width++) {
		struct cbt_joint *j = &joint[width - CBT_FIRST_JOINT];

		*j = (struct cbt_joint){ 0 };
		for (unsigned byte = 0; byte < 4 * width; byte++) {
			const unsigned eight = byte / width, at = byte % width;
			const unsigned lane = 4 * (eight % 2) + eight / 2;

			if (at < (width + 1) / 2) {
				j->take[0] |= UINT64_C(1) << byte;
				j->from[0][byte] = (uint8_t)(8 * lane + at);
			}
			if (at >= width / 2) {
				j->take[1] |= UINT64_C(1) << byte;
				j->from[1][byte] = (uint8_t)(8 * (lane + 2) + at - width / 2);
			}
		}
	}
}

/* Pack n numbers (a multiple of 64) of `width` bits (8 .. 31) into n / 64 * width words. */
static void pack_groups(const struct cbt_sums *s, uint64_t *to, const uint32_t *count, size_t n,
			unsigned width)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2 && width < CBT_FIRST_JOINT) {
		for (size_t i = 0; i < n; i += 64)
			cbt_pack_bytes_avx512(to + i / 64 * width, count + i);
		return;
	}
	if (s->simd >= CPU_VBMI2 && width < CBT_FIRST_JOINT + CBT_JOINTS) {
		for (size_t i = 0; i < n; i += 64)
			cbt_pack_joint_avx512(to + i / 64 * width, count + i,
					      &s->joint[width - CBT_FIRST_JOINT], width);
		return;
	}
#endif
	for (size_t i = 0; i < n; i += 64)
		pack_plain(to + i / 64 * width, count + i, width);
}

/* Set count[i] = count[2i] + count[2i + 1] for i < n, n a multiple of 32. */
static void add_pairs(enum cpu_simd simd, uint32_t *count, size_t n)
{
#if defined(__x86_64__)
	if (simd >= CPU_VBMI2) {
		cbt_add_pairs_avx512(count, n);
		return;
	}
#endif
	for (size_t i = 0; i < n; i++)
		count[i] = count[2 * i] + count[2 * i + 1];
}

/* ---- the heap ------------------------------------------------------------------------------ */

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
	/* At least four subtrees per thread, if the tree is large enough. */
	while (threads > 1 && s->levels > CBT_BLOCK_LEVELS &&
	       (size_t)1 << (depth - s->levels) < 4 * (size_t)threads)
		s->levels--;
	s->count = gb_host_alloc(cbt_sums_subtrees(s), GROUP * sizeof *s->count, err);
	s->joint = gb_host_alloc(CBT_JOINTS, sizeof *s->joint, err);
	if (s->joint)
		init_joints(s->joint);
	return err->code;
}

size_t cbt_sums_subtrees(const struct cbt_sums *s)
{
	return s->levels ? (size_t)1 << (s->depth - s->levels) : 0;
}

/* ---- counts as 32-bit numbers ------------------------------------------------------------ */

/* Store the sums of n nodes of a level from node number `first` on; both are multiples of 64. */
static void pack_level(const struct cbt_sums *s, unsigned level, size_t first,
		       const uint32_t *count, size_t n)
{
	const unsigned width = cbt_width(s->depth, level);

	pack_groups(s, s->heap + level_word(s->depth, level) + first / GROUP * width, count, n,
		    width);
}

/* Compute the levels above `level` until 64 of the n nodes are left, whose counts are then in
 * count.  The nodes are piece number `piece` of n each. */
static void fold(const struct cbt_sums *s, unsigned level, size_t piece, uint32_t *count, size_t n)
{
	while (n > GROUP) {
		n /= 2;
		level--;
		add_pairs(s->simd, count, n);
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

		sum_blocks(s, piece * batch, batch, count, &stage);
		fold(s, level, piece, count, GROUP * batch);
		memcpy(above + GROUP * b, count, GROUP * sizeof *count);
	}
	stage_end(s, &stage);
	fold(s, level - cbt_log2((uint32_t)batch), i, above, GROUP * batches);
	memcpy(s->count + GROUP * i, above, GROUP * sizeof *above);
}

/* ---- the top ----------------------------------------------------------------------------- */

/* Write the depth marker and levels 0 .. levels - 1, which lie one behind the other; the caller
 * appends level `levels`.  node holds the sums of that level from element 2^levels on; this
 * function computes the elements before them. */
static struct writer begin(const struct cbt_sums *s, unsigned levels, uint32_t *node)
{
	struct writer w = { .to = s->heap };

	for (size_t k = ((size_t)1 << levels) - 1; k >= 1; k--)
		node[k] = node[2 * k] + node[2 * k + 1];
	append(&w, UINT64_C(1) << s->depth, (unsigned)cbt_level_bit(s->depth, 0));
	for (unsigned level = 0; level < levels; level++)
		for (uint32_t k = UINT32_C(1) << level; k < UINT32_C(2) << level; k++)
			append(&w, node[k], cbt_width(s->depth, level));
	return w;
}

/* Sum a tree of less than a block.  The six levels of its words are computed apart, because only
 * levels of at least 64 nodes begin with a word of the heap: those are copied, the others written
 * in order.  Eight words take as long one by one as a block does in vectors. */
static void whole_tree(const struct cbt_sums *s)
{
	enum { ROW = 64, MANY = 8 };
	const size_t words = cbt_field_words(s->depth);
	const bool by_block = s->simd >= CPU_VBMI2 && words >= MANY;
	const unsigned rows = s->depth < 6 ? s->depth : 6; /* levels within a word */
	uint64_t row[7][ROW] __attribute__((aligned(64))); /* the field, and the levels above it */
	const struct cbt_rows r = { row[0],
				    { NULL, row[1], row[2], row[3], row[4], row[5], row[6] } };
	uint32_t node[2 * ROW];
	struct writer w;

	if (s->depth < 6)
		row[0][0] = cbt_bits(s->heap, cbt_level_bit(s->depth, s->depth), 1U << s->depth);
	else
		memcpy(row[0], s->heap + cbt_field_at(s->depth), words * sizeof row[0][0]);
	if (by_block)
		memset(row[0] + words, 0, (ROW - words) * sizeof row[0][0]);
	sum_words(s->simd, &r, by_block ? ROW : words, node + words);
	w = begin(s, s->depth - rows, node);
	for (unsigned level = s->depth - rows; level <= s->depth; level++) {
		const uint64_t *from = row[s->depth - level];
		size_t bits = (size_t)cbt_width(s->depth, level) << level;

		if (level >= 6 && level < s->depth)
			memcpy(s->heap + level_word(s->depth, level), from, bits / 8);
		for (; level < 6 && bits; bits -= bits < 64 ? bits : 64)
			append(&w, *from++, bits < 64 ? (unsigned)bits : 64);
	}
	append_end(&w);
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
