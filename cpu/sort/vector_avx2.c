/* vector_avx2.c -- sorts a leaf with AVX2.
 *
 * Works like vector.c, by pivots alone.  AVX2 has no compression, so a table permutes each vector.
 */
#include "cpu/sort/leaf.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "cpu/sort/pivot.h"

#define INLINE __attribute__((always_inline))

/* Move 128-bit half i to half i ^ c. */
static inline INLINE CPU_AVX2_TARGET __m256i xor_halves(__m256i v, unsigned c)
{
	return c ? _mm256_permute4x64_epi64(v, 0x4e) : v;
}

static inline INLINE CPU_AVX2_TARGET __m256i xor_lanes_32(__m256i v, unsigned c)
{
	v = xor_halves(v, c >> 2);
	switch (c & 3) {
	case 1:
		return _mm256_shuffle_epi32(v, 0xb1);
	case 2:
		return _mm256_shuffle_epi32(v, 0x4e);
	case 3:
		return _mm256_shuffle_epi32(v, 0x1b);
	default:
		return v;
	}
}

static inline INLINE CPU_AVX2_TARGET __m256i xor_lanes_64(__m256i v, unsigned c)
{
	switch (c) {
	case 1:
		return _mm256_shuffle_epi32(v, 0x4e);
	case 2:
		return _mm256_permute4x64_epi64(v, 0x4e);
	case 3:
		return _mm256_permute4x64_epi64(v, 0x1b);
	default:
		return v;
	}
}

/* Return high in the 32-bit lanes whose number has c's highest bit, low elsewhere. */
static inline INLINE CPU_AVX2_TARGET __m256i blend_32(__m256i low, unsigned c, __m256i high)
{
	return c >= 4   ? _mm256_blend_epi32(low, high, 0xf0)
	       : c >= 2 ? _mm256_blend_epi32(low, high, 0xcc)
			: _mm256_blend_epi32(low, high, 0xaa);
}

static inline INLINE CPU_AVX2_TARGET __m256i min_64(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

static inline INLINE CPU_AVX2_TARGET __m256i max_64(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

#define NAME(x)              x##_32
#define VECTOR               __m256i
#define LANES                8
#define ATTRIBUTES           INLINE CPU_AVX2_TARGET
#define MIN                  _mm256_min_epi32
#define MAX                  _mm256_max_epi32
#define MAX_AT(low, c, a, b) blend_32(low, c, _mm256_max_epi32(a, b))
#define XOR_LANES            xor_lanes_32
#include "cpu/sort/network.h"

#define NAME(x)              x##_64
#define VECTOR               __m256i
#define LANES                4
#define ATTRIBUTES           INLINE CPU_AVX2_TARGET
#define MIN                  min_64
#define MAX                  max_64
#define MAX_AT(low, c, a, b) blend_32(low, 2 * (c), max_64(a, b))
#define XOR_LANES            xor_lanes_64
#include "cpu/sort/network.h"

/* All ones in the first `bytes` bytes. */
static inline INLINE CPU_AVX2_TARGET __m256i first_bytes(size_t bytes)
{
	static const uint64_t edge[8] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };

	return _mm256_loadu_si256(
		(const __m256i *)(const void *)((const char *)(edge + 4) - bytes));
}

static inline INLINE CPU_AVX2_TARGET __m256i load(const void *from)
{
	return _mm256_loadu_si256(from);
}

static inline INLINE CPU_AVX2_TARGET void store(void *to, __m256i v)
{
	_mm256_storeu_si256(to, v);
}

static const uint64_t order_32[256] = { RADIX_ORDERS };
/* The same for 64-bit lanes, each of which is two of 32 bits. */
#define PAIRS(m)    (((m)&1) * 3 | ((m) >> 1 & 1) * 12 | ((m) >> 2 & 1) * 48 | ((m) >> 3 & 1) * 192)
#define PAIRED(m)   RADIX_ORDER(PAIRS(m))
#define PAIRED_4(m) PAIRED(m), PAIRED((m) + 1), PAIRED((m) + 2), PAIRED((m) + 3)
static const uint64_t order_64[16] = { PAIRED_4(0U), PAIRED_4(4U), PAIRED_4(8U), PAIRED_4(12U) };

static inline INLINE CPU_AVX2_TARGET __m256i in_order(__m256i v, const uint64_t *order)
{
	return _mm256_permutevar8x32_epi32(
		v, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)order)));
}

