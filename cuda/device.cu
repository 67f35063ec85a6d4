/* device.cu -- the CUDA back end: one device, one stream, counted memory.
 *
 * open() is called before every measurement.  The first call looks for a driver and a device and
 * remembers what was missing; later ones see that the context still works, and start a new one
 * after a kernel that failed: an illegal access must not take the rest of a sweep with it.
 */
#include <stdio.h>
#include <string.h>

#include "common/backend.h"
#include "common/memory.h"
#include "common/text.h"
#include "cuda/backend.h"
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/nvml.h"

/* What gpu_sm_count() says without a device: no GPU of today has many more. */
enum { MANY_SMS = 160 };

/* Where tokens for dry allocations lie: no address that a machine hands out. */
static const uintptr_t TOKENS = (uintptr_t)0xd1 << 48;

static struct {
	bool open;
	int device;
	int sm_count;
	cudaStream_t stream;
	int absent_device;      /* the last one that could not be opened, ... */
	struct gb_error absent; /* ... and why; code 0: none */
	uintptr_t tokens;       /* handed out so far */
} gpu;

/* ---- is there a GPU? ---------------------------------------------------------------------- */

static __global__ void probe(void)
{
}

/* A sentence for the errors that say something about the machine, not about the program.  By
 * number: not every version of CUDA has all names. */
static const char *missing(int result)
{
	switch (result) {
	case 34: /* cudaErrorStubLibrary */
		return "the CUDA driver found is the toolkit's stub: libcuda.so.1 of the NVIDIA "
		       "driver must come first in the library path";
	case 35: /* cudaErrorInsufficientDriver */
		return "no NVIDIA driver is installed, or it is too old for the CUDA runtime of "
		       "this build";
	case 46: /* cudaErrorDevicesUnavailable */
		return "the GPU is busy or in exclusive mode for another process";
	case 100: /* cudaErrorNoDevice */
		return "the NVIDIA driver finds no GPU (see CUDA_VISIBLE_DEVICES)";
	case 209: /* cudaErrorNoKernelImageForDevice */
		return "this build has no code for the GPU's architecture: rebuild with SMS= set "
		       "to its compute capability";
	case 222: /* cudaErrorUnsupportedPtxVersion */
		return "the NVIDIA driver is too old for the PTX of this build: rebuild with SMS= "
		       "set to the GPU's compute capability";
	case 802: /* cudaErrorSystemNotReady */
		return "the GPUs are not ready: the fabric manager is not running";
	case 803: /* cudaErrorSystemDriverMismatch */
		return "libcuda.so.1 and the NVIDIA kernel module are of different versions";
	default:
		return NULL;
	}
}

static bool found(struct gb_error *err, cudaError_t result, const char *call)
{
	const char *why = missing((int)result);

	if (result == cudaSuccess)
		return true;
	(void)cudaGetLastError();
	if (why)
		(void)gb_fail(err, GB_EUNAVAILABLE, "%s", why);
	else
		(void)gb_fail(err, GB_EUNAVAILABLE, "no usable GPU: %s: %s", call,
			      cudaGetErrorString(result));
	return false;
}

/* Give this process `device` and run a kernel on it. */
static enum gb_status probe_device(int device, struct gb_error *err)
{
	int count = 0;

	if (!found(err, cudaGetDeviceCount(&count), "cudaGetDeviceCount"))
		return err->code;
	if (device < 0 || device >= count)
		return gb_fail(err, GB_EUNAVAILABLE, "there is no GPU %d: this machine has %d%s",
			       device, count, count ? ", counted from 0" : "");
	if (!found(err, cudaSetDevice(device), "cudaSetDevice"))
		return err->code;
	GPU_LAUNCH(probe, 1, 1, 0, 0);
	if (!found(err, cudaGetLastError(), "first launch") ||
	    !found(err, cudaDeviceSynchronize(), "first kernel"))
		return err->code;
	return GB_OK;
}

/* ---- open and close ----------------------------------------------------------------------- */

static void close_device(void)
{
	if (!gpu.open)
		return;
	gpu_hold_destroy();
	gpu_clock_destroy();
	gpu_flush_destroy();
	if (gpu.stream)
		(void)cudaStreamDestroy(gpu.stream);
	gpu.stream = 0;
	gpu.sm_count = 0;
	gpu.open = false;
}

/* False after a kernel that failed: then every call fails until the context is gone. */
static bool context_works(void)
{
	const cudaError_t result = cudaStreamQuery(gpu.stream);

	(void)cudaGetLastError();
	return result == cudaSuccess || result == cudaErrorNotReady;
}

static enum gb_status start(int device, struct gb_error *err)
{
	gpu.open = true;
	gpu.device = device;
	gpu.sm_count = gpu_attribute(cudaDevAttrMultiProcessorCount);
	if (!CUDA_OK(err, cudaStreamCreate(&gpu.stream)) || gpu_flush_create(err) ||
	    gpu_hold_create(err) || gpu_clock_create(err)) {
		close_device();
		return err->code;
	}
	return GB_OK;
}

/* Once a kernel has failed, every call does until the context is gone. */
static void reset_device(void)
{
	close_device();
	(void)cudaDeviceReset();
	(void)cudaGetLastError();
}

static enum gb_status open_device(int device, struct gb_error *err)
{
	if (gpu.open && gpu.device == device && context_works())
		return GB_OK;
	if (gpu.open)
		reset_device();
	if (!gpu.absent.code || gpu.absent_device != device) {
		memset(&gpu.absent, 0, sizeof gpu.absent);
		gpu.absent_device = device;
		(void)probe_device(device, &gpu.absent);
	}
	if (gpu.absent.code)
		return gb_fail(err, gpu.absent.code, "%s", gpu.absent.message);
	return start(device, err);
}

