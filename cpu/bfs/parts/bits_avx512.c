/* bits_avx512.c -- rows of bits, 512 bits at a time.
 *
 * A whole slab is 16 vectors.  Without parents they stay in registers while rows are ORed into
 * them, and a row costs its 16 loads.  With parents, one test per vector finds the few new bits of
 * a row, and a scalar loop handles the words that have any.
 */
#include "cpu/bfs/parts/bits.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "cpu/simd.h"

enum {
	VECTORS = BFS_SLAB_WORDS / 8, /* vectors of a whole slab */
	AHEAD = 8,                    /* rows to prefetch ahead */
	QUICK_ROWS = 4,               /* rows between two checks for a saturated slab */
	MASKED_BITS = 2,              /* words of a row with this many bits or more use masks */
};

#define INLINE static inline __attribute__((always_inline)) CPU_AVX512_TARGET

/* Not inlined and not unrolled: with cold caches its code has to come from memory too. */
CPU_AVX512_TARGET static __attribute__((noinline)) uint64_t count_clear(const uint64_t *bits,
									size_t words)
{
	uint64_t count = 0;

#pragma GCC unroll 1
	for (size_t j = 0; j < words; j++)
		count += (unsigned)__builtin_popcountll(~bits[j]);
	return count;
}

/* Prefetch the slab's part of row i of the frontier, if there is one. */
INLINE void prefetch_row(const struct bfs_push *p, uint32_t i, size_t vectors)
{
	const uint32_t *row;

	if (i >= p->count)
		return;
	row = p->matrix + p->list[i] * p->pitch;
	for (size_t k = 0; k < vectors; k++)
		_mm_prefetch((const char *)(row + 16 * k), _MM_HINT_T0);
}

INLINE bool all_set(__m512i a)
{
	return _mm512_cmpneq_epi64_mask(a, _mm512_set1_epi64(-1)) == 0;
}

INLINE uint64_t count_left(const __m512i *a, size_t vectors)
{
	uint64_t word[BFS_SLAB_WORDS];

	for (size_t k = 0; k < vectors; k++)
		_mm512_storeu_si512(word + 8 * k, a[k]);
	return count_clear(word, 8 * vectors);
}

/* Push a slab of `vectors` vectors without parents.  `vectors` is a constant for whole slabs, which
 * keeps them in registers. */
INLINE void push_or(struct bfs_push *p, size_t vectors)
{
	__m512i a[VECTORS];
	uint64_t left, before = 0;
	bool saturated = false;
	uint32_t i = 0;

	for (uint32_t row = 0; row < AHEAD; row++)
		prefetch_row(p, row, vectors);
	for (size_t k = 0; k < vectors; k++)
		a[k] = _mm512_loadu_si512(p->visited + 8 * k);
	left = count_clear(p->visited, p->words);
	while (i < p->count && left && !bfs_worth_pulling(p, left, before, p->count - i)) {
		const uint32_t stop = p->count - i < BFS_CHECK_ROWS ? p->count : i + BFS_CHECK_ROWS;

		while (i < stop && !saturated) {
			const uint32_t end = stop - i < QUICK_ROWS ? stop : i + QUICK_ROWS;
			__m512i all;

			for (; i < end; i++) {
				const uint32_t *row = p->matrix + p->list[i] * p->pitch;

				prefetch_row(p, i + AHEAD, vectors);
				for (size_t k = 0; k < vectors; k++)
					a[k] = _mm512_or_si512(a[k],
							       _mm512_loadu_si512(row + 16 * k));
			}
			all = a[0];
			for (size_t k = 1; k < vectors; k++)
				all = _mm512_and_si512(all, a[k]);
			saturated = all_set(all);
		}
		before = left;
		left = saturated ? 0 : count_left(a, vectors);
	}
	for (size_t k = 0; k < vectors; k++) {
		const __m512i old = _mm512_loadu_si512(p->visited + 8 * k);

		_mm512_storeu_si512(p->found + 8 * k, _mm512_andnot_si512(old, a[k]));
		_mm512_storeu_si512(p->visited + 8 * k, a[k]);
	}
	p->rows = i;
	p->left = left;
}

/* Make u the parent of all bits of a vector; `parent` points to the entry of its first bit. */
INLINE void set_parents(int32_t *parent, __m512i bits, __mmask8 words, uint32_t u)
{
	const __m512i value = _mm512_set1_epi32((int)u);
	uint64_t word[8];

	_mm512_storeu_si512(word, bits);
	for (unsigned m = words; m; m &= m - 1) {
		const unsigned q = (unsigned)__builtin_ctz(m);

		for (size_t part = 0; part < 4; part++)
			_mm512_mask_storeu_epi32(parent + 64 * (size_t)q + 16 * part,
						 (__mmask16)(word[q] >> 16 * part), value);
	}
}

