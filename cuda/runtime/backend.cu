/* backend.cu -- the CUDA back end: finds the device, opens it, describes it.
 *
 * open() is called before every measurement.  The first call looks for a driver and a device and
 * remembers why they are missing.  Later calls check that the context still works and reset it
 * after a failed kernel, so that one illegal access does not end the whole sweep.
 */
#include <stdio.h>
#include <string.h>

#include "common/backend.h"
#include "common/devices.h"
#include "common/nvml.h"
#include "common/text.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/parts.h"

/* Why the device requested last could not be opened; code 0: it could, or none was requested. */
static struct {
	int device;
	gb_error why;
} absent;

/* ---- device detection --------------------------------------------------------------------- */

static __global__ void probe(void)
{
}

/* Explain errors that concern the machine, not the program; NULL for all others.  The values are
 * numeric because not every CUDA version defines all names. */
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
		return "this build has no code for the GPU's architecture";
	case 222: /* cudaErrorUnsupportedPtxVersion */
		return "the NVIDIA driver is too old for the PTX of this build";
	case 802: /* cudaErrorSystemNotReady */
		return "the GPUs are not ready: the fabric manager is not running";
	case 803: /* cudaErrorSystemDriverMismatch */
		return "libcuda.so.1 and the NVIDIA kernel module are of different versions";
	default:
		return NULL;
	}
}

/* The GPU in use, as in make's SMS. */
static int architecture(void)
{
	int id = 0;

	(void)cudaGetDevice(&id);
	return 10 * gpu_attribute_of(cudaDevAttrComputeCapabilityMajor, id) +
	       gpu_attribute_of(cudaDevAttrComputeCapabilityMinor, id);
}

static bool found(gb_error *err, cudaError_t result, const char *call)
{
	const char *why = missing((int)result);

	if (result == cudaSuccess)
		return true;
	(void)cudaGetLastError();
	if (result == 209 || result == 222)
		(void)gb_fail(err, GB_EUNAVAILABLE, "%s: rebuild with `make SMS=%d`", why,
			      architecture());
	else if (why)
		(void)gb_fail(err, GB_EUNAVAILABLE, "%s", why);
	else
		(void)gb_fail(err, GB_EUNAVAILABLE, "no usable GPU: %s: %s", call,
			      cudaGetErrorString(result));
	return false;
}

/* Select `device` for this process and run a kernel on it. */
static gb_status probe_device(int device, gb_error *err)
{
	int count = 0;

	if (!found(err, cudaGetDeviceCount(&count), "cudaGetDeviceCount"))
		return err->code;
	if (device < 0 || device >= count)
		return gb_fail(err, GB_EUNAVAILABLE, "there is no GPU %d: this machine has %d%s",
			       device, count, count ? ", counted from 0" : "");
	if (!found(err, cudaSetDevice(device), "cudaSetDevice"))
		return err->code;
	probe<<<1, 1>>>();
	if (!found(err, cudaGetLastError(), "first launch") ||
	    !found(err, cudaDeviceSynchronize(), "first kernel"))
		return err->code;
	return GB_OK;
}

/* ---- open and close ----------------------------------------------------------------------- */

static void close_device(void)
{
	if (gpu_device_number() < 0)
		return;
	gpu_hold_destroy();
	gpu_clock_destroy();
	gpu_flush_destroy();
	gpu_device_stop();
}

/* False after a failed kernel: every later call fails until the context is destroyed. */
static bool context_works(void)
{
	const cudaError_t result = cudaStreamQuery(gpu_stream());

	(void)cudaGetLastError();
	return result == cudaSuccess || result == cudaErrorNotReady;
}

static gb_status start(int device, gb_error *err)
{
	if (gpu_device_start(device, gpu_code_has_sm_90(probe), err) || gpu_flush_create(err) ||
	    gpu_hold_create(err) || gpu_clock_create(err)) {
		close_device();
		return err->code;
	}
	return GB_OK;
}

/* Destroy the context, and with it the sticky error of a failed kernel. */
static void reset_device(void)
{
	close_device();
	(void)cudaDeviceReset();
	(void)cudaGetLastError();
}

static gb_status open_device(int device, gb_error *err)
{
	static bool broken; /* a kernel has failed in this process */
	const bool is_open = gpu_device_number() >= 0;

	if (is_open && gpu_device_number() == device && context_works())
		return GB_OK;
	if (is_open) {
		broken = broken || !context_works();
		reset_device();
	}
	if (!absent.why.code || absent.device != device) {
		memset(&absent, 0, sizeof absent);
		absent.device = device;
		(void)probe_device(device, &absent.why);
	}
	if (absent.why.code && broken)
		return gb_fail(err, absent.why.code,
			       "the driver denies this process the GPU after a failed kernel: "
			       "run again with --resume");
	if (absent.why.code)
		return gb_fail(err, absent.why.code, "%s", absent.why.message);
	return start(device, err);
}

