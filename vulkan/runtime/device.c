/* device.c -- the open device: its counted memory, its commands, its gate. */
#include "vulkan/runtime/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "vulkan/runtime/parts.h"

enum {
	IN_FLIGHT = 32,     /* maximum number of command buffers recorded or running */
	STAGING = 32 << 20, /* bytes per copy from or to the host */
};

static struct {
	struct vk_found found;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer commands[IN_FLIGHT];
	size_t used;    /* command buffers begun since the last wait */
	bool recording; /* the last of them is being recorded */
	bool lost;
	VkSemaphore done; /* timeline of finished submissions */
	uint64_t submitted;
	struct {
		VkSemaphore open; /* timeline of released tickets */
		uint64_t ticket;  /* ticket of the last hold */
		bool closed, given_up;
	} gate;
	struct vk_buffer staging;
} gpu;

/* ---- memory ------------------------------------------------------------------------------- */

/* The device memory available to this process, as reported by the driver. */
static VkDeviceSize free_bytes(void)
{
	VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT
	};
	VkPhysicalDeviceMemoryProperties2 all = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
		.pNext = gpu.found.has_budget ? &budget : NULL
	};
	const VkPhysicalDeviceMemoryProperties *m = &all.memoryProperties;
	VkDeviceSize bytes = 0;

	vk.GetPhysicalDeviceMemoryProperties2(gpu.found.handle, &all);
	for (uint32_t i = 0; i < m->memoryHeapCount; i++) {
		const VkDeviceSize limit =
			gpu.found.has_budget ? budget.heapBudget[i] : m->memoryHeaps[i].size;

		if (m->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT &&
		    limit > budget.heapUsage[i])
			bytes += limit - budget.heapUsage[i];
	}
	return bytes;
}

/* The first memory type among `allowed` with all wanted properties; UINT32_MAX if there is none. */
static uint32_t find_type(uint32_t allowed, VkMemoryPropertyFlags wanted)
{
	VkPhysicalDeviceMemoryProperties2 all = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2
	};

	vk.GetPhysicalDeviceMemoryProperties2(gpu.found.handle, &all);
	for (uint32_t i = 0; i < all.memoryProperties.memoryTypeCount; i++)
		if (allowed >> i & 1 &&
		    (all.memoryProperties.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	return UINT32_MAX;
}

void vk_buffer_destroy(struct vk_buffer *buffer)
{
	if (buffer->handle)
		vk.DestroyBuffer(gpu.device, buffer->handle, NULL);
	if (buffer->memory)
		vk.FreeMemory(gpu.device, buffer->memory, NULL);
	*buffer = (struct vk_buffer){ 0 };
}

static enum gb_status too_large(VkDeviceSize bytes, VkDeviceSize limit, const char *what,
				struct gb_error *err)
{
	char need[GB_TEXT_MAX], have[GB_TEXT_MAX];

	return gb_fail(err, GB_EMEMORY, "needs %s of device memory, %s %s",
		       gb_text_bytes(need, (double)bytes), gb_text_bytes(have, (double)limit),
		       what);
}

/* Allocate and bind the memory of a buffer whose handle exists. */
static enum gb_status bind(struct vk_buffer *buffer, VkMemoryPropertyFlags wanted,
			   struct gb_error *err)
{
	const VkMemoryAllocateFlagsInfo addressed = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT
	};
	VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
				      .pNext = &addressed };
	const VkBufferDeviceAddressInfo address = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer->handle
	};
	VkMemoryRequirements needs;
	VkResult result;

	vk.GetBufferMemoryRequirements(gpu.device, buffer->handle, &needs);
	info.allocationSize = needs.size;
	info.memoryTypeIndex = find_type(needs.memoryTypeBits, wanted);
	if (info.memoryTypeIndex == UINT32_MAX)
		return gb_fail(err, GB_EUNAVAILABLE, "the device has no suitable memory type");
	result = vk.AllocateMemory(gpu.device, &info, NULL, &buffer->memory);
	if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY)
		return too_large(needs.size, free_bytes(), "free", err);
	if (!VK_OK(err, result) ||
	    !VK_OK(err, vk.BindBufferMemory(gpu.device, buffer->handle, buffer->memory, 0)))
		return err->code;
	buffer->address = vk.GetBufferDeviceAddress(gpu.device, &address);
	return GB_OK;
}