/* Push one row with parents; return the AND of all vectors visited after it. */
INLINE __m512i push_row(const struct bfs_push *p, uint32_t u, size_t vectors)
{
	const uint32_t *row = p->matrix + u * p->pitch;
	__m512i all = _mm512_set1_epi64(-1);

	for (size_t k = 0; k < vectors; k++) {
		const __m512i old = _mm512_loadu_si512(p->visited + 8 * k);
		const __m512i fresh = _mm512_andnot_si512(old, _mm512_loadu_si512(row + 16 * k));
		const __mmask8 words = _mm512_test_epi64_mask(fresh, fresh);
		const __m512i visited = _mm512_or_si512(old, fresh);

		all = _mm512_and_si512(all, visited);
		if (!words)
			continue;
		_mm512_storeu_si512(p->visited + 8 * k, visited);
		_mm512_storeu_si512(p->found + 8 * k,
				    _mm512_or_si512(_mm512_loadu_si512(p->found + 8 * k), fresh));
		set_parents(p->parent + 512 * k, fresh, words, u);
	}
	return all;
}

INLINE void push_parents(struct bfs_push *p)
{
	const size_t vectors = p->words / 8;
	uint64_t left = count_clear(p->visited, p->words), before = 0;
	uint32_t i = 0;

	memset(p->found, 0, p->words * sizeof *p->found);
	while (i < p->count && left && !bfs_worth_pulling(p, left, before, p->count - i)) {
		const uint32_t stop = p->count - i < BFS_CHECK_ROWS ? p->count : i + BFS_CHECK_ROWS;
		bool saturated = false;

		for (; i < stop && !saturated; i++) {
			prefetch_row(p, i + AHEAD, vectors);
			saturated = all_set(push_row(p, p->list[i], vectors));
		}
		before = left;
		left = saturated ? 0 : count_clear(p->visited, p->words);
	}
	p->rows = i;
	p->left = left;
}

CPU_AVX512_TARGET static void push_avx512(struct bfs_push *p)
{
	if (p->parent)
		push_parents(p);
	else if (p->words == BFS_SLAB_WORDS)
		push_or(p, VECTORS);
	else
		push_or(p, p->words / 8);
}

CPU_AVX512_TARGET static int64_t pull_avx512(const uint32_t *row, const uint64_t *frontier,
					     size_t words, uint64_t *read)
{
	for (size_t j = 0; j < words; j += 8) {
		const __m512i common = _mm512_and_si512(_mm512_loadu_si512(row + 2 * j),
							_mm512_loadu_si512(frontier + j));
		const __mmask8 some = _mm512_test_epi64_mask(common, common);
		uint64_t word[8];
		unsigned q;

		if (!some)
			continue;
		_mm512_storeu_si512(word, common);
		q = (unsigned)__builtin_ctz(some);
		*read += j + 8;
		return (int64_t)(64 * (j + q)) + __builtin_ctzll(word[q]);
	}
	*read += words;
	return -1;
}

CPU_AVX512_TARGET static void set_avx512(int32_t *dist, const uint64_t *bits, size_t words,
					 int32_t level)
{
	const __m512i value = _mm512_set1_epi32(level);

	for (size_t j = 0; j < words; j++)
		for (unsigned part = 0; bits[j] && part < 4; part++)
			_mm512_mask_storeu_epi32(dist + 64 * j + 16 * (size_t)part,
						 (__mmask16)(bits[j] >> 16 * part), value);
}

CPU_AVX512_TARGET static uint32_t list_avx512(uint32_t *list, const uint64_t *bits, size_t words)
{
	const __m512i lane =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	uint32_t count = 0;

	for (size_t j = 0; j < words; j++)
		for (unsigned part = 0; bits[j] && part < 4; part++) {
			const __mmask16 some = (__mmask16)(bits[j] >> 16 * part);
			const int first = (int)(64 * j + 16 * (size_t)part);

			_mm512_mask_compressstoreu_epi32(
				list + count, some,
				_mm512_add_epi32(lane, _mm512_set1_epi32(first)));
			count += (unsigned)__builtin_popcount(some);
		}
	return count;
}

/* Each byte of the row is a mask: one masked OR adds the words of the vertices that it selects
 * among eight.  Words with fewer than MASKED_BITS bits are taken bit by bit. */
CPU_AVX512_TARGET static uint64_t gather_avx512(const uint32_t *row, const struct bfs_words *f,
						uint64_t open, uint64_t *read)
{
	__m512i all = _mm512_setzero_si512();
	uint64_t found = 0;
	size_t i = 0;

	while (i < f->count && open & ~found) {
		const size_t j = f->at[i++];
		const uint64_t bits = bfs_load64(row + 2 * j) & f->some[j];
		const uint64_t *const from = f->word + 64 * j;

		if ((unsigned)__builtin_popcountll(bits) < MASKED_BITS) {
			for (uint64_t w = bits; w; w &= w - 1)
				found |= from[__builtin_ctzll(w)];
		} else {
			for (size_t k = 0; k < 8; k++)
				all = _mm512_mask_or_epi64(all, (__mmask8)(bits >> 8 * k), all,
							   _mm512_loadu_si512(from + 8 * k));
		}
		if (i % BFS_LINE_WORDS == 0 || i == f->count)
			found |= (uint64_t)_mm512_reduce_or_epi64(all);
	}
	*read += i;
	return found & open;
}

const struct bfs_bits_ops bfs_bits_avx512 = {
	.push = push_avx512,
	.pull = pull_avx512,
	.set = set_avx512,
	.list = list_avx512,
	.gather = gather_avx512,
};
#endif
