/* sums.c -- see sums.h for the method.
 *
 * A block is eight vectors of 64 bytes.  Neighbouring fields of a word are added up in place: 2-bit
 * sums are level D-1 as they stand, 4-bit sums hold 0 .. 4 and need 3 bits, 8-bit sums 4.  From there
 * on sums are bytes, of which a level has half as many as the one below; they need 5, 6 and 7 bits.
 * Each level is then packed (pack.h).
 *
 * The bound is memory: 2^D bits are read and 3 * 2^D written.  Heaps that fit in no cache are
 * written around the caches in whole lines, which saves reading what is overwritten: a batch, which
 * fills lines of every level, is summed in a buffer and then copied.
 */
#include "cpu/cbt/shared/sums.h"

#include <string.h>

#include "common/memory.h"
#include "cpu/cbt/shared/pack.h"

enum {
	BLOCK_LEVELS = 12,   /* a block is 2^12 bits of the field */
	SUBTREE_LEVELS = 18, /* a subtree has at most 2^18 */
	BATCH = 8,           /* blocks of a batch */
	SUBTREE_BLOCKS = 1 << (SUBTREE_LEVELS - BLOCK_LEVELS), /* of the largest subtree */
	BATCHES = SUBTREE_BLOCKS / BATCH,
	AROUND_DEPTH = 27, /* from here on the heap, 2^D / 2 bytes, is too large for the caches */
};

/* ---- blocks -------------------------------------------------------------------------------- */

/* The field of a block and the first words of its six levels; level[i]: level D - i, 1 .. 6. */
struct rows {
	const uint64_t *field;
	uint64_t *level[7];
};

/* Words of level D - i in a block; 64 nodes fill i + 1 words. */
static const size_t row_words[7] = { 64, 64, 48, 32, 20, 12, 7 };

static void next_block(struct rows *r)
{
	r->field += row_words[0];
	for (size_t i = 1; i <= 6; i++)
		r->level[i] += row_words[i];
}

/* First word of a level that fills whole words. */
static size_t level_word(unsigned depth, unsigned level)
{
	return (size_t)(cbt_level_bit(depth, level) / 64);
}

/* Compute levels D-1 .. D-3 of half a block from word `first` on; x: the sums of D-3 as bytes. */
CBT_ALWAYS void sum_words(enum cpu_simd simd, bool around, const struct rows *r, size_t first,
			  lanes x[4])
{
	uint64_t *const level2 = r->level[2] + first / 4 * 3;
	lanes t[4];

	EACH(i, 4, x[i] = LOAD(r->field + first + 8 * i));
	EACH(i, 4, x[i] -= x[i] >> 1 & REPEAT(1, 2));
	EACH(i, 4, put_line(simd, around, r->level[1] + first + 8 * i, &x[i]));
	EACH(i, 4, x[i] = (x[i] & REPEAT(2, 4)) + (x[i] >> 2 & REPEAT(2, 4)));
	EACH(i, 4, t[i] = x[i] - ((x[i] & REPEAT(4, 8) << 4) >> 1));
	EACH(i, 4, add_bytes(simd, &t[i], 6));
	EACH(i, 4, add_shorts(simd, &t[i], 12));
	if (simd < CPU_VBMI2) {
		EACH(i, 4, join(&t[i], 24, 32));
		store_bytes(level2, t, 4, 6);
	} else {
		GATHER(around, level2, t, 3, 4, 0, 0);
		GATHER(around, level2 + 8, t, 3, 4, 1, 64);
		GATHER(around, level2 + 16, t, 3, 4, 2, 128);
	}
	EACH(i, 4, x[i] = (x[i] + (x[i] >> 4)) & REPEAT(4, 8));
	EACH(i, 4, t[i] = x[i]);
	EACH(i, 4, add_bytes(simd, &t[i], 4));
	even_bytes(simd, t, 4);
	EACH(i, 2, put_line(simd, around, r->level[3] + first / 2 + 8 * i, &t[i]));
}

