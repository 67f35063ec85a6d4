/* hits.h -- what makes a tree right, and what a list of hits: that of a trace, or of the rays that try a
 * tree.
 *
 * A binary tree is right if its 2 L - 1 nodes are each reached exactly once from node 0, every
 * primitive lies in exactly one leaf (ascending within it), the box of a leaf is the union of its
 * primitives' boxes and the box of an inner node that of its children's, exactly.  A probed tree is
 * right if its rays hit what they should.
 *
 * Hits are compared with the reference: the nearest of all triangles, of equally near ones the
 * first, in the arithmetic of lbvh_intersect().  It is found through a tree of its own whose
 * boxes are widened beyond any rounding, so that it equals a search through all triangles.  A ray
 * agrees if both miss, or if its distance is that of the reference within a part in 10^4 and its
 * primitive is hit at that distance.  Of occlusion the bit is right if it is set where the reference
 * finds a hit in the ray's interval, and clear elsewhere.  Rays that graze an edge are decided by the
 * last bit: one in 100 000 rays, at least one, may disagree; they are counted.  Our own traversals
 * have none in an image, and one in a million or so among a stream through `city`.
 *
 * Hits marked as those of a library or a driver with another arithmetic (LBVH_FOREIGN) may disagree in
 * one ray of 20 000 of an image, of 10 000 of a stream, and in their distance by what rounding can do to
 * a triangle seen from the side or much longer than wide, 1 % at most.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_HITS_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_HITS_H

#include "common/lbvh.h"
#include "common/status.h"
#include "common/workload.h"

/* What rays 0 .. rays - 1 of a stream hit, or of an image of `edge` pixels to a row. */
struct lbvh_hits {
	const struct lbvh_camera *camera;
	const struct lbvh_ray *ray; /* NULL: the camera's */
	uint32_t edge;
	size_t rays;
	const float *t;
	const uint32_t *primitive;
	const uint32_t *bits; /* of occlusion, in place of t and primitive; else NULL */
	bool foreign;         /* of another arithmetic than the reference's */
};

/* Verify them, and set hits and differing_rays. */
enum gb_status lbvh_verify_hits(const struct lbvh_input *in, const struct lbvh_hits *hits,
				struct gb_metrics *metrics, struct gb_error *err);
/* The same for the output of a trace. */
enum gb_status lbvh_verify_trace(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err);

/* Verify the output of a build, and set the metrics of its tree. */
enum gb_status lbvh_verify_build(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err);

#endif
