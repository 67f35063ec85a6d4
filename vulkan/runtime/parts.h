/* parts.h -- the parts of gb_vulkan_backend, which backend.c assembles.
 *
 * Variants use device.h instead.  open() creates the device and, after a failure or for another
 * one, destroys all parts.  Destroying a part that was never created is allowed.
 */
#ifndef GPUBENCH_VULKAN_RUNTIME_PARTS_H
#define GPUBENCH_VULKAN_RUNTIME_PARTS_H

#include "common/timer.h"
#include "vulkan/runtime/devices.h"

struct vk_buffer; /* device.h */

/* device.c: start and stop the device of device.h. */
enum gb_status vk_device_start(const struct vk_found *found, struct gb_error *err);
void vk_device_stop(void);
/* The open device, or NULL. */
const struct vk_found *vk_device_found(void);
/* False if the device has been lost. */
bool vk_device_works(void);
/* Create a buffer and its memory, which are not counted.  Destroying one that was never created
 * does nothing. */
enum gb_status vk_buffer_create(struct vk_buffer *buffer, size_t bytes, VkBufferUsageFlags usage,
				VkMemoryPropertyFlags wanted, struct gb_error *err);
void vk_buffer_destroy(struct vk_buffer *buffer);
/* Fill device memory (`buffer` is a struct vk_buffer) and wait. */
enum gb_status vk_fill(void *buffer, unsigned char byte, size_t bytes, struct gb_error *err);

/* device.c: commands submitted after vk_hold() start at vk_let_go().  vk_has_held() is false if a
 * wait opened the gate earlier. */
enum gb_status vk_hold(struct gb_error *err);
enum gb_status vk_let_go(struct gb_error *err);
bool vk_has_held(void);

/* timer.c: timestamps among the commands. */
extern const struct gb_timer_ops vk_timer;

/* flush.c: record a flush of the caches, without waiting. */
enum gb_status vk_flush(struct gb_error *err);
size_t vk_flush_bytes(void);
void vk_flush_destroy(void);

#endif