/* Compute levels D-1 .. D-6 of a block, and its counts. */
CBT_ALWAYS void sum_block(enum cpu_simd simd, bool around, const struct rows *r, uint32_t *count)
{
	lanes x[8], t[4];

	sum_words(simd, around, r, 0, x);
	sum_words(simd, around, r, 32, x + 4);
	EACH(i, 8, add_bytes(simd, &x[i], 0));
	even_bytes(simd, x, 8);
	EACH(i, 4, t[i] = x[i]);
	EACH(i, 4, add_bytes(simd, &t[i], 5));
	EACH(i, 4, add_shorts(simd, &t[i], 10));
	EACH(i, 4, join(&t[i], 20, 32));
	if (simd < CPU_VBMI2) {
		store_bytes(r->level[4], t, 4, 5);
	} else {
		GATHER(false, r->level[4], t, 5, 8, 0, 0);
		GATHER(false, r->level[4] + 7, t, 5, 8, 1, 56);
		GATHER(false, r->level[4] + 12, t, 5, 8, 2, 96);
	}
	EACH(i, 4, add_bytes(simd, &x[i], 0));
	EACH(i, 4, t[i] = x[i]);
	EACH(i, 4, add_shorts(simd, &t[i], 0));
	EACH(i, 4, STORE(count + 16 * i) = t[i]);
	even_bytes(simd, x, 4);
	EACH(i, 2, t[i] = x[i]);
	EACH(i, 2, add_bytes(simd, &t[i], 6));
	EACH(i, 2, add_shorts(simd, &t[i], 12));
	EACH(i, 2, join(&t[i], 24, 32));
	if (simd < CPU_VBMI2) {
		store_bytes(r->level[5], t, 2, 6);
	} else {
		GATHER(false, r->level[5], t, 6, 8, 0, 0);
		GATHER(false, r->level[5] + 4, t, 6, 8, 0, 32);
	}
	EACH(i, 2, add_bytes(simd, &x[i], 0));
	even_bytes(simd, x, 2);
	join(x, 7, 8);
	join(x, 14, 16);
	join(x, 28, 32);
	if (simd < CPU_VBMI2) {
		store_bytes(r->level[6], x, 1, 7);
	} else {
		x[0] = (lanes)PICK(bytes, x[0], x[0], SIXTY_FOUR(PLACE, 0, 7, 8, 0));
		memcpy(r->level[6], x, 56);
	}
}

void cbt_sums_fence(const struct cbt_sums *s)
{
#if defined(__x86_64__)
	if (s->around)
		_mm_sfence();
#endif
}

/* Prefetch the field of the next subtree, a line of each of its pages with each block of this one:
 * so many streams are faster than one. */
CBT_ALWAYS void fetch_ahead(const uint64_t *block, size_t in_subtree)
{
	enum { PAGE = 512 };
	const uint64_t *const subtree = block + (SUBTREE_BLOCKS - in_subtree) * row_words[0];

	for (size_t at = 0; at < SUBTREE_BLOCKS * row_words[0]; at += PAGE)
		__builtin_prefetch(subtree + at + 8 * in_subtree, 0, 2);
}

/* Sum n blocks from number `first` on: a batch or less.  A batch that is written around the caches
 * collects its lines of levels D-4 to D-6, of which each block makes a part. */
CBT_ALWAYS void sum_blocks(enum cpu_simd simd, bool around, const struct cbt_sums *s, size_t first,
			   size_t n, uint32_t *count)
{
	uint64_t buffer[BATCH * (20 + 12 + 7)] __attribute__((aligned(64))), *made = buffer;
	struct rows r = { s->heap + cbt_field_at(s->depth) + row_words[0] * first, { NULL } };
	uint64_t *heap[7];

	for (unsigned i = 1; i <= 6; i++) {
		heap[i] = s->heap + level_word(s->depth, s->depth - i) + row_words[i] * first;
		r.level[i] = around && i >= 4 ? made : heap[i];
		made += i >= 4 ? BATCH * row_words[i] : 0;
	}
	for (size_t b = 0; b < n; b++) {
		if (around)
			fetch_ahead(r.field, (first + b) % SUBTREE_BLOCKS);
		sum_block(simd, around, &r, count + GROUP * b);
		next_block(&r);
	}
	made = buffer;
	for (size_t i = 4; i <= 6 && around; i++)
		for (size_t k = 0; k < BATCH * row_words[i]; k += 8, made += 8)
			put_line(simd, true, heap[i] + k, (const lanes *)(const void *)made);
}

/* ---- counts as 32-bit numbers -------------------------------------------------------------- */

/* Set count[i] = count[2i] + count[2i + 1] for i < n, n a multiple of 32. */
CBT_ALWAYS void add_pairs(uint32_t *count, size_t n)
{
	for (size_t i = 0; i < n; i += 16) {
		const numbers a = (numbers)LOAD(count + 2 * i),
			      b = (numbers)LOAD(count + 2 * i + 16);

		STORE(count + i) = (lanes)(PICK(numbers, a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
						20, 22, 24, 26, 28, 30) +
					   PICK(numbers, a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
						21, 23, 25, 27, 29, 31));
	}
}

/* Compute the levels above `level` until 64 of the n nodes are left, whose counts are then in
 * count.  The nodes are piece number `piece` of n each. */
CBT_ALWAYS void fold(enum cpu_simd simd, const struct cbt_sums *s, unsigned level, size_t piece,
		     uint32_t *count, size_t n)
{
	while (n > GROUP) {
		const unsigned width = cbt_width(s->depth, --level);
		uint64_t *to;

		n /= 2;
		to = s->heap + level_word(s->depth, level) + piece * n / GROUP * width;
		add_pairs(count, n);
		for (size_t i = 0; i < n; i += MOST)
			pack(simd, to + i / GROUP * width, count + i, n - i < MOST ? n - i : MOST,
			     width);
	}
}

