/* vector.c -- a leaf in AVX-512.
 *
 * Keys are split in two by a pivot, the median of a sample, until few enough are left for a sorting network
 * in registers (partition.h, network.h).  Eight lanes are ordered by a table, sixteen by two compressions.
 *
 * Keys of 32 bits of which 24 are left, as a split by the highest eight leaves them, are scattered by eight
 * bits more, and only their lower halves are stored: twice as many keys per vector (with VBMI2, which
 * compresses 16-bit lanes).  These are sorted by radix exchange: split by their highest unknown bit, 0 before
 * 1, by two compressions of a vector; the zeros go to another array, the ones move up in their own, behind
 * what was read.  Bits as pivots need no sampling, and halve evenly spread keys evenly.
 */
#include "cpu/sort/leaf.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "cpu/sort/digit.h"
#include "cpu/sort/pivot.h"

#define INLINE __attribute__((always_inline))

enum {
	NETWORK_16 = 256, /* half keys that the networks take */
	HALF_BITS = 16,
	PER_DIGIT = 64, /* keys that a digit should have to be worth a scatter by it */
};

/* Lanes that have the highest bit of c in their number. */
static inline INLINE uint32_t lane_mask(unsigned c)
{
	return c >= 16  ? 0xffff0000
	       : c >= 8 ? 0xff00ff00
	       : c >= 4 ? 0xf0f0f0f0
	       : c >= 2 ? 0xcccccccc
			: 0xaaaaaaaa;
}

/* 128-bit quarter i becomes quarter i ^ c. */
static inline INLINE CPU_AVX512_TARGET __m512i xor_quarters(__m512i v, unsigned c)
{
	switch (c) {
	case 1:
		return _mm512_shuffle_i64x2(v, v, 0xb1);
	case 2:
		return _mm512_shuffle_i64x2(v, v, 0x4e);
	case 3:
		return _mm512_shuffle_i64x2(v, v, 0x1b);
	default:
		return v;
	}
}

static inline INLINE CPU_AVX512_TARGET __m512i xor_lanes_64(__m512i v, unsigned c)
{
	v = xor_quarters(v, c >> 1);
	return c & 1 ? _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e) : v;
}

static inline INLINE CPU_AVX512_TARGET __m512i xor_lanes_32(__m512i v, unsigned c)
{
	v = xor_quarters(v, c >> 2);
	switch (c & 3) {
	case 1:
		return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1);
	case 2:
		return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e);
	case 3:
		return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x1b);
	default:
		return v;
	}
}

static inline INLINE CPU_VBMI2_TARGET __m512i xor_lanes_16(__m512i v, unsigned c)
{
	v = xor_quarters(v, c >> 3);
	switch (c & 7) {
	case 1:
		return _mm512_shuffle_epi8(
			v, _mm512_set4_epi32(0x0d0c0f0e, 0x09080b0a, 0x05040706, 0x01000302));
	case 2:
		return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0xb1);
	case 3:
		return _mm512_shuffle_epi8(
			v, _mm512_set4_epi32(0x09080b0a, 0x0d0c0f0e, 0x01000302, 0x05040706));
	case 4:
		return _mm512_shuffle_epi32(v, (_MM_PERM_ENUM)0x4e);
	case 7:
		return _mm512_shuffle_epi8(
			v, _mm512_set4_epi32(0x01000302, 0x05040706, 0x09080b0a, 0x0d0c0f0e));
	default:
		return v;
	}
}

#define NAME(x)              x##_16
#define VECTOR               __m512i
#define LANES                32
#define ATTRIBUTES           INLINE CPU_VBMI2_TARGET
#define MIN                  _mm512_min_epu16
#define MAX                  _mm512_max_epu16
#define MAX_AT(low, c, a, b) _mm512_mask_max_epu16(low, (__mmask32)lane_mask(c), a, b)
#define XOR_LANES            xor_lanes_16
#include "cpu/sort/network.h"

#define NAME(x)              x##_32
#define VECTOR               __m512i
#define LANES                16
#define ATTRIBUTES           INLINE CPU_AVX512_TARGET
#define MIN                  _mm512_min_epu32
#define MAX                  _mm512_max_epu32
#define MAX_AT(low, c, a, b) _mm512_mask_max_epu32(low, (__mmask16)lane_mask(c), a, b)
#define XOR_LANES            xor_lanes_32
#include "cpu/sort/network.h"

#define NAME(x)              x##_64
#define VECTOR               __m512i
#define LANES                8
#define ATTRIBUTES           INLINE CPU_AVX512_TARGET
#define MIN                  _mm512_min_epu64
#define MAX                  _mm512_max_epu64
#define MAX_AT(low, c, a, b) _mm512_mask_max_epu64(low, (__mmask8)lane_mask(c), a, b)
#define XOR_LANES            xor_lanes_64
#include "cpu/sort/network.h"

