/* cbt_sums_block.c -- 64 words of the field to six levels of sums; packing of wider sums. */
#include "cpu/cbt_sums_block.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- words, bit by bit ------------------------------------------------------------------- */

/* Numbers of a fixed number of bits, appended to words. */
struct writer {
	uint64_t word; /* the lowest `used` bits are taken */
	unsigned used; /* < 64 */
	uint64_t *to;
};

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

CBT_ALWAYS void pack_plain(uint64_t *to, const uint32_t count[64], unsigned width)
{
	struct writer w = { 0 };

	w.to = to;
	for (size_t i = 0; i < 64; i++)
		append(&w, count[i], width);
}

/* ---- a block, word by word --------------------------------------------------------------- */

/* Bits of x where mask has ones, moved together.  The mask's ones come in runs of equal length and
 * distance: `run` of every `step`, both filling the word, so each round closes half of the gaps. */
CBT_ALWAYS uint64_t squeeze_plain(uint64_t x, uint64_t mask, unsigned run, unsigned step)
{
	(void)mask;
	for (; step < 64; run *= 2, step *= 2) {
		/* Fields of `run` bits every `step` bits: each second one joins the one below. */
		uint64_t low = ((UINT64_C(1) << run) - 1), keep = 0;

		for (unsigned at = 0; at < 64; at += 2 * step)
			keep |= low << at;
		x = (x & keep) | (x >> (step - run) & keep << run);
	}
	return x;
}

#if defined(__x86_64__)
CBT_BMI2_TARGET CBT_ALWAYS uint64_t squeeze_bmi2(uint64_t x, uint64_t mask, unsigned run,
						 unsigned step)
{
	(void)run;
	(void)step;
	return _pext_u64(x, mask);
}
#endif

/* First words of the six levels of a block. */
struct rows {
	const uint64_t *field;
	uint64_t *level[7]; /* level[i]: level D - i; 1 .. 6 */
};

/* Words of level D - i in a block: 64 nodes of 2^i leaves in i + 1 words. */
static const size_t words_of[7] = { 64, 64, 48, 32, 20, 12, 7 };

static struct rows rows_of(const struct cbt_sums *s, size_t block)
{
	struct rows r = { s->heap + cbt_field_at(s->depth) + words_of[0] * block, { NULL } };

	for (unsigned i = 1; i <= 6; i++)
		r.level[i] =
			s->heap + cbt_level_bit(s->depth, s->depth - i) / 64 + words_of[i] * block;
	return r;
}

/* The body for one word at a time; squeeze is squeeze_plain or squeeze_bmi2. */
#define SUM_WORDS(r, count, squeeze)                                                     \
	do {                                                                             \
		struct writer w2 = { 0, 0, (r).level[2] }, w3 = { 0, 0, (r).level[3] };  \
		struct writer w4 = { 0, 0, (r).level[4] }, w5 = { 0, 0, (r).level[5] };  \
		struct writer w6 = { 0, 0, (r).level[6] };                               \
                                                                                         \
		for (size_t i = 0; i < 64; i++) {                                        \
			const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333; \
			uint64_t x = (r).field[i];                                       \
                                                                                         \
			x = (x & m1) + (x >> 1 & m1);                                    \
			(r).level[1][i] = x;                                             \
			x = (x & m2) + (x >> 2 & m2);                                    \
			append(&w2, squeeze(x, 0x7777777777777777, 3, 4), 48);           \
			x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;                         \
			append(&w3, squeeze(x, 0x0f0f0f0f0f0f0f0f, 4, 8), 32);           \
			x = (x + (x >> 8)) & 0x001f001f001f001f;                         \
			append(&w4, squeeze(x, 0x001f001f001f001f, 5, 16), 20);          \
			x = (x + (x >> 16)) & 0x0000003f0000003f;                        \
			append(&w5, squeeze(x, 0x0000003f0000003f, 6, 32), 12);          \
			x = (x + (x >> 32)) & 0x7f;                                      \
			append(&w6, x, 7);                                               \
			(count)[i] = (uint32_t)x;                                        \
		}                                                                        \
	} while (0)

static void sum_plain(const struct rows *r, uint32_t count[64])
{
	SUM_WORDS(*r, count, squeeze_plain);
}

#if defined(__x86_64__)

CBT_BMI2_TARGET static void sum_bmi2(const struct rows *r, uint32_t count[64])
{
	SUM_WORDS(*r, count, squeeze_bmi2);
}

/* ---- a block, eight words at a time ------------------------------------------------------ */

/* The six lower bytes of each 64-bit lane, together. */
static const uint8_t sixes[64]
	__attribute__((aligned(64))) = { 0,  1,  2,  3,  4,  5,  8,  9,  10, 11, 12, 13,
					 16, 17, 18, 19, 20, 21, 24, 25, 26, 27, 28, 29,
					 32, 33, 34, 35, 36, 37, 40, 41, 42, 43, 44, 45,
					 48, 49, 50, 51, 52, 53, 56, 57, 58, 59, 60, 61 };
