/* devices.h -- the available Vulkan devices, their limits and features. */
#ifndef GPUBENCH_VULKAN_RUNTIME_DEVICES_H
#define GPUBENCH_VULKAN_RUNTIME_DEVICES_H

#include <stddef.h>

#include "common/status.h"
#include "vulkan/runtime/api.h"

struct vk_limits {
	bool query;          /* supports ray queries */
	uint32_t groups;     /* maximum work groups of a dispatch along x */
	uint64_t primitives; /* maximum primitives of an acceleration structure */
	uint32_t scratch_alignment;
};

/* The features of interest.  vk_chain_features() chains those whose extensions the device has. */
struct vk_features {
	VkPhysicalDeviceVulkan12Features core;
	VkPhysicalDeviceAccelerationStructureFeaturesKHR structure;
	VkPhysicalDeviceRayQueryFeaturesKHR query;
};
void *vk_chain_features(struct vk_features *f, bool queries);

/* A device and its properties. */
struct vk_found {
	VkPhysicalDevice handle;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceIDProperties id;
	char driver[128];    /* name and version of the driver */
	VkDeviceSize memory; /* bytes of device-local memory */
	bool has_pci, has_budget;
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
	uint32_t family, timestamp_bits; /* the queue family in use */
	struct vk_limits limits;
	VkDeviceSize allocation; /* maximum bytes of one allocation */
};

/* True if the device is software that runs on the CPU. */
static inline bool vk_is_software(const struct vk_found *found)
{
	return found->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Find the usable devices, in the driver's order.  *count is their number; the first `room` are
 * stored.  Software devices are included only if `software` is set.  They come last so that the
 * numbers of GPUs do not change.  GB_EUNAVAILABLE, with the reason, if there is no device. */
enum gb_status vk_find_devices(struct vk_found *found, size_t room, size_t *count, bool software,
			       struct gb_error *err);

#endif
