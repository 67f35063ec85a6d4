/* cbt_sums_avx512.c -- the inner loops of cbt_sums.c with AVX-512.
 *
 * Sixteen words of the field are two vectors.  Sums are widened by multiply-add, which also
 * squeezes two neighbours together (low + 2^bits high), until they fill whole bytes, which one
 * permutation gathers.  From 16-bit sums on the two vectors are one; its order is put right by the
 * same permutations.  That is 13 cycles for 512 bits, by the two ports that take 512-bit
 * operations.
 */
#include "cpu/cbt_sums_block.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Of each 64-bit lane x, whose halves hold `bits` bits each: 2 * bits bits. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i join_halves(__m512i x, unsigned bits)
{
	const __m512i low = _mm512_set1_epi64((INT64_C(1) << bits) - 1);

	return _mm512_ternarylogic_epi64(low, x, _mm512_srli_epi64(x, 32 - bits), 0xca);
}

/* ---- bytes to be gathered ---------------------------------------------------------------- */

/* The three lower bytes of each 32-bit lane. */
static const uint8_t threes[64]
	__attribute__((aligned(64))) = { 0,  1,  2,  4,  5,  6,  8,  9,  10, 12, 13, 14,
					 16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30,
					 32, 33, 34, 36, 37, 38, 40, 41, 42, 44, 45, 46,
					 48, 49, 50, 52, 53, 54, 56, 57, 58, 60, 61, 62 };
/* The five, or three, lower bytes of the even 64-bit lanes, then of the odd ones. */
static const uint8_t fives[64]
	__attribute__((aligned(64))) = { 0,  1,  2,  3,  4,  16, 17, 18, 19, 20, 32, 33, 34, 35,
					 36, 48, 49, 50, 51, 52, 8,  9,  10, 11, 12, 24, 25, 26,
					 27, 28, 40, 41, 42, 43, 44, 56, 57, 58, 59, 60 };
static const uint8_t sixths[64]
	__attribute__((aligned(64))) = { 0, 1, 2,  16, 17, 18, 32, 33, 34, 48, 49, 50,
					 8, 9, 10, 24, 25, 26, 40, 41, 42, 56, 57, 58 };
/* The seven lower bytes of each 64-bit lane. */
static const uint8_t sevens[64]
	__attribute__((aligned(64))) = { 0,  1,  2,  3,  4,  5,  6,  8,  9,  10, 11, 12, 13, 14,
					 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30,
					 32, 33, 34, 35, 36, 37, 38, 40, 41, 42, 43, 44, 45, 46,
					 48, 49, 50, 51, 52, 53, 54, 56, 57, 58, 59, 60, 61, 62 };

/* The first `bytes` bytes that `index` names. */
CBT_AVX512_TARGET CBT_ALWAYS void put_bytes(void *to, unsigned bytes, const uint8_t *index,
					    __m512i x)
{
	x = _mm512_permutexvar_epi8(_mm512_load_si512(index), x);
	_mm512_mask_storeu_epi8(to, (UINT64_C(1) << bytes) - 1, x);
}

/* ---- a block ----------------------------------------------------------------------------- */

/* Eight words: level D-1, level D-2, and the sums of level D-3 in bytes. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i sum_eight(const struct cbt_rows *r, size_t i, bool around)
{
	const __m512i m1 = _mm512_set1_epi8(0x55), m2 = _mm512_set1_epi8(0x33);
	const __m512i in = _mm512_load_si512(r->field + 8 * i);
	__m512i x, t;

	x = _mm512_sub_epi8(in, _mm512_and_si512(_mm512_srli_epi64(in, 1), m1));
	if (around)
		_mm512_stream_si512((void *)(r->level[1] + 8 * i), x);
	else
		_mm512_store_si512(r->level[1] + 8 * i, x);
	x = _mm512_add_epi8(_mm512_and_si512(x, m2), _mm512_and_si512(_mm512_srli_epi64(x, 2), m2));
	/* low + 2^4 high to low + 2^3 high; then 12 bits of 16, 24 of 32 */
	t = _mm512_and_si512(x, _mm512_set1_epi8((char)0xf0));
	t = _mm512_sub_epi8(x, _mm512_srli_epi64(t, 1));
	t = _mm512_maddubs_epi16(t, _mm512_set1_epi16(0x4001));
	t = _mm512_madd_epi16(t, _mm512_set1_epi32(0x10000001));
	put_bytes((uint8_t *)r->level[2] + 48 * i, 48, threes, t);
	return _mm512_and_si512(_mm512_add_epi8(x, _mm512_srli_epi64(x, 4)),
				_mm512_set1_epi8(0x0f));
}