/* The five, or three, lower bytes of each 128-bit lane, together. */
static const uint8_t fives[64]
	__attribute__((aligned(64))) = { 0,  1,  2,  3,  4,  16, 17, 18, 19, 20,
					 32, 33, 34, 35, 36, 48, 49, 50, 51, 52 };
static const uint8_t threes[64]
	__attribute__((aligned(64))) = { 0, 1, 2, 16, 17, 18, 32, 33, 34, 48, 49, 50 };

/* Bytes of two 3-bit sums each to 48 bits in the lower part of each 64-bit lane. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i squeeze_threes(__m512i x)
{
	__m512i t =
		_mm512_or_si512(_mm512_and_si512(x, _mm512_set1_epi8(0x07)),
				_mm512_and_si512(_mm512_srli_epi64(x, 1), _mm512_set1_epi8(0x38)));

	t = _mm512_maddubs_epi16(t, _mm512_set1_epi16(0x4001));  /* low + 2^6 high */
	t = _mm512_madd_epi16(t, _mm512_set1_epi32(0x10000001)); /* low + 2^12 high */
	return _mm512_or_si512(_mm512_and_si512(t, _mm512_set1_epi64(0xffffff)),
			       _mm512_slli_epi64(_mm512_srli_epi64(t, 32), 24));
}

/* 32-bit lanes of `bits` bits, to 4 * bits in the lower part of each 128-bit lane. */
CBT_AVX512_TARGET CBT_ALWAYS __m512i squeeze_lanes(__m512i x, unsigned bits)
{
	const __m512i low = _mm512_set1_epi64((INT64_C(1) << bits) - 1);
	const __m512i t = _mm512_or_si512(_mm512_and_si512(x, low),
					  _mm512_slli_epi64(_mm512_srli_epi64(x, 32), bits));

	return _mm512_or_si512(t, _mm512_slli_epi64(_mm512_bsrli_epi128(t, 8), 2 * bits));
}

CBT_AVX512_TARGET CBT_ALWAYS void sum_eight(const struct rows *r, size_t i, bool around,
					    uint32_t count[8])
{
	const __m512i m1 = _mm512_set1_epi8(0x55), m2 = _mm512_set1_epi8(0x33);
	const __m512i in = _mm512_load_si512(r->field + 8 * i);
	const __m512i counts = _mm512_popcnt_epi64(in);
	uint8_t *const row2 = (uint8_t *)r->level[2] + 48 * i;
	uint8_t *const row3 = (uint8_t *)r->level[3] + 32 * i;
	uint8_t *const row4 = (uint8_t *)r->level[4] + 20 * i;
	uint8_t *const row5 = (uint8_t *)r->level[5] + 12 * i;
	uint8_t *const row6 = (uint8_t *)r->level[6] + 7 * i;
	__m512i x, t;
	uint64_t last;

	x = _mm512_sub_epi8(in, _mm512_and_si512(_mm512_srli_epi64(in, 1), m1));
	if (around)
		_mm512_stream_si512((void *)(r->level[1] + 8 * i), x);
	else
		_mm512_store_si512(r->level[1] + 8 * i, x);
	x = _mm512_add_epi8(_mm512_and_si512(x, m2), _mm512_and_si512(_mm512_srli_epi64(x, 2), m2));
	_mm512_mask_storeu_epi8(
		row2, 0xffffffffffff,
		_mm512_permutexvar_epi8(_mm512_load_si512(sixes), squeeze_threes(x)));
	x = _mm512_and_si512(_mm512_add_epi8(x, _mm512_srli_epi64(x, 4)), _mm512_set1_epi8(0x0f));
	t = _mm512_maddubs_epi16(x, _mm512_set1_epi16(0x1001)); /* low + 2^4 high */
	_mm256_storeu_si256((void *)row3, _mm512_cvtepi16_epi8(t));
	x = _mm512_maddubs_epi16(x, _mm512_set1_epi8(1));        /* 16-bit sums */
	t = _mm512_madd_epi16(x, _mm512_set1_epi32(0x00200001)); /* low + 2^5 high */
	_mm512_mask_storeu_epi8(
		row4, 0xfffff,
		_mm512_permutexvar_epi8(_mm512_load_si512(fives), squeeze_lanes(t, 10)));
	x = _mm512_madd_epi16(x, _mm512_set1_epi32(0x00010001)); /* 32-bit sums */
	_mm512_mask_storeu_epi8(
		row5, 0xfff,
		_mm512_permutexvar_epi8(_mm512_load_si512(threes), squeeze_lanes(x, 6)));
	last = _pext_u64((uint64_t)_mm_cvtsi128_si64(_mm512_cvtepi64_epi8(counts)),
			 0x7f7f7f7f7f7f7f7f);
	memcpy(row6, &last, 7);
	_mm256_storeu_si256((void *)count, _mm512_cvtepi64_epi32(counts));
}

