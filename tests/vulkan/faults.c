/* faults.c -- a layer in front of the Vulkan loader that plants faults.
 *
 * Built as libvulkan.so.1; it passes all calls on to the loader at FAULTS_LOADER.  FAULTS_PLANT is
 *
 *	memory     there is no memory for buffers of 64 KiB and more; three heaps have 100, 64 and
 *	           28 MiB, the second is the host's, and 3, 3 and -1 MiB are within the budget
 *	limit      a tree may have 100 triangles
 *	queries    there are no ray queries
 *	bits       timestamps have 20 bits
 *	fail-K     the K-th call that can fail does
 *	lost-K     ... because the device is lost
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;

static bool is_planted(const char *name)
{
	const char *planted = getenv("FAULTS_PLANT");

	return planted && !strcmp(planted, name);
}

/* True for the call that fails. */
static bool fails(void)
{
	const char *planted = getenv("FAULTS_PLANT");
	static int calls;

	return planted && (!strncmp(planted, "fail-", 5) || !strncmp(planted, "lost-", 5)) &&
	       ++calls == atoi(planted + 5);
}

static VkResult failure(void)
{
	return getenv("FAULTS_PLANT")[0] == 'l' ? VK_ERROR_DEVICE_LOST : (VkResult)-4242;
}

#define CALLS(X)                                  \
	X(AllocateMemory)                         \
	X(GetPhysicalDeviceProperties2)           \
	X(GetPhysicalDeviceMemoryProperties2)     \
	X(GetPhysicalDeviceFeatures2)             \
	X(GetPhysicalDeviceQueueFamilyProperties) \
	X(GetQueryPoolResults)
#define NEXT(name) static PFN_vk##name next_##name;
CALLS(NEXT)
#undef NEXT

/* The staging buffer is larger and exists earlier. */
static VKAPI_ATTR VkResult VKAPI_CALL at_AllocateMemory(VkDevice device,
							const VkMemoryAllocateInfo *info,
							const VkAllocationCallbacks *allocator,
							VkDeviceMemory *memory)
{
	if (is_planted("memory") && info->allocationSize >= 65536 &&
	    info->allocationSize < 16 << 20)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	return fails() ? failure() : next_AllocateMemory(device, info, allocator, memory);
}

/* ---- limits of devices ----------------------------------------------------------------------- */

static void *find(void *chain, VkStructureType type)
{
	VkBaseOutStructure *s = chain;

	while (s && s->sType != type)
		s = s->pNext;
	return s;
}

static VKAPI_ATTR void VKAPI_CALL at_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
								  VkPhysicalDeviceProperties2 *all)
{
	VkPhysicalDeviceAccelerationStructurePropertiesKHR *structure;

	next_GetPhysicalDeviceProperties2(device, all);
	structure =
		find(all, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_PROPERTIES_KHR);
	if (structure && is_planted("limit"))
		structure->maxPrimitiveCount = 100;
}

static VKAPI_ATTR void VKAPI_CALL at_GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
								VkPhysicalDeviceFeatures2 *all)
{
	VkPhysicalDeviceRayQueryFeaturesKHR *query;

	next_GetPhysicalDeviceFeatures2(device, all);
	query = find(all, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR);
	if (query && is_planted("queries"))
		query->rayQuery = VK_FALSE;
}