/* AVX2 compares signed numbers, so the highest bits of keys are flipped. */
static inline INLINE CPU_AVX2_TARGET __m256i flip_32(__m256i v)
{
	return _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN));
}

static inline INLINE CPU_AVX2_TARGET __m256i flip_64(__m256i v)
{
	return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN));
}

static inline INLINE CPU_AVX2_TARGET unsigned greater_32(__m256i a, __m256i b)
{
	const __m256i greater = _mm256_cmpgt_epi32(flip_32(a), flip_32(b));

	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(greater));
}

static inline INLINE CPU_AVX2_TARGET unsigned greater_64(__m256i a, __m256i b)
{
	const __m256i greater = _mm256_cmpgt_epi64(flip_64(a), flip_64(b));

	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(greater));
}

static inline INLINE CPU_AVX2_TARGET unsigned different_32(__m256i a, __m256i b)
{
	return 255 & ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
}

static inline INLINE CPU_AVX2_TARGET unsigned different_64(__m256i a, __m256i b)
{
	return 15 & ~(unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)));
}

/* Load `bytes` bytes of keys, and the largest key in the lanes behind. */
static inline INLINE CPU_AVX2_TARGET __m256i load_first(const void *from, size_t bytes)
{
	const __m256i first = first_bytes(bytes);
	const __m256i v = _mm256_maskload_epi32(from, first);

	return _mm256_or_si256(v, _mm256_andnot_si256(first, _mm256_set1_epi32(-1)));
}

static inline INLINE CPU_AVX2_TARGET void store_first(void *to, size_t bytes, __m256i v)
{
	_mm256_maskstore_epi32(to, first_bytes(bytes), v);
}

#define NAME(x)              x##_32
#define KEY                  uint32_t
#define VECTOR               __m256i
#define LANES                8
#define ATTRIBUTES           CPU_AVX2_TARGET
#define LOAD                 load
#define STORE                store
#define BROADCAST(x)         _mm256_set1_epi32((int)(x))
#define LOAD_FIRST(p, n)     load_first(p, 4 * (n))
#define STORE_FIRST(p, n, v) store_first(p, 4 * (n), v)
#define TO_ORDER             flip_32
#define GREATER              greater_32
#define DIFFERENT            different_32
#define LOW_FIRST(v, up)     in_order(v, order_32 + (up))
#define MIN                  _mm256_min_epi32
#define MAX                  _mm256_max_epi32
#include "cpu/sort/partition.h"

#define NAME(x)              x##_64
#define KEY                  uint64_t
#define VECTOR               __m256i
#define LANES                4
#define ATTRIBUTES           CPU_AVX2_TARGET
#define LOAD                 load
#define STORE                store
#define BROADCAST(x)         _mm256_set1_epi64x((long long)(x))
#define LOAD_FIRST(p, n)     load_first(p, 8 * (n))
#define STORE_FIRST(p, n, v) store_first(p, 8 * (n), v)
#define TO_ORDER             flip_64
#define GREATER              greater_64
#define DIFFERENT            different_64
#define LOW_FIRST(v, up)     in_order(v, order_64 + (up))
#define MIN                  min_64
#define MAX                  max_64
#include "cpu/sort/partition.h"

void radix_leaf_avx2(const struct radix_leaf *leaf)
{
	if (leaf->width == 8)
		sort_leaf_64(leaf);
	else
		sort_leaf_32(leaf);
}

struct radix_cut radix_cut_avx2(const struct radix_leaf *leaf)
{
	return leaf->width == 8 ? cut_leaf_64(leaf) : cut_leaf_32(leaf);
}

void radix_merge_avx2(void *to, const void *left, size_t lefts, size_t rights, size_t width)
{
	if (width == 8)
		merge_64(to, left, lefts, rights);
	else
		merge_32(to, left, lefts, rights);
}

#endif
