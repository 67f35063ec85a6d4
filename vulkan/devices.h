/* devices.h -- the devices that Vulkan finds, and what they can do. */
#ifndef GPUBENCH_VULKAN_DEVICES_H
#define GPUBENCH_VULKAN_DEVICES_H

#include <stddef.h>

#include "common/status.h"
#include "vulkan/api.h"

struct vk_limits {
	bool query;          /* whether rays can be traced, by ray queries */
	bool pipeline;       /* by a pipeline, too */
	uint32_t groups;     /* of a dispatch, along x */
	uint64_t primitives; /* of an acceleration structure */
	uint32_t scratch_alignment, handle_size, handle_alignment, table_alignment;
};

/* The features that matter: a chain, and what of it a device must have the extensions for. */
struct vk_features {
	VkPhysicalDeviceVulkan12Features core;
	VkPhysicalDeviceAccelerationStructureFeaturesKHR structure;
	VkPhysicalDeviceRayQueryFeaturesKHR query;
	VkPhysicalDeviceRayTracingPipelineFeaturesKHR pipeline;
};
void *vk_chain_features(struct vk_features *f, bool structures, bool queries, bool pipelines);

/* A device as it was found. */
struct vk_found {
	VkPhysicalDevice handle;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceIDProperties id;
	char driver[128];    /* its name and version */
	VkDeviceSize memory; /* of its own */
	bool has_pci, has_budget;
	VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
	uint32_t family, timestamp_bits; /* of the queue family that is used */
	struct vk_limits limits;
	VkDeviceSize allocation; /* the largest */
};

/* Whether it is a program of the CPU. */
static inline bool vk_is_software(const struct vk_found *found)
{
	return found->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* The devices that will do, the first `room` of *count: in the driver's order, those that are
 * software last, and only if `software` is set, so that they renumber no GPU.  GB_EUNAVAILABLE, with
 * what is missing, if there is none. */
enum gb_status vk_find_devices(struct vk_found *found, size_t room, size_t *count, bool software,
			       struct gb_error *err);

#endif
