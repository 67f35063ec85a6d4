/* driver_rt_fast_build.c -- vulkan/driver-rt-fast-build: the driver's ray tracing, in hardware if
 * the device has it, with a tree for a fast build and ray queries in a compute shader.
 *
 * This is the column "RTX" of the paper's tables 3 and 6, which do not state the flags.  The format
 * of the tree is opaque, and only the driver can traverse it.
 */
#include "common/benchmark.h"
#include "vulkan/lbvh/shared/trace.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_vk_create(state, params, input,
			      VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_BUILD_BIT_KHR, err);
}

const struct gb_variant_ops lbvh_vulkan_driver_rt_fast_build = LBVH_VK_OPS(create);
