/* vectors.cc -- the quicksort of quicksort.h for each instruction set, and what differs between
 * them: a mask of lanes, and the stores of a vector's two sides.
 */
#include <string.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "cpu/primitives/sort.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace
{
#define SHIM inline __attribute__((always_inline))

/* Entry m of a table for vectors of a few lanes: the numbers of the lanes' bytes, in the order that
 * puts the lanes of mask m last. */
template <unsigned LANES, unsigned BYTES> struct orders {
	uint8_t of[1 << LANES][LANES * BYTES];

	constexpr orders() : of()
	{
		for (unsigned m = 0; m < 1 << LANES; m++) {
			unsigned place = 0;

			for (unsigned side = 0; side < 2; side++)
				for (unsigned i = 0; i < LANES * BYTES; i++)
					if ((m >> i / BYTES & 1) == side)
						of[m][place++] = (uint8_t)i;
		}
	}
};

#if defined(__x86_64__)

constexpr orders<8, 1> order;

/* Sixteen lanes are ordered by two compressions, eight by the table. */
namespace avx512
{
#define VECTOR_BYTES       64
#define NUMBER_OF(K, mask) ((unsigned)__builtin_popcount(mask))
#define TARGET             CPU_AVX512_TARGET

/* Lanes of v that exceed those of p, of vectors of K. */
#define DEFINE_ABOVE(K, suffix)                                              \
	SHIM TARGET unsigned above(K __attribute__((vector_size(64))) v,     \
				   K __attribute__((vector_size(64))) p)     \
	{                                                                    \
		return _mm512_cmpgt_##suffix##_mask((__m512i)v, (__m512i)p); \
	}
DEFINE_ABOVE(uint32_t, epu32)
DEFINE_ABOVE(uint64_t, epu64)
DEFINE_ABOVE(int32_t, epi32)
DEFINE_ABOVE(int64_t, epi64)

template <class K, class V> SHIM TARGET void put_sides(K *low, K *high, V v, unsigned up)
{
	if constexpr (sizeof(K) == 4) {
		const unsigned ups = NUMBER_OF(K, up);
		const __m512i lows = _mm512_maskz_compress_epi32((__mmask16)~up, (__m512i)v);
		const __m512i highs = _mm512_maskz_compress_epi32((__mmask16)up, (__m512i)v);

		_mm512_storeu_si512(low, lows);
		_mm512_mask_storeu_epi32(high - ups, (__mmask16)_bzhi_u32(0xffff, ups), highs);
	} else {
		const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)order.of[up]);
		/* GCC warns of uninitialised variables in the functions without a mask. */
		const __m512i lanes = _mm512_maskz_cvtepu8_epi64(0xff, bytes);
		const __m512i ordered = _mm512_maskz_permutexvar_epi64(0xff, lanes, (__m512i)v);

		_mm512_storeu_si512(low, ordered);
		_mm512_storeu_si512(high - 8, ordered);
	}
}

SHIM TARGET __mmask16 first(size_t bytes)
{
	return (__mmask16)_bzhi_u32(0xffff, (unsigned)bytes / 4);
}

template <class V> SHIM TARGET V load_first(const void *from, size_t bytes, V rest)
{
	return (V)_mm512_mask_loadu_epi32((__m512i)rest, first(bytes), from);
}

template <class V> SHIM TARGET void store_first(void *to, size_t bytes, V v)
{
	_mm512_mask_storeu_epi32(to, first(bytes), (__m512i)v);
}

#include "cpu/primitives/quicksort.h"
} // namespace avx512

/* There is no compression, so the table orders all vectors, by lanes of 32 bits. */
namespace avx2
{
#define VECTOR_BYTES 32
/* A mask has a bit per 32-bit lane. */
#define NUMBER_OF(K, mask) ((unsigned)__builtin_popcount(mask) / (sizeof(K) / 4))
#define TARGET             CPU_AVX2_TARGET

template <class V> SHIM TARGET unsigned above(V v, V p)
{
	return (unsigned)_mm256_movemask_ps((__m256)(v > p));
}

template <class K, class V> SHIM TARGET void put_sides(K *low, K *high, V v, unsigned up)
{
	const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)order.of[up]);
	const __m256i ordered =
		_mm256_permutevar8x32_epi32((__m256i)v, _mm256_cvtepu8_epi32(bytes));

	_mm256_storeu_si256((__m256i *)(void *)low, ordered);
	_mm256_storeu_si256((__m256i *)(void *)(high - 32 / sizeof(K)), ordered);
}

/* All ones in the first bytes. */
SHIM TARGET __m256i first(size_t bytes)
{
	static const uint64_t edge[8] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };

	return _mm256_loadu_si256(
		(const __m256i *)(const void *)((const char *)(edge + 4) - bytes));
}

template <class V> SHIM TARGET V load_first(const void *from, size_t bytes, V rest)
{
	const __m256i v = _mm256_maskload_epi32(static_cast<const int *>(from), first(bytes));

	return (V)_mm256_blendv_epi8((__m256i)rest, v, first(bytes));
}

template <class V> SHIM TARGET void store_first(void *to, size_t bytes, V v)
{
	_mm256_maskstore_epi32(static_cast<int *>(to), first(bytes), (__m256i)v);
}

#include "cpu/primitives/quicksort.h"
} // namespace avx2

#elif defined(__aarch64__)

/* There is no mask of a bit per lane: the lanes that a comparison finds are added up, which gives
 * the entry of a table of bytes, and their number above it. */
namespace neon
{
#define VECTOR_BYTES       16
#define NUMBER_OF(K, mask) ((mask) >> 4)
#define TARGET

constexpr orders<4, 4> order;

template <class V> SHIM unsigned above(V v, V p)
{
	if constexpr (sizeof v[0] == 4) {
		const uint32x4_t each = { 0x11, 0x12, 0x14, 0x18 };

		return vaddvq_u32((uint32x4_t)(v > p) & each);
	} else {
		const uint64x2_t each = { 0x13, 0x1c };

		return (unsigned)vaddvq_u64((uint64x2_t)(v > p) & each);
	}
}

template <class K, class V> SHIM void put_sides(K *low, K *high, V v, unsigned up)
{
	const uint8x16_t ordered = vqtbl1q_u8((uint8x16_t)v, vld1q_u8(order.of[up & 15]));

	memcpy(low, &ordered, 16);
	memcpy(high - 16 / sizeof(K), &ordered, 16);
}

template <class V> SHIM V load_first(const void *from, size_t bytes, V rest)
{
	memcpy(&rest, from, bytes);
	return rest;
}

template <class V> SHIM void store_first(void *to, size_t bytes, V v)
{
	memcpy(to, &v, bytes);
}

#include "cpu/primitives/quicksort.h"
} // namespace neon

#endif

} // namespace

const struct radix_vector_ops *radix_vectors(size_t width, bool is_signed, enum cpu_simd simd)
{
#define VECTORS(set)                                                                \
	(width == 8  ? is_signed ? &set::vectors<int64_t> : &set::vectors<uint64_t> \
	  : is_signed ? &set::vectors<int32_t>                                      \
		     : &set::vectors<uint32_t>)
#if defined(__x86_64__)
	if (simd >= CPU_AVX512)
		return VECTORS(avx512);
	if (simd >= CPU_AVX2)
		return VECTORS(avx2);
#elif defined(__aarch64__)
	if (simd >= CPU_NEON)
		return VECTORS(neon);
#endif
	return NULL;
}
