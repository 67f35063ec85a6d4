/* device.h -- the one Vulkan device that this process uses: its memory, its commands, its limits.
 *
 * All of it holds between open() and close() of the back end.  What a variant does is recorded, in
 * order, and runs when somebody waits.  Between commands there is
 * no order but that of barriers.
 */
#ifndef GPUBENCH_VULKAN_DEVICE_H
#define GPUBENCH_VULKAN_DEVICE_H

#include <stddef.h>

#include "common/status.h"
#include "vulkan/devices.h"

/* ---- memory ------------------------------------------------------------------------------- */

/* A buffer with memory of its own. */
struct vk_buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	VkDeviceAddress address;
	VkDeviceSize bytes;
	void *map; /* of host memory; else NULL */
};

/* count * size bytes of device memory, counted, contents undefined, for copies and shaders and for
 * what `usage` adds to these; count == 0 gives a buffer, too.  NULL on failure: GB_EMEMORY, with what
 * was needed and what is free or allowed in err, if memory does not suffice; and at once if err
 * holds a failure already, so that a series of allocations needs one look at err.  When memory is
 * dry (gb_memory_is_dry()) the allocation is only counted: it has no handle.  It is freed with the state
 * of the variant that owns it. */
struct vk_buffer *vk_alloc(size_t count, size_t size, VkBufferUsageFlags usage,
			   struct gb_error *err);

/* Copy `bytes` bytes to or from the start of a buffer, by way of a staging buffer, and wait for them.
 * Nothing is done for 0 bytes, nor if err holds a failure already. */
enum gb_status vk_upload(const struct vk_buffer *to, const void *from, size_t bytes,
			 struct gb_error *err);
enum gb_status vk_download(void *to, const struct vk_buffer *from, size_t bytes,
			   struct gb_error *err);

/* ---- commands ----------------------------------------------------------------------------- */

/* Where commands are recorded now; NULL, with the reason in err, if none can be. */
VkCommandBuffer vk_commands(struct gb_error *err);

/* What a command does to memory, as its stages and accesses. */
struct vk_scope {
	VkPipelineStageFlags stage;
	VkAccessFlags access;
};
extern const struct vk_scope vk_anything, vk_building, vk_reading_inputs, vk_shader_writes,
	vk_transfer_writes;

/* What was done before is seen by what follows. */
void vk_barrier(VkCommandBuffer commands, struct vk_scope before, struct vk_scope after);

/* Submit what is recorded, and wait until all is done. */
enum gb_status vk_wait(struct gb_error *err);

/* Before what commands use is destroyed: no more of them is recorded or under way, as there may be after
 * a failure. */
void vk_settle(void);

/* ---- what the device can do --------------------------------------------------------------- */

/* NULL while no device is open (a dry run). */
const struct vk_limits *vk_limits(void);

VkDevice vk_device(void);

/* The name and version of the open device's driver: "NVIDIA 580.95.05". */
const char *vk_driver(void);

#endif
