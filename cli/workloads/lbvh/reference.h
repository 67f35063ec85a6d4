/* reference.h -- the reference of lbvh: the nearest triangle of each ray.  It is kept, with the
 * memory of the verifier, from one output to the next.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_REFERENCE_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_REFERENCE_H

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
	float (*box)[6]; /* lo, hi */
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

/* Allocate what verifying the outputs of `in` needs. */
enum gb_status lbvh_reference_create(struct lbvh_reference **out, const struct lbvh_input *in,
				     bool trace, struct gb_error *err);
void lbvh_reference_destroy(struct lbvh_reference *reference);

/* Build the reference tree, if it is not there yet. */
void lbvh_reference_build(const struct lbvh_input *in);
/* The reference's nearest hit of one ray: distance (INFINITY) and primitive (LBVH_MISS). */
float lbvh_reference_hit(const struct lbvh_input *in, const struct lbvh_ray *ray,
			 uint32_t *primitive);

#endif
