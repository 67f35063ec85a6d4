/* embree.h -- what the peers on Embree share: the scene, its build, its traversal.
 *
 * Intel's Embree, 4 or 3, by its C interface.  A device has as many threads as --threads asks for; what
 * calls it for tracing are our own threads, with the rays that all variants get.  Vertices and
 * indices are shared with the input.  Embree allocates its trees itself; that memory is not in the
 * record.  A repeated build reuses what the one before has allocated, as our builders do.
 *
 * Embree's arithmetic is its own: where a ray grazes an edge its hit may differ from ours.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_EMBREE_H
#define GPUBENCH_CPU_LBVH_PARTS_EMBREE_H

#if GB_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#include <stdbool.h>

#include "cpu/lbvh/parts/trace.h"

struct lbvh_embree {
	struct lbvh_tracer tracer; /* first: its operations take a state as one of these */
	RTCDevice device;
	RTCGeometry mesh;
	RTCScene scene;
	bool coherent; /* neighbours go the same way: to the image, or to a light */
	bool built;    /* the scene's tree is that of the mesh as it is */
};

/* A device of that many threads, or NULL. */
RTCDevice lbvh_embree_device(int threads, struct gb_error *err);
/* "Embree 4.3.3": the library that runs. */
const char *lbvh_embree_library(void);
/* GB_ERUNTIME with Embree's words, if it reports an error. */
enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err);

/* Calls with 1, 8 and 16 rays: rtcIntersect1() and rtcOccluded1() ...; the state is a struct
 * lbvh_embree. */
extern const struct lbvh_ways lbvh_embree_by_1, lbvh_embree_by_8, lbvh_embree_by_16;

/* ---- operations of a variant whose state is a struct lbvh_embree --------------------------- */

/* A device, and the scene's buffers; for the operation trace also the tree. */
enum gb_status lbvh_embree_create(struct lbvh_embree *s, const void *params, const void *input,
				  enum RTCBuildQuality quality, struct lbvh_ways ways,
				  struct gb_error *err);
enum gb_status lbvh_embree_reset(void *state, int64_t sample, struct gb_error *err);
enum gb_status lbvh_embree_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_embree_download(void *state, void *output, struct gb_error *err);
void lbvh_embree_destroy(void *state);

#define LBVH_EMBREE_OPS(create_)                                                  \
	{                                                                         \
		.state_size = sizeof(struct lbvh_embree), .create = (create_),    \
		.reset = lbvh_embree_reset, .run = lbvh_embree_run,               \
		.download = lbvh_embree_download, .destroy = lbvh_embree_destroy, \
		.library = lbvh_embree_library                                    \
	}

#endif
