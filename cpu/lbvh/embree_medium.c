/* embree_medium.c -- cpu/embree-medium: Intel's Embree, medium quality, one ray a call.
 *
 * Against embree: the tree is built by the surface area heuristic.
 */
#include "cpu/lbvh/parts/embree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_embree_create(state, params, input, RTC_BUILD_QUALITY_MEDIUM, lbvh_embree_by_1,
				  err);
}

const struct gb_variant_ops lbvh_cpu_embree_medium = LBVH_EMBREE_OPS(create);
