/* cbt_leaves.c -- leaves by words of 64 bits: portable, and 64 positions at once with AVX-512.
 *
 * A word that is not zero starts with a leaf, since a leaf is as long as its position is a multiple
 * of.  The vector path takes such words from a mask of 64 words.  It compresses the positions of a
 * word's set bits to consecutive bytes; the same bytes moved by one are where the next leaves
 * start, or 64.  A start and the next one add up to (2 k + 1) 2^s, counted in level D, if the leaf
 * is node k, s levels above: sixteen at a time the bytes become 32-bit numbers, and what is behind
 * their lowest set bit is the id.  Only a word's single leaf may be longer than the word, as the
 * mask tells.  A word of 64 single bits needs none of that.
 *
 * The bound is the ids: four bytes written for each leaf, a bit to 2^D bits read; in the caches the
 * four operations a vector that only one port takes, and mispredicted numbers of leaves.
 */
#include "cpu/cbt_leaves.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

uint64_t cbt_next_leaf(const uint64_t *field, unsigned depth, size_t first)
{
	const size_t words = cbt_field_words(depth);

	for (size_t w = first; w < words; w++)
		if (field[w])
			return 64 * (uint64_t)w + (uint64_t)__builtin_ctzll(field[w]);
	return UINT64_C(1) << depth;
}

/* ---- portable ---------------------------------------------------------------------------- */

/* Node `start` of level D has a gap to the leaf at `next`: the id of the leaf there. */
CBT_ALWAYS uint32_t leaf_id(uint32_t start, uint32_t next)
{
	return start >> cbt_log2(next - start);
}

CBT_ALWAYS size_t leaves_by_bits(const uint64_t *field, unsigned depth, size_t first, size_t end,
				 struct cbt_leaves *out)
{
	const uint32_t root = UINT32_C(1) << depth;
	uint32_t start = 0; /* the leaf at hand, as a node of level D; 0: none yet */
	uint64_t sum = 0;
	size_t count = 0;

	for (size_t w = first; w < end; w++)
		for (uint64_t word = field[w]; word; word &= word - 1) {
			const uint32_t next =
				root + (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(word);

			if (start && out->ids)
				out->ids[count] = leaf_id(start, next);
			else if (start)
				sum += leaf_id(start, next);
			count += start != 0;
			start = next;
		}
	if (start) {
		const uint32_t id =
			leaf_id(start, root + (uint32_t)cbt_next_leaf(field, depth, end));

		if (out->ids)
			out->ids[count] = id;
		else
			sum += id;
		count++;
	}
	out->sum += sum;
	return count;
}

static size_t leaves_plain(const uint64_t *field, unsigned depth, size_t first, size_t end,
			   struct cbt_leaves *out)
{
	return leaves_by_bits(field, depth, first, end, out);
}

CBT_ALWAYS size_t count_bits(const uint64_t *field, size_t first, size_t end)
{
	size_t count = 0;

	for (size_t w = first; w < end; w++)
		count += (size_t)__builtin_popcountll(field[w]);
	return count;
}

static size_t count_plain(const uint64_t *field, size_t first, size_t end)
{
	return count_bits(field, first, end);
}

#if defined(__x86_64__)

CBT_BMI2_TARGET static size_t leaves_bmi2(const uint64_t *field, unsigned depth, size_t first,
					  size_t end, struct cbt_leaves *out)
{
	return leaves_by_bits(field, depth, first, end, out);
}

CBT_BMI2_TARGET static size_t count_bmi2(const uint64_t *field, size_t first, size_t end)
{
	return count_bits(field, first, end);
}

/* ---- AVX-512 ----------------------------------------------------------------------------- */

CBT_AVX512_TARGET static size_t count_avx512(const uint64_t *field, size_t first, size_t end)
{
	__m512i sum = _mm512_setzero_si512();
	size_t w = first;

	for (; w + 8 <= end; w += 8)
		sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_loadu_si512(field + w)));
	return (size_t)_mm512_reduce_add_epi64(sum) + count_bits(field, w, end);
}

/* Ids of a word on their way out. */
struct sink {
	uint32_t *ids; /* NULL: added up */
	__m512i sum;   /* eight of 64 bits */
	bool around;
};

/* The first `n` (1 .. 16) of 16 ids. */
CBT_AVX512_TARGET CBT_ALWAYS void put(struct sink *to, __m512i id, unsigned n)
{
	const __mmask16 lanes = (__mmask16)((1U << n) - 1);

	if (to->ids) {
		_mm512_mask_storeu_epi32(to->ids, lanes, id);
		to->ids += n;
		return;
	}
	id = _mm512_maskz_mov_epi32(lanes, id);
	to->sum = _mm512_add_epi64(to->sum, _mm512_srli_epi64(id, 32));
	to->sum = _mm512_add_epi64(to->sum, _mm512_and_si512(id, _mm512_set1_epi64(UINT32_MAX)));
}

/* 16 ids; around the caches if they are to be and can. */
CBT_AVX512_TARGET CBT_ALWAYS void put_whole(struct sink *to, __m512i id)
{
	if (!to->ids || !to->around || (uintptr_t)to->ids % 64) {
		put(to, id, 16);
		return;
	}
	_mm512_stream_si512((void *)to->ids, id);
	to->ids += 16;
}