enum gb_status vk_buffer_create(struct vk_buffer *buffer, size_t bytes, VkBufferUsageFlags usage,
				VkMemoryPropertyFlags wanted, struct gb_error *err)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		/* Round up: fills write words, and shaders may copy vectors of 16 bytes. */
		.size = ((VkDeviceSize)bytes + (bytes ? 15 : 16)) / 16 * 16,
		.usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};

	buffer->bytes = info.size;
	if (info.size > gpu.found.allocation)
		return too_large(info.size, gpu.found.allocation,
				 "at most in one allocation of this driver", err);
	if (!VK_OK(err, vk.CreateBuffer(gpu.device, &info, NULL, &buffer->handle)) ||
	    bind(buffer, wanted, err))
		vk_buffer_destroy(buffer);
	return err->code;
}

static void release(void *buffer)
{
	vk_settle();
	vk_buffer_destroy(buffer);
	free(buffer);
}

struct vk_buffer *vk_alloc(size_t count, size_t size, VkBufferUsageFlags usage,
			   struct gb_error *err)
{
	struct vk_buffer *buffer;

	if (err->code)
		return NULL;
	if (size && count > PTRDIFF_MAX / size) {
		(void)gb_fail(err, GB_EMEMORY, "%zu x %zu bytes cannot be addressed", count, size);
		return NULL;
	}
	if (!gb_memory_admit(err))
		return NULL;
	buffer = calloc(1, sizeof *buffer);
	if (!buffer)
		(void)gb_out_of_memory(err, NULL);
	else if (gb_memory_is_dry() || !vk_buffer_create(buffer, count * size, usage,
							 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, err))
		(void)gb_memory_add(GB_DEVICE_MEMORY, buffer, count * size, release, err);
	if (!err->code)
		return buffer;
	if (buffer)
		release(buffer);
	return NULL;
}

/* ---- commands ----------------------------------------------------------------------------- */

#define ANY_ACCESS (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

const struct vk_scope vk_anything = { VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, ANY_ACCESS };
const struct vk_scope vk_building = { VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
				      VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR |
					      VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR };
const struct vk_scope vk_reading_inputs = { VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
					    VK_ACCESS_SHADER_READ_BIT };
const struct vk_scope vk_transfer_writes = { VK_PIPELINE_STAGE_TRANSFER_BIT,
					     VK_ACCESS_TRANSFER_WRITE_BIT };

void vk_barrier(VkCommandBuffer commands, struct vk_scope before, struct vk_scope after)
{
	const VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					  .srcAccessMask = before.access,
					  .dstAccessMask = after.access };

	vk.CmdPipelineBarrier(commands, before.stage, after.stage, 0, 1, &barrier, 0, NULL, 0,
			      NULL);
}

/* Pass on the result of a call and remember if the device is lost. */
static VkResult watch(VkResult result)
{
	gpu.lost = gpu.lost || result == VK_ERROR_DEVICE_LOST;
	return result;
}

VkCommandBuffer vk_commands(struct gb_error *err)
{
	const VkCommandBufferBeginInfo once = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT
	};

	if (gpu.recording)
		return gpu.commands[gpu.used - 1];
	if (gpu.used == IN_FLIGHT && vk_wait(err))
		return NULL;
	if (!VK_OK(err, vk.BeginCommandBuffer(gpu.commands[gpu.used], &once)))
		return NULL;
	gpu.recording = true;
	return gpu.commands[gpu.used++];
}

static enum gb_status submit(struct gb_error *err)
{
	const uint64_t next = gpu.submitted + 1;
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = gpu.gate.closed,
		.pWaitSemaphoreValues = &gpu.gate.ticket,
		.signalSemaphoreValueCount = 1,
		.pSignalSemaphoreValues = &next,
	};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = gpu.gate.closed,
		.pWaitSemaphores = &gpu.gate.open,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &gpu.commands[gpu.used ? gpu.used - 1 : 0],
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &gpu.done,
	};

	if (!gpu.recording)
		return GB_OK;
	gpu.recording = false;
	if (!VK_OK(err, vk.EndCommandBuffer(*info.pCommandBuffers)) ||
	    !VK_OK(err, watch(vk.QueueSubmit(gpu.queue, 1, &info, VK_NULL_HANDLE))))
		return err->code;
	gpu.submitted = next;
	return GB_OK;
}

