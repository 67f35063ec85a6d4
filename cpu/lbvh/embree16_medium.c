/* embree16_medium.c -- cpu/embree16-medium: embree-medium's tree, traced by calls with 16 rays.
 *
 * Against embree16: the better tree; the fastest way through Embree.
 */
#include "cpu/lbvh/parts/embree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	if (lbvh_wants_trace(params, err))
		return err->code;
	return lbvh_embree_create(state, params, input, RTC_BUILD_QUALITY_MEDIUM, lbvh_embree_by_16,
				  err);
}

const struct gb_variant_ops lbvh_cpu_embree16_medium = LBVH_EMBREE_OPS(create);