static VKAPI_ATTR void VKAPI_CALL at_GetPhysicalDeviceMemoryProperties2(
	VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2 *all)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget;

	next_GetPhysicalDeviceMemoryProperties2(device, all);
	budget = find(all, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
	if (!is_planted("memory"))
		return;
	all->memoryProperties.memoryHeapCount = 3;
	all->memoryProperties.memoryHeaps[0].size = 100 << 20;
	all->memoryProperties.memoryHeaps[1] = (VkMemoryHeap){ 64 << 20, 0 };
	all->memoryProperties.memoryHeaps[2] =
		(VkMemoryHeap){ 28 << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
	for (int i = 0; i < 3 && budget; i++) {
		budget->heapBudget[i] = i < 2 ? 5 << 20 : 1 << 20;
		budget->heapUsage[i] = 2 << 20;
	}
}

static VKAPI_ATTR void VKAPI_CALL at_GetPhysicalDeviceQueueFamilyProperties(
	VkPhysicalDevice device, uint32_t *count, VkQueueFamilyProperties *family)
{
	next_GetPhysicalDeviceQueueFamilyProperties(device, count, family);
	for (uint32_t i = 0; family && i < *count; i++)
		if (is_planted("bits"))
			family[i].timestampValidBits = 20;
}

/* Bits above the valid ones are undefined. */
static VKAPI_ATTR VkResult VKAPI_CALL at_GetQueryPoolResults(VkDevice device, VkQueryPool pool,
							     uint32_t first, uint32_t count,
							     size_t bytes, void *data,
							     VkDeviceSize stride,
							     VkQueryResultFlags flags)
{
	const VkResult result = fails() ? failure()
					: next_GetQueryPoolResults(device, pool, first, count,
								   bytes, data, stride, flags);
	static uint64_t noise;

	if (is_planted("bits") && !result && bytes == sizeof(uint64_t))
		*(uint64_t *)data = (*(uint64_t *)data & 0xfffff) | ++noise << 20;
	return result;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Other calls that can fail.  Each has at most eight parameters, integers and pointers, which are
 * passed on as they are. */
typedef VkResult any_call(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
#define FALLIBLE(X)                 \
	X(CreateInstance)           \
	X(EnumeratePhysicalDevices) \
	X(CreateDevice)             \
	X(BindBufferMemory)         \
	X(MapMemory)                \
	X(AllocateCommandBuffers)   \
	X(BeginCommandBuffer)       \
	X(EndCommandBuffer)         \
	X(QueueSubmit)              \
	X(SignalSemaphore)          \
	X(WaitSemaphores)           \
	X(CreateBuffer)             \
	X(CreateCommandPool)        \
	X(CreateSemaphore)          \
	X(CreateQueryPool)          \
	X(CreateShaderModule)       \
	X(CreatePipelineLayout)     \
	X(CreateComputePipelines)   \
	X(CreateAccelerationStructureKHR)
#define MAY_FAIL(call)                                                                        \
	static any_call *next_##call;                                                         \
	static VkResult at_##call(size_t a, size_t b, size_t c, size_t d, size_t e, size_t f, \
				  size_t g, size_t h)                                         \
	{                                                                                     \
		return fails() ? failure() : next_##call(a, b, c, d, e, f, g, h);             \
	}
FALLIBLE(MAY_FAIL)

/* ---- lookup of functions --------------------------------------------------------------------- */

static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction real)
{
#define LOOK(call)                                           \
	if (real && !strcmp(name, "vk" #call)) {             \
		next_##call = (__typeof__(next_##call))real; \
		return (PFN_vkVoidFunction)at_##call;        \
	}
	CALLS(LOOK)
	FALLIBLE(LOOK)
#undef LOOK
	return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char *name)
{
	return replace(name, next_device(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
							       const char *name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
							       const char *name)
{
	const char *loader = getenv("FAULTS_LOADER");
	PFN_vkVoidFunction real;

	if (!next_instance && loader) {
		void *library = dlopen(loader, RTLD_NOW | RTLD_LOCAL);

		if (library)
			*(void **)&next_instance = dlsym(library, "vkGetInstanceProcAddr");
	}
	if (!next_instance)
		return NULL;
	real = next_instance(instance, name);
	if (real && !strcmp(name, "vkGetDeviceProcAddr")) {
		next_device = (PFN_vkGetDeviceProcAddr)real;
		return (PFN_vkVoidFunction)of_device;
	}
	return replace(name, real);
}
