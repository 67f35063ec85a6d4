/* words.h -- vectors of eight floats in the vector extensions of GCC and clang, for kernels_body.h.
 *
 * A file that includes this one defines WORDS_TARGET, the attribute of its instruction set, and
 * WORDS_SIMD, its level (cpu/runtime/simd.h).  Only what the extensions cannot say has intrinsics.  Products
 * and sums are rounded one by one except in f8_fma(), as common/lbvh_types.h demands.  Comparisons give a
 * bit per lane, lane 0 lowest.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_WORDS_H
#define GPUBENCH_CPU_LBVH_SHARED_WORDS_H

#include <stdint.h>
#include <string.h>

#include "cpu/lbvh/shared/kernels.h"

#define WORDS_FN static inline __attribute__((always_inline)) WORDS_TARGET

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));
typedef uint32_t U8 __attribute__((vector_size(32)));

/* Lane i of the result is lane number i of the list, of a or, from 8 on, of b. */
#if defined(__clang__)
#define I8_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define I8_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (I8){ __VA_ARGS__ })
#endif

WORDS_FN F8 f8_set(float a)
{
	return (F8){ a, a, a, a, a, a, a, a };
}

WORDS_FN F8 f8_load(const float *p)
{
	F8 a;

	memcpy(&a, p, sizeof a);
	return a;
}

WORDS_FN void f8_store(float *p, F8 a)
{
	memcpy(p, &a, sizeof a);
}

#if WORDS_SIMD == 0

/* b in lanes where the mask is set, else a. */
WORDS_FN I8 i8_select(I8 a, I8 b, I8 mask)
{
	return (a & ~mask) | (b & mask);
}

/* a < b ? a : b, and a > b ? a : b: with a NaN in a, the result is b. */
WORDS_FN F8 f8_min(F8 a, F8 b)
{
	return (F8)i8_select((I8)b, (I8)a, a < b);
}

WORDS_FN F8 f8_max(F8 a, F8 b)
{
	return (F8)i8_select((I8)b, (I8)a, a > b);
}

WORDS_FN unsigned f8_le(F8 a, F8 b)
{
	const I8 each = { 1, 2, 4, 8, 16, 32, 64, 128 }, bits = (a <= b) & each;
	uint64_t part[4];

	memcpy(part, &bits, sizeof part);
	part[0] |= part[1] | part[2] | part[3];
	return (unsigned)(part[0] | part[0] >> 32) & 0xff;
}

/* a b + c, rounded once or twice: only for values that need not be the same everywhere. */
#define f8_fma(a, b, c) ((a) * (b) + (c))

/* Lanes set in LESS become the smaller of a and b, the others the larger. */
#define I8_EXCHANGE(a, b, LESS)                                                                \
	i8_select(b, a,                                                                        \
		  ((a) > (b)) ^ -((I8){ (LESS), (LESS) >> 1, (LESS) >> 2, (LESS) >> 3,         \
					(LESS) >> 4, (LESS) >> 5, (LESS) >> 6, (LESS) >> 7 } & \
				  1))

/* The smaller of two numbers without sign. */
WORDS_FN I8 i8_least(I8 a, I8 b)
{
	return i8_select(b, a, (I8)((U8)a < (U8)b));
}

WORDS_FN I8 i8_permute(I8 a, I8 from)
{
	I8 r = a;

	for (int i = 0; i < 8; i++)
		r[i] = a[from[i] & 7];
	return r;
}

#else
#include <immintrin.h>

WORDS_FN F8 f8_min(F8 a, F8 b)
{
	return _mm256_min_ps(a, b);
}

WORDS_FN F8 f8_max(F8 a, F8 b)
{
	return _mm256_max_ps(a, b);
}

WORDS_FN unsigned f8_le(F8 a, F8 b)
{
#if WORDS_SIMD == 2
	return _mm256_cmp_ps_mask(a, b, _CMP_LE_OQ);
#else
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ));
#endif
}

WORDS_FN F8 f8_fma(F8 a, F8 b, F8 c)
{
	return _mm256_fmadd_ps(a, b, c);
}

#if WORDS_SIMD == 2
#define I8_EXCHANGE(a, b, LESS)                                                        \
	(I8) _mm256_mask_min_epi32(_mm256_max_epi32((__m256i)(a), (__m256i)(b)), LESS, \
				   (__m256i)(a), (__m256i)(b))
