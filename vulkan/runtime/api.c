/* api.c -- load the Vulkan functions, create the instance, check results. */
#include "vulkan/runtime/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

struct vk_calls vk;

static const char VALIDATION[] = "VK_LAYER_KHRONOS_validation";

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

bool vk_ok(struct gb_error *err, VkResult result, const char *call, const char *file, int line)
{
	char text[32];

	if (result == VK_SUCCESS)
		return true;
	(void)gb_fail(err, status_of(result), "%s:%d: %s: %s", file, line, call,
		      name_of(result, text));
	return false;
}

/* ---- validation --------------------------------------------------------------------------- */

static struct gb_error found_fault;

static VKAPI_ATTR VkBool32 VKAPI_CALL note_fault(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
						 VkDebugUtilsMessageTypeFlagsEXT types,
						 const VkDebugUtilsMessengerCallbackDataEXT *data,
						 void *user)
{
	(void)severity;
	(void)types;
	(void)user;
	(void)gb_fail(&found_fault, GB_ERUNTIME, "validation: %.400s", data->pMessage);
	return VK_FALSE;
}

enum gb_status vk_validated(struct gb_error *err)
{
	const struct gb_error fault = found_fault;

	memset(&found_fault, 0, sizeof found_fault);
	return fault.code ? gb_fail(err, fault.code, "%s", fault.message) : GB_OK;
}

static bool is_validated(void)
{
	const char *text = getenv("GPUBENCH_VULKAN_VALIDATE");

	return text && gb_equal(text, "1");
}

static bool has_layer(const char *name)
{
	VkLayerProperties *layer;
	uint32_t count = 0;
	bool found = false;

	if (vk.EnumerateInstanceLayerProperties(&count, NULL))
		return false;
	layer = calloc(count + 1, sizeof *layer);
	if (layer && vk.EnumerateInstanceLayerProperties(&count, layer) >= 0)
		for (uint32_t i = 0; i < count; i++)
			found = found || gb_equal(layer[i].layerName, name);
	free(layer);
	return found;
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
	static const char *const layers[] = { VALIDATION };
	static const char *const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
	static const VkValidationFeatureEnableEXT enabled[] = {
		VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
	};
	static const VkDebugUtilsMessengerCreateInfoEXT messages = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
				   VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = note_fault,
	};
	static const VkValidationFeaturesEXT features = {
		.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
		.pNext = &messages,
		.enabledValidationFeatureCount = GB_COUNT(enabled),
		.pEnabledValidationFeatures = enabled,
	};
	static const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
						       .pApplicationName = "gpubench",
						       .apiVersion = VK_API_VERSION_1_2 };
	VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				      .pApplicationInfo = &application };
	uint32_t version = 0;
	VkResult result;
	char text[32];

	if (vk.EnumerateInstanceVersion(&version) || version < VK_API_VERSION_1_2)
		return gb_fail(err, GB_EUNAVAILABLE, "libvulkan.so.1 is older than Vulkan 1.2");
	if (is_validated()) {
		if (!has_layer(VALIDATION))
			return gb_fail(err, GB_EUNAVAILABLE,
				       "GPUBENCH_VULKAN_VALIDATE: there is no %s", VALIDATION);
		info.pNext = &features;
		info.enabledLayerCount = GB_COUNT(layers);
		info.ppEnabledLayerNames = layers;
		info.enabledExtensionCount = GB_COUNT(extensions);
		info.ppEnabledExtensionNames = extensions;
	}
	result = vk.CreateInstance(&info, NULL, instance);
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
		return gb_fail(err, GB_EUNAVAILABLE, "no Vulkan driver is installed");
	if (result)
		return gb_fail(err, GB_EUNAVAILABLE, "no Vulkan: vkCreateInstance: %s",
			       name_of(result, text));
#define X(name) vk.name = (PFN_vk##name)vk.GetInstanceProcAddr(*instance, "vk" #name);
	VK_INSTANCE_CALLS(X)
#undef X
	if (is_validated()) {
		const PFN_vkCreateDebugUtilsMessengerEXT create_messenger =
			(PFN_vkCreateDebugUtilsMessengerEXT)vk.GetInstanceProcAddr(
				*instance, "vkCreateDebugUtilsMessengerEXT");
		VkDebugUtilsMessengerEXT messenger;

		if (!create_messenger || create_messenger(*instance, &messages, NULL, &messenger))
			return gb_fail(err, GB_EUNAVAILABLE,
				       "GPUBENCH_VULKAN_VALIDATE: no messages can be had");
	}
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
