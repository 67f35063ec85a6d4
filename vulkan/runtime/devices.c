/* devices.c -- enumerate the Vulkan devices and query their properties before one is opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "vulkan/runtime/devices.h"

/* ---- extensions --------------------------------------------------------------------------- */

struct extensions {
	VkExtensionProperties *list;
	uint32_t count;
};

static bool has(const struct extensions *e, const char *name)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (gb_equal(e->list[i].extensionName, name))
			return true;
	return false;
}

/* The extensions of a device; an empty list if memory runs out. */
static struct extensions extensions_of(VkPhysicalDevice device)
{
	struct extensions e = { 0 };
	uint32_t count = 0;

	if (vk.EnumerateDeviceExtensionProperties(device, NULL, &count, NULL))
		return e;
	e.list = calloc(count + 1, sizeof *e.list);
	if (e.list && vk.EnumerateDeviceExtensionProperties(device, NULL, &count, e.list) >= 0)
		e.count = count;
	return e;
}

/* ---- a device ----------------------------------------------------------------------------- */

static void *chain(void *first, void *next)
{
	((VkBaseOutStructure *)first)->pNext = next;
	return first;
}

void *vk_chain_features(struct vk_features *f, bool queries)
{
	void *next = NULL;

	*f = (struct vk_features){
		.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.structure.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
		.query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
	};
	next = queries ? chain(&f->query, next) : next;
	next = queries ? chain(&f->structure, next) : next;
	return chain(&f->core, next);
}

/* Query the extensions and features for ray tracing.  False if a required feature is missing. */
static bool ask_features(struct vk_found *f, const struct extensions *e)
{
	const bool queries = has(e, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME) &&
			     has(e, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME) &&
			     has(e, VK_KHR_RAY_QUERY_EXTENSION_NAME);
	struct vk_features of;
	VkPhysicalDeviceFeatures2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					  .pNext = vk_chain_features(&of, queries) };

	vk.GetPhysicalDeviceFeatures2(f->handle, &all);
	f->limits.query = of.structure.accelerationStructure && of.query.rayQuery;
	return of.core.bufferDeviceAddress && of.core.timelineSemaphore;
}

static void ask_limits(struct vk_found *f, const struct extensions *e)
{
	VkPhysicalDeviceAccelerationStructurePropertiesKHR structure = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR
	};
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES
	};
	VkPhysicalDeviceMaintenance3Properties allocation = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES
	};
	VkPhysicalDeviceProperties2 all = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2
	};
	void *next = chain(&allocation, NULL);

	f->id = (VkPhysicalDeviceIDProperties){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES
	};
	f->pci = (VkPhysicalDevicePCIBusInfoPropertiesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT
	};
	f->has_pci = has(e, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
	f->has_budget = has(e, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
	next = chain(&f->id, next);
	next = chain(&driver, next);
	next = f->has_pci ? chain(&f->pci, next) : next;
	next = f->limits.query ? chain(&structure, next) : next;
	(void)chain(&all, next);
	vk.GetPhysicalDeviceProperties2(f->handle, &all);
	(void)snprintf(f->driver, sizeof f->driver, "%.60s %.60s", driver.driverName,
		       driver.driverInfo);
	f->allocation = allocation.maxMemoryAllocationSize;
	f->limits.groups = all.properties.limits.maxComputeWorkGroupCount[0];
	f->limits.primitives = structure.maxPrimitiveCount;
	f->limits.scratch_alignment = structure.minAccelerationStructureScratchOffsetAlignment;
}

static void ask_memory(struct vk_found *f)
{
	VkPhysicalDeviceMemoryProperties2 all = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2
	};

	vk.GetPhysicalDeviceMemoryProperties2(f->handle, &all);
	for (uint32_t i = 0; i < all.memoryProperties.memoryHeapCount; i++)
		if (all.memoryProperties.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
			f->memory += all.memoryProperties.memoryHeaps[i].size;
}

/* Choose the first queue family with compute and timestamps.  Compute implies transfer. */
static bool ask_queues(struct vk_found *f)
{
	VkQueueFamilyProperties family[32];
	uint32_t count = GB_COUNT(family);

	vk.GetPhysicalDeviceQueueFamilyProperties(f->handle, &count, family);
	for (uint32_t i = 0; i < count; i++)
		if (family[i].queueFlags & VK_QUEUE_COMPUTE_BIT && family[i].timestampValidBits) {
			f->family = i;
			f->timestamp_bits = family[i].timestampValidBits;
			return true;
		}
	return false;
}

/* Query a device.  Returns NULL if it is usable, else the reason why not. */
static const char *examine(struct vk_found *f, VkPhysicalDevice device)
{
	struct extensions e = extensions_of(device);
	VkPhysicalDeviceProperties2 first = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2
	};
	const char *why = NULL;

	*f = (struct vk_found){ .handle = device };
	vk.GetPhysicalDeviceProperties2(device, &first);
	f->properties = first.properties;
	ask_memory(f);
	if (first.properties.apiVersion < VK_API_VERSION_1_2)
		why = "no Vulkan 1.2";
	else if (!ask_features(f, &e))
		why = "no buffer addresses or no timeline semaphores";
	else if (!ask_queues(f))
		why = "no queue with timestamps";
	else
		ask_limits(f, &e);
	free(e.list);
	return why;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* List all devices of the instance.  The caller frees the list. */
static VkPhysicalDevice *list_devices(uint32_t *count, struct gb_error *err)
{
	VkPhysicalDevice *list;
	VkInstance instance;

	if (vk_instance(&instance, err) ||
	    !VK_OK(err, vk.EnumeratePhysicalDevices(instance, count, NULL)))
		return NULL;
	list = calloc(*count + 1, sizeof(VkPhysicalDevice));
	if (!list)
		(void)gb_out_of_memory(err, NULL);
	else
		(void)VK_OK(err, vk.EnumeratePhysicalDevices(instance, count, list));
	return list;
}

enum gb_status vk_find_devices(struct vk_found *found, size_t room, size_t *count, bool software,
			       struct gb_error *err)
{
	char unfit[256] = "";
	uint32_t there = 0;
	VkPhysicalDevice *list = list_devices(&there, err);

	*count = 0;
	for (uint32_t i = 0; i < 2 * there && !err->code; i++) {
		const bool second_time = i >= there; /* the pass for software devices */
		struct vk_found f;
		const char *why = examine(&f, list[i % there]);

		if (vk_is_software(&f) != second_time)
			continue;
		if (!why && second_time && !software)
			why = "a software device, used only with --backend=vulkan";
		if (why)
			(void)snprintf(unfit, sizeof unfit, ": %.80s: %s", f.properties.deviceName,
				       why);
		else if ((*count)++ < room)
			found[*count - 1] = f;
	}
	free(list);
	if (!err->code && *count == 0)
		return gb_fail(err, GB_EUNAVAILABLE, "Vulkan finds no GPU%s", unfit);
	return err->code;
}
