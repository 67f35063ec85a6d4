/* vector.c -- a leaf in AVX-512.
 *
 * A radix exchange sort: the keys are split by their highest unknown bit, 0 before 1, until few
 * enough are left for a sorting network in registers (network.h).  Bits as pivots need no
 * sampling, halve evenly spread keys evenly, and bound the depth by the bits of the key: no input
 * takes quadratic time.
 *
 * A vector of keys is split by two compressions: the zeros go to another array, the ones move up
 * in their own, behind what was read.  Both are stored as whole vectors; what is too much is
 * overwritten by the next ones.
 *
 * Once 16 bits are left, 16 bits are moved: twice as many keys per vector.  For u32 that is near:
 * a part of the first split has 24, so a scatter by 8 bits more that stores only the lower half
 * gets there (with VBMI2, which compresses 16-bit lanes).
 */
#include "cpu/sort/leaf.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "cpu/sort/digit.h"

#define INLINE __attribute__((always_inline))

enum {
	NETWORK_16 = 256, /* keys that the networks take */
	NETWORK_32 = 256,
	NETWORK_64 = 128,
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

/* A mask of the lanes first .. first + lanes - 1 that are below n. */
static inline INLINE CPU_AVX512_TARGET uint32_t below(size_t n, size_t first, unsigned lanes)
{
	size_t left = n > first ? n - first : 0;
	uint32_t all = lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;

	return left >= lanes ? all : _bzhi_u32(all, (unsigned)left);
}

/* ---- 16 bits ------------------------------------------------------------------------------ */

/* Sort up to rows * 32 half keys; out gets them below `prefix`. */
static inline INLINE CPU_VBMI2_TARGET void network_16(const uint16_t *key, size_t n,
						      uint32_t prefix, uint32_t *out, unsigned rows)
{
	const __m512i upper = _mm512_set1_epi32((int)prefix);
	__m512i v[16];

#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++)
		v[i] = _mm512_mask_loadu_epi16(_mm512_set1_epi16(-1), below(n, 32 * i, 32),
					       key + 32 * i);
	sort_matrix_16(v, rows);
#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++) {
		uint32_t m = below(n, 32 * i, 32);
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
		uint32_t valid = below(n, i, 32);
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
static void sort_16(uint16_t *key, uint16_t *spare, size_t n, unsigned top, uint32_t prefix,
		    uint32_t *out)
{
	while (n > NETWORK_16 && top) {
		size_t zeros = exchange_16(key, n, --top, spare);
		size_t ones = n - zeros;

		if (zeros)
			sort_16(spare, key + ones, zeros, top, prefix, out);
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

/* ---- 32 bits ------------------------------------------------------------------------------ */

static inline INLINE CPU_AVX512_TARGET void network_32(const uint32_t *key, size_t n, uint32_t *out,
						       unsigned rows)
{
	__m512i v[16];

#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++)
		v[i] = _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1),
					       (__mmask16)below(n, 16 * i, 16), key + 16 * i);
	sort_matrix_32(v, rows);
#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++)
		_mm512_mask_storeu_epi32(out + 16 * i, (__mmask16)below(n, 16 * i, 16), v[i]);
}

/* key and out may be the same. */
CPU_AVX512_TARGET
static void few_32(const uint32_t *key, size_t n, uint32_t *out)
{
#define ROWS(below, rows)                      \
	case (below):                          \
	case (rows):                           \
		network_32(key, n, out, rows); \
		break
	switch ((n + 15) / 16) {
	case 1:
		network_32(key, n, out, 1);
		break;
	case 2:
		network_32(key, n, out, 2);
		break;
		ROWS(3, 4);
		ROWS(5, 6);
		ROWS(7, 8);
		ROWS(9, 10);
		ROWS(11, 12);
		ROWS(13, 14);
		ROWS(15, 16);
	default:
		break;
	}
#undef ROWS
}

/* As exchange_16. */
CPU_AVX512_TARGET
static size_t exchange_32(uint32_t *key, size_t n, unsigned bit, uint32_t *zero)
{
	const __m512i test = _mm512_set1_epi32((int)(1u << bit));
	size_t zeros = 0, ones = 0, i = 0;

	for (; i + 16 <= n; i += 16) {
		__m512i v = _mm512_loadu_si512(key + i);
		__mmask16 m = _mm512_test_epi32_mask(v, test);
		unsigned c = (unsigned)_mm_popcnt_u32(m);

		_mm512_storeu_si512(zero + zeros, _mm512_maskz_compress_epi32((__mmask16)~m, v));
		_mm512_storeu_si512(key + ones, _mm512_maskz_compress_epi32(m, v));
		zeros += 16 - c;
		ones += c;
	}
	if (i < n) {
		__mmask16 valid = (__mmask16)below(n, i, 16);
		__m512i v = _mm512_maskz_loadu_epi32(valid, key + i);
		__mmask16 m = _mm512_test_epi32_mask(v, test);
		__mmask16 z = (__mmask16)(valid & ~m);

		_mm512_mask_compressstoreu_epi32(zero + zeros, z, v);
		_mm512_mask_compressstoreu_epi32(key + ones, m, v);
		zeros += (unsigned)_mm_popcnt_u32(z);
	}
	return zeros;
}

/* The lower halves of n keys. */
CPU_VBMI2_TARGET
static void narrow(const uint32_t *key, size_t n, uint16_t *half)
{
	size_t i = 0;

	for (; i + 16 <= n; i += 16)
		_mm256_storeu_si256((__m256i *)(half + i),
				    _mm512_cvtepi32_epi16(_mm512_loadu_si512(key + i)));
	for (; i < n; i++)
		half[i] = (uint16_t)key[i];
}

/* Sort n keys that agree in the bits from `top` on into out.  key and spare are two ranges of n
 * elements, and scratch.  half: two such ranges for half keys, or NULL twice. */
CPU_AVX512_TARGET
static void sort_32(uint32_t *key, uint32_t *spare, size_t n, unsigned top, uint32_t *out,
		    uint16_t *const half[2])
{
	while (n > NETWORK_32 && top > (half[0] ? HALF_BITS : 0)) {
		size_t zeros = exchange_32(key, n, --top, spare);
		size_t ones = n - zeros;

		if (zeros)
			sort_32(spare, key + ones, zeros, top, out, half);
		spare += zeros;
		out += zeros;
		n = ones;
	}
	if (!n)
		return;
	if (n <= NETWORK_32) {
		few_32(key, n, out);
	} else if (top) {
		uint32_t prefix = key[0] >> HALF_BITS << HALF_BITS;

		narrow(key, n, half[0]);
		sort_16(half[0], half[1], n, top, prefix, out);
	} else {
		memcpy(out, key, n * sizeof *out);
	}
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
			sort_16(half[0] + sum, half[1] + sum, count[d], HALF_BITS,
				prefix | d << HALF_BITS, out + sum);
		sum += (uint32_t)count[d];
	}
}

/* ---- 64 bits ------------------------------------------------------------------------------ */

static inline INLINE CPU_AVX512_TARGET void network_64(const uint64_t *key, size_t n, uint64_t *out,
						       unsigned rows)
{
	__m512i v[16];

#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++)
		v[i] = _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), (__mmask8)below(n, 8 * i, 8),
					       key + 8 * i);
	sort_matrix_64(v, rows);
