/* recorder.c -- a layer in front of the Vulkan loader that checks the order of commands and plants
 * faults.
 *
 * Built as libvulkan.so.1; it passes all calls on to the loader at RECORDER_LOADER.  Validation
 * layers do not detect a missing barrier between two builds.  Here every command that reads or
 * writes what an earlier one wrote must follow a barrier that names both.  All submissions go to
 * one queue, so the order of recording is the order of execution.  Nothing may be destroyed between
 * the first command and the reset of the command pool, which follows a wait, and nothing may be
 * left when the process ends.  Faults found are written to the file RECORDER_REPORT, one per line.
 *
 * RECORDER_PLANT, for tests:
 *
 *	barrier    there are no barriers between builds
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
	const char *planted = getenv("RECORDER_PLANT");

	return planted && !strcmp(planted, name);
}

/* True for the call that fails. */
static bool fails(void)
{
	const char *planted = getenv("RECORDER_PLANT");
	static int calls;

	return planted && (!strncmp(planted, "fail-", 5) || !strncmp(planted, "lost-", 5)) &&
	       ++calls == atoi(planted + 5);
}

static VkResult failure(void)
{
	return getenv("RECORDER_PLANT")[0] == 'l' ? VK_ERROR_DEVICE_LOST : (VkResult)-4242;
}

static void report(const char *what, const char *missing)
{
	const char *path = getenv("RECORDER_REPORT");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	(void)fprintf(file, "%s %s\n", what, missing);
	(void)fclose(file);
}

/* ---- order -------------------------------------------------------------------------------- */

/* Writers, and the later uses by readers and writers. */
enum { BUILT, TRANSFERRED, COMPUTED, WRITERS };
enum {
	BUILD_STRUCTURE, /* a build that reads or overwrites a tree */
	BUILD_INPUT,     /* ... or reads triangles or instances */
	COMPUTE_STRUCTURE,
	COMPUTE_MEMORY,
	TRANSFER,
	USERS
};

struct scope {
	VkPipelineStageFlags stage;
	VkAccessFlags access;
};
#define BUILDS VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR
static const struct scope writers[WRITERS] = {
	[BUILT] = { BUILDS, VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR },
	[TRANSFERRED] = { VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT },
	[COMPUTED] = { VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT },
};
static const struct scope users[USERS] = {
	[BUILD_STRUCTURE] = { BUILDS, VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR },
	[BUILD_INPUT] = { BUILDS, VK_ACCESS_SHADER_READ_BIT },
	[COMPUTE_STRUCTURE] = { VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR },
	[COMPUTE_MEMORY] = { VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT },
	[TRANSFER] = { VK_PIPELINE_STAGE_TRANSFER_BIT,
		       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT },
};
/* Writers that affect each use: no build reads a shader's output, and inputs are not built. */
static const bool matters[USERS][WRITERS] = {
	[BUILD_STRUCTURE] = { [BUILT] = true },
	[BUILD_INPUT] = { [TRANSFERRED] = true },
	[COMPUTE_STRUCTURE] = { [BUILT] = true },
	[COMPUTE_MEMORY] = { [TRANSFERRED] = true, [COMPUTED] = true },
	[TRANSFER] = { true, true, true },
};
static const char *const names[WRITERS] = { "without a barrier behind a build",
					    "without a barrier behind a transfer",
					    "without a barrier behind a compute shader" };

/* The last write of writer w is not yet visible to use u. */
static bool unseen[WRITERS][USERS];

static bool covers(VkPipelineStageFlags stage, VkAccessFlags access, struct scope of)
{
	const VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

	return (stage & (of.stage | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)) &&
	       (access & (of.access | any));
}

static void use(const char *what, int user)
{
	for (int w = 0; w < WRITERS; w++) {
		if (matters[user][w] && unseen[w][user])
			report(what, names[w]);
		unseen[w][user] = false; /* report once */
	}
}

static void write_by(int writer)
{
	for (int u = 0; u < USERS && writer < WRITERS; u++)
		unseen[writer][u] = true;
}

/* ---- objects --------------------------------------------------------------------------------- */

