/* device.cc -- the CUDA runtime API: the device, its attributes, errors, occupancy.
 *
 * One device or several identical ones, with the compute capability of option CAPABILITY or else of
 * the executor's code.  It has few multiprocessors, so kernels that size their grids by their number
 * stay small.
 */
#include <stdio.h>

#include <algorithm>
#include <map>

#include "tests/cudart/runtime.h"

enum {
	L2_BYTES = 1 << 20,
	REGISTERS = 65536, /* per multiprocessor */
	PERSISTING_BYTES = L2_BYTES / 4 * 3,
	CAPABILITY_PERSISTING = 80,
	RESERVED_SHARED = 1024,
	PORTABLE_CLUSTER = 8, /* blocks; larger clusters need an attribute of the kernel */
};

bool gb_gpu_emulated = true; /* see cuda/runtime/device.cu */

/* Limits by compute capability (CUDA C++ Programming Guide, table of technical specifications). */
static const struct model {
	int capability, threads, blocks; /* per multiprocessor */
	int shared, block_shared;        /* bytes per multiprocessor, and at most per block */
	bool clusters;
} models[] = {
	{ 75, 1024, 16, 64 << 10, 64 << 10, false },
	{ 80, 2048, 32, 164 << 10, 163 << 10, false },
	{ 86, 1536, 16, 100 << 10, 99 << 10, false },
	{ 90, 2048, 32, 228 << 10, SHARED_LIMIT, true },
};

static int capability(void)
{
	options_read();
	return runtime_options.capability ? runtime_options.capability : executor_capability();
}

static const struct model *this_model(void)
{
	for (const struct model &m : models)
		if (m.capability == capability())
			return &m;
	return &models[3];
}

/* ---- errors ------------------------------------------------------------------------------ */

static cudaError_t last, sticky;

cudaError_t device_error(cudaError_t error)
{
	if (error != cudaSuccess)
		last = error;
	return error;
}

cudaError_t device_sticky(void)
{
	return sticky;
}

void device_set_sticky(cudaError_t error)
{
	if (sticky == cudaSuccess)
		sticky = error;
}

cudaError_t cudaGetLastError(void)
{
	const cudaError_t error = sticky != cudaSuccess ? sticky : last;

	last = cudaSuccess;
	return error;
}

cudaError_t cudaPeekAtLastError(void)
{
	return sticky != cudaSuccess ? sticky : last;
}

/* The text for a failed launch, or a kernel that cannot be loaded, is the first error that the
 * executor reported. */
