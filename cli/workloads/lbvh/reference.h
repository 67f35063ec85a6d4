/* reference.h -- the reference of lbvh: the nearest triangle of each ray.  It is kept, with the
 * memory of the verifier, from one output to the next.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_REFERENCE_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"

/* A primitive and its place on the reference tree's curve. */
struct lbvh_placed {
	uint64_t code;
	uint32_t primitive;
};

struct lbvh_reference {
	/* The reference tree: a heap of boxes, node 1 the root, children 2 i and 2 i + 1, over
	 * `leaves` (a power of two) equal shares of `placed`. */
	struct lbvh_placed *placed;
	struct lbvh_box *box;
	size_t leaves;
	bool built;
	/* Hits of the trace's rays or of the probes (build). */
	size_t rays;
	float *t;
	uint32_t *primitive;
	bool traced;
	/* Room for the verifier's walk over a tree. */
	uint64_t *stack;   /* count + 1 */
	uint64_t *visited; /* bits: 2 count - 1 nodes */
	uint64_t *taken;   /* bits: count primitives */
};

/* A bijection in which every bit of the result depends on every bit of x: checksums are sums of it. */
static inline uint64_t lbvh_mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9fb21c651e98df25);
	x = (x ^ x >> 29) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

/* Allocate what verifying the outputs of `in` needs, in->reference. */
enum gb_status lbvh_reference_create(struct lbvh_input *in, bool trace, struct gb_error *err);

/* Build the reference tree, if it is not there yet. */
void lbvh_reference_build(const struct lbvh_input *in);
/* The reference's nearest hit of one ray: distance (INFINITY) and primitive (LBVH_MISS). */
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

/* The edges of primitive p from its first corner, and their cross product, a normal. */
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

/* A box of nothing, to be grown. */
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

/* The box of all primitives. */
struct lbvh_box lbvh_scene_box(const struct lbvh_input *in);

/* Where the ray enters the box; INFINITY if not before `far`.  Never later than it really does, by a
 * slack far beyond the rounding of a slab test.  inverse: of the direction. */
float lbvh_enter(const float lo[3], const float hi[3], const float origin[3],
		 const float inverse[3], float far);

#endif
