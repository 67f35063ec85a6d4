/* api.c -- load the Vulkan functions, create the instance, check results. */
#include "vulkan/runtime/api.h"

#include <dlfcn.h>
#include <stdio.h>

#include "common/text.h"

struct vk_calls vk;

/* ---- results ------------------------------------------------------------------------------ */

/* The name of a result ("VK_ERROR_DEVICE_LOST"), or its number in `text` if it is not listed. */
static const char *name_of(VkResult result, char text[32])
{
	static const struct {
		VkResult result;
		const char *name;
	} known[] = {
		{ VK_TIMEOUT, "VK_TIMEOUT" },
		{ VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY" },
		{ VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY" },
		{ VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED" },
		{ VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST" },
		{ VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT" },
		{ VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT" },
		{ VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT" },
		{ VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER" },
		{ VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS" },
		{ VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN" },
	};

	for (size_t i = 0; i < GB_COUNT(known); i++)
		if (known[i].result == result)
			return known[i].name;
	(void)snprintf(text, 32, "VkResult %d", (int)result);
	return text;
}

static enum gb_status status_of(VkResult result)
{
	switch (result) {
	case VK_SUCCESS:
		return GB_OK;
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
		return GB_EMEMORY;
	default:
		return GB_ERUNTIME;
	}
}

bool vk_ok(struct gb_error *err, VkResult result, const char *call, const char *file,
	   const char *function)
{
	char text[32];

	if (result == VK_SUCCESS)
		return true;
	(void)gb_fail(err, status_of(result), "%s, %s(): %s: %s", file, function, call,
		      name_of(result, text));
	return false;
}

/* ---- the instance ------------------------------------------------------------------------- */

static enum gb_status load_library(struct gb_error *err)
{
	void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "the Vulkan loader, libvulkan.so.1, is not installed");
	*(void **)&vk.GetInstanceProcAddr = dlsym(library, "vkGetInstanceProcAddr");
	if (!vk.GetInstanceProcAddr)
		return gb_fail(err, GB_EUNAVAILABLE, "libvulkan.so.1 is no Vulkan loader");
#define X(name) vk.name = (PFN_vk##name)vk.GetInstanceProcAddr(NULL, "vk" #name);
	VK_GLOBAL_CALLS(X)
#undef X
	if (!vk.CreateInstance || !vk.EnumerateInstanceVersion)
		return gb_fail(err, GB_EUNAVAILABLE, "libvulkan.so.1 is older than Vulkan 1.1");
	return GB_OK;
}

static enum gb_status create_instance(VkInstance *instance, struct gb_error *err)
{
	static const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
						       .pApplicationName = "gpubench",
						       .apiVersion = VK_API_VERSION_1_2 };
	const VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					    .pApplicationInfo = &application };
	uint32_t version = 0;
	VkResult result;
	char text[32];

	if (vk.EnumerateInstanceVersion(&version) || version < VK_API_VERSION_1_2)
		return gb_fail(err, GB_EUNAVAILABLE, "libvulkan.so.1 is older than Vulkan 1.2");
	result = vk.CreateInstance(&info, NULL, instance);
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
		return gb_fail(err, GB_EUNAVAILABLE, "no Vulkan driver is installed");
	if (result)
		return gb_fail(err, GB_EUNAVAILABLE, "no Vulkan: vkCreateInstance: %s",
			       name_of(result, text));
#define X(name) vk.name = (PFN_vk##name)vk.GetInstanceProcAddr(*instance, "vk" #name);
	VK_INSTANCE_CALLS(X)
#undef X
	return GB_OK;
}

/* The instance lives as long as the process.  Reloading drivers is slow, and some of them fail when
 * they are loaded again. */
enum gb_status vk_instance(VkInstance *instance, struct gb_error *err)
{
	static VkInstance made;
	static struct gb_error why;
	static bool asked;

	if (!asked && !load_library(&why))
		(void)create_instance(&made, &why);
	asked = true;
	*instance = made;
	return why.code ? gb_fail(err, why.code, "%s", why.message) : GB_OK;
}

enum gb_status vk_load_device(VkDevice device, struct gb_error *err)
{
#define X(name) vk.name = (PFN_vk##name)vk.GetDeviceProcAddr(device, "vk" #name);
	VK_DEVICE_CALLS(X)
	VK_TRACING_CALLS(X)
#undef X
#define X(name)       \
	if (!vk.name) \
		return gb_fail(err, GB_EUNAVAILABLE, "the Vulkan driver lacks vk" #name);
	VK_DEVICE_CALLS(X)
#undef X
	return GB_OK;
}