/* ---- pivots ------------------------------------------------------------------------------- */

/* The lanes of v, those of `up` last. */
static inline INLINE CPU_AVX512_TARGET __m512i low_first_32(__m512i v, unsigned up)
{
	/* Lane i is lane i + ups, which moves the ups from the front to the end. */
	static const uint32_t turned[32] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
					     0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	const __m512i lows = _mm512_maskz_compress_epi32((__mmask16)~up, v);
	const __m512i ups = _mm512_maskz_compress_epi32((__mmask16)up, v);
	const __m512i turn = _mm512_loadu_si512(turned + __builtin_popcount(up));

	return _mm512_or_si512(lows, _mm512_permutexvar_epi32(turn, ups));
}

static inline INLINE CPU_AVX512_TARGET __m512i low_first_64(__m512i v, unsigned up)
{
	static const uint64_t order[256] = { RADIX_ORDERS };
	const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(order + up));

	return _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(bytes), v);
}

#define NAME(x)              x##_32
#define KEY                  uint32_t
#define VECTOR               __m512i
#define LANES                16
#define ATTRIBUTES           CPU_AVX512_TARGET
#define LOAD                 _mm512_loadu_si512
#define STORE                _mm512_storeu_si512
#define BROADCAST(x)         _mm512_set1_epi32((int)(x))
#define FIRST(n)             (__mmask16) _bzhi_u32(0xffff, (unsigned)(n))
#define LOAD_FIRST(p, n)     _mm512_mask_loadu_epi32(BROADCAST(-1), FIRST(n), p)
#define STORE_FIRST(p, n, v) _mm512_mask_storeu_epi32(p, FIRST(n), v)
#define TO_ORDER(v)          (v)
#define GREATER(a, b)        _mm512_cmpgt_epu32_mask(a, b)
#define LOW_FIRST            low_first_32
#define MIN                  _mm512_min_epu32
#define MAX                  _mm512_max_epu32
#include "cpu/sort/partition.h"
#undef FIRST

#define NAME(x)              x##_64
#define KEY                  uint64_t
#define VECTOR               __m512i
#define LANES                8
#define ATTRIBUTES           CPU_AVX512_TARGET
#define LOAD                 _mm512_loadu_si512
#define STORE                _mm512_storeu_si512
#define BROADCAST(x)         _mm512_set1_epi64((long long)(x))
#define FIRST(n)             (__mmask8) _bzhi_u32(0xff, (unsigned)(n))
#define LOAD_FIRST(p, n)     _mm512_mask_loadu_epi64(BROADCAST(-1), FIRST(n), p)
#define STORE_FIRST(p, n, v) _mm512_mask_storeu_epi64(p, FIRST(n), v)
#define TO_ORDER(v)          (v)
#define GREATER(a, b)        _mm512_cmpgt_epu64_mask(a, b)
#define LOW_FIRST            low_first_64
#define MIN                  _mm512_min_epu64
#define MAX                  _mm512_max_epu64
#include "cpu/sort/partition.h"
#undef FIRST

/* ---- 16 bits ------------------------------------------------------------------------------ */

/* A mask of the lanes first .. first + 31 that are below n. */
static inline INLINE CPU_AVX512_TARGET uint32_t below(size_t n, size_t first)
{
	size_t left = n > first ? n - first : 0;

	return left >= 32 ? UINT32_MAX : _bzhi_u32(UINT32_MAX, (unsigned)left);
}

/* Sort up to rows * 32 half keys; out gets them below `prefix`. */
static inline INLINE CPU_VBMI2_TARGET void network_16(const uint16_t *key, size_t n,
						      uint32_t prefix, uint32_t *out, unsigned rows)
{
	const __m512i upper = _mm512_set1_epi32((int)prefix);
	__m512i v[16];

#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++)
		v[i] = _mm512_mask_loadu_epi16(_mm512_set1_epi16(-1), below(n, 32 * i),
					       key + 32 * i);
	sort_matrix_16(v, rows);
#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++) {
		uint32_t m = below(n, 32 * i);
		__m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(v[i]));
		__m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(v[i], 1));

		_mm512_mask_storeu_epi32(out + 32 * i, (__mmask16)m, _mm512_or_si512(low, upper));
		_mm512_mask_storeu_epi32(out + 32 * i + 16, (__mmask16)(m >> 16),
					 _mm512_or_si512(high, upper));
	}
}

CPU_VBMI2_TARGET
static void few_16(const uint16_t *key, size_t n, uint32_t prefix, uint32_t *out)
{
#define ROWS(rows)                                     \
	case (rows):                                   \
		network_16(key, n, prefix, out, rows); \
		break
	switch ((n + 31) / 32) {
		ROWS(1);
		ROWS(2);
		ROWS(3);
		ROWS(4);
		ROWS(5);
		ROWS(6);
		ROWS(7);
		ROWS(8);
	default:
		break;
	}
#undef ROWS
}

