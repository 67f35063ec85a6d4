/* embree.h -- what the peers on Embree share: the scene, its build, its traversal.
 *
 * Intel's Embree 3, by its C interface.  A device has as many threads as --threads asks for; what
 * calls it for tracing are our own threads, with the rays that all variants get.  Vertices and
 * indices are shared with the input.  Embree allocates its trees itself; that memory is not in the
 * record.  A repeated build reuses what the one before has allocated, as our builders do.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_EMBREE_H
#define GPUBENCH_CPU_LBVH_PARTS_EMBREE_H

#include <embree3/rtcore.h>

#include "cpu/lbvh/parts/trace.h"

struct lbvh_embree {
	enum lbvh_op op;
	enum RTCBuildQuality quality;
	struct lbvh_tracer tracer;
	RTCDevice device;
	RTCGeometry mesh;
	RTCScene scene;
};

/* A device, and the scene's buffers; for the operation trace also the tree. */
enum gb_status lbvh_embree_create(struct lbvh_embree *s, const void *params, const void *input,
				  enum RTCBuildQuality quality, struct gb_error *err);
/* Say that the mesh has changed, so that the next build starts anew. */
void lbvh_embree_touch(struct lbvh_embree *s);
/* Build the scene's tree. */
enum gb_status lbvh_embree_build(struct lbvh_embree *s, struct gb_error *err);
void lbvh_embree_destroy(struct lbvh_embree *s);
/* A device of that many threads, or NULL. */
RTCDevice lbvh_embree_device(int threads, struct gb_error *err);
/* GB_ERUNTIME with Embree's words, if it reports an error. */
enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err);

/* Hits by calls with 1, 8 and 16 rays; lbvh_trace_fn of a struct lbvh_embree. */
void lbvh_embree_trace1(void *state, int thread, struct lbvh_packet *packet,
			struct lbvh_counts *counts);
void lbvh_embree_trace8(void *state, int thread, struct lbvh_packet *packet,
			struct lbvh_counts *counts);
void lbvh_embree_trace16(void *state, int thread, struct lbvh_packet *packet,
			 struct lbvh_counts *counts);

#endif
