/* device.h -- the single Vulkan device of this process: its memory, commands and limits.
 *
 * Everything here is valid once the back end is open.  Commands of a variant are
 * recorded in order and run at the next wait.  Only barriers order commands.
 */
#ifndef GPUBENCH_VULKAN_RUNTIME_DEVICE_H
#define GPUBENCH_VULKAN_RUNTIME_DEVICE_H

#include <stddef.h>

#include "common/status.h"
#include "vulkan/runtime/devices.h"

/* ---- memory ------------------------------------------------------------------------------- */

/* A buffer with memory of its own. */
struct vk_buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	VkDeviceAddress address;
	VkDeviceSize bytes;
	void *map; /* host address of mapped memory; else NULL */
};

/* Allocate count * size bytes of counted device memory with undefined contents, for copies, shaders
 * and the given `usage`.  count == 0 also gives a buffer.  NULL on failure.  GB_EMEMORY, with the
 * bytes needed and the bytes free or allowed in err, if memory runs out.  If err already holds a
 * failure, nothing is done, so a series of allocations needs only one check of err.  In a dry run
 * (gb_memory_is_dry()) the allocation is only counted and has no handle.  The buffer is freed with
 * the state of the variant that owns it. */
struct vk_buffer *vk_alloc(size_t count, size_t size, VkBufferUsageFlags usage,
			   struct gb_error *err);

/* Copy `bytes` bytes to or from the start of a buffer through a staging buffer, and wait.  Nothing
 * is done for 0 bytes or if err already holds a failure. */
enum gb_status vk_upload(const struct vk_buffer *to, const void *from, size_t bytes,
			 struct gb_error *err);
enum gb_status vk_download(void *to, const struct vk_buffer *from, size_t bytes,
			   struct gb_error *err);

/* ---- commands ----------------------------------------------------------------------------- */

/* The command buffer to record into; NULL, with the reason in err, if there is none. */
VkCommandBuffer vk_commands(struct gb_error *err);

/* The memory accesses of a command: its stages and access types. */
struct vk_scope {
	VkPipelineStageFlags stage;
	VkAccessFlags access;
};
extern const struct vk_scope vk_anything, vk_building, vk_reading_inputs, vk_transfer_writes;

/* Record a barrier: the accesses `after` of later commands see the accesses `before` of earlier
 * ones. */
void vk_barrier(VkCommandBuffer commands, struct vk_scope before, struct vk_scope after);

/* Submit the recorded commands and wait until all are done. */
enum gb_status vk_wait(struct gb_error *err);

/* Wait for all commands before an object that they use is destroyed.  Some may be recorded or
 * running after a failure. */
void vk_settle(void);

/* ---- the device --------------------------------------------------------------------------- */

/* The limits of the open device; NULL if no device is open (a dry run). */
const struct vk_limits *vk_limits(void);

VkDevice vk_device(void);

/* The name and version of the open device's driver: "NVIDIA 580.95.05". */
const char *vk_driver(void);

#endif
