/* lbvh_reference.h -- the reference of lbvh: the nearest triangle of each ray.  It is kept between
 * outputs, together with the memory of the verifier.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_LBVH_LBVH_REFERENCE_H
#define GPUBENCH_CLI_BENCHMARKS_LBVH_LBVH_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/status.h"

/* A primitive and its position on the curve of the reference tree. */
struct lbvh_placed {
	uint64_t code;
	uint32_t primitive;
};

struct lbvh_reference {
	/* The reference tree is a heap of boxes over `leaves` (a power of two) equal shares of
	 * `placed`.  The root is node 1; the children of node i are 2 i and 2 i + 1. */
	struct lbvh_placed *placed;
	struct lbvh_box *box;
	size_t leaves;
	bool built;
	/* Hits of the rays of a trace or of the probe rays of a build. */
	size_t rays;
	float *t;
	uint32_t *primitive;
	bool traced;
	/* Memory for the verifier's walk of a tree. */
	uint64_t *stack;   /* count + 1 */
	uint64_t *visited; /* bits: 2 count - 1 nodes */
	uint64_t *taken;   /* bits: count primitives */
};

/* Bytes of whole words with a bit for each item. */
static inline size_t lbvh_mark_bytes(size_t items)
{
	return (items + 63) / 64 * sizeof(uint64_t);
}

/* A bijection in which every result bit depends on every bit of x.  Checksums are sums of it. */
static inline uint64_t lbvh_mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9fb21c651e98df25);
	x = (x ^ x >> 29) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

/* Allocate in->reference, which verifies the outputs of `in`. */
enum gb_status lbvh_reference_create(struct lbvh_input *in, bool trace, struct gb_error *err);

/* Build the reference tree unless it exists. */
void lbvh_reference_build(const struct lbvh_input *in);
/* The expected number of its boxes and primitives that a random ray through the scene's box is
 * tested against; 0 if that has no area. */
double lbvh_reference_cost(const struct lbvh_input *in);
/* Return the distance of a ray's nearest hit and store its primitive; INFINITY and LBVH_MISS if the
 * ray hits nothing. */
float lbvh_reference_hit(const struct lbvh_input *in, const struct lbvh_ray *ray,
			 uint32_t *primitive);

/* The distance at which a ray meets primitive p; INFINITY if it does not. */
static inline float lbvh_meet(const struct lbvh_input *in, const float origin[3],
			      const float direction[3], size_t p)
{
	const uint32_t *corner = in->triangle + 3 * p;

	return lbvh_intersect(origin, direction, in->vertex + 3 * (size_t)corner[0],
			      in->vertex + 3 * (size_t)corner[1],
			      in->vertex + 3 * (size_t)corner[2]);
}

/* Two edges of primitive p from its first corner, and their cross product, a normal. */
static inline void lbvh_edges(const struct lbvh_input *in, size_t p, double e1[3], double e2[3],
			      double normal[3])
{
	const uint32_t *corner = in->triangle + 3 * p;

	for (size_t k = 0; k < 3; k++) {
		const double a = (double)in->vertex[3 * (size_t)corner[0] + k];

		e1[k] = (double)in->vertex[3 * (size_t)corner[1] + k] - a;
		e2[k] = (double)in->vertex[3 * (size_t)corner[2] + k] - a;
	}
	for (int k = 0; k < 3; k++) {
		const int i = (k + 1) % 3, j = (k + 2) % 3;

		normal[k] = e1[i] * e2[j] - e1[j] * e2[i];
	}
}

/* The empty box. */
static inline struct lbvh_box lbvh_no_box(void)
{
	return (struct lbvh_box){ { INFINITY, INFINITY, INFINITY },
				  { -INFINITY, -INFINITY, -INFINITY } };
}

static inline void lbvh_grow(struct lbvh_box *box, const float lo[3], const float hi[3])
{
	for (int k = 0; k < 3; k++) {
		box->lo[k] = lbvh_min(box->lo[k], lo[k]);
		box->hi[k] = lbvh_max(box->hi[k], hi[k]);
	}
}

/* Half the surface of a box. */
static inline double lbvh_area(const float lo[3], const float hi[3])
{
	const double x = (double)hi[0] - (double)lo[0];
	const double y = (double)hi[1] - (double)lo[1];
	const double z = (double)hi[2] - (double)lo[2];

	return x * y + y * z + z * x;
}

/* The box of all primitives. */
struct lbvh_box lbvh_scene_box(const struct lbvh_input *in);

#endif
