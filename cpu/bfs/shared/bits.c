/* bits.c -- rows of bits, eight words at a time: the vector of AVX-512, which the compiler splits
 * for other processors.
 *
 * A whole slab is 16 vectors.  Without parents they stay in registers, if there are as many, while
 * rows are ORed into them, and a row costs its 16 loads.  With parents, one test per vector finds
 * the few new bits of a row, and a scalar loop handles the words that have any.
 *
 * The functions with a struct steps are compiled for each instruction set, with its steps.
 */
#include "cpu/bfs/shared/bits.h"

#include "cpu/runtime/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
	VECTORS = BFS_SLAB_WORDS / 8, /* vectors of a whole slab */
	AHEAD = 8,                    /* rows to prefetch ahead */
	QUICK_ROWS = 4,               /* rows between two checks for a saturated slab */
};

/* Assumed cost of pulling a vertex, in cache lines of a pushed row.  A pull reads only one or two
 * lines, but at an unpredictable address, and handles bits one by one. */
enum { PULL_LINES = 12 };

void bfs_bits_fence(uint64_t *bits, uint32_t n, size_t words)
{
	for (size_t j = 0; j < words; j++)
		bits[j] = j < n / 64 ? 0 : UINT64_MAX;
	if (n % 64)
		bits[n / 64] = UINT64_MAX << n % 64;
}

static unsigned log2_of(uint64_t x)
{
	return 63 - (unsigned)__builtin_clzll(x | 1);
}

/* True if pulling `left` vertices is cheaper than pushing the remaining rows.  `before` is the
 * number of vertices left BFS_CHECK_ROWS rows ago, 0 if unknown.
 *
 * Each row takes the same share of the vertices left, so log2(left) falls by a constant per row;
 * that gives the number of rows until less than one vertex is left.  Until the share is known,
 * assume BFS_CHECK_ROWS rows. */
static bool is_worth_pulling(const struct bfs_push *p, uint64_t left, uint64_t before,
			     uint32_t rows_left)
{
	const uint64_t lines = p->words / BFS_LINE_WORDS;
	uint64_t rows = before ? rows_left : BFS_CHECK_ROWS;

	if (before > left) {
		const unsigned step = log2_of(before) - log2_of(left);
		const uint64_t wanted = (uint64_t)BFS_CHECK_ROWS * (log2_of(left) + 1);

		rows = step ? wanted / step : rows;
	}
	rows = rows < rows_left ? rows : rows_left;
	return left * PULL_LINES < rows * lines;
}

typedef uint64_t vector __attribute__((vector_size(64)));
typedef uint64_t vector_anywhere __attribute__((vector_size(64), aligned(4), may_alias));
#define LOAD(from) (*(const vector_anywhere *)(const void *)(from))
#define STORE(to)  (*(vector_anywhere *)(void *)(to))

#define INLINE static inline __attribute__((always_inline))

/* The steps that differ between instruction sets. */
struct steps {
	/* A bit for each word that is not 0. */
	unsigned (*some)(const vector *x);
	/* Number of clear bits. */
	uint64_t (*count_clear)(const uint64_t *bits, size_t words);
	/* Set to[v] = value for each set bit v. */
	void (*set)(int32_t *to, uint64_t bits, int32_t value);
	/* OR the words of the set bits into *all, in any of its words. */
	void (*unite)(vector *all, uint64_t bits, const uint64_t *word);
};

/* ---- operations ---------------------------------------------------------------------------- */

/* Prefetch the slab's part of row i of the frontier, if there is one. */
INLINE void prefetch_row(const struct bfs_push *p, uint32_t i, size_t vectors)
{
	const uint32_t *row;

	if (i >= p->count)
		return;
	row = p->matrix + p->list[i] * p->pitch;
	for (size_t k = 0; k < vectors; k++)
		__builtin_prefetch(row + 16 * k);
}

/* Push a slab of `vectors` vectors without parents.  `vectors` is a constant for whole slabs, which
 * keeps them in registers. */