#pragma GCC unroll 16
	for (size_t i = 0; i < rows; i++)
		_mm512_mask_storeu_epi64(out + 8 * i, (__mmask8)below(n, 8 * i, 8), v[i]);
}

/* key and out may be the same. */
CPU_AVX512_TARGET
static void few_64(const uint64_t *key, size_t n, uint64_t *out)
{
#define ROWS(below, rows)                      \
	case (below):                          \
	case (rows):                           \
		network_64(key, n, out, rows); \
		break
	switch ((n + 7) / 8) {
	case 1:
		network_64(key, n, out, 1);
		break;
	case 2:
		network_64(key, n, out, 2);
		break;
		ROWS(3, 4);
		ROWS(5, 6);
		ROWS(7, 8);
		ROWS(9, 10);
		ROWS(11, 12);
		ROWS(13, 14);
		ROWS(15, 16);
	default:
		break;
	}
#undef ROWS
}

/* As exchange_16. */
CPU_AVX512_TARGET
static size_t exchange_64(uint64_t *key, size_t n, unsigned bit, uint64_t *zero)
{
	const __m512i test = _mm512_set1_epi64((long long)(UINT64_C(1) << bit));
	size_t zeros = 0, ones = 0, i = 0;

	for (; i + 8 <= n; i += 8) {
		__m512i v = _mm512_loadu_si512(key + i);
		__mmask8 m = _mm512_test_epi64_mask(v, test);
		unsigned c = (unsigned)_mm_popcnt_u32(m);

		_mm512_storeu_si512(zero + zeros, _mm512_maskz_compress_epi64((__mmask8)~m, v));
		_mm512_storeu_si512(key + ones, _mm512_maskz_compress_epi64(m, v));
		zeros += 8 - c;
		ones += c;
	}
	if (i < n) {
		__mmask8 valid = (__mmask8)below(n, i, 8);
		__m512i v = _mm512_maskz_loadu_epi64(valid, key + i);
		__mmask8 m = _mm512_test_epi64_mask(v, test);
		__mmask8 z = (__mmask8)(valid & ~m);

		_mm512_mask_compressstoreu_epi64(zero + zeros, z, v);
		_mm512_mask_compressstoreu_epi64(key + ones, m, v);
		zeros += (unsigned)_mm_popcnt_u32(z);
	}
	return zeros;
}