CBT_AVX512_TARGET static void sum_avx512(const struct rows *r, bool around, uint32_t count[64])
{
	for (size_t i = 0; i < 8; i++)
		sum_eight(r, i, around, count + 8 * i);
}

/* Eight blocks fill whole lines of each level: they are made in the nearest cache and go from there
 * around the others, which saves reading each line before it is overwritten. */
CBT_AVX512_TARGET static void sum_around(const struct rows *to, uint32_t *count)
{
	uint64_t stage[CBT_AROUND_BLOCKS * (48 + 32 + 20 + 12 + 7)] __attribute__((aligned(64)));

	for (size_t b = 0; b < CBT_AROUND_BLOCKS; b++) {
		struct rows r = { to->field + 64 * b, { NULL, to->level[1] + 64 * b } };
		uint64_t *row = stage;

		for (size_t i = 2; i <= 6; i++) {
			r.level[i] = row + words_of[i] * b;
			row += words_of[i] * CBT_AROUND_BLOCKS;
		}
		sum_avx512(&r, true, count + 64 * b);
	}
	for (size_t i = 2, from = 0; i <= 6; i++) {
		const size_t words = words_of[i] * CBT_AROUND_BLOCKS;

		for (size_t w = 0; w < words; w += 8)
			_mm512_stream_si512((void *)(to->level[i] + w),
					    _mm512_load_si512(stage + from + w));
		from += words;
	}
	_mm_sfence();
}

/* ---- wider sums -------------------------------------------------------------------------- */

/* Two neighbours make one number of 2 * width bits; where four fit a word, two of those make one,
 * so that few are left to append. */
CBT_AVX512_TARGET static void pack_avx512(uint64_t *to, const uint32_t count[64], unsigned width)
{
	const __m128i shift1 = _mm_cvtsi32_si128((int)width);
	const __m128i shift2 = _mm_cvtsi32_si128((int)(2 * width));
	const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
	const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
	struct writer w = { 0 };
	uint64_t number[32];

	w.to = to;
	for (size_t i = 0; i < 4; i++) {
		const __m512i x = _mm512_loadu_si512(count + 16 * i);
		const __m512i high = _mm512_sll_epi64(_mm512_srli_epi64(x, 32), shift1);
		const __m512i low = _mm512_and_si512(x, _mm512_set1_epi64(UINT32_MAX));

		_mm512_storeu_si512(number + 8 * i, _mm512_or_si512(low, high));
	}
	if (width > 16) {
		for (size_t i = 0; i < 32; i++)
			append(&w, number[i], 2 * width);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		const __m512i a = _mm512_loadu_si512(number + 16 * i);
		const __m512i b = _mm512_loadu_si512(number + 16 * i + 8);
		const __m512i low = _mm512_permutex2var_epi64(a, even, b);
		const __m512i high = _mm512_sll_epi64(_mm512_permutex2var_epi64(a, odd, b), shift2);

		_mm512_storeu_si512(number + 8 * i, _mm512_or_si512(low, high));
	}
	for (size_t i = 0; i < 16; i++)
		append(&w, number[i], 4 * width);
}

CBT_AVX512_TARGET static void add_pairs_avx512(uint32_t *count, size_t n)
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

/* ---- the choice -------------------------------------------------------------------------- */

static void sum_block(const struct cbt_sums *s, size_t block, uint32_t count[64])
{
	const struct rows r = rows_of(s, block);

#if defined(__x86_64__)
	if (s->simd >= CBT_AVX512) {
		sum_avx512(&r, false, count);
		return;
	}
	if (s->simd >= CBT_BMI2) {
		sum_bmi2(&r, count);
		return;
	}
#endif
	sum_plain(&r, count);
}

void cbt_sum_blocks(const struct cbt_sums *s, size_t first, size_t n, uint32_t *count)
{
	size_t b = 0;

#if defined(__x86_64__)
	for (; s->around && s->simd >= CBT_AVX512 && b + CBT_AROUND_BLOCKS <= n;
	     b += CBT_AROUND_BLOCKS) {
		const struct rows r = rows_of(s, first + b);

		sum_around(&r, count + 64 * b);
	}
#endif
	for (; b < n; b++)
		sum_block(s, first + b, count + 64 * b);
}

void cbt_pack_group(enum cbt_simd simd, uint64_t *to, const uint32_t count[64], unsigned width)
{
#if defined(__x86_64__)
	if (simd >= CBT_AVX512) {
		pack_avx512(to, count, width);
		return;
	}
#endif
	(void)simd;
	pack_plain(to, count, width);
}

void cbt_add_pairs(enum cbt_simd simd, uint32_t *count, size_t n)
{
#if defined(__x86_64__)
	if (simd >= CBT_AVX512) {
		add_pairs_avx512(count, n);
		return;
	}
#endif
	(void)simd;
	for (size_t i = 0; i < n; i++)
		count[i] = count[2 * i] + count[2 * i + 1];
}