INLINE void push_or(const struct steps *steps, struct bfs_push *p, size_t vectors)
{
	uint64_t left = steps->count_clear(p->visited, p->words), before = 0;
	bool saturated = false;
	vector a[VECTORS];
	uint32_t i = 0;

	for (uint32_t row = 0; row < AHEAD; row++)
		prefetch_row(p, row, vectors);
	for (size_t k = 0; k < vectors; k++)
		a[k] = LOAD(p->visited + 8 * k);
	while (i < p->count && left && !is_worth_pulling(p, left, before, p->count - i)) {
		const uint32_t stop = p->count - i < BFS_CHECK_ROWS ? p->count : i + BFS_CHECK_ROWS;
		uint64_t word[BFS_SLAB_WORDS];

		while (i < stop && !saturated) {
			const uint32_t end = stop - i < QUICK_ROWS ? stop : i + QUICK_ROWS;
			vector clear = ~(vector){ 0 };

			for (; i < end; i++) {
				const uint32_t *row = p->matrix + p->list[i] * p->pitch;

				prefetch_row(p, i + AHEAD, vectors);
				for (size_t k = 0; k < vectors; k++)
					a[k] |= LOAD(row + 16 * k);
			}
			for (size_t k = 0; k < vectors; k++)
				clear &= a[k];
			clear = ~clear;
			saturated = !steps->some(&clear);
		}
		for (size_t k = 0; k < vectors; k++)
			STORE(word + 8 * k) = a[k];
		before = left;
		left = saturated ? 0 : steps->count_clear(word, p->words);
	}
	for (size_t k = 0; k < vectors; k++) {
		STORE(p->found + 8 * k) = a[k] & ~LOAD(p->visited + 8 * k);
		STORE(p->visited + 8 * k) = a[k];
	}
	p->rows = i;
	p->left = left;
}

/* Push row u with parents; true if the slab is saturated then. */
INLINE bool push_row(const struct steps *steps, const struct bfs_push *p, uint32_t u)
{
	const uint32_t *row = p->matrix + u * p->pitch;
	vector clear = { 0 };

	for (size_t j = 0; j < p->words; j += 8) {
		const vector old = LOAD(p->visited + j), fresh = LOAD(row + 2 * j) & ~old;
		unsigned some = steps->some(&fresh);

		clear |= ~(old | fresh);
		if (!some)
			continue;
		STORE(p->visited + j) = old | fresh;
		STORE(p->found + j) |= fresh;
		for (; some; some &= some - 1) {
			const size_t q = (size_t)__builtin_ctz(some);

			steps->set(p->parent + 64 * (j + q), fresh[q], (int32_t)u);
		}
	}
	return !steps->some(&clear);
}

INLINE void push_parents(const struct steps *steps, struct bfs_push *p)
{
	uint64_t left = steps->count_clear(p->visited, p->words), before = 0;
	uint32_t i = 0;

	memset(p->found, 0, p->words * sizeof *p->found);
	while (i < p->count && left && !is_worth_pulling(p, left, before, p->count - i)) {
		const uint32_t stop = p->count - i < BFS_CHECK_ROWS ? p->count : i + BFS_CHECK_ROWS;
		bool saturated = false;

		for (; i < stop && !saturated; i++) {
			prefetch_row(p, i + AHEAD, p->words / 8);
			saturated = push_row(steps, p, p->list[i]);
		}
		before = left;
		left = saturated ? 0 : steps->count_clear(p->visited, p->words);
	}
	p->rows = i;
	p->left = left;
}

INLINE void push(const struct steps *steps, struct bfs_push *p)
{
	if (p->parent)
		push_parents(steps, p);
	else if (p->words == BFS_SLAB_WORDS)
		push_or(steps, p, VECTORS);
	else
		push_or(steps, p, p->words / 8);
}

INLINE int64_t pull(const struct steps *steps, const uint32_t *row, const uint64_t *frontier,
		    size_t words, uint64_t *read)
{
	for (size_t j = 0; j < words; j += 8) {
		const vector common = LOAD(row + 2 * j) & LOAD(frontier + j);
		const unsigned some = steps->some(&common);
		size_t q;

		if (!some)
			continue;
		q = (size_t)__builtin_ctz(some);
		*read += j + 8;
		return (int64_t)(64 * (j + q)) + __builtin_ctzll(common[q]);
	}
	*read += words;
	return -1;
}

INLINE void set(const struct steps *steps, int32_t *dist, const uint64_t *bits, size_t words,
		int32_t level)
{
	for (size_t j = 0; j < words; j++)
		if (bits[j])
			steps->set(dist + 64 * j, bits[j], level);
}

INLINE uint32_t list(uint32_t *to, const uint64_t *bits, size_t words)
{
	uint32_t count = 0;

	for (size_t j = 0; j < words; j++)
		for (uint64_t w = bits[j]; w; w &= w - 1)
			to[count++] = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(w);
	return count;
}

