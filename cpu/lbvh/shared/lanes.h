/* lanes.h -- boxes as vectors of four floats: the CPU builders load, join and store them with
 * vector operators (GCC, clang).
 *
 * min and max are `a < b ? a : b` and `a > b ? a : b` in every lane, so that boxes equal those of
 * lbvh_primitive_box() bit for bit.  The fourth lane is unused.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_LANES_H
#define GPUBENCH_CPU_LBVH_SHARED_LANES_H

#include <math.h>
#include <string.h>

#include "common/lbvh_types.h"

typedef float LANES __attribute__((vector_size(16)));
typedef int32_t lanes_int __attribute__((vector_size(16)));

static inline LANES lanes_load(const float *from)
{
	LANES a;

	memcpy(&a, from, sizeof a);
	return a;
}

static inline LANES lanes_all(float value)
{
	return (LANES){ value, value, value, value };
}

static inline void lanes_store(float *to, LANES a)
{
	memcpy(to, &a, sizeof a);
}

#if defined(__SSE2__)
#include <emmintrin.h>

static inline LANES lanes_min(LANES a, LANES b)
{
	return _mm_min_ps(a, b);
}

static inline LANES lanes_max(LANES a, LANES b)
{
	return _mm_max_ps(a, b);
}

static inline LANES lanes_sqrt(LANES a)
{
	return _mm_sqrt_ps(a);
}

/* Exchange rows and columns. */
static inline void lanes_transpose(LANES row[4])
{
	_MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
}

#else

static inline LANES lanes_select(lanes_int mask, LANES a, LANES b)
{
	return (LANES)((mask & (lanes_int)a) | (~mask & (lanes_int)b));
}

static inline LANES lanes_min(LANES a, LANES b)
{
	return lanes_select(a < b, a, b);
}

static inline LANES lanes_max(LANES a, LANES b)
{
	return lanes_select(a > b, a, b);
}

static inline LANES lanes_sqrt(LANES a)
{
	return (LANES){ sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3]) };
}

static inline void lanes_transpose(LANES row[4])
{
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < i; k++) {
			const float at = row[i][k];

			row[i][k] = row[k][i];
			row[k][i] = at;
		}
}

#endif

/* Arrange rays by component, so that a vector takes one of several rays: x, y, z and near to `origin`,
 * then x, y, z and far to `direction`.  Places from `count` to `places`, a multiple of 4, repeat the
 * first ray. */
static inline void lanes_split_rays(const struct lbvh_ray *ray, uint32_t count, uint32_t places,
				    float *const origin[4], float *const direction[4])
{
	for (uint32_t i = 0; i < places; i += 4) {
		LANES a[4], b[4];

		for (uint32_t k = 0; k < 4; k++) {
			const struct lbvh_ray *from = ray + (i + k < count ? i + k : 0);

			a[k] = lanes_load(from->origin);
			b[k] = lanes_load(from->direction);
		}
		lanes_transpose(a);
		lanes_transpose(b);
		for (int k = 0; k < 4; k++) {
			lanes_store(origin[k] + i, a[k]);
			lanes_store(direction[k] + i, b[k]);
		}
	}
}

/* Half the surface of a box. */
static inline float lanes_area(const float lo[3], const float hi[3])
{
	const float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];

	return x * y + y * z + z * x;
}

/* Store a whole node: two vectors, then the two words that are not floats. */
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