/* Zeros of a bit to the front of `zero`, ones to the front of key itself, behind what is read.
 * Returns how many zeros there are. */
CPU_VBMI2_TARGET
static size_t exchange_16(uint16_t *key, size_t n, unsigned bit, uint16_t *zero)
{
	const __m512i test = _mm512_set1_epi16((short)(1u << bit));
	size_t zeros = 0, ones = 0, i = 0;

	for (; i + 32 <= n; i += 32) {
		__m512i v = _mm512_loadu_si512(key + i);
		__mmask32 m = _mm512_test_epi16_mask(v, test);
		unsigned c = (unsigned)_mm_popcnt_u32(m);

		_mm512_storeu_si512(zero + zeros, _mm512_maskz_compress_epi16(~m, v));
		_mm512_storeu_si512(key + ones, _mm512_maskz_compress_epi16(m, v));
		zeros += 32 - c;
		ones += c;
	}
	if (i < n) {
		uint32_t valid = below(n, i);
		__m512i v = _mm512_maskz_loadu_epi16(valid, key + i);
		uint32_t m = _mm512_test_epi16_mask(v, test);

		_mm512_mask_compressstoreu_epi16(zero + zeros, valid & ~m, v);
		_mm512_mask_compressstoreu_epi16(key + ones, m, v);
		zeros += (unsigned)_mm_popcnt_u32(valid & ~m);
	}
	return zeros;
}

/* Sort n half keys whose bits from `top` on are equal; out gets them below `prefix`.  key and
 * spare are two ranges of n elements, and scratch. */
CPU_VBMI2_TARGET
static void bits_16(uint16_t *key, uint16_t *spare, size_t n, unsigned top, uint32_t prefix,
		    uint32_t *out)
{
	while (n > NETWORK_16 && top) {
		size_t zeros = exchange_16(key, n, --top, spare);
		size_t ones = n - zeros;

		if (zeros)
			bits_16(spare, key + ones, zeros, top, prefix, out);
		spare += zeros;
		out += zeros;
		n = ones;
	}
	if (n > NETWORK_16)
		for (size_t i = 0; i < n; i++)
			out[i] = prefix | key[0];
	else if (n)
		few_16(key, n, prefix, out);
}

/* Sort n keys with 17 to 24 unknown bits: a scatter by those above 16 leaves half keys. */
CPU_VBMI2_TARGET
static void scatter_to_half(const uint32_t *key, uint32_t *out, size_t n, uint16_t *const half[2])
{
	size_t count[RADIX_DIGITS] = { 0 };
	uint32_t position[RADIX_DIGITS], prefix = key[0] >> 24 << 24, sum = 0;

	radix_digit_count_u32(key, n, HALF_BITS, count);
	for (size_t d = 0; d < RADIX_DIGITS; d++) {
		position[d] = sum;
		sum += (uint32_t)count[d];
	}
	for (size_t i = 0; i < n; i++) {
		uint16_t *to = half[0] + position[key[i] >> HALF_BITS & 255]++;

		*to = (uint16_t)key[i];
		__builtin_prefetch(RADIX_NEXT_LINE(to), 1);
	}
	sum = 0;
	for (uint32_t d = 0; d < RADIX_DIGITS; d++) {
		if (count[d])
			bits_16(half[0] + sum, half[1] + sum, count[d], HALF_BITS,
				prefix | d << HALF_BITS, out + sum);
		sum += (uint32_t)count[d];
	}
}

/* ---- the leaf ----------------------------------------------------------------------------- */

void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	if (simd < CPU_AVX512)
		radix_leaf_avx2(leaf);
	else if (leaf->width == 8)
		sort_leaf_64(leaf);
	else
		sort_leaf_32(leaf);
}

size_t radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	if (simd < CPU_AVX512)
		return radix_cut_avx2(leaf);
	return leaf->width == 8 ? cut_leaf_64(leaf) : cut_leaf_32(leaf);
}

void radix_leaf_vector(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		       enum cpu_simd simd)
{
	const bool digit = leaf->top > HALF_BITS && leaf->top <= HALF_BITS + RADIX_DIGIT_BITS;

	if (simd >= CPU_VBMI2 && leaf->width == 4 && digit &&
	    leaf->count >> (leaf->top - HALF_BITS) >= PER_DIGIT)
		scatter_to_half(leaf->in_spare ? leaf->spare : leaf->record, leaf->record,
				leaf->count, scratch->half);
	else
		radix_leaf_pivots(leaf, simd);
}

#else

/* Never called: cpu_simd() is CPU_PLAIN here. */
void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	radix_leaf_stable(leaf);
}

size_t radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	return 0;
}

void radix_leaf_vector(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		       enum cpu_simd simd)
{
	radix_leaf_stable(leaf);
}

#endif