enum gb_status vk_wait(struct gb_error *err)
{
	const VkSemaphoreWaitInfo wait = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
					   .semaphoreCount = 1,
					   .pSemaphores = &gpu.done,
					   .pValues = &gpu.submitted };

	if (gpu.gate.closed) {
		gpu.gate.given_up = true;
		if (vk_let_go(err))
			return err->code;
	}
	if (submit(err) || !VK_OK(err, watch(vk.WaitSemaphores(gpu.device, &wait, UINT64_MAX))) ||
	    !VK_OK(err, vk.ResetCommandPool(gpu.device, gpu.pool, 0)))
		return err->code;
	gpu.used = 0;
	return GB_OK;
}

/* If submitting the last commands fails, the earlier ones still have to be waited for. */
void vk_settle(void)
{
	struct gb_error first = { 0 }, second = { 0 };

	if (gpu.used && !gpu.lost && vk_wait(&first))
		(void)vk_wait(&second);
}

/* ---- the gate ----------------------------------------------------------------------------- */

enum gb_status vk_hold(struct gb_error *err)
{
	if (submit(err))
		return err->code;
	gpu.gate.ticket++;
	gpu.gate.closed = true;
	gpu.gate.given_up = false;
	return GB_OK;
}

enum gb_status vk_let_go(struct gb_error *err)
{
	const VkSemaphoreSignalInfo open = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
					     .semaphore = gpu.gate.open,
					     .value = gpu.gate.ticket };
	const enum gb_status status = submit(err);

	if (!gpu.gate.closed)
		return status;
	gpu.gate.closed = false;
	(void)VK_OK(err, vk.SignalSemaphore(gpu.device, &open));
	return err->code;
}

bool vk_has_held(void)
{
	return !gpu.gate.given_up;
}

/* ---- transfers ---------------------------------------------------------------------------- */

/* Copy between buffers and wait.  The copy sees all earlier commands, and later commands and the
 * host see the copy. */
static enum gb_status copy(VkBuffer from, VkDeviceSize from_at, VkBuffer to, VkDeviceSize to_at,
			   size_t bytes, struct gb_error *err)
{
	const VkBufferCopy region = { .srcOffset = from_at, .dstOffset = to_at, .size = bytes };
	const VkCommandBuffer commands = vk_commands(err);

	if (!commands)
		return err->code;
	vk_barrier(commands, vk_anything, vk_anything);
	vk.CmdCopyBuffer(commands, from, to, 1, &region);
	vk_barrier(commands, vk_transfer_writes, vk_anything);
	vk_barrier(commands, vk_transfer_writes,
		   (struct vk_scope){ VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT });
	return vk_wait(err);
}

static size_t chunk(size_t bytes, size_t done)
{
	return bytes - done < STAGING ? bytes - done : STAGING;
}

/* Submit the recorded commands first: their timestamps must precede the work of the host. */
enum gb_status vk_upload(const struct vk_buffer *to, const void *from, size_t bytes,
			 struct gb_error *err)
{
	if (err->code || submit(err))
		return err->code;
	for (size_t done = 0, next; done < bytes && !err->code; done += next) {
		next = chunk(bytes, done);
		memcpy(gpu.staging.map, (const unsigned char *)from + done, next);
		(void)copy(gpu.staging.handle, 0, to->handle, done, next, err);
	}
	return err->code;
}

enum gb_status vk_download(void *to, const struct vk_buffer *from, size_t bytes,
			   struct gb_error *err)
{
	for (size_t done = 0, next; done < bytes && !err->code; done += next) {
		next = chunk(bytes, done);
		if (!copy(from->handle, done, gpu.staging.handle, 0, next, err))
			memcpy((unsigned char *)to + done, gpu.staging.map, next);
	}
	return err->code;
}

enum gb_status vk_fill(void *buffer_, unsigned char byte, size_t bytes, struct gb_error *err)
{
	const struct vk_buffer *buffer = buffer_;
	const VkCommandBuffer commands = vk_commands(err);
	const VkDeviceSize words = ((VkDeviceSize)bytes + 3) / 4 * 4;

	if (!commands)
		return err->code;
	vk_barrier(commands, vk_anything, vk_transfer_writes);
	if (words)
		vk.CmdFillBuffer(commands, buffer->handle, 0, words, byte * UINT32_C(0x01010101));
	vk_barrier(commands, vk_transfer_writes, vk_anything);
	return vk_wait(err);
}

