/* api.h -- the Vulkan functions.
 *
 * The loader (libvulkan.so.1) is opened at run time when a device is first needed, so the program
 * starts without it.  vk.CreateBuffer(...) calls vkCreateBuffer(...).
 */
#ifndef GPUBENCH_VULKAN_RUNTIME_API_H
#define GPUBENCH_VULKAN_RUNTIME_API_H

#include <stdbool.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "common/status.h"

#define VK_GLOBAL_CALLS(X) \
	X(CreateInstance)  \
	X(EnumerateInstanceVersion)

#define VK_INSTANCE_CALLS(X)                      \
	X(DestroyInstance)                        \
	X(EnumeratePhysicalDevices)               \
	X(EnumerateDeviceExtensionProperties)     \
	X(GetPhysicalDeviceFeatures2)             \
	X(GetPhysicalDeviceMemoryProperties2)     \
	X(GetPhysicalDeviceProperties2)           \
	X(GetPhysicalDeviceQueueFamilyProperties) \
	X(CreateDevice)                           \
	X(GetDeviceProcAddr)

#define VK_DEVICE_CALLS(X)             \
	X(DestroyDevice)               \
	X(GetDeviceQueue)              \
	X(AllocateMemory)              \
	X(FreeMemory)                  \
	X(BindBufferMemory)            \
	X(MapMemory)                   \
	X(CreateBuffer)                \
	X(DestroyBuffer)               \
	X(GetBufferMemoryRequirements) \
	X(GetBufferDeviceAddress)      \
	X(CreateCommandPool)           \
	X(DestroyCommandPool)          \
	X(ResetCommandPool)            \
	X(AllocateCommandBuffers)      \
	X(BeginCommandBuffer)          \
	X(EndCommandBuffer)            \
	X(QueueSubmit)                 \
	X(CreateSemaphore)             \
	X(DestroySemaphore)            \
	X(SignalSemaphore)             \
	X(WaitSemaphores)              \
	X(CreateQueryPool)             \
	X(DestroyQueryPool)            \
	X(GetQueryPoolResults)         \
	X(CmdResetQueryPool)           \
	X(CmdWriteTimestamp)           \
	X(CmdPipelineBarrier)          \
	X(CmdCopyBuffer)               \
	X(CmdFillBuffer)               \
	X(CmdUpdateBuffer)             \
	X(CmdBindPipeline)             \
	X(CmdPushConstants)            \
	X(CmdDispatch)                 \
	X(CreateShaderModule)          \
	X(DestroyShaderModule)         \
	X(CreatePipelineLayout)        \
	X(DestroyPipelineLayout)       \
	X(CreateComputePipelines)      \
	X(DestroyPipeline)

/* Functions of extensions.  NULL if the device lacks the extension. */
#define VK_TRACING_CALLS(X)                         \
	X(CreateAccelerationStructureKHR)           \
	X(DestroyAccelerationStructureKHR)          \
	X(GetAccelerationStructureBuildSizesKHR)    \
	X(GetAccelerationStructureDeviceAddressKHR) \
	X(CmdBuildAccelerationStructuresKHR)

struct vk_calls {
	PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
	/* clang-format off */
#define X(name) PFN_vk##name name;
	VK_GLOBAL_CALLS(X)
	VK_INSTANCE_CALLS(X)
	VK_DEVICE_CALLS(X)
	VK_TRACING_CALLS(X)
#undef X
	/* clang-format on */
};
extern struct vk_calls vk;

/* Return the instance, which is created once.  GB_EUNAVAILABLE, with the missing part, if there is
 * no loader, no driver, or none for Vulkan 1.2. */
enum gb_status vk_instance(VkInstance *instance, struct gb_error *err);

/* Load the functions of a device. */
enum gb_status vk_load_device(VkDevice device, struct gb_error *err);

/* True on success.  On failure false, with the call and its result in err: GB_EMEMORY if the host
 * or device is out of memory, else GB_ERUNTIME. */
bool vk_ok(struct gb_error *err, VkResult result, const char *call, const char *file,
	   const char *function);
#define VK_OK(err, call) vk_ok((err), (call), #call, __FILE__, __func__)

#endif