/* One more than the highest bit in which keys differ, 0 if they are equal. */
CPU_AVX512_TARGET
static unsigned difference_64(const uint64_t *key, size_t n)
{
	__m512i first = _mm512_set1_epi64((long long)key[0]), any = _mm512_setzero_si512();

	for (size_t i = 0; i < n; i += 8) {
		__m512i v = _mm512_mask_loadu_epi64(first, (__mmask8)below(n, i, 8), key + i);

		any = _mm512_or_si512(any, _mm512_xor_si512(v, first));
	}
	uint64_t bits = (uint64_t)_mm512_reduce_or_epi64(any);
	return bits ? 64 - (unsigned)__builtin_clzll(bits) : 0;
}

CPU_AVX512_TARGET
static unsigned difference_32(const uint32_t *key, size_t n)
{
	__m512i first = _mm512_set1_epi32((int)key[0]), any = _mm512_setzero_si512();

	for (size_t i = 0; i < n; i += 16) {
		__m512i v = _mm512_mask_loadu_epi32(first, (__mmask16)below(n, i, 16), key + i);

		any = _mm512_or_si512(any, _mm512_xor_si512(v, first));
	}
	uint32_t bits = (uint32_t)_mm512_reduce_or_epi32(any);
	return bits ? 32 - (unsigned)__builtin_clz(bits) : 0;
}

/* As sort_32.  A bit that is the same in all keys has many like it, perhaps: those are skipped. */
CPU_AVX512_TARGET
static void sort_64(uint64_t *key, uint64_t *spare, size_t n, unsigned top, uint64_t *out)
{
	while (n > NETWORK_64 && top) {
		size_t zeros = exchange_64(key, n, --top, spare);
		size_t ones = n - zeros;

		if (zeros == n || ones == n)
			top = difference_64(zeros ? spare : key, n);
		if (zeros)
			sort_64(spare, key + ones, zeros, top, out);
		spare += zeros;
		out += zeros;
		n = ones;
	}
	if (n <= NETWORK_64)
		few_64(key, n, out);
	else
		memcpy(out, key, n * sizeof *out);
}

/* ---- the leaf ----------------------------------------------------------------------------- */

CPU_AVX512_TARGET
static void leaf_32(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		    enum cpu_simd simd)
{
	uint32_t *record = leaf->record, *spare = leaf->spare;
	size_t n = leaf->count;
	bool digit = leaf->top > HALF_BITS && leaf->top <= HALF_BITS + RADIX_DIGIT_BITS;

	if (simd >= CPU_VBMI2 && digit && n >> (leaf->top - HALF_BITS) >= PER_DIGIT) {
		scatter_to_half(leaf->in_spare ? spare : record, record, n, scratch->half);
	} else if (n <= NETWORK_32) {
		few_32(leaf->in_spare ? spare : record, n, record);
	} else {
		if (!leaf->in_spare)
			memcpy(spare, record, n * sizeof *spare);
		sort_32(spare, scratch->full, n, difference_32(spare, n), record, scratch->half);
	}
}

CPU_AVX512_TARGET
static void leaf_64(const struct radix_leaf *leaf, const struct radix_scratch *scratch)
{
	uint64_t *record = leaf->record, *spare = leaf->spare;
	size_t n = leaf->count;

	if (n <= NETWORK_64) {
		few_64(leaf->in_spare ? spare : record, n, record);
		return;
	}
	if (!leaf->in_spare)
		memcpy(spare, record, n * sizeof *spare);
	sort_64(spare, scratch->full, n, difference_64(spare, n), record);
}

void radix_leaf_vector(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		       enum cpu_simd simd)
{
	if (simd < CPU_AVX512)
		radix_leaf_avx2(leaf);
	else if (leaf->width == 8)
		leaf_64(leaf, scratch);
	else
		leaf_32(leaf, scratch, simd);
}

#else

/* Never called: cpu_simd() is CPU_PLAIN here. */
void radix_leaf_vector(const struct radix_leaf *leaf, const struct radix_scratch *scratch,
		       enum cpu_simd simd)
{
	radix_leaf_stable(leaf);
}

#endif
