/* cbt_leaves.c -- leaves by words of 64 bits: portable, and 64 positions at once with AVX-512.
 *
 * The vector path compresses the positions of a word's set bits to consecutive bytes; the same
 * bytes moved by one are where the next leaves start, and the bit count of a gap less one is its
 * logarithm, since gaps are powers of two.  Only the last leaf of a word looks further.  Sixteen
 * at a time the bytes become (2^D + x) >> log2(gap).  A word of 64 single bits needs none of that.
 *
 * The bound is the ids: four bytes written for each leaf, a bit to 2^D bits read.
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

/* The n leaves that start in `word`, whose bit 0 is node `base` of level D; the last of them has a
 * gap of 2^last. */
CBT_AVX512_TARGET CBT_ALWAYS void put_leaves(struct sink *to, uint64_t word, uint32_t base,
					     unsigned n, unsigned last)
{
	const __m512i lane = _mm512_set_epi64(
		0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
		0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
	const __m512i one = _mm512_set1_epi8(1), root = _mm512_set1_epi32((int)base);
	__m512i start = _mm512_maskz_compress_epi8(word, lane);
	__m512i next = _mm512_permutexvar_epi8(_mm512_add_epi8(lane, one), start);
	__m512i shift = _mm512_popcnt_epi8(_mm512_sub_epi8(_mm512_sub_epi8(next, start), one));

	shift = _mm512_mask_set1_epi8(shift, UINT64_C(1) << (n - 1), (char)last);
	for (;;) {
		const __m512i x = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(start));
		const __m512i by = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(shift));
		const __m512i id = _mm512_srlv_epi32(_mm512_add_epi32(root, x), by);

		if (n <= 16) {
			put(to, id, n);
			return;
		}
		put_whole(to, id);
		n -= 16;
		start = _mm512_alignr_epi64(start, start, 2);
		shift = _mm512_alignr_epi64(shift, shift, 2);
	}
}

CBT_AVX512_TARGET static size_t leaves_avx512(const uint64_t *field, unsigned depth, size_t first,
					      size_t end, bool around, struct cbt_leaves *out)
{
	struct sink to = { out->ids, _mm512_setzero_si512(), around };
	const size_t words = cbt_field_words(depth);
	const uint32_t root = UINT32_C(1) << depth;
	size_t count = 0;

	for (size_t w = first; w < end; w++) {
		const uint64_t word = field[w];
		const uint32_t base = root + (uint32_t)(64 * w);
		uint64_t next;
		unsigned n;

		if (!word)
			continue;
		n = (unsigned)__builtin_popcountll(word);
		count += n;
		next = w + 1 < words && field[w + 1]
			       ? 64 + (uint64_t)__builtin_ctzll(field[w + 1])
			       : cbt_next_leaf(field, depth, w + 1) - 64 * (uint64_t)w;
		if (n == 64 && next == 64) {
			put_word(&to, base);
			continue;
		}
		next -= 63 - (uint64_t)__builtin_clzll(word);
		put_leaves(&to, word, base, n, (unsigned)__builtin_ctzll(next));
	}
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
	if (simd >= CBT_AVX512)
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