static gb_status synchronize(gb_error *err)
{
	if (gpu_wait(err) || CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return GB_OK;
}

/* ---- description of the machine ----------------------------------------------------------- */

/* True in the executors of tests/, which are linked in place of the CUDA runtime. */
__attribute__((weak)) bool gb_gpu_emulated = false;
/* Set by an executor that counts operations. */
__attribute__((weak)) const gb_counter *gb_gpu_counter = NULL;

/* An executor has no PCI address unless a test sets one.  Without it NVML finds no device, and
 * every value is unknown. */
static void pci_address(char *text, size_t size, int device)
{
	if (cudaDeviceGetPCIBusId(text, (int)size, device) != cudaSuccess) {
		(void)cudaGetLastError();
		text[0] = '\0';
	}
}

static void state(gb_gpu_state *state)
{
	char pci[32];

	pci_address(pci, sizeof pci, gpu_device_number());
	gb_nvml_state(pci, state);
}

static double throttled_ns(void)
{
	char pci[32];

	pci_address(pci, sizeof pci, gpu_device_number());
	return gb_nvml_throttled_ns(pci);
}

/* CUDA encodes 13.0 as 13000. */
static void version_text(char text[16], int version)
{
	if (version > 0)
		(void)snprintf(text, 16, "%d.%d", version / 1000, version % 1000 / 10);
}

static void describe_driver(gb_cuda_info *cuda)
{
	int runtime = 0, driver = 0;

	memset(cuda, 0, sizeof *cuda);
	if (gb_gpu_emulated)
		return;
	(void)cudaRuntimeGetVersion(&runtime);
	(void)cudaDriverGetVersion(&driver);
	version_text(cuda->runtime, runtime);
	version_text(cuda->driver_api, driver);
	gb_nvml_driver(cuda->driver, sizeof cuda->driver);
}

/* Which code runs on the open device.  A build that has PTX of compute_N also has code of sm_N, so
 * the driver compiles PTX only for another architecture. */
static void describe_code(char text[40])
{
	cudaFuncAttributes code;

	if (cudaFuncGetAttributes(&code, probe) != cudaSuccess)
		(void)cudaGetLastError();
	else if (gb_gpu_emulated)
		(void)snprintf(text, 40, "PTX sm_%d, interpreted", code.ptxVersion);
	else if (code.binaryVersion == code.ptxVersion)
		(void)snprintf(text, 40, "sm_%d", code.binaryVersion);
	else
		(void)snprintf(text, 40, "compute_%d by the driver", code.ptxVersion);
}

/* A GPU's compute mode, and whether this process runs under MPS, which CUDA 12.2 and later know. */
static void describe_sharing(int id, gb_gpu_info *info)
{
	static const char *const mode[] = { "default", "exclusive", "prohibited",
					    "exclusive process" };
	int value;

	if (cudaDeviceGetAttribute(&value, cudaDevAttrComputeMode, id) == cudaSuccess &&
	    (size_t)value < GB_COUNT(mode))
		(void)snprintf(info->compute_mode, sizeof info->compute_mode, "%s", mode[value]);
	info->mps = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)133, id) == cudaSuccess &&
		    value != 0;
	(void)cudaGetLastError();
}

static gb_status describe(int id, gb_gpu_info *info, gb_error *err)
{
	cudaDeviceProp properties;

	memset(info, 0, sizeof *info);
	if (CUDA_TRY(err, cudaGetDeviceProperties(&properties, id)))
		return err->code;
	info->id = id;
	(void)snprintf(info->name, sizeof info->name, "%.127s", properties.name);
	info->cc_major = properties.major;
	info->cc_minor = properties.minor;
	if (id == gpu_device_number())
		describe_code(info->code);
	info->memory_bytes = (int64_t)properties.totalGlobalMem;
	info->sm_count = gpu_attribute_of(cudaDevAttrMultiProcessorCount, id);
	info->l2_bytes = gpu_attribute_of(cudaDevAttrL2CacheSize, id);
	info->bus_bits = gpu_attribute_of(cudaDevAttrGlobalMemoryBusWidth, id);
	info->memory_clock_khz = gpu_attribute_of(cudaDevAttrMemoryClockRate, id);
	info->sm_clock_khz = gpu_attribute_of(cudaDevAttrClockRate, id);
	info->ecc = gpu_attribute_of(cudaDevAttrEccEnabled, id);
	info->emulated = gb_gpu_emulated;
	if (!info->emulated) {
		gb_gpu_uuid_text(info->uuid, &properties.uuid);
		describe_sharing(id, info);
	}
	pci_address(info->pci, sizeof info->pci, id);
	gb_nvml_settings(info->pci, info);
	return GB_OK;
}

static gb_status devices(gb_gpu_info *info, size_t room, size_t *count, gb_cuda_info *cuda,
			 gb_error *err)
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

static bool is_emulated(void)
{
	return gb_gpu_emulated;
}

static void *stream(void)
{
	return gpu_stream();
}

static void *allocate(size_t count, size_t size, gb_error *err)
{
	void *memory = NULL;

	(void)gpu_alloc(&memory, count, size, err);
	return memory;
}

extern const gb_backend_ops gb_cuda_backend; /* for common/backends.c */
const gb_backend_ops gb_cuda_backend = {
	.name = "cuda",
	.is_emulated = is_emulated,
	.open = open_device,
	.flush = gpu_flush,
	.flush_bytes = gpu_flush_bytes,
	.fill = gpu_fill,
	.hold = gpu_hold,
	.let_go = gpu_let_go,
	.has_held = gpu_has_held,
	.range = gpu_range,
	.synchronize = synchronize,
	.sm_clock_hz = gpu_clock_hz,
	.state = state,
	.throttled_ns = throttled_ns,
	.devices = devices,
	.counter = gb_gpu_counter,
	.timer = &gb_cuda_timer,
	.stream = stream,
	.alloc = allocate,
};
