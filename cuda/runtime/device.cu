/* device.cu -- the device in use: its stream, its memory accounting, its attributes. */
#include "cuda/runtime/device.h"

#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "cuda/runtime/parts.h"

/* Result of gpu_sm_count() without a device; few GPUs have more. */
enum { MANY_SMS = 160 };

/* Base of the tokens that stand for dry allocations; no allocator returns such an address. */
static const uintptr_t TOKENS = (uintptr_t)0xd1 << 48;

static struct {
	int number; /* -1: none */
	int sm_count, sm_shared;
	bool can_overlap;
	cudaStream_t stream;
	uintptr_t tokens; /* bytes of the token range handed out so far */
} gpu = { .number = -1 };

gb_status gpu_device_start(int number, bool can_overlap, gb_error *err)
{
	gpu.number = number;
	gpu.can_overlap = can_overlap;
	gpu.sm_count = gpu_attribute(cudaDevAttrMultiProcessorCount);
	gpu.sm_shared = gpu_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
	return CUDA_TRY(err, cudaStreamCreate(&gpu.stream));
}

void gpu_device_stop(void)
{
	if (gpu.stream)
		(void)cudaStreamDestroy(gpu.stream);
	gpu.stream = 0;
	gpu.sm_count = gpu.sm_shared = 0;
	gpu.number = -1;
}

int gpu_device_number(void)
{
	return gpu.number;
}

cudaStream_t gpu_stream(void)
{
	return gpu.stream;
}

bool gpu_can_overlap(void)
{
	return gpu.can_overlap;
}

int gpu_sm_count(void)
{
	return gpu.sm_count > 0 ? gpu.sm_count : MANY_SMS;
}

size_t gpu_sm_shared(void)
{
	return gpu.sm_shared > 0 ? (size_t)gpu.sm_shared : SIZE_MAX;
}

int gpu_attribute_of(cudaDeviceAttr attribute, int device)
{
	int value = 0;

	if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	return value;
}

int gpu_attribute(cudaDeviceAttr attribute)
{
	return gpu.number >= 0 ? gpu_attribute_of(attribute, gpu.number) : 0;
}

/* A missing driver, a missing device or too little memory is a reason to skip, not a failure. */
static gb_status status_of(cudaError_t result)
{
	switch (result) {
	case cudaErrorNoDevice:
	case cudaErrorInsufficientDriver:
		return GB_EUNAVAILABLE;
	case cudaErrorMemoryAllocation:
		return GB_EMEMORY;
	default:
		return GB_ERUNTIME;
	}
}

/* Clear the runtime's last error, so that the next launch is not blamed for it. */
gb_status gpu_try(gb_error *err, cudaError_t result, const char *call, const char *file,
		  const char *function)
{
	if (result == cudaSuccess)
		return GB_OK;
	(void)cudaGetLastError();
	return gb_fail(err, status_of(result), "%s, %s(): %s: %s", file, function, call,
		       cudaGetErrorString(result));
}

static bool is_token(const void *pointer)
{
	return (uintptr_t)pointer >= TOKENS && (uintptr_t)pointer <= TOKENS + gpu.tokens;
}

/* Allocate without accounting; *pointer is NULL on failure. */
static gb_status allocate(void **pointer, size_t bytes, gb_error *err)
{
	char need[GB_TEXT_MAX], have[GB_TEXT_MAX];
	size_t free_bytes = 0, total = 0;
	cudaError_t result;

	if (gb_memory_is_dry()) {
		gpu.tokens += 256;
		*pointer = (void *)(TOKENS + gpu.tokens);
		return GB_OK;
	}
	result = cudaMalloc(pointer, bytes ? bytes : 1);
	if (result == cudaSuccess)
		return GB_OK;
	*pointer = NULL;
	if (result != cudaErrorMemoryAllocation) {
		(void)CUDA_TRY(err, result);
		return err->code;
	}
	(void)cudaGetLastError();
	(void)cudaMemGetInfo(&free_bytes, &total);
	return gb_fail(err, GB_EMEMORY, "needs %s of device memory, %s free",
		       gb_text_bytes(need, (double)bytes), gb_text_bytes(have, (double)free_bytes));
}

static void release(void *pointer)
{
	if (!is_token(pointer))
		(void)cudaFree(pointer);
}

gb_status gpu_alloc(void **pointer, size_t count, size_t size, gb_error *err)
{
	const size_t bytes = count * size;

	*pointer = NULL;
	if (err->code)
		return err->code;
	if (size && count > PTRDIFF_MAX / size)
		return gb_fail(err, GB_EMEMORY, "%zu x %zu bytes cannot be addressed", count, size);
	if (!gb_memory_admit(err) || allocate(pointer, bytes, err))
		return err->code;
	if (gb_memory_add(GB_DEVICE_MEMORY, *pointer, bytes, release, err)) {
		release(*pointer);
		*pointer = NULL;
		return err->code;
	}
	return GB_OK;
}

/* The executors of tests/ override this to mark the memory as never written. */
extern "C" void gb_gpu_forget(void *array, size_t bytes);
__attribute__((weak)) void gb_gpu_forget(void *array, size_t bytes)
{
	(void)array;
	(void)bytes;
}

gb_status gpu_fill(void *array, unsigned char byte, size_t bytes, gb_error *err)
{
	if (CUDA_TRY(err, cudaMemsetAsync(array, byte, bytes, gpu.stream)) ||
	    CUDA_TRY(err, cudaStreamSynchronize(gpu.stream)))
		return err->code;
	if (byte)
		gb_gpu_forget(array, bytes);
	return GB_OK;
}

static gb_status copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, gb_error *err)
{
	if (err->code == GB_OK && bytes &&
	    !CUDA_TRY(err, cudaMemcpyAsync(to, from, bytes, kind, gpu.stream)))
		(void)CUDA_TRY(err, cudaStreamSynchronize(gpu.stream));
	return err->code;
}

gb_status gpu_upload(void *to, const void *from, size_t bytes, gb_error *err)
{
	return copy(to, from, bytes, cudaMemcpyHostToDevice, err);
}

gb_status gpu_download(void *to, const void *from, size_t bytes, gb_error *err)
{
	return copy(to, from, bytes, cudaMemcpyDeviceToHost, err);
}
