/* hits.h -- verification of trees and of hits, which come from a trace or from a tree's probe rays.
 *
 * A binary tree is right if each of its 2 L - 1 nodes is reached exactly once from node 0, every
 * primitive lies in exactly one leaf (in ascending order), the box of a leaf is exactly the union
 * of its primitives' boxes, and the box of an inner node exactly that of its children's boxes.  A
 * probed tree is right if the hits of its probe rays are.
 *
 * Hits are compared with the reference: the nearest of all triangles in the arithmetic of
 * lbvh_intersect(), and the first of equally near ones.  The reference searches a tree of its own,
 * whose boxes are widened beyond any rounding error, so it equals a search of all triangles.  A ray
 * agrees if both miss, or if its distance is within 1e-4 of the reference's and the ray meets its
 * primitive at that distance.  An occlusion bit is right if it is set exactly when the reference
 * finds a hit in the ray's interval.  The last bit decides rays that graze an edge, so one in
 * 100 000 rays, and at least one, may disagree.  The metric differing_rays counts them.
 *
 * Hits of a library or driver with its own arithmetic (LBVH_FOREIGN, LBVH_COARSE) may disagree in
 * one of 10 000 rays, and in one more.  Their distances may differ by
 * the rounding error of a triangle that is seen from the side or much longer than wide, at most 1
 * %.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_LBVH_HITS_H
#define GPUBENCH_CLI_BENCHMARKS_LBVH_HITS_H

#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/status.h"

/* The hits of rays 0 .. rays - 1 of a stream, or of an image with `edge` pixels per row. */
struct lbvh_hits {
	const struct lbvh_camera *camera;
	const struct lbvh_ray *ray; /* NULL: the camera's */
	uint32_t edge;
	size_t rays;
	const float *t;
	const uint32_t *primitive;
	const uint32_t *bits; /* occlusion bits, in place of t and primitive; else NULL */
	bool foreign;         /* computed in an arithmetic that differs from the reference's */
	bool coarse;          /* foreign, and the distances are replaced by exact ones */
};

/* Set foreign and coarse from the word of an output that states the arithmetic. */
void lbvh_hits_arithmetic(struct lbvh_hits *hits, uint32_t word);

/* Verify hits and set the metrics hits and differing_rays. */
enum gb_status lbvh_verify_hits(const struct lbvh_input *in, const struct lbvh_hits *hits,
				struct gb_metrics *metrics, struct gb_error *err);
/* Verify the output of a trace in the same way. */
enum gb_status lbvh_verify_trace(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err);

/* Verify the output of a build and set the metrics of its tree. */
enum gb_status lbvh_verify_build(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err);

#endif