/* Sixteen words; returns their sums as 32-bit numbers. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i sum_sixteen(const struct cbt_rows *r, size_t i, bool around)
{
	const __m512i even_first = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
	const __m512i order =
		_mm512_set_epi32(15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0);
	const __m512i one = _mm512_set1_epi8(1);
	const __m512i a = sum_eight(r, 2 * i, around), b = sum_eight(r, 2 * i + 1, around);
	const __m512i low_high = _mm512_set1_epi16(0x1001);
	__m512i x, t;

	t = _mm512_packus_epi16(_mm512_maddubs_epi16(a, low_high),
				_mm512_maddubs_epi16(b, low_high));
	_mm512_storeu_si512(r->level[3] + 8 * i, _mm512_permutexvar_epi64(even_first, t));
	/* Bytes of level D-4; 64-bit lanes from a and b in turn. */
	x = _mm512_packus_epi16(_mm512_maddubs_epi16(a, one), _mm512_maddubs_epi16(b, one));
	t = _mm512_maddubs_epi16(x, _mm512_set1_epi16(0x2001));
	t = _mm512_madd_epi16(t, _mm512_set1_epi32(0x04000001));
	put_bytes((uint8_t *)r->level[4] + 40 * i, 40, fives, join_halves(t, 20));
	x = _mm512_maddubs_epi16(x, one);
	t = _mm512_madd_epi16(x, _mm512_set1_epi32(0x00400001));
	put_bytes((uint8_t *)r->level[5] + 24 * i, 24, sixths, join_halves(t, 12));
	x = _mm512_madd_epi16(x, _mm512_set1_epi32(0x00010001));
	return _mm512_permutexvar_epi32(order, x);
}

/* 4 * 16 numbers of 32 bits that fit eight, as bytes. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i narrow(__m512i a, __m512i b, __m512i c, __m512i d)
{
	const __m512i order =
		_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
	const __m512i x = _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));

	return _mm512_permutexvar_epi32(order, x);
}

CBT_AVX512_TARGET CBT_ALWAYS void sum_block(const struct cbt_rows *r, bool around, uint32_t *count)
{
	__m512i sum[4], t;

	for (size_t i = 0; i < 4; i++) {
		sum[i] = sum_sixteen(r, i, around);
		_mm512_storeu_si512(count + 16 * i, sum[i]);
	}
	t = narrow(sum[0], sum[1], sum[2], sum[3]);
	t = _mm512_maddubs_epi16(_mm512_set1_epi16((short)0x8001), t); /* low + 2^7 high */
	t = _mm512_madd_epi16(t, _mm512_set1_epi32(0x40000001));       /* low + 2^14 high */
	put_bytes(r->level[6], 56, sevens, join_halves(t, 28));
}

CBT_AVX512_TARGET void cbt_sum_blocks_avx512(const struct cbt_rows *first, size_t n,
					     uint32_t *count)
{
	struct cbt_rows r = *first;

	for (size_t b = 0; b < n; b++) {
		sum_block(&r, false, count + 64 * b);
		r.field += cbt_row_words[0];
		for (size_t i = 1; i <= 6; i++)
			r.level[i] += cbt_row_words[i];
	}
}

