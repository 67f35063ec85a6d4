/* leaves.c -- leaves by words of 64 bits: portable, and 64 positions at once with AVX-512.
 *
 * A word that is not zero starts with a leaf, because the position of a leaf is a multiple of its
 * length.  The vector path takes 64 words at a time.  It compresses the positions of each word's
 * set bits to consecutive bytes and lists them as 16-bit numbers that run through all words.  Then
 * it makes sixteen ids at a time, whatever words they come from: the distance to the next start is
 * 2^s if the leaf lies s levels above the field, and the position shifted by s is the id.  Only the
 * last leaf may extend beyond the list.  Runs of words with 64 set bits skip all that.
 *
 * The bound is the ids: four bytes written per leaf, and 2^D bits read.  In the caches it is about
 * five operations per word and seven per sixteen ids.
 */
#include "cpu/cbt/shared/leaves.h"

/* Words handled at a time. */
enum { SPAN_WORDS = 64 };

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Position of the first set bit from word `first` on; 2^depth if there is none. */
static uint64_t next_leaf(const uint64_t *field, unsigned depth, size_t first)
{
	const size_t words = cbt_field_words(depth);

	for (size_t w = first; w < words; w++)
		if (field[w])
			return 64 * (uint64_t)w + (uint64_t)__builtin_ctzll(field[w]);
	return UINT64_C(1) << depth;
}

/* ---- portable ---------------------------------------------------------------------------- */

/* Id of the leaf at node `start` of level D if the next leaf starts at node `next`. */
CBT_ALWAYS uint32_t leaf_id(uint32_t start, uint32_t next)
{
	return start >> cbt_log2(next - start);
}

CBT_ALWAYS size_t leaves_by_bits(const uint64_t *field, unsigned depth, size_t first, size_t end,
				 struct cbt_leaves *out)
{
	const uint32_t root = UINT32_C(1) << depth;
	uint32_t start = 0; /* start of the current leaf, as a node of level D; 0: none yet */
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
		const uint32_t id = leaf_id(start, root + (uint32_t)next_leaf(field, depth, end));

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

#if defined(__x86_64__)

CPU_AVX2_TARGET static size_t leaves_bmi2(const uint64_t *field, unsigned depth, size_t first,
					  size_t end, struct cbt_leaves *out)
{
	return leaves_by_bits(field, depth, first, end, out);
}

/* ---- AVX-512 ----------------------------------------------------------------------------- */

/* Destination of ids. */
struct sink {
	uint32_t *ids;      /* NULL: add the ids up */
	__m512i pairs, odd; /* sums of the 64-bit lanes, two ids each, and of their upper ids */
	bool around;
};

/* Emit the first n (0 .. 16) of 16 ids. */
CPU_VBMI2_TARGET CBT_ALWAYS void put(struct sink *to, __m512i id, unsigned n)
{
	const __mmask16 lanes = (__mmask16)((1U << n) - 1);

	if (to->ids) {
		_mm512_mask_storeu_epi32(to->ids, lanes, id);
		to->ids += n;
		return;
	}
	id = _mm512_maskz_mov_epi32(lanes, id);
	to->pairs = _mm512_add_epi64(to->pairs, id);
	to->odd = _mm512_add_epi64(to->odd, _mm512_srli_epi64(id, 32));
}

/* Emit 16 ids, around the caches if wanted and aligned. */
CPU_VBMI2_TARGET CBT_ALWAYS void put_whole(struct sink *to, __m512i id)
{
	if (!to->ids || !to->around || (uintptr_t)to->ids % 64) {
		put(to, id, 16);
		return;
	}
	_mm512_stream_si512((void *)to->ids, id);
	to->ids += 16;
}

/* Emit 64 leaves of level D; the first is node k. */
CPU_VBMI2_TARGET CBT_ALWAYS void put_word(struct sink *to, uint32_t k)
{
	const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	const __m512i id = _mm512_add_epi32(_mm512_set1_epi32((int)k), lane);

	put_whole(to, id);
	put_whole(to, _mm512_add_epi32(id, _mm512_set1_epi32(16)));
	put_whole(to, _mm512_add_epi32(id, _mm512_set1_epi32(32)));
	put_whole(to, _mm512_add_epi32(id, _mm512_set1_epi32(48)));
}

/* List the positions of the set bits of the words in `set` as 16-bit numbers; return how many there
 * are.  Up to 64 entries behind them are overwritten. */
CPU_VBMI2_TARGET CBT_ALWAYS size_t list_starts(const uint64_t *field, uint64_t set, uint16_t *start)
{
	const __m512i lane = _mm512_set_epi64(
		0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
		0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
	size_t count = 0;

	for (; set; set &= set - 1) {
		const unsigned w = (unsigned)__builtin_ctzll(set);
		const unsigned n = (unsigned)__builtin_popcountll(field[w]);
		const __m512i base = _mm512_set1_epi16((short)(64 * w));
		const __m512i at = _mm512_maskz_compress_epi8(field[w], lane);
		const __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(at));

		_mm512_storeu_si512(start + count, _mm512_add_epi16(low, base));
		if (n > 32) {
			const __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(at, 1));

			_mm512_storeu_si512(start + count + 32, _mm512_add_epi16(high, base));
		}
		count += n;
	}
	return count;
}

