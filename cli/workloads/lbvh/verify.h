/* verify.h -- what makes a tree or a list of hits right; the verifier of cmd_lbvh.c.
 *
 * A binary tree is right if its 2 L - 1 nodes are each reached exactly once from node 0, every
 * primitive lies in exactly one leaf (ascending within it), the box of a leaf is the union of its
 * primitives' boxes and the box of an inner node that of its children's, exactly.
 *
 * Hits are compared with the reference: the nearest of all triangles, of equally near ones the
 * first, in the arithmetic of lbvh_intersect().  It is found through a tree of its own whose
 * boxes are widened beyond any rounding, so that it equals a search through all triangles.  A ray
 * agrees if both miss, or if its distance is that of the reference within a part in 10^4 and its
 * primitive is hit at that distance.  Rays that graze an edge are decided by the last bit: one in
 * 100 000 rays, at least one, may disagree; they are counted.  Our own traversals have none.  Hits
 * that say that they come from a library of another arithmetic (LBVH_FOREIGN: Embree) may disagree
 * in one ray of 20 000.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_VERIFY_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"
#include "common/workload.h"

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
	/* Hits of the image (trace) or of the probes (build). */
	size_t rays;
	float *t;
	uint32_t *primitive;
	bool traced;
	/* Room for the walk over a tree. */
	uint64_t *stack;   /* count + 1 */
	uint64_t *visited; /* bits: 2 count - 1 nodes */
	uint64_t *taken;   /* bits: count primitives */
};

/* Allocate what judging the outputs of `in` needs. */
enum gb_status lbvh_reference_create(struct lbvh_reference **out, const struct lbvh_input *in,
				     bool trace, struct gb_error *err);
void lbvh_reference_destroy(struct lbvh_reference *reference);

/* Build the reference tree, if it is not there yet. */
void lbvh_reference_build(const struct lbvh_input *in);
/* The reference's hit of one ray: distance (INFINITY) and primitive (LBVH_MISS). */
float lbvh_reference_hit(const struct lbvh_input *in, const float origin[3],
			 const float direction[3], uint32_t *primitive);

/* Judge the output of a build, and set the metrics of its tree. */
enum gb_status lbvh_judge_build(const struct lbvh_input *in, const void *output,
				struct gb_metrics *metrics, struct gb_error *err);
/* Judge the output of a trace, and set hits, hit_checksum, differing_rays. */
enum gb_status lbvh_judge_trace(const struct lbvh_input *in, const void *output,
				struct gb_metrics *metrics, struct gb_error *err);

#endif