CBT_AVX512_TARGET void cbt_sum_around_avx512(const struct cbt_rows *to, uint32_t *count)
{
	uint64_t stage[CBT_AROUND_BLOCKS * (48 + 32 + 20 + 12 + 7)] __attribute__((aligned(64)));

	for (size_t b = 0; b < CBT_AROUND_BLOCKS; b++) {
		struct cbt_rows r = { to->field + 64 * b, { NULL, to->level[1] + 64 * b } };
		uint64_t *row = stage;

		for (size_t i = 2; i <= 6; i++) {
			r.level[i] = row + cbt_row_words[i] * b;
			row += cbt_row_words[i] * CBT_AROUND_BLOCKS;
		}
		sum_block(&r, true, count + 64 * b);
	}
	for (size_t i = 2, from = 0; i <= 6; i++) {
		const size_t words = cbt_row_words[i] * CBT_AROUND_BLOCKS;

		for (size_t w = 0; w < words; w += 8)
			_mm512_stream_si512((void *)(to->level[i] + w),
					    _mm512_load_si512(stage + from + w));
		from += words;
	}
	_mm_sfence();
}

/* ---- wider sums -------------------------------------------------------------------------- */

/* 16 numbers of 32 bits to eight of 2 * width bits. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i join_pairs(const uint32_t *count, unsigned width)
{
	const __m512i x = _mm512_loadu_si512(count);
	const __m512i low = _mm512_set1_epi64((INT64_C(1) << width) - 1);
	const __m512i by = _mm512_set1_epi64((int)(32 - width));

	return _mm512_ternarylogic_epi64(low, x, _mm512_srlv_epi64(x, by), 0xca);
}

/* 32 numbers of `width` <= 16 bits to 4 * width bytes.  Four numbers are a 64-bit lane, eight end
 * at a whole byte: numbers 0 .. 15 lie in the lower halves of the 128-bit lanes.  Every second lane
 * is moved to the nibble where the one before it ends; of the bytes that both have a part of, each
 * gives its own. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i join_fours(const uint32_t *count,
						const struct cbt_joint *joint, unsigned width)
{
	const __m512i a = join_pairs(count, width), b = join_pairs(count + 16, width);
	const __m512i by = _mm512_set1_epi64((int)(2 * width));
	const __m512i odd =
		width & 1 ? _mm512_set_epi64(4, 4, 0, 0, 4, 4, 0, 0) : _mm512_setzero_si512();
	__m512i x = _mm512_sllv_epi64(_mm512_unpackhi_epi64(a, b), by);

	x = _mm512_or_si512(x, _mm512_unpacklo_epi64(a, b));
	x = _mm512_sllv_epi64(x, odd);
	return _mm512_or_si512(
		_mm512_maskz_permutexvar_epi8(joint->take[0], _mm512_load_si512(joint->from[0]), x),
		_mm512_maskz_permutexvar_epi8(joint->take[1], _mm512_load_si512(joint->from[1]),
					      x));
}

CBT_AVX512_TARGET void cbt_pack_bytes_avx512(uint64_t *to, const uint32_t count[64])
{
	_mm512_storeu_si512(to,
			    narrow(_mm512_loadu_si512(count), _mm512_loadu_si512(count + 16),
				   _mm512_loadu_si512(count + 32), _mm512_loadu_si512(count + 48)));
}

CBT_AVX512_TARGET void cbt_pack_joint_avx512(uint64_t *to, const uint32_t count[64],
					     const struct cbt_joint *joint, unsigned width)
{
	const __mmask64 bytes = UINT64_MAX >> (64 - 4 * width);
	uint8_t *const second = (uint8_t *)to + (size_t)4 * width;

	_mm512_mask_storeu_epi8(to, bytes, join_fours(count, joint, width));
	_mm512_mask_storeu_epi8(second, bytes, join_fours(count + 32, joint, width));
}

CBT_AVX512_TARGET void cbt_add_pairs_avx512(uint32_t *count, size_t n)
{
	const __m512i even =
		_mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
	const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));

	for (size_t i = 0; i < n; i += 16) {
		const __m512i a = _mm512_loadu_si512(count + 2 * i);
		const __m512i b = _mm512_loadu_si512(count + 2 * i + 16);

		_mm512_storeu_si512(count + i,
				    _mm512_add_epi32(_mm512_permutex2var_epi32(a, even, b),
						     _mm512_permutex2var_epi32(a, odd, b)));
	}
}

#endif
