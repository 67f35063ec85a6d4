/* driver_rt_fast_build.c -- vulkan/driver-rt-fast-build: the driver's own ray tracing, by the
 * hardware if it has any: a tree that is built fast, ray queries in a compute shader.
 *
 * The column "RTX" of the paper's tables 3 and 6, whose flags it does not give.  The tree is the
 * driver's secret; its traversal takes what it builds.
 */
#include "common/workload.h"
#include "vulkan/lbvh/parts/trace.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_vk_create(state, params, input,
			      VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_BUILD_BIT_KHR,
			      LBVH_VK_QUERY, err);
}

const struct gb_variant_ops lbvh_vulkan_driver_rt_fast_build = LBVH_VK_OPS(create);