const char *cudaGetErrorString(cudaError_t error)
{
	static const struct {
		cudaError_t error;
		const char *text;
	} texts[] = {
		{ cudaSuccess, "no error" },
		{ cudaErrorInvalidValue, "invalid argument" },
		{ cudaErrorMemoryAllocation, "out of memory" },
		{ cudaErrorInvalidConfiguration, "invalid configuration argument" },
		{ cudaErrorInvalidDeviceFunction, "invalid device function" },
		{ cudaErrorInvalidDevice, "invalid device ordinal" },
		{ cudaErrorInvalidResourceHandle, "invalid resource handle" },
		{ cudaErrorNotReady, "device not ready" },
		{ cudaErrorUnsupportedLimit, "limit is not supported on this architecture" },
		{ cudaErrorIllegalAddress, "an illegal memory access was encountered" },
		{ cudaErrorLaunchOutOfResources, "too many resources requested for launch" },
		{ cudaErrorLaunchFailure, "unspecified launch failure" },
		{ cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch" },
		{ cudaErrorNotSupported, "operation not supported" },
		{ cudaErrorInvalidClusterSize, "invalid cluster size" },
	};
	static __thread char words[600];

	snprintf(words, sizeof words, "unrecognized error code %d", (int)error);
	for (const auto &t : texts)
		if (t.error == error)
			snprintf(words, sizeof words, "%s", t.text);
	if ((error == cudaErrorLaunchFailure || error == cudaErrorIllegalAddress ||
	     error == cudaErrorInvalidDeviceFunction) &&
	    report_first())
		snprintf(words, sizeof words, "emulator: %s", report_first());
	return words;
}

/* ---- the device -------------------------------------------------------------------------- */

static int current_device;

static cudaError_t known_device(int device)
{
	options_read();
	return device >= 0 && device < runtime_options.devices
		       ? cudaSuccess
		       : device_error(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceCount(int *count)
{
	options_read();
	*count = runtime_options.devices;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
	*device = current_device;
	return cudaSuccess;
}

/* Memory is not bound to a device: a kernel that uses another device's memory is not detected. */
cudaError_t cudaSetDevice(int device)
{
	const cudaError_t result = known_device(device);

	if (result == cudaSuccess)
		current_device = device;
	return result;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	const struct model *const m = this_model();
	const bool persisting =
		m->capability >= CAPABILITY_PERSISTING && runtime_options.persisting;
	const struct {
		enum cudaDeviceAttr attribute;
		int value;
	} table[] = {
		{ cudaDevAttrMaxGridDimX, 0x7fffffff },
		{ cudaDevAttrMaxSharedMemoryPerBlock, STATIC_SHARED_LIMIT },
		{ cudaDevAttrClockRate, 0 },
		{ cudaDevAttrMultiProcessorCount, runtime_options.processors },
		{ cudaDevAttrEccEnabled, 0 },
		{ cudaDevAttrMemoryClockRate, 0 },
		{ cudaDevAttrGlobalMemoryBusWidth, 0 },
		{ cudaDevAttrL2CacheSize, L2_BYTES },
		{ cudaDevAttrComputeCapabilityMajor, capability() / 10 },
		{ cudaDevAttrComputeCapabilityMinor, capability() % 10 },
		{ cudaDevAttrMaxSharedMemoryPerMultiprocessor, m->shared },
		{ cudaDevAttrMaxSharedMemoryPerBlockOptin, m->block_shared },
		{ cudaDevAttrMaxPersistingL2CacheSize, persisting ? PERSISTING_BYTES : 0 },
		{ cudaDevAttrClusterLaunch, m->clusters && runtime_options.clusters },
	};

	for (const auto &row : table) {
		if (row.attribute == attribute) {
			*value = row.value;
			return cudaSuccess;
		}
	}
	report_error("cudaDeviceGetAttribute: attribute %d is not emulated", (int)attribute);
	return device_error(cudaErrorInvalidValue);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	*p = {};
	snprintf(p->name, sizeof p->name, "PTX emulator");
	p->totalGlobalMem = runtime_options.memory;
	p->major = capability() / 10;
	p->minor = capability() % 10;
	return cudaSuccess;
}

/* An error unless a test sets the address of a device in a fake NVML. */
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	snprintf(text, (size_t)length, "%s", runtime_options.pci ? runtime_options.pci : "");
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	return cudaRuntimeGetVersion(version);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

/* ---- functions --------------------------------------------------------------------------- */

struct function {
	int dynamic_limit = STATIC_SHARED_LIMIT;
	bool large_clusters = false;
};

/* Never destroyed: kernels may be launched during exit. */
static std::map<const void *, struct function> &functions(void)
{
	static std::map<const void *, struct function> *const map =
		new std::map<const void *, struct function>;

	return *map;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
	struct kernel_facts facts;

	if (executor_facts(kernel, &facts) != cudaSuccess)
		return device_error(cudaErrorInvalidDeviceFunction);
	switch (attribute) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		if (value < 0 || value > this_model()->block_shared)
			return device_error(cudaErrorInvalidValue);
		functions()[kernel].dynamic_limit = value;
		return cudaSuccess;
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
		functions()[kernel].large_clusters = value != 0;
		return cudaSuccess;
	default:
		return cudaSuccess;
	}
}

int function_dynamic_limit(const void *kernel)
{
	const auto found = functions().find(kernel);

	return found == functions().end() ? (int)STATIC_SHARED_LIMIT : found->second.dynamic_limit;
}

unsigned function_most_cluster_blocks(const void *kernel)
{
	options_read();
	const auto found = functions().find(kernel);
	const bool large = found != functions().end() && found->second.large_clusters;

	return std::min(runtime_options.cluster_blocks,
			large ? (unsigned)MAX_CLUSTER : (unsigned)PORTABLE_CLUSTER);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
	struct kernel_facts facts;
	const cudaError_t result = executor_facts(kernel, &facts);

	if (result != cudaSuccess)
		return device_error(result);
	*attributes = {};
	attributes->maxThreadsPerBlock = facts.max_threads ? facts.max_threads : (int)MAX_THREADS;
	attributes->numRegs = facts.registers;
	attributes->sharedSizeBytes = facts.shared_bytes;
	attributes->localSizeBytes = facts.local_bytes;
	attributes->ptxVersion = attributes->binaryVersion = executor_capability();
	attributes->maxDynamicSharedSizeBytes = function_dynamic_limit(kernel);
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
							  int block_size, size_t dynamic_bytes)
{
	const struct model *const m = this_model();
	struct kernel_facts facts;
	const cudaError_t result = executor_facts(kernel, &facts);

	if (result != cudaSuccess)
		return device_error(result);
	if (block_size < 1 || block_size > MAX_THREADS)
		return device_error(cudaErrorInvalidValue);
	const int rounded = (block_size + LANES - 1) / LANES * LANES;
	const size_t shared = facts.shared_bytes + dynamic_bytes + RESERVED_SHARED;

	*blocks = std::min({ m->threads / rounded, m->blocks, (int)((size_t)m->shared / shared),
			     runtime_options.sm_blocks });
	if (facts.registers)
		*blocks = std::min(*blocks, REGISTERS / (rounded * facts.registers));
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
								   int block_size,
								   size_t dynamic_bytes, unsigned)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size,
							     dynamic_bytes);
}

cudaError_t cudaDeviceReset(void)
{
	streams_drop_all();
	cache_forget();
	memory_report_leaks();
	memory_release_all();
	functions().clear();
	executor_forget();
	last = sticky = cudaSuccess;
	options_forget();
	options_read();
	return cudaSuccess;
}