/* Return the ids of the 16 leaves from start[0] on; start[16] is where the last one ends. */
CPU_VBMI2_TARGET CBT_ALWAYS __m512i ids_of(const uint16_t *start, __m512i base)
{
	const __m512i at = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)start));
	const __m512i next = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(start + 1)));
	const __m512i zeros = _mm512_lzcnt_epi32(_mm512_sub_epi32(next, at));

	return _mm512_srlv_epi32(_mm512_add_epi32(at, base),
				 _mm512_sub_epi32(_mm512_set1_epi32(31), zeros));
}

/* Emit n leaves whose positions count from node `base` of level D; start[n] is where the last one
 * ends. */
CPU_VBMI2_TARGET CBT_ALWAYS void put_leaves(struct sink *to, const uint16_t *start, size_t n,
					    uint32_t base)
{
	const __m512i root = _mm512_set1_epi32((int)base);
	size_t i = to->ids ? -((uintptr_t)to->ids / sizeof *to->ids) % 16 : 0;

	if (i > n)
		i = n;
	put(to, ids_of(start, root), (unsigned)i);
	for (; i + 16 <= n; i += 16)
		put_whole(to, ids_of(start + i, root));
	put(to, ids_of(start + i, root), (unsigned)(n - i));
}

/* One bit for each of up to 64 words. */
struct span {
	uint64_t set;  /* words that are not zero */
	uint64_t full; /* words of 64 leaves of level D */
};

CPU_VBMI2_TARGET CBT_ALWAYS struct span look_at(const uint64_t *field, size_t words)
{
	const __m512i ones = _mm512_set1_epi64(-1);
	struct span span = { 0 };

	for (size_t i = 0; i < words; i += 8) {
		const __mmask8 lanes = (__mmask8)(words - i < 8 ? (1U << (words - i)) - 1 : 0xff);
		const __m512i x = _mm512_maskz_loadu_epi64(lanes, field + i);

		span.set |= (uint64_t)_mm512_test_epi64_mask(x, x) << i;
		span.full |= (uint64_t)_mm512_cmpeq_epi64_mask(x, ones) << i;
	}
	/* A few full words are not worth the interruption. */
	if (8 * (size_t)__builtin_popcountll(span.full) < words)
		span.full = 0;
	return span;
}

/* Emit the leaves of `words` <= 64 words from number `first` on; return how many there are. */
CPU_VBMI2_TARGET CBT_ALWAYS size_t put_words(struct sink *to, const uint64_t *field, unsigned depth,
					     size_t first, size_t words)
{
	const uint32_t root = UINT32_C(1) << depth, base = root + (uint32_t)(64 * first);
	struct span span = look_at(field + first, words);
	uint16_t start[64 * SPAN_WORDS + 64];
	size_t count = 0;

	while (span.set) {
		const uint64_t other = span.set & ~span.full & -span.set;
		const unsigned w = (unsigned)__builtin_ctzll(span.set);
		uint64_t part, next;
		size_t n;

		if (!other) {
			put_word(to, base + 64 * w);
			count += 64;
			span.set &= span.set - 1;
			continue;
		}
		/* All words before the next full one. */
		part = span.set & span.full;
		part = span.set & ((part & -part) - 1);
		span.set &= ~part;
		n = list_starts(field + first, part, start);
		put_leaves(to, start, n - 1, base);
		next = span.set ? 64 * (uint64_t)(first + (size_t)__builtin_ctzll(span.set))
				: next_leaf(field, depth, first + words);
		put(to, _mm512_set1_epi32((int)leaf_id(base + start[n - 1], root + (uint32_t)next)),
		    1);
		count += n;
	}
	return count;
}

/* For depth >= 6, where a word has 64 positions. */
CPU_VBMI2_TARGET static size_t leaves_avx512(const uint64_t *field, unsigned depth, size_t first,
					     size_t end, bool around, struct cbt_leaves *out)
{
	struct sink to = { out->ids, _mm512_setzero_si512(), _mm512_setzero_si512(), around };
	size_t count = 0;
	uint64_t odd;

	for (size_t w = first; w < end; w += SPAN_WORDS)
		count += put_words(&to, field, depth, w,
				   end - w < SPAN_WORDS ? end - w : SPAN_WORDS);
	if (around)
		_mm_sfence();
	odd = (uint64_t)_mm512_reduce_add_epi64(to.odd);
	out->sum += (uint64_t)_mm512_reduce_add_epi64(to.pairs) - (odd << 32) + odd;
	return count;
}

#endif

/* ---- choice of instructions -------------------------------------------------------------- */

size_t cbt_leaves(enum cpu_simd simd, const uint64_t *field, unsigned depth, size_t first,
		  size_t end, bool around, struct cbt_leaves *out)
{
#if defined(__x86_64__)
	if (simd >= CPU_VBMI2 && depth >= 6)
		return leaves_avx512(field, depth, first, end, around, out);
	if (simd >= CPU_AVX2)
		return leaves_bmi2(field, depth, first, end, out);
#endif
	return leaves_plain(field, depth, first, end, out);
}