/* ---- start and stop ----------------------------------------------------------------------- */

static enum gb_status create_device(struct gb_error *err)
{
	const struct vk_limits *limits = &gpu.found.limits;
	const char *const extension[] = { VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
					  VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME,
					  VK_KHR_RAY_QUERY_EXTENSION_NAME };
	struct vk_features wanted;
	const float priority = 1;
	const VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
						.queueFamilyIndex = gpu.found.family,
						.queueCount = 1,
						.pQueuePriorities = &priority };
	VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				    .pNext = vk_chain_features(&wanted, limits->query),
				    .enabledExtensionCount = limits->query ? 3 : 0,
				    .queueCreateInfoCount = 1,
				    .pQueueCreateInfos = &queue,
				    .ppEnabledExtensionNames = extension };

	wanted.core.bufferDeviceAddress = wanted.core.timelineSemaphore = VK_TRUE;
	wanted.structure.accelerationStructure = wanted.query.rayQuery = VK_TRUE;
	if (!VK_OK(err, vk.CreateDevice(gpu.found.handle, &info, NULL, &gpu.device)) ||
	    vk_load_device(gpu.device, err))
		return err->code;
	vk.GetDeviceQueue(gpu.device, gpu.found.family, 0, &gpu.queue);
	return GB_OK;
}

static enum gb_status create_commands(struct gb_error *err)
{
	const VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					       .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
					       .queueFamilyIndex = gpu.found.family };
	VkCommandBufferAllocateInfo buffers = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandBufferCount = IN_FLIGHT
	};
	const VkSemaphoreTypeCreateInfo timeline = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE
	};
	const VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
						  .pNext = &timeline };

	if (!VK_OK(err, vk.CreateCommandPool(gpu.device, &pool, NULL, &gpu.pool)))
		return err->code;
	buffers.commandPool = gpu.pool;
	if (!VK_OK(err, vk.AllocateCommandBuffers(gpu.device, &buffers, gpu.commands)) ||
	    !VK_OK(err, vk.CreateSemaphore(gpu.device, &semaphore, NULL, &gpu.done)) ||
	    !VK_OK(err, vk.CreateSemaphore(gpu.device, &semaphore, NULL, &gpu.gate.open)))
		return err->code;
	return GB_OK;
}

/* Create the staging buffer in host-cached memory if there is any, because the host also reads
 * it. */
static enum gb_status create_staging(struct gb_error *err)
{
	const VkMemoryPropertyFlags shared =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	const VkMemoryPropertyFlags cached = shared | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
	const bool has_cached = find_type(UINT32_MAX, cached) != UINT32_MAX;

	if (vk_buffer_create(&gpu.staging, STAGING, 0, has_cached ? cached : shared, err))
		return err->code;
	(void)VK_OK(err, vk.MapMemory(gpu.device, gpu.staging.memory, 0, VK_WHOLE_SIZE, 0,
				      &gpu.staging.map));
	return err->code;
}

enum gb_status vk_device_start(const struct vk_found *found, struct gb_error *err)
{
	gpu.found = *found;
	if (create_device(err) || create_commands(err) || create_staging(err))
		vk_device_stop();
	return err->code;
}

void vk_device_stop(void)
{
	if (gpu.device) {
		vk_settle();
		vk_buffer_destroy(&gpu.staging);
		if (gpu.gate.open)
			vk.DestroySemaphore(gpu.device, gpu.gate.open, NULL);
		if (gpu.done)
			vk.DestroySemaphore(gpu.device, gpu.done, NULL);
		if (gpu.pool)
			vk.DestroyCommandPool(gpu.device, gpu.pool, NULL);
		vk.DestroyDevice(gpu.device, NULL);
	}
	memset(&gpu, 0, sizeof gpu);
}

const struct vk_found *vk_device_found(void)
{
	return gpu.device ? &gpu.found : NULL;
}

bool vk_device_works(void)
{
	return !gpu.lost;
}

const struct vk_limits *vk_limits(void)
{
	return gpu.device ? &gpu.found.limits : NULL;
}

VkDevice vk_device(void)
{
	return gpu.device;
}

const char *vk_driver(void)
{
	return gpu.found.driver;
}