INLINE uint64_t gather(const struct steps *steps, const uint32_t *row, const struct bfs_words *f,
		       uint64_t open, uint64_t *read)
{
	vector all = { 0 };
	uint64_t found = 0;
	size_t i = 0;

	while (i < f->count && open & ~found) {
		const size_t j = f->at[i++];
		const uint64_t bits = bfs_load64(row + 2 * j) & f->some[j];
		const uint64_t *const from = f->word + 64 * j;

		if (bits & (bits - 1))
			steps->unite(&all, bits, from);
		else if (bits)
			found |= from[__builtin_ctzll(bits)];
		for (size_t q = 0; q < 8 && (i % BFS_LINE_WORDS == 0 || i == f->count); q++)
			found |= all[q];
	}
	*read += i;
	return found & open;
}

/* The operations of one instruction set. */
#define DEFINE_OPS(name, TARGET)                                                                \
	static const struct steps steps_##name = { some_##name, count_clear_##name, set_##name, \
						   unite_##name };                              \
	TARGET static void push_##name(struct bfs_push *p)                                      \
	{                                                                                       \
		push(&steps_##name, p);                                                         \
	}                                                                                       \
	TARGET static int64_t pull_##name(const uint32_t *row, const uint64_t *frontier,        \
					  size_t words, uint64_t *read)                         \
	{                                                                                       \
		return pull(&steps_##name, row, frontier, words, read);                         \
	}                                                                                       \
	TARGET static void set_all_##name(int32_t *dist, const uint64_t *bits, size_t words,    \
					  int32_t level)                                        \
	{                                                                                       \
		set(&steps_##name, dist, bits, words, level);                                   \
	}                                                                                       \
	TARGET static uint32_t list_##name(uint32_t *to, const uint64_t *bits, size_t words)    \
	{                                                                                       \
		return list(to, bits, words);                                                   \
	}                                                                                       \
	TARGET static uint64_t gather_##name(const uint32_t *row, const struct bfs_words *f,    \
					     uint64_t open, uint64_t *read)                     \
	{                                                                                       \
		return gather(&steps_##name, row, f, open, read);                               \
	}                                                                                       \
	const struct bfs_bits_ops bfs_bits_##name = { push_##name, pull_##name, set_all_##name, \
						      list_##name, gather_##name };

/* ---- portable ------------------------------------------------------------------------------ */

static inline unsigned some_plain(const vector *x)
{
	unsigned some = 0;

	for (unsigned q = 0; q < 8; q++)
		some |= (unsigned)((*x)[q] != 0) << q;
	return some;
}

static uint64_t count_clear_plain(const uint64_t *bits, size_t words)
{
	uint64_t count = 0;

	for (size_t j = 0; j < words; j++)
		count += (unsigned)__builtin_popcountll(~bits[j]);
	return count;
}

static inline void set_plain(int32_t *to, uint64_t bits, int32_t value)
{
	for (; bits; bits &= bits - 1)
		to[__builtin_ctzll(bits)] = value;
}

static inline void unite_plain(vector *all, uint64_t bits, const uint64_t *word)
{
	for (; bits; bits &= bits - 1)
		(*all)[0] |= word[__builtin_ctzll(bits)];
}

DEFINE_OPS(plain, )

/* ---- AVX-512 ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
CPU_AVX512_TARGET static inline unsigned some_avx512(const vector *x)
{
	return _mm512_test_epi64_mask((__m512i)*x, (__m512i)*x);
}

/* Not inlined and not unrolled: with cold caches its code has to come from memory too. */
CPU_AVX512_TARGET static __attribute__((noinline)) uint64_t count_clear_avx512(const uint64_t *bits,
									       size_t words)
{
	uint64_t count = 0;

#pragma GCC unroll 1
	for (size_t j = 0; j < words; j++)
		count += (unsigned)__builtin_popcountll(~bits[j]);
	return count;
}

CPU_AVX512_TARGET static inline void set_avx512(int32_t *to, uint64_t bits, int32_t value)
{
	for (size_t part = 0; part < 4; part++)
		_mm512_mask_storeu_epi32(to + 16 * part, (__mmask16)(bits >> 16 * part),
					 _mm512_set1_epi32(value));
}

/* Each byte of bits is a mask: one OR adds the words that it selects among eight. */
CPU_AVX512_TARGET static inline void unite_avx512(vector *all, uint64_t bits, const uint64_t *word)
{
	__m512i x = (__m512i)*all;

	for (size_t k = 0; k < 8; k++)
		x = _mm512_mask_or_epi64(x, (__mmask8)(bits >> 8 * k), x,
					 _mm512_loadu_si512(word + 8 * k));
	*all = (vector)x;
}

DEFINE_OPS(avx512, CPU_AVX512_TARGET)
#endif