static bool is_busy; /* commands are recorded or running */
static int left;     /* objects that were made and not destroyed */

/* The result of a call that makes an object, or fails. */
static VkResult made(VkResult result)
{
	left += result == VK_SUCCESS;
	return result;
}

static void end(uint64_t object, const char *what)
{
	left -= object != 0;
	if (is_busy && object)
		report(what, "is destroyed, which commands may use that run");
}

/* ---- checked calls --------------------------------------------------------------------------- */

#define CALLS(X)                                  \
	X(CmdPipelineBarrier)                     \
	X(CmdBuildAccelerationStructuresKHR)      \
	X(CmdDispatch)                            \
	X(CmdCopyBuffer)                          \
	X(CmdFillBuffer)                          \
	X(CmdUpdateBuffer)                        \
	X(AllocateMemory)                         \
	X(BeginCommandBuffer)                     \
	X(ResetCommandPool)                       \
	X(DestroyBuffer)                          \
	X(DestroyPipeline)                        \
	X(DestroyQueryPool)                       \
	X(DestroyAccelerationStructureKHR)        \
	X(DestroyPipelineLayout)                  \
	X(DestroyShaderModule)                    \
	X(DestroySemaphore)                       \
	X(DestroyCommandPool)                     \
	X(FreeMemory)                             \
	X(GetPhysicalDeviceProperties2)           \
	X(GetPhysicalDeviceMemoryProperties2)     \
	X(GetPhysicalDeviceFeatures2)             \
	X(GetPhysicalDeviceQueueFamilyProperties) \
	X(GetQueryPoolResults)
#define NEXT(name) static PFN_vk##name next_##name;
CALLS(NEXT)
#undef NEXT

static VKAPI_ATTR void VKAPI_CALL at_CmdPipelineBarrier(
	VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after,
	VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier *barrier, uint32_t buffers,
	const VkBufferMemoryBarrier *buffer, uint32_t images, const VkImageMemoryBarrier *image)
{
	if (is_planted("barrier") && before == BUILDS && after == BUILDS)
		return;
	for (uint32_t i = 0; i < count; i++)
		for (int w = 0; w < WRITERS; w++)
			for (int u = 0; u < USERS; u++)
				if (covers(before, barrier[i].srcAccessMask, writers[w]) &&
				    covers(after, barrier[i].dstAccessMask, users[u]))
					unseen[w][u] = false;
	next_CmdPipelineBarrier(commands, before, after, flags, count, barrier, buffers, buffer,
				images, image);
}

static VKAPI_ATTR void VKAPI_CALL
at_CmdBuildAccelerationStructuresKHR(VkCommandBuffer commands, uint32_t count,
				     const VkAccelerationStructureBuildGeometryInfoKHR *infos,
				     const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
	use("a build reads its input", BUILD_INPUT);
	use("a build uses a tree", BUILD_STRUCTURE);
	write_by(BUILT);
	next_CmdBuildAccelerationStructuresKHR(commands, count, infos, ranges);
}

static VKAPI_ATTR void VKAPI_CALL at_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
						 uint32_t z)
{
	use("a compute shader reads a tree", COMPUTE_STRUCTURE);
	use("a compute shader", COMPUTE_MEMORY);
	write_by(COMPUTED);
	next_CmdDispatch(commands, x, y, z);
}

/* A command with one use, followed by a write of `writer`. */
#define ONE_USE(call, what, user, writer, parameters, arguments) \
	static VKAPI_ATTR void VKAPI_CALL at_##call parameters   \
	{                                                        \
		use(what, user);                                 \
		write_by(writer);                                \
		next_##call arguments;                           \
	}
ONE_USE(CmdCopyBuffer, "a copy", TRANSFER, TRANSFERRED,
	(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
	 const VkBufferCopy *region),
	(commands, from, to, count, region))
ONE_USE(CmdFillBuffer, "a fill", TRANSFER, TRANSFERRED,
	(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize at, VkDeviceSize bytes,
	 uint32_t value),
	(commands, buffer, at, bytes, value))

ONE_USE(CmdUpdateBuffer, "an update", TRANSFER, TRANSFERRED,
	(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize at, VkDeviceSize bytes,
	 const void *data),
	(commands, buffer, at, bytes, data))