CBT_ALWAYS void sum_subtree(enum cpu_simd simd, const struct cbt_sums *s, size_t i)
{
	const size_t blocks = (size_t)1 << (s->levels - BLOCK_LEVELS);
	const size_t batch = blocks < BATCH ? blocks : BATCH, batches = blocks / batch;
	const unsigned level = s->depth - 6;
	uint32_t count[GROUP * BATCH] __attribute__((aligned(64)));
	uint32_t above[GROUP * BATCHES] __attribute__((aligned(64)));

	for (size_t b = 0; b < batches; b++) {
		const size_t piece = i * batches + b;

		if (s->around && batch == BATCH)
			sum_blocks(simd, true, s, piece * batch, batch, count);
		else
			sum_blocks(simd, false, s, piece * batch, batch, count);
		fold(simd, s, level, piece, count, GROUP * batch);
		memcpy(above + GROUP * b, count, GROUP * sizeof *count);
	}
	fold(simd, s, level - cbt_log2((uint32_t)batch), i, above, GROUP * batches);
	memcpy(s->count + GROUP * i, above, GROUP * sizeof *above);
}

/* ---- the top ------------------------------------------------------------------------------- */

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

/* Sum a tree of less than a block, as a block whose other words are 0.  Its six levels are computed
 * apart, because only levels of at least 64 nodes begin with a word of the heap: those are copied,
 * the others written in order. */
CBT_ALWAYS void sum_small(enum cpu_simd simd, const struct cbt_sums *s)
{
	const size_t words = cbt_field_words(s->depth);
	const unsigned rows = s->depth < 6 ? s->depth : 6;   /* levels within a word */
	uint64_t row[7][GROUP] __attribute__((aligned(64))); /* the field, and the levels above */
	const struct rows r = { row[0], { NULL, row[1], row[2], row[3], row[4], row[5], row[6] } };
	uint32_t node[2 * GROUP];
	struct writer w;

	memset(row[0], 0, sizeof row[0]);
	if (s->depth < 6)
		row[0][0] = cbt_bits(s->heap, cbt_level_bit(s->depth, s->depth), 1U << s->depth);
	else
		memcpy(row[0], s->heap + cbt_field_at(s->depth), words * sizeof row[0][0]);
	sum_block(simd, false, &r, node + words);
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

CBT_ALWAYS void sum_top(enum cpu_simd simd, const struct cbt_sums *s)
{
	uint32_t node[2 * GROUP];

	if (!s->levels) {
		sum_small(simd, s);
		return;
	}
	fold(simd, s, s->depth - s->levels + 6, 0, s->count, GROUP * cbt_sums_subtrees(s));
	memcpy(node + GROUP, s->count, GROUP * sizeof *node);
	(void)begin(s, 6, node);
}

/* ---- the heap ------------------------------------------------------------------------------ */

enum gb_status cbt_sums_init(struct cbt_sums *s, uint64_t *heap, unsigned depth, int threads,
			     struct gb_error *err)
{
	*s = (struct cbt_sums){ .depth = depth,
				.simd = cpu_simd(),
				.around = depth >= AROUND_DEPTH && cpu_simd() >= CPU_VBMI2 };
	s->heap = heap;
	if (depth < BLOCK_LEVELS)
		return GB_OK;
	s->levels = depth < SUBTREE_LEVELS ? depth : SUBTREE_LEVELS;
	/* At least four subtrees per thread, if the tree is large enough. */
	while (threads > 1 && s->levels > BLOCK_LEVELS &&
	       (size_t)1 << (depth - s->levels) < 4 * (size_t)threads)
		s->levels--;
	s->count = gb_host_alloc(cbt_sums_subtrees(s), GROUP * sizeof *s->count, err);
	return err->code;
}

size_t cbt_sums_subtrees(const struct cbt_sums *s)
{
	return s->levels ? (size_t)1 << (s->depth - s->levels) : 0;
}

/* Subtree number i or, behind the last one, the top. */
CBT_ALWAYS void sum(enum cpu_simd simd, const struct cbt_sums *s, size_t i)
{
	if (i < cbt_sums_subtrees(s))
		sum_subtree(simd, s, i);
	else
		sum_top(simd, s);
}

static void sum_plain(const struct cbt_sums *s, size_t i)
{
	sum(CPU_PLAIN, s, i);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static void sum_avx2(const struct cbt_sums *s, size_t i)
{
	sum(CPU_AVX2, s, i);
}

CPU_VBMI2_TARGET static void sum_vbmi2(const struct cbt_sums *s, size_t i)
{
	sum(CPU_VBMI2, s, i);
}
#endif

void cbt_sums_subtree(const struct cbt_sums *s, size_t i)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2) {
		sum_vbmi2(s, i);
		return;
	}
	if (s->simd >= CPU_AVX2) {
		sum_avx2(s, i);
		return;
	}
#endif
	sum_plain(s, i);
}

void cbt_sums_top(const struct cbt_sums *s)
{
	cbt_sums_subtree(s, cbt_sums_subtrees(s));
}
