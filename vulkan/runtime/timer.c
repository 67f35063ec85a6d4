/* timer.c -- the Vulkan clock: a mark is a timestamp among the commands.
 *
 * A mark waits for all commands recorded before it, as on a CUDA stream, so phases do not overlap.
 * The unit and the number of bits of a timestamp depend on the device; timestamps wrap around.
 */
#include "vulkan/runtime/device.h"
#include "vulkan/runtime/parts.h"

/* The clock is a query pool. */
static void destroy(void *clock)
{
	if (!clock)
		return;
	vk_settle();
	if (vk_device())
		vk.DestroyQueryPool(vk_device(), clock, NULL);
}

static enum gb_status create(void **clock, struct gb_error *err)
{
	const VkQueryPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					     .queryType = VK_QUERY_TYPE_TIMESTAMP,
					     .queryCount = GB_MAX_MARKS };
	VkQueryPool pool = VK_NULL_HANDLE;

	(void)VK_OK(err, vk.CreateQueryPool(vk_device(), &info, NULL, &pool));
	*clock = pool;
	return err->code;
}

static enum gb_status mark(void *clock, size_t index, struct gb_error *err)
{
	const VkCommandBuffer commands = vk_commands(err);

	if (!commands)
		return err->code;
	vk_barrier(commands, vk_anything, vk_anything);
	vk.CmdResetQueryPool(commands, clock, (uint32_t)index, 1);
	vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock,
			     (uint32_t)index);
	return GB_OK;
}

static enum gb_status read(void *clock, size_t index, uint64_t *ticks, struct gb_error *err)
{
	(void)VK_OK(err, vk.GetQueryPoolResults(vk_device(), clock, (uint32_t)index, 1,
						sizeof *ticks, ticks, sizeof *ticks,
						VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	return err->code;
}

static enum gb_status elapsed(void *clock, size_t first, size_t last, double *ns,
			      struct gb_error *err)
{
	const struct vk_found *found = vk_device_found();
	const uint32_t bits = found->timestamp_bits;
	const uint64_t valid = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	uint64_t from = 0, to = 0;

	if (vk_wait(err) || read(clock, first, &from, err) || read(clock, last, &to, err))
		return err->code;
	*ns = (double)((to - from) & valid) * (double)found->properties.limits.timestampPeriod;
	return GB_OK;
}

const struct gb_timer_ops vk_timer = {
	.name = "vulkan_timestamp",
	.create = create,
	.mark = mark,
	.elapsed = elapsed,
	.destroy = destroy,
};