/* 64 leaves of level D, the first of them node k. */
CBT_AVX512_TARGET CBT_ALWAYS void put_word(struct sink *to, uint32_t k)
{
	const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	const __m512i id = _mm512_add_epi32(_mm512_set1_epi32((int)k), lane);

	put_whole(to, id);
	put_whole(to, _mm512_add_epi32(id, _mm512_set1_epi32(16)));
	put_whole(to, _mm512_add_epi32(id, _mm512_set1_epi32(32)));
	put_whole(to, _mm512_add_epi32(id, _mm512_set1_epi32(48)));
}

/* Ids number 16 q and on of leaves with these starts and ends, added up, as bytes; `twice` belongs
 * to all. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i ids_of(__m512i both, unsigned q, __m512i twice)
{
	const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32((int)(16 * q)));
	const __m512i bytes = _mm512_maskz_permutexvar_epi8(0x1111111111111111, from, both);
	const __m512i x = _mm512_add_epi32(twice, bytes);
	const __m512i low = _mm512_xor_si512(x, _mm512_sub_epi32(x, _mm512_set1_epi32(1)));

	return _mm512_shldv_epi32(_mm512_setzero_si512(), x, _mm512_lzcnt_epi32(low));
}

/* The n < 64 leaves that start in `word`, whose bit 0 is node `base` of level D; `longer` is by how
 * much the last of them ends behind the word. */
CBT_AVX512_TARGET CBT_ALWAYS void put_leaves(struct sink *to, uint64_t word, unsigned n,
					     uint32_t base, uint32_t longer)
{
	const __m512i lane = _mm512_set_epi64(
		0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
		0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
	const __m512i behind = _mm512_add_epi8(lane, _mm512_set1_epi8(1));
	const __m512i start = _mm512_mask_compress_epi8(_mm512_set1_epi8(64), word, lane);
	const __m512i both = _mm512_add_epi8(start, _mm512_permutexvar_epi8(behind, start));
	const __m512i twice = _mm512_set1_epi32((int)(2 * base + longer));

	if (n <= 16) {
		put(to, ids_of(both, 0, twice), n);
		return;
	}
	put_whole(to, ids_of(both, 0, twice));
	if (n <= 32) {
		put(to, ids_of(both, 1, twice), n - 16);
		return;
	}
	put_whole(to, ids_of(both, 1, twice));
	if (n <= 48) {
		put(to, ids_of(both, 2, twice), n - 32);
		return;
	}
	put_whole(to, ids_of(both, 2, twice));
	put(to, ids_of(both, 3, twice), n - 48);
}

/* Which of `words` <= 64 words are not zero. */
CBT_AVX512_TARGET CBT_ALWAYS uint64_t words_set(const uint64_t *field, size_t words)
{
	uint64_t set = 0;

	for (size_t i = 0; i < words; i += 8) {
		const __mmask8 lanes = (__mmask8)(words - i < 8 ? (1U << (words - i)) - 1 : 0xff);
		const __m512i x = _mm512_maskz_loadu_epi64(lanes, field + i);

		set |= (uint64_t)_mm512_test_epi64_mask(x, x) << i;
	}
	return set;
}

/* The leaves of `words` <= 64 words from number `first` on; returns how many. */
CBT_AVX512_TARGET CBT_ALWAYS size_t put_words(struct sink *to, const uint64_t *field,
					      unsigned depth, size_t first, size_t words)
{
	uint64_t set = words_set(field + first, words);
	size_t count = 0;

	while (set) {
		const size_t w = first + (size_t)__builtin_ctzll(set);
		const uint64_t word = field[w];
		const uint32_t base = (UINT32_C(1) << depth) + (uint32_t)(64 * w);
		const unsigned n = (unsigned)__builtin_popcountll(word);
		uint64_t next;

		set &= set - 1;
		next = set ? 64 * (uint64_t)(first + (size_t)__builtin_ctzll(set))
			   : cbt_next_leaf(field, depth, w + 1);
		count += n;
		if (n == 64)
			put_word(to, base);
		else
			put_leaves(to, word, n, base, (uint32_t)(next - 64 * (uint64_t)(w + 1)));
	}
	return count;
}

/* For depth >= 6, where a word is full of positions. */
CBT_AVX512_TARGET static size_t leaves_avx512(const uint64_t *field, unsigned depth, size_t first,
					      size_t end, bool around, struct cbt_leaves *out)
{
	struct sink to = { out->ids, _mm512_setzero_si512(), around };
	size_t count = 0;

	for (size_t w = first; w < end; w += 64)
		count += put_words(&to, field, depth, w, end - w < 64 ? end - w : 64);
	if (around)
		_mm_sfence();
	out->sum += (uint64_t)_mm512_reduce_add_epi64(to.sum);
	return count;
}

#endif

/* ---- the choice -------------------------------------------------------------------------- */

size_t cbt_leaves(enum cbt_simd simd, const uint64_t *field, unsigned depth, size_t first,
		  size_t end, bool around, struct cbt_leaves *out)
{
#if defined(__x86_64__)
	if (simd >= CBT_AVX512 && depth >= 6)
		return leaves_avx512(field, depth, first, end, around, out);
	if (simd >= CBT_BMI2)
		return leaves_bmi2(field, depth, first, end, out);
#endif
	(void)simd;
	(void)around;
	return leaves_plain(field, depth, first, end, out);
}

size_t cbt_count(enum cbt_simd simd, const uint64_t *field, size_t first, size_t end)
{
#if defined(__x86_64__)
	if (simd >= CBT_AVX512)
		return count_avx512(field, first, end);
	if (simd >= CBT_BMI2)
		return count_bmi2(field, first, end);
#endif
	(void)simd;
	return count_plain(field, first, end);
}