/* The staging buffer is larger and exists earlier. */
static VKAPI_ATTR VkResult VKAPI_CALL at_AllocateMemory(VkDevice device,
							const VkMemoryAllocateInfo *info,
							const VkAllocationCallbacks *allocator,
							VkDeviceMemory *memory)
{
	if (is_planted("memory") && info->allocationSize >= 65536 &&
	    info->allocationSize < 16 << 20)
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	return fails() ? failure() : made(next_AllocateMemory(device, info, allocator, memory));
}

/* ---- destruction ----------------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL at_BeginCommandBuffer(VkCommandBuffer commands,
							    const VkCommandBufferBeginInfo *info)
{
	if (fails())
		return failure();
	is_busy = true;
	return next_BeginCommandBuffer(commands, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL at_ResetCommandPool(VkDevice device, VkCommandPool pool,
							  VkCommandPoolResetFlags flags)
{
	is_busy = false;
	return next_ResetCommandPool(device, pool, flags);
}

#define DESTROYED(call, type, what)                                                    \
	static VKAPI_ATTR void VKAPI_CALL at_##call(VkDevice device, Vk##type object,  \
						    const VkAllocationCallbacks *with) \
	{                                                                              \
		end((uint64_t)object, what);                                           \
		next_##call(device, object, with);                                     \
	}
DESTROYED(DestroyBuffer, Buffer, "a buffer")
DESTROYED(FreeMemory, DeviceMemory, "memory")
DESTROYED(DestroyPipeline, Pipeline, "a pipeline")
DESTROYED(DestroyPipelineLayout, PipelineLayout, "a layout")
DESTROYED(DestroyShaderModule, ShaderModule, "a shader")
DESTROYED(DestroyQueryPool, QueryPool, "a query pool")
DESTROYED(DestroyAccelerationStructureKHR, AccelerationStructureKHR, "a tree")
DESTROYED(DestroySemaphore, Semaphore, "a semaphore")
DESTROYED(DestroyCommandPool, CommandPool, "a command pool")

/* The open device has five objects, and its flushes a buffer with memory. */
__attribute__((destructor)) static void count_left(void)
{
	if (left > 7)
		report("the process ends", "with objects that are left");
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
#define FALLIBLE(X, MAKES)            \
	X(CreateInstance)             \
	X(EnumeratePhysicalDevices)   \
	X(CreateDevice)               \
	X(BindBufferMemory)           \
	X(MapMemory)                  \
	X(AllocateCommandBuffers)     \
	X(EndCommandBuffer)           \
	X(QueueSubmit)                \
	X(SignalSemaphore)            \
	X(WaitSemaphores)             \
	MAKES(CreateBuffer)           \
	MAKES(CreateCommandPool)      \
	MAKES(CreateSemaphore)        \
	MAKES(CreateQueryPool)        \
	MAKES(CreateShaderModule)     \
	MAKES(CreatePipelineLayout)   \
	MAKES(CreateComputePipelines) \
	MAKES(CreateAccelerationStructureKHR)
#define PASS_ON(call, note)                                                                   \
	static any_call *next_##call;                                                         \
	static VkResult at_##call(size_t a, size_t b, size_t c, size_t d, size_t e, size_t f, \
				  size_t g, size_t h)                                         \
	{                                                                                     \
		return fails() ? failure() : note(next_##call(a, b, c, d, e, f, g, h));       \
	}
#define MAY_FAIL(call) PASS_ON(call, )
#define MAY_MAKE(call) PASS_ON(call, made)
FALLIBLE(MAY_FAIL, MAY_MAKE)

/* ---- lookup of functions --------------------------------------------------------------------- */

static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction real)
{
#define LOOK(call)                                           \
	if (real && !strcmp(name, "vk" #call)) {             \
		next_##call = (__typeof__(next_##call))real; \
		return (PFN_vkVoidFunction)at_##call;        \
	}
	CALLS(LOOK)
	FALLIBLE(LOOK, LOOK)
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
	const char *loader = getenv("RECORDER_LOADER");
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
