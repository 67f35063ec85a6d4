/* lanes.h -- boxes four floats at a time: the way the CPU builders load, join and store them.
 *
 * min and max are `a < b ? a : b` and `a > b ? a : b` in every lane, so that boxes are those of
 * lbvh_primitive_box() to the bit.  The fourth lane is along for the ride.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_LANES_H
#define GPUBENCH_CPU_LBVH_PARTS_LANES_H

#include <string.h>

#include "common/lbvh.h"

#if defined(__SSE2__)
#include <emmintrin.h>

#define LANES __m128

static inline LANES lanes_load(const float *from)
{
	return _mm_loadu_ps(from);
}

static inline LANES lanes_all(float value)
{
	return _mm_set1_ps(value);
}

static inline void lanes_store(float *to, LANES a)
{
	_mm_storeu_ps(to, a);
}

static inline LANES lanes_min(LANES a, LANES b)
{
	return _mm_min_ps(a, b);
}

static inline LANES lanes_max(LANES a, LANES b)
{
	return _mm_max_ps(a, b);
}

static inline LANES lanes_add(LANES a, LANES b)
{
	return _mm_add_ps(a, b);
}

static inline LANES lanes_sub(LANES a, LANES b)
{
	return _mm_sub_ps(a, b);
}

static inline LANES lanes_mul(LANES a, LANES b)
{
	return _mm_mul_ps(a, b);
}

/* a / (hi - lo), or 0 where hi is not more than lo. */
static inline LANES lanes_over_length(LANES a, LANES lo, LANES hi)
{
	return _mm_and_ps(_mm_cmpgt_ps(hi, lo), _mm_div_ps(a, _mm_sub_ps(hi, lo)));
}

/* A bit for each lane: whether a is at least b there. */
static inline unsigned lanes_reach(LANES a, LANES b)
{
	return (unsigned)_mm_movemask_ps(_mm_cmpge_ps(a, b));
}

/* The whole parts of numbers that fit. */
static inline void lanes_truncate(int32_t to[4], LANES a)
{
	_mm_storeu_si128((__m128i *)to, _mm_cvttps_epi32(a));
}

#else

struct lanes {
	float lane[4];
};
#define LANES struct lanes

static inline LANES lanes_load(const float *from)
{
	LANES a;

	memcpy(&a, from, sizeof a);
	return a;
}

static inline LANES lanes_all(float value)
{
	return (LANES){ { value, value, value, value } };
}

static inline void lanes_store(float *to, LANES a)
{
	memcpy(to, &a, sizeof a);
}

static inline LANES lanes_min(LANES a, LANES b)
{
	for (int k = 0; k < 4; k++)
		a.lane[k] = lbvh_min(a.lane[k], b.lane[k]);
	return a;
}

static inline LANES lanes_max(LANES a, LANES b)
{
	for (int k = 0; k < 4; k++)
		a.lane[k] = lbvh_max(a.lane[k], b.lane[k]);
	return a;
}

static inline LANES lanes_add(LANES a, LANES b)
{
	for (int k = 0; k < 4; k++)
		a.lane[k] += b.lane[k];
	return a;
}

static inline LANES lanes_sub(LANES a, LANES b)
{
	for (int k = 0; k < 4; k++)
		a.lane[k] -= b.lane[k];
	return a;
}

static inline LANES lanes_mul(LANES a, LANES b)
{
	for (int k = 0; k < 4; k++)
		a.lane[k] *= b.lane[k];
	return a;
}

static inline LANES lanes_over_length(LANES a, LANES lo, LANES hi)
{
	for (int k = 0; k < 4; k++)
		a.lane[k] = hi.lane[k] > lo.lane[k] ? a.lane[k] / (hi.lane[k] - lo.lane[k]) : 0;
	return a;
}

static inline unsigned lanes_reach(LANES a, LANES b)
{
	unsigned bits = 0;

	for (int k = 0; k < 4; k++)
		bits |= (unsigned)(a.lane[k] >= b.lane[k]) << k;
	return bits;
}

static inline void lanes_truncate(int32_t to[4], LANES a)
{
	for (int k = 0; k < 4; k++)
		to[k] = (int32_t)a.lane[k];
}

#endif

/* A whole node: eight words in two stores, then the two that are no floats. */
static inline void lanes_store_node(struct lbvh_node *node, LANES lo, LANES hi, uint32_t left,
				    uint32_t right)
{
	float *word = (float *)(void *)node;

	lanes_store(word, lo);
	lanes_store(word + 4, hi);
	node->left = left;
	node->right = right;
}

#endif
