/* embree16.c -- cpu/embree16: embree's tree, traced by calls with 16 rays.
 *
 * Against embree: neighbouring rays lie side by side in a vector and share the fetch of a node.
 */
#include "cpu/lbvh/parts/embree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	if (lbvh_wants_trace(params, err))
		return err->code;
	return lbvh_embree_create(state, params, input, RTC_BUILD_QUALITY_LOW, lbvh_embree_by_16,
				  err);
}

const struct gb_variant_ops lbvh_cpu_embree16 = LBVH_EMBREE_OPS(create);
