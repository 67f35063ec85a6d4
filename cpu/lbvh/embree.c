/* embree.c -- cpu/embree: Intel's Embree, low quality, one ray a call.
 *
 * The peer that the paper compares with.  Build: rtcCommitScene() of one mesh, by Morton codes (the
 * paper's "HLBVH"); it ends with a tree of up to eight children a node ready for traversal, so
 * cpu/wide is its counterpart.  Trace: the same scene.
 */
#include "cpu/lbvh/parts/embree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_embree_create(state, params, input, RTC_BUILD_QUALITY_LOW, lbvh_embree_by_1,
				  err);
}

const struct gb_variant_ops lbvh_cpu_embree = LBVH_EMBREE_OPS(create);
