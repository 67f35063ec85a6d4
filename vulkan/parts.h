/* parts.h -- the parts that backend.c puts together into gb_vulkan_backend.
 *
 * Variants have no use for these: what they need is in device.h.  Each part is created by open()
 * and destroyed by close(); what was never created may be destroyed.
 */
#ifndef GPUBENCH_VULKAN_PARTS_H
#define GPUBENCH_VULKAN_PARTS_H

#include "common/timer.h"
#include "vulkan/devices.h"

struct vk_buffer; /* device.h */

/* device.c: the device that device.h speaks of, from start to stop. */
enum gb_status vk_device_start(const struct vk_found *found, struct gb_error *err);
void vk_device_stop(void);
/* The device that is open; NULL: none. */
const struct vk_found *vk_device_found(void);
/* False once it was lost. */
bool vk_device_works(void);
/* A buffer that is not counted, and its memory; destroying one that was not created is nothing. */
enum gb_status vk_buffer_create(struct vk_buffer *buffer, size_t bytes, VkBufferUsageFlags usage,
				VkMemoryPropertyFlags wanted, struct gb_error *err);
void vk_buffer_destroy(struct vk_buffer *buffer);
/* Fill device memory, a struct vk_buffer, and wait for it. */
enum gb_status vk_fill(void *buffer, unsigned char byte, size_t bytes, struct gb_error *err);

/* device.c: what is submitted from vk_hold() on starts after vk_let_go(), and is not counted as held if
 * it was waited for before. */
enum gb_status vk_hold(struct gb_error *err);
enum gb_status vk_let_go(struct gb_error *err);
bool vk_has_held(void);

/* timer.c: timestamps among the commands. */
extern const struct gb_timer_ops vk_timer;

/* flush.c: evict what a sample's data left in the caches.  Recorded, not waited for. */
enum gb_status vk_flush(struct gb_error *err);
size_t vk_flush_bytes(void);
void vk_flush_destroy(void);

#endif
