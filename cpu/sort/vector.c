/* vector.c -- sorts a leaf with AVX-512.
 *
 * Keys are split in two by a pivot, the median of a sample, until few enough are left for a sorting
 * network in registers (partition.h, network.h).  Eight lanes are ordered by a table, sixteen by
 * two compressions.
 */
#include "cpu/sort/leaf.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "cpu/sort/pivot.h"

#define INLINE __attribute__((always_inline))

/* Mask of the lanes whose number has the highest bit of c. */
static inline INLINE uint32_t lane_mask(unsigned c)
{
	return c >= 8 ? 0xff00ff00 : c >= 4 ? 0xf0f0f0f0 : c >= 2 ? 0xcccccccc : 0xaaaaaaaa;
}

/* Move 128-bit quarter i to quarter i ^ c. */
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

/* Return the lanes of v, those of `up` last. */
static inline INLINE CPU_AVX512_TARGET __m512i low_first_32(__m512i v, unsigned up)
{
	/* Lane i takes lane i + ups, which moves the ups from the front to the end. */
	static const uint32_t turned[32] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
					     0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	const __m512i lows = _mm512_maskz_compress_epi32((__mmask16)~up, v);
	const __m512i ups = _mm512_maskz_compress_epi32((__mmask16)up, v);
	const __m512i turn = _mm512_loadu_si512(turned + __builtin_popcount(up));

	return _mm512_or_si512(lows, _mm512_permutexvar_epi32(turn, ups));
}

/* The lanes of `up` go where they belong, by a mask, so that nothing has to turn them. */
static inline INLINE CPU_AVX512_TARGET void store_sides_32(uint32_t *low, uint32_t *high, __m512i v,
							   unsigned up)
{
	const unsigned ups = (unsigned)__builtin_popcount(up);
	const __mmask16 first = (__mmask16)_bzhi_u32(0xffff, ups);

	_mm512_storeu_si512(low, _mm512_maskz_compress_epi32((__mmask16)~up, v));
	_mm512_mask_storeu_epi32(high - ups, first, _mm512_maskz_compress_epi32((__mmask16)up, v));
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
#define DIFFERENT(a, b)      _mm512_cmpneq_epu32_mask(a, b)
#define LOW_FIRST            low_first_32
#define STORE_SIDES          store_sides_32
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
#define DIFFERENT(a, b)      _mm512_cmpneq_epu64_mask(a, b)
#define LOW_FIRST            low_first_64
#define MIN                  _mm512_min_epu64
#define MAX                  _mm512_max_epu64
#include "cpu/sort/partition.h"
#undef FIRST

/* ---- pairs by key ------------------------------------------------------------------------- */

static const uint64_t key_bits = UINT64_MAX << 32, value_bits = UINT32_MAX;

/* Choose a pivot that some of n keys exceed, and some do not; false if all keys are equal.  *even
 * becomes false if a sample shows that they are not evenly spread. */
CPU_AVX512_TARGET
static bool choose_key(uint64_t *pair, size_t n, unsigned medians, uint64_t *pivot, bool *even)
{
	struct range_64 range = { 0, 0 };

	if (medians && choose_median_64(pair, n, key_bits, pivot, &range) != RADIX_MIXED)
		*even = false;
	if (range.least == range.most) {
		(void)find_range_64(pair, n, pair, &range);
		*pivot = medians ? *pivot : middle_of_64(range);
	}
	*pivot |= value_bits;
	if (*pivot >> 32 == range.most >> 32)
		*pivot = (*pivot & key_bits) - 1;
	return range.least >> 32 != range.most >> 32;
}

/* Sort n pairs by key, as sort_64() sorts keys; values count if most keys differ. */
CPU_AVX512_TARGET
static void sort_by_key(uint64_t *pair, size_t n, unsigned medians, bool even)
{
	while (n > NETWORK_64 && !(even && n <= (size_t)RADIX_EVEN * 8)) {
		uint64_t pivot;
		size_t low;

		if (!choose_key(pair, n, medians, &pivot, &even))
			return;
		low = partition_64(pair, n, pivot);
		medians -= medians > 0;
		sort_by_key(pair, low, medians, even);
		pair += low;
		n -= low;
	}
	sort_64(pair, n, medians, true);
}

/* Make the first step of that. */
static struct radix_cut cut_by_key(const struct radix_leaf *leaf)
{
	const size_t n = leaf->count;
	uint64_t pivot;
	bool even;
	size_t low;

	if (!choose_key(leaf->record, n, 1, &pivot, &even))
		return (struct radix_cut){ 0, n };
	low = partition_64(leaf->record, n, pivot);
	return (struct radix_cut){ low, low };
}

/* ---- the leaf ----------------------------------------------------------------------------- */

void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	if (simd < CPU_AVX512)
		radix_leaf_avx2(leaf);
	else if (leaf->by_key)
		sort_by_key(leaf->record, leaf->count, radix_medians_for(leaf->count), true);
	else if (leaf->width == 8)
		sort_leaf_64(leaf);
	else
		sort_leaf_32(leaf);
}

struct radix_cut radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	if (simd < CPU_AVX512)
		return radix_cut_avx2(leaf);
	if (leaf->by_key)
		return cut_by_key(leaf);
	return leaf->width == 8 ? cut_leaf_64(leaf) : cut_leaf_32(leaf);
}

void radix_merge_vectors(void *to, const void *left, size_t lefts, size_t rights, size_t width,
			 enum cpu_simd simd)
{
	if (simd < CPU_AVX512)
		radix_merge_avx2(to, left, lefts, rights, width);
	else if (width == 8)
		merge_64(to, left, lefts, rights);
	else
		merge_32(to, left, lefts, rights);
}

#elif !defined(__aarch64__)

/* Never called: cpu_simd() is CPU_PLAIN here. */
void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	radix_leaf_stable(leaf);
}

struct radix_cut radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	return (struct radix_cut){ 0, leaf->count };
}

void radix_merge_vectors(void *to, const void *left, size_t lefts, size_t rights, size_t width,
			 enum cpu_simd simd)
{
}

#endif
