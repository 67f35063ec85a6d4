/* runtime_device.cc -- the CUDA runtime API: the device, its attributes, errors, occupancy.
 *
 * One device, "SIMT emulator", of compute capability 9.0 so that clusters and large shared memory
 * are exercised.  Few multiprocessors, so that kernels that size their grids by them stay small.
 */
#include <stdio.h>
#include <string.h>

#include <map>

#include "tests/simt/engine.h"

enum {
	VERSION = CUDART_VERSION,
	THREADS_PER_SM = 2048,
	BLOCKS_PER_SM = 32,
	L2_BYTES = 1 << 20,
	REGISTERS = 65536,
	SHARED_PER_SM = 228 << 10,
};

/* ---- errors ------------------------------------------------------------------------------------
 */

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

/* X(name, text) for every error that the emulator gives. */
#define ERRORS(X)                                                                               \
	X(cudaSuccess, "no error")                                                              \
	X(cudaErrorInvalidValue, "invalid argument")                                            \
	X(cudaErrorMemoryAllocation, "out of memory")                                           \
	X(cudaErrorInitializationError, "initialization error")                                 \
	X(cudaErrorInvalidConfiguration, "invalid configuration argument")                      \
	X(cudaErrorInvalidSymbol, "invalid device symbol")                                      \
	X(cudaErrorInvalidDevicePointer, "invalid device pointer")                              \
	X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                 \
	X(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime "  \
				       "version")                                               \
	X(cudaErrorInvalidDeviceFunction, "invalid device function")                            \
	X(cudaErrorNoDevice, "no CUDA-capable device is detected")                              \
	X(cudaErrorInvalidDevice, "invalid device ordinal")                                     \
	X(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the " \
					   "device")                                            \
	X(cudaErrorInvalidResourceHandle, "invalid resource handle")                            \
	X(cudaErrorNotReady, "device not ready")                                                \
	X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                  \
	X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")             \
	X(cudaErrorLaunchTimeout, "the launch timed out and was terminated")                    \
	X(cudaErrorAssert, "device-side assert triggered")                                      \
	X(cudaErrorLaunchFailure, "unspecified launch failure")                                 \
	X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")          \
	X(cudaErrorNotPermitted, "operation not permitted")                                     \
	X(cudaErrorNotSupported, "operation not supported")                                     \
	X(cudaErrorInvalidClusterSize, "invalid cluster size")                                  \
	X(cudaErrorUnknown, "unknown error")

const char *cudaGetErrorName(cudaError_t error)
{
	switch (error) {
#define X(name, text) \
	case name:    \
		return #name;
		ERRORS(X)
#undef X
	}
	return "unrecognized error code";
}

/* A failed launch is told with the emulator's own first report. */
const char *cudaGetErrorString(cudaError_t error)
{
	static __thread char words[600];

	switch (error) {
#define X(name, text)                                      \
	case name:                                         \
		snprintf(words, sizeof words, "%s", text); \
		break;
		ERRORS(X)
#undef X
	default:
		snprintf(words, sizeof words, "unrecognized error code %d", (int)error);
	}
	if ((error == cudaErrorLaunchFailure || error == cudaErrorIllegalAddress) && report_first())
		snprintf(words, sizeof words, "emulator: %s", report_first());
	return words;
}

/* ---- the device ---------------------------------------------------------------------------------
 */

