/* split_words_vector.h -- the vector operations of split_body.h for AVX2 and AVX-512, described in
 * split_words_plain.h.  SPLIT_TARGET is the target attribute; SPLIT_AVX512 is defined for AVX-512.
 *
 * A record is one vector of eight floats.  The number of primitives in a bin is an integer in the
 * fourth component of its lower bounds, which alone is added instead of minimised: so a bin is read
 * and written once.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_SPLIT_WORDS_VECTOR_H
#define GPUBENCH_CPU_LBVH_PARTS_SPLIT_WORDS_VECTOR_H

#include <float.h>
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/split_ways.h"

#define SPLIT_FN    static inline __attribute__((always_inline)) SPLIT_TARGET
#define SPLIT_ENTRY SPLIT_TARGET static

#define PAIR __m256

SPLIT_FN PAIR pair_load(const struct lbvh_box *from)
{
	return _mm256_loadu_ps(from->lo);
}

SPLIT_FN void pair_store(struct lbvh_box *to, PAIR a)
{
	_mm256_storeu_ps(to->lo, a);
}

SPLIT_FN PAIR pair_all(float value)
{
	return _mm256_set1_ps(value);
}

SPLIT_FN PAIR pair_min(PAIR a, PAIR b)
{
	return _mm256_min_ps(a, b);
}

SPLIT_FN PAIR pair_max(PAIR a, PAIR b)
{
	return _mm256_max_ps(a, b);
}

SPLIT_FN PAIR pair_plus(PAIR a, PAIR b)
{
	return a + b;
}

SPLIT_FN PAIR pair_minus(PAIR a, PAIR b)
{
	return a - b;
}

SPLIT_FN PAIR pair_times(PAIR a, float by)
{
	return a * by;
}

SPLIT_FN PAIR pair_both(LANES point)
{
	return _mm256_set_m128(-point, point);
}

SPLIT_FN LANES pair_lo(PAIR a)
{
	return _mm256_castps256_ps128(a);
}

SPLIT_FN LANES pair_negated_hi(PAIR a)
{
	return _mm256_extractf128_ps(a, 1);
}

/* ---- bins --------------------------------------------------------------------------------- */

/* The component that holds the count. */
enum { COUNT = 3 };

SPLIT_FN void clear_bins(struct lbvh_bins *b, int bins)
{
	const PAIR none = _mm256_blend_ps(_mm256_set1_ps(FLT_MAX), _mm256_setzero_ps(), 1 << COUNT);

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++)
			pair_store(&b->bin[k][i], none);
}

/* The minima of a and b, but a + more in the component that holds the count. */
SPLIT_FN PAIR join_and_add(PAIR a, PAIR b, __m256i more)
{
	const __m256 sum = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), more));

#if defined(SPLIT_AVX512)
	return _mm256_mask_min_ps(sum, 0xff - (1 << COUNT), a, b);
#else
	return _mm256_blend_ps(_mm256_min_ps(a, b), sum, 1 << COUNT);
#endif
}

SPLIT_FN PAIR join_counted(PAIR a, PAIR b)
{
	return join_and_add(a, b, _mm256_castps_si256(b));
}

SPLIT_FN void cells_of_two(int32_t cell[8], PAIR a, PAIR b, LANES origin, LANES scale, LANES most)
{
	const __m256 sum = _mm256_sub_ps(_mm256_permute2f128_ps(a, b, 0x20),
					 _mm256_permute2f128_ps(a, b, 0x31));
	const __m256 place = _mm256_mul_ps(_mm256_sub_ps(sum, _mm256_set_m128(origin, origin)),
					   _mm256_set_m128(scale, scale));
	const __m256 inside = _mm256_min_ps(_mm256_max_ps(place, _mm256_setzero_ps()),
					    _mm256_set_m128(most, most));

	_mm256_storeu_si256((void *)cell, _mm256_slli_epi32(_mm256_cvttps_epi32(inside), 5));
}

/* Cells are offsets in bytes: 32 per bin. */
SPLIT_FN void add_to_bin(struct lbvh_bins *b, int axis, int32_t cell, PAIR record)
{
	struct lbvh_box *bin = (void *)((char *)b->bin[axis] + (size_t)(uint32_t)cell);

	PAIR old = pair_load(bin);

	/* Force a single load.  GCC would load the bin again for the second operation, and what was
	 * just written takes longest to read. */
	__asm__("" : "+v"(old));
	pair_store(bin, join_and_add(old, record, _mm256_set1_epi32(1)));
}

SPLIT_FN void join_bin(struct lbvh_bins *b, int axis, int i, const struct lbvh_bins *with)
{
	struct lbvh_box *bin = &b->bin[axis][i];

	pair_store(bin, join_counted(pair_load(bin), pair_load(&with->bin[axis][i])));
}

