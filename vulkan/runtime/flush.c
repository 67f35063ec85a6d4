/* flush.c -- evict the device's caches between samples.
 *
 * Vulkan cannot report the size of the caches, so a flush fills a buffer of 256 MiB, which exceeds
 * the L2 of NVIDIA's GPUs.  The first flush creates the buffer.  It belongs to the measurement, not
 * to a variant, and a record counts its memory separately.
 */
#include "vulkan/runtime/device.h"
#include "vulkan/runtime/parts.h"

enum { BYTES = 256 << 20, SOFTWARE_BYTES = 1 << 20 };

static struct {
	struct vk_buffer buffer;
	uint32_t value; /* changes with each flush so that no write can be elided */
} flush;

static enum gb_status make(struct gb_error *err)
{
	const size_t bytes = vk_is_software(vk_device_found()) ? SOFTWARE_BYTES : BYTES;

	return vk_buffer_create(&flush.buffer, bytes, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, err);
}

enum gb_status vk_flush(struct gb_error *err)
{
	VkCommandBuffer commands;

	if (!flush.buffer.handle && make(err))
		return err->code;
	commands = vk_commands(err);
	if (!commands)
		return err->code;
	vk_barrier(commands, vk_anything, vk_transfer_writes);
	vk.CmdFillBuffer(commands, flush.buffer.handle, 0, VK_WHOLE_SIZE, flush.value++);
	vk_barrier(commands, vk_transfer_writes, vk_anything);
	return GB_OK;
}

size_t vk_flush_bytes(void)
{
	return flush.buffer.handle ? (size_t)flush.buffer.bytes : 0;
}

void vk_flush_destroy(void)
{
	vk_settle();
	vk_buffer_destroy(&flush.buffer);
}