static cudaError_t known_device(int device)
{
	options_read();
	return device == 0 ? cudaSuccess : device_error(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceCount(int *count)
{
	options_read();
	*count = 1;
	return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
	return known_device(device);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	(void)flags;
	return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	(void)device_flags;
	(void)flags;
	return known_device(device);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
	static const struct {
		enum cudaDeviceAttr attribute;
		int value;
	} table[] = {
		{ cudaDevAttrMaxThreadsPerBlock, MAX_THREADS },
		{ cudaDevAttrMaxBlockDimX, 1024 },
		{ cudaDevAttrMaxBlockDimY, 1024 },
		{ cudaDevAttrMaxBlockDimZ, 64 },
		{ cudaDevAttrMaxGridDimX, 0x7fffffff },
		{ cudaDevAttrMaxGridDimY, 65535 },
		{ cudaDevAttrMaxGridDimZ, 65535 },
		{ cudaDevAttrMaxSharedMemoryPerBlock, STATIC_SHARED_LIMIT },
		{ cudaDevAttrTotalConstantMemory, 65536 },
		{ cudaDevAttrWarpSize, LANES },
		{ cudaDevAttrMaxRegistersPerBlock, REGISTERS },
		{ cudaDevAttrCanMapHostMemory, 1 },
		{ cudaDevAttrConcurrentKernels, 1 },
		{ cudaDevAttrL2CacheSize, L2_BYTES },
		{ cudaDevAttrMaxThreadsPerMultiProcessor, THREADS_PER_SM },
		{ cudaDevAttrAsyncEngineCount, 1 },
		{ cudaDevAttrUnifiedAddressing, 1 },
		{ cudaDevAttrComputeCapabilityMajor, 9 },
		{ cudaDevAttrMaxSharedMemoryPerMultiprocessor, SHARED_PER_SM },
		{ cudaDevAttrMaxRegistersPerMultiprocessor, REGISTERS },
		{ cudaDevAttrCooperativeLaunch, 1 },
		{ cudaDevAttrMaxSharedMemoryPerBlockOptin, SHARED_LIMIT },
		{ cudaDevAttrMaxBlocksPerMultiprocessor, BLOCKS_PER_SM },
		{ cudaDevAttrReservedSharedMemoryPerBlock, 1024 },
		{ cudaDevAttrClusterLaunch, 1 },
	};

	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	*value = 0; /* clocks, bus, ECC, PCI: there is none */
	if (attribute == cudaDevAttrMultiProcessorCount)
		*value = simt_options.processors;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].attribute == attribute)
			*value = table[i].value;
	if (attribute == cudaDevAttrClusterLaunch && !simt_options.clusters)
		*value = 0;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	*p = {};
	snprintf(p->name, sizeof p->name, "SIMT emulator");
	memcpy(p->uuid.bytes, "gpubench-simt-00", sizeof p->uuid.bytes);
	p->totalGlobalMem = simt_options.memory;
	p->sharedMemPerBlock = STATIC_SHARED_LIMIT;
	p->sharedMemPerMultiprocessor = SHARED_PER_SM;
	p->sharedMemPerBlockOptin = SHARED_LIMIT;
	p->reservedSharedMemPerBlock = 1024;
	p->totalConstMem = 65536;
	p->regsPerBlock = p->regsPerMultiprocessor = REGISTERS;
	p->warpSize = LANES;
	p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = MAX_THREADS;
	p->maxThreadsDim[2] = 64;
	p->maxGridSize[0] = 0x7fffffff;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->major = 9;
	p->multiProcessorCount = simt_options.processors;
	p->maxThreadsPerMultiProcessor = THREADS_PER_SM;
	p->maxBlocksPerMultiProcessor = BLOCKS_PER_SM;
	p->canMapHostMemory = p->concurrentKernels = p->asyncEngineCount = 1;
	p->unifiedAddressing = p->cooperativeLaunch = p->clusterLaunch = 1;
	p->l2CacheSize = L2_BYTES;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	snprintf(text, (size_t)length, "0000:00:00.0");
	return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	(void)limit;
	(void)value;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	options_read();
	*value = limit == cudaLimitStackSize ? simt_options.stack : 0;
	return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
	*version = VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	*version = VERSION;
	return cudaSuccess;
}

/* ---- functions
 * ----------------------------------------------------------------------------------- */

struct function {
	int dynamic_limit = STATIC_SHARED_LIMIT;
	bool large_clusters = false;
};

/* Never destroyed: kernels may be launched until the very end. */
static std::map<const void *, struct function> &functions(void)
{
	static std::map<const void *, struct function> *const map =
		new std::map<const void *, struct function>;

	return *map;
}

cudaError_t simt_function_set(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
	switch (attribute) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		if (value < 0 || value > SHARED_LIMIT)
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

bool function_large_clusters(const void *kernel)
{
	const auto found = functions().find(kernel);

	return found != functions().end() && found->second.large_clusters;
}

/* What the compiler would know (registers, static shared memory) is 0 here. */
cudaError_t simt_function_get(struct cudaFuncAttributes *attributes, const void *kernel)
{
	*attributes = {};
	attributes->maxThreadsPerBlock = MAX_THREADS;
	attributes->ptxVersion = attributes->binaryVersion = 90;
	attributes->maxDynamicSharedSizeBytes = function_dynamic_limit(kernel);
	return cudaSuccess;
}

cudaError_t simt_occupancy(int *blocks, int block_size, size_t dynamic_bytes)
{
	if (block_size < 1 || block_size > MAX_THREADS)
		return device_error(cudaErrorInvalidValue);
	const int rounded = (block_size + LANES - 1) / LANES * LANES;
	const int by_shared = (int)(SHARED_PER_SM / (dynamic_bytes + 1024));

	*blocks = min(min(THREADS_PER_SM / rounded, (int)BLOCKS_PER_SM), by_shared);
	return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
	streams_drop_all();
	memory_report_leaks();
	memory_release_all();
	functions().clear();
	launch_forget();
	last = sticky = cudaSuccess;
	options_forget();
	options_read();
	return cudaSuccess;
}