#else
#define I8_EXCHANGE(a, b, LESS)                                               \
	(I8) _mm256_blend_epi32(_mm256_max_epi32((__m256i)(a), (__m256i)(b)), \
				_mm256_min_epi32((__m256i)(a), (__m256i)(b)), LESS)
#endif

WORDS_FN I8 i8_least(I8 a, I8 b)
{
	return (I8)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

WORDS_FN I8 i8_permute(I8 a, I8 from)
{
	return (I8)_mm256_permutevar8x32_epi32((__m256i)a, (__m256i)from);
}
#endif

/* The largest lane. */
WORDS_FN float f8_most(F8 a)
{
	a = f8_max(a, (F8)I8_SHUFFLE((I8)a, (I8)a, 4, 5, 6, 7, 0, 1, 2, 3));
	a = f8_max(a, (F8)I8_SHUFFLE((I8)a, (I8)a, 2, 3, 0, 1, 6, 7, 4, 5));
	a = f8_max(a, (F8)I8_SHUFFLE((I8)a, (I8)a, 1, 0, 3, 2, 5, 4, 7, 6));
	return a[0];
}

/* a in lanes whose bit is set, else -1. */
WORDS_FN I8 i8_keep(I8 a, unsigned bits)
{
#if WORDS_SIMD == 2
	return (I8)_mm256_mask_mov_epi32(_mm256_set1_epi32(-1), (__mmask8)bits, (__m256i)a);
#else
	const I8 none = { 0 }, each = { 1, 2, 4, 8, 16, 32, 64, 128 };
	const I8 all = none + (int32_t)bits;

	return a | ((all & each) != each);
#endif
}

/* The child of the least key; keys of lanes left out are -1.  The network takes twice as long, and a
 * caller need not wait for it. */
WORDS_FN uint32_t nearest_child(const uint32_t child[8], I8 key)
{
	key = i8_least(key, I8_SHUFFLE(key, key, 4, 5, 6, 7, 0, 1, 2, 3));
	key = i8_least(key, I8_SHUFFLE(key, key, 2, 3, 0, 1, 6, 7, 4, 5));
	key = i8_least(key, I8_SHUFFLE(key, key, 1, 0, 3, 2, 5, 4, 7, 6));
	return child[key[0] & 7];
}

/* Store child and distance of the lanes set in `bits`, one entry each, from the farthest to the
 * nearest.  Distances are not negative; their lowest three bits are ignored and stored as 0.  There
 * is room for eight entries; those behind the last are undefined.  Returns the nearest child; any
 * number if `bits` is 0.
 *
 * A bitonic network over keys, which are distances as integers of the same order with the number of
 * the lane in the lowest bits, and -1 in lanes left out. */
WORDS_FN uint32_t f8_sort(struct lbvh_entry *to, const uint32_t child[8], F8 distance,
			  unsigned bits)
{
	const I8 lane = { 0, 1, 2, 3, 4, 5, 6, 7 };
	I8 key = i8_keep(((I8)distance & ~7) | lane, bits), one, first, second;
	const uint32_t nearest = nearest_child(child, key);

	key = I8_EXCHANGE(key, I8_SHUFFLE(key, key, 1, 0, 3, 2, 5, 4, 7, 6), 0xaa);
	key = I8_EXCHANGE(key, I8_SHUFFLE(key, key, 3, 2, 1, 0, 7, 6, 5, 4), 0xcc);
	key = I8_EXCHANGE(key, I8_SHUFFLE(key, key, 1, 0, 3, 2, 5, 4, 7, 6), 0xaa);
	key = I8_EXCHANGE(key, I8_SHUFFLE(key, key, 7, 6, 5, 4, 3, 2, 1, 0), 0xf0);
	key = I8_EXCHANGE(key, I8_SHUFFLE(key, key, 2, 3, 0, 1, 6, 7, 4, 5), 0xcc);
	key = I8_EXCHANGE(key, I8_SHUFFLE(key, key, 1, 0, 3, 2, 5, 4, 7, 6), 0xaa);
	memcpy(&one, child, sizeof one);
	one = i8_permute(one, key);
	key &= ~7;
	first = I8_SHUFFLE(one, key, 0, 8, 1, 9, 4, 12, 5, 13);
	second = I8_SHUFFLE(one, key, 2, 10, 3, 11, 6, 14, 7, 15);
	memcpy(to, &first, 16);
	memcpy(to + 2, &second, 16);
	memcpy(to + 4, (char *)&first + 16, 16);
	memcpy(to + 6, (char *)&second + 16, 16);
	return nearest;
}

#endif
