/* vector_avx2.c -- a leaf in AVX2.
 *
 * Keys are split in two by a pivot, the median of a sample, until few enough are left for a sorting network
 * in registers (partition.h, network.h).  AVX2 has no compression: a vector is permuted by a table, those
 * keys first that stay below, and stored whole at both ends of what is free.
 *
 * Many equal keys take fewer levels, not more: parts that seem to be all equal are looked at, which costs
 * hardly more than reading.  After twice the levels that medians would need, the first bit in which keys
 * differ takes the pivot's place, so no input takes quadratic time.
 */
#include "cpu/sort/leaf.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define INLINE __attribute__((always_inline))

/* Keys that a median is taken of: more of many, where a level costs more (1M keys of 256 values: 2.3 ns each
 * in place of 2.9). */
enum { FEW_SAMPLES = 16, MANY_SAMPLES = 64, MANY = 1 << 12 };

/* 128-bit half i becomes half i ^ c. */
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

/* high in the lanes of 32 bits whose number has c's highest bit, elsewhere low. */
static inline INLINE CPU_AVX2_TARGET __m256i blend_32(__m256i low, unsigned c, __m256i high)
{
	return c >= 4   ? _mm256_blend_epi32(low, high, 0xf0)
	       : c >= 2 ? _mm256_blend_epi32(low, high, 0xcc)
			: _mm256_blend_epi32(low, high, 0xaa);
}

/* AVX2 compares signed numbers: the highest bits of keys are flipped while they are in registers. */
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

/* The bits of v's words, together. */
static inline INLINE CPU_AVX2_TARGET uint64_t any_64(__m256i v)
{
	const __m128i half =
		_mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	return (uint64_t)_mm_cvtsi128_si64(half) | (uint64_t)_mm_extract_epi64(half, 1);
}

static inline INLINE CPU_AVX2_TARGET uint32_t any_32(__m256i v)
{
	const uint64_t any = any_64(v);

	return (uint32_t)(any | any >> 32);
}

/* Entry m of a table: the bytes of an order in which the lanes that m names are last, as eight numbers of
 * lanes. */
#define BELOW(m, i) __builtin_popcount((m) & ((1U << (i)) - 1))
#define PLACE(m, i) ((m) >> (i)&1 ? 8 - __builtin_popcount(m) + BELOW(m, i) : (i)-BELOW(m, i))
#define LANE(m, i)  ((uint64_t)(i) << 8 * PLACE(m, i))
#define ORDER(m)                                                                       \
	(LANE(m, 0) | LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | \
	 LANE(m, 6) | LANE(m, 7))
#define ORDERS_4(m)  ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)
static const uint64_t order_32[256] = { ORDERS_64(0U), ORDERS_64(64U), ORDERS_64(128U),
					ORDERS_64(192U) };
/* The same of lanes of 64 bits: of pairs. */
#define PAIRS(m)    (((m)&1) * 3 | ((m) >> 1 & 1) * 12 | ((m) >> 2 & 1) * 48 | ((m) >> 3 & 1) * 192)
#define PAIRED(m)   ORDER(PAIRS(m))
#define PAIRED_4(m) PAIRED(m), PAIRED((m) + 1), PAIRED((m) + 2), PAIRED((m) + 3)
static const uint64_t order_64[16] = { PAIRED_4(0U), PAIRED_4(4U), PAIRED_4(8U), PAIRED_4(12U) };

static inline INLINE CPU_AVX2_TARGET __m256i in_order(__m256i v, const uint64_t *order)
{
	return _mm256_permutevar8x32_epi32(
		v, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)order)));
}

static inline INLINE CPU_AVX2_TARGET unsigned greater_32(__m256i a, __m256i b)
{
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, b)));
}

static inline INLINE CPU_AVX2_TARGET unsigned greater_64(__m256i a, __m256i b)
{
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(a, b)));
}

/* Levels that n keys may be split by medians: those that perfect ones would need, twice. */
static unsigned medians_for(size_t n)
{
	return 2 * (64 - (unsigned)__builtin_clzll(n | 1));
}

#define NAME(x)              x##_32
#define KEY                  uint32_t
#define LANES                8
#define FLIP                 (UINT32_C(1) << 31)
#define BROADCAST(x)         _mm256_set1_epi32((int)(x))
#define LOAD_FIRST(p, m)     _mm256_maskload_epi32((const int *)(const void *)(p), m)
#define STORE_FIRST(p, m, v) _mm256_maskstore_epi32((int *)(void *)(p), m, v)
#define GREATER              greater_32
#define LOW_FIRST(v, up)     in_order(v, order_32 + (up))
#define ANY                  any_32
#include "cpu/sort/partition.h"

#define NAME(x)              x##_64
#define KEY                  uint64_t
#define LANES                4
#define FLIP                 (UINT64_C(1) << 63)
#define BROADCAST(x)         _mm256_set1_epi64x((long long)(x))
#define LOAD_FIRST(p, m)     _mm256_maskload_epi64((const long long *)(const void *)(p), m)
#define STORE_FIRST(p, m, v) _mm256_maskstore_epi64((long long *)(void *)(p), m, v)
#define GREATER              greater_64
#define LOW_FIRST(v, up)     in_order(v, order_64 + (up))
#define ANY                  any_64
#include "cpu/sort/partition.h"

void radix_leaf_avx2(const struct radix_leaf *leaf)
{
	void *key = leaf->in_spare ? leaf->spare : leaf->record;
	void *spare = leaf->in_spare ? leaf->record : leaf->spare;

	if (leaf->width == 8)
		leaf_64(key, spare, leaf->count, leaf->record);
	else
		leaf_32(key, spare, leaf->count, leaf->record);
}

#else

/* Never called: cpu_simd() is CPU_PLAIN here. */
void radix_leaf_avx2(const struct radix_leaf *leaf)
{
	radix_leaf_stable(leaf);
}

#endif