SPLIT_FN uint32_t count_in_bin(const struct lbvh_bins *b, int axis, int i)
{
	uint32_t count;

	memcpy(&count, &b->bin[axis][i].lo[COUNT], sizeof count);
	return count;
}

/* ---- planes ------------------------------------------------------------------------------- */

/* The boxes on both sides of all planes between the bins of an axis. */
SPLIT_FN void sides_of_axis(const struct lbvh_box *bin, int bins, struct lbvh_box *left,
			    struct lbvh_box *right)
{
	PAIR before = pair_load(bin), after = pair_load(bin + bins - 1);

	for (int i = 0; i + 1 < bins; i++) {
		pair_store(left + i, before);
		pair_store(right + bins - 2 - i, after);
		before = join_counted(before, pair_load(bin + i + 1));
		after = join_counted(after, pair_load(bin + bins - 2 - i));
	}
}

/* The size of a side along the axes, negated, and its number of primitives. */
SPLIT_FN __m128 size_of(const struct lbvh_box *side)
{
	const __m128 lo = _mm_loadu_ps(side->lo);

	return _mm_blend_ps(_mm_add_ps(lo, _mm_loadu_ps(side->hi)), lo, 1 << COUNT);
}

/* Surface times primitives of four sides; *some: mask of the sides that have any. */
SPLIT_FN __m128 costs_of(const struct lbvh_box *side, __m128 *some)
{
	__m128 x = size_of(side), y = size_of(side + 1), z = size_of(side + 2);
	__m128 count = size_of(side + 3), area;

	_MM_TRANSPOSE4_PS(x, y, z, count);
	area = _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, y), _mm_mul_ps(y, z)), _mm_mul_ps(z, x));
	*some = _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_castps_si128(count), _mm_setzero_si128()));
	return _mm_mul_ps(area, _mm_cvtepi32_ps(_mm_castps_si128(count)));
}

SPLIT_FN struct lbvh_plane sweep(const struct lbvh_bins *b, int bins, uint32_t all, PAIR side[2])
{
	_Alignas(64) struct lbvh_box left[3][LBVH_SPLIT_BINS], right[3][LBVH_SPLIT_BINS];
	__m128 best = _mm_set1_ps(INFINITY), least, same;
	__m128i at = _mm_setr_epi32(0, 1, 2, 3), which = _mm_setzero_si128(), first;
	uint32_t axis, place, count;

	for (int k = 0; k < 3; k++) {
		sides_of_axis(b->bin[k], bins, left[k], right[k]);
		/* Pad the planes to a multiple of four with empty left sides. */
		for (int i = bins - 1; i % 4; i++) {
			pair_store(&left[k][i], _mm256_setzero_ps());
			pair_store(&right[k][i], _mm256_setzero_ps());
		}
	}
	for (int k = 0; k < 3; k++) {
		__m128i number = _mm_add_epi32(at, _mm_set1_epi32(k * LBVH_SPLIT_BINS));

		for (int i = 0; i + 1 < bins; i += 4) {
			__m128 some_left, some_right, cost, better;

			cost = _mm_add_ps(costs_of(left[k] + i, &some_left),
					  costs_of(right[k] + i, &some_right));
			better = _mm_and_ps(_mm_cmplt_ps(cost, best),
					    _mm_and_ps(some_left, some_right));
			best = _mm_blendv_ps(best, cost, better);
			which = _mm_blendv_epi8(which, number, _mm_castps_si128(better));
			number = _mm_add_epi32(number, _mm_set1_epi32(4));
		}
	}
	least = _mm_min_ps(best, _mm_shuffle_ps(best, best, 0x4e));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, 0xb1));
	if (!(_mm_cvtss_f32(least) < INFINITY))
		return (struct lbvh_plane){ INFINITY, 3, 0, all / 2 };
	/* The first of equal ones. */
	same = _mm_cmpeq_ps(best, least);
	first = _mm_blendv_epi8(_mm_set1_epi32(INT32_MAX), which, _mm_castps_si128(same));
	first = _mm_min_epi32(first, _mm_shuffle_epi32(first, 0x4e));
	first = _mm_min_epi32(first, _mm_shuffle_epi32(first, 0xb1));
	axis = (uint32_t)_mm_cvtsi128_si32(first) / LBVH_SPLIT_BINS;
	place = (uint32_t)_mm_cvtsi128_si32(first) % LBVH_SPLIT_BINS;
	side[0] = pair_load(&left[axis][place]);
	side[1] = pair_load(&right[axis][place]);
	memcpy(&count, &left[axis][place].lo[COUNT], sizeof count);
	return (struct lbvh_plane){ _mm_cvtss_f32(least), (int)axis, (float)(place + 1), count };
}

#endif