static enum gb_status synchronize(struct gb_error *err)
{
	if (!CUDA_OK(err, cudaStreamSynchronize(gpu.stream)) || !CUDA_OK(err, cudaGetLastError()))
		return err->code;
	return GB_OK;
}

/* ---- what variants use -------------------------------------------------------------------- */

cudaStream_t gpu_stream(void)
{
	return gpu.stream;
}

int gpu_sm_count(void)
{
	return gpu.sm_count > 0 ? gpu.sm_count : MANY_SMS;
}

static int attribute_of(enum cudaDeviceAttr attribute, int device)
{
	int value = 0;

	if (cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	return value;
}

int gpu_attribute(enum cudaDeviceAttr attribute)
{
	return gpu.open ? attribute_of(attribute, gpu.device) : 0;
}

static bool is_token(const void *pointer)
{
	return (uintptr_t)pointer >= TOKENS && (uintptr_t)pointer <= TOKENS + gpu.tokens;
}

/* The allocation itself; *pointer is NULL on failure. */
static enum gb_status allocate(void **pointer, size_t bytes, struct gb_error *err)
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
		(void)CUDA_OK(err, result);
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

enum gb_status gpu_alloc(void **pointer, size_t count, size_t size, struct gb_error *err)
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

void gpu_free(void *pointer)
{
	if (!pointer)
		return;
	gb_memory_remove(pointer);
	release(pointer);
}

/* ---- what the record says of the machine -------------------------------------------------- */

/* The emulator has no NVML: an empty address leaves all unknown. */
static void pci_address(char *text, size_t size, int device)
{
	text[0] = '\0';
	if (!GPU_EMULATED && cudaDeviceGetPCIBusId(text, (int)size, device) != cudaSuccess)
		text[0] = '\0';
}

static void state(struct gb_gpu_state *state)
{
	char pci[32];

	pci_address(pci, sizeof pci, gpu.device);
	gb_nvml_state(pci, state);
}

/* The name that nvidia-smi -L shows. */
static void uuid_text(char *text, size_t size, const void *uuid)
{
	unsigned char id[16];

	memcpy(id, uuid, sizeof id);
	(void)snprintf(text, size,
		       "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		       id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10],
		       id[11], id[12], id[13], id[14], id[15]);
}

/* CUDA writes 13.0 as 13000. */
static void version_text(char text[16], int version)
{
	if (version > 0)
		(void)snprintf(text, 16, "%d.%d", version / 1000, version % 1000 / 10);
}

static void describe_driver(struct gb_cuda_info *cuda)
{
	int runtime = 0, driver = 0;

	memset(cuda, 0, sizeof *cuda);
	if (GPU_EMULATED)
		return;
	(void)cudaRuntimeGetVersion(&runtime);
	(void)cudaDriverGetVersion(&driver);
	version_text(cuda->runtime, runtime);
	version_text(cuda->driver_api, driver);
	gb_nvml_driver(cuda->driver, sizeof cuda->driver);
}

static enum gb_status describe(int id, struct gb_gpu_info *info, struct gb_error *err)
{
	cudaDeviceProp properties;

	memset(info, 0, sizeof *info);
	if (!CUDA_OK(err, cudaGetDeviceProperties(&properties, id)))
		return err->code;
	info->id = id;
	(void)snprintf(info->name, sizeof info->name, "%.127s", properties.name);
	info->cc_major = properties.major;
	info->cc_minor = properties.minor;
	info->memory_bytes = (int64_t)properties.totalGlobalMem;
	info->sm_count = attribute_of(cudaDevAttrMultiProcessorCount, id);
	info->l2_bytes = attribute_of(cudaDevAttrL2CacheSize, id);
	info->bus_bits = attribute_of(cudaDevAttrGlobalMemoryBusWidth, id);
	info->memory_clock_khz = attribute_of(cudaDevAttrMemoryClockRate, id);
	info->sm_clock_khz = attribute_of(cudaDevAttrClockRate, id);
	info->ecc = attribute_of(cudaDevAttrEccEnabled, id);
	info->emulated = GPU_EMULATED != 0;
	if (!info->emulated)
		uuid_text(info->uuid, sizeof info->uuid, &properties.uuid);
	pci_address(info->pci, sizeof info->pci, id);
	gb_nvml_settings(info->pci, info);
	return GB_OK;
}

static enum gb_status devices(struct gb_gpu_info *info, size_t room, size_t *count,
			      struct gb_cuda_info *cuda, struct gb_error *err)
{
	int there = 0;

	*count = 0;
	describe_driver(cuda);
	if (!found(err, cudaGetDeviceCount(&there), "cudaGetDeviceCount"))
		return err->code;
	for (int id = 0; id < there && (size_t)id < room; id++)
		if (describe(id, &info[id], err))
			return err->code;
	*count = (size_t)there;
	return GB_OK;
}

extern const struct gb_backend_ops gb_cuda_backend; /* for common/backends.c */
const struct gb_backend_ops gb_cuda_backend = {
	.name = "cuda",
	.emulated = GPU_EMULATED != 0,
	.open = open_device,
	.flush = gpu_flush,
	.hold = gpu_hold,
	.let_go = gpu_let_go,
	.synchronize = synchronize,
	.sm_clock_hz = gpu_clock_hz,
	.state = state,
	.devices = devices,
	.timer = &gb_cuda_timer,
	.close = close_device,
};
