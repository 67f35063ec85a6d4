/* device.cc -- the CUDA runtime API: the device, its attributes, errors, occupancy.
 *
 * One device or several that are alike, whose compute capability the executor tells.  Few
 * multiprocessors, so that kernels that size their grids by them stay small.
 */
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <map>

#include "tests/cudart/runtime.h"

enum {
	VERSION = CUDART_VERSION,
	L2_BYTES = 1 << 20,
	REGISTERS = 65536, /* of a multiprocessor */
	RESERVED_SHARED = 1024,
};

bool gb_gpu_emulated = true; /* see cuda/device.cu */

/* What depends on the compute capability (CUDA C++ Programming Guide, table of technical
 * specifications). */
static const struct model {
	int capability, threads, blocks; /* per multiprocessor */
	int shared, block_shared;        /* bytes per multiprocessor, of one block at most */
	bool clusters;
} models[] = {
	{ 75, 1024, 16, 64 << 10, 64 << 10, false },
	{ 80, 2048, 32, 164 << 10, 163 << 10, false },
	{ 90, 2048, 32, 228 << 10, SHARED_LIMIT, true },
};

static const struct model *this_model(void)
{
	for (const struct model &m : models)
		if (m.capability == executor_capability())
			return &m;
	return &models[2];
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

/* X(name, text) for every error that the emulator gives. */
#define ERRORS(X)                                                                                \
	X(cudaSuccess, "no error")                                                               \
	X(cudaErrorInvalidValue, "invalid argument")                                             \
	X(cudaErrorMemoryAllocation, "out of memory")                                            \
	X(cudaErrorInitializationError, "initialization error")                                  \
	X(cudaErrorInvalidConfiguration, "invalid configuration argument")                       \
	X(cudaErrorInvalidSymbol, "invalid device symbol")                                       \
	X(cudaErrorInvalidDevicePointer, "invalid device pointer")                               \
	X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                  \
	X(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime "   \
				       "version")                                                \
	X(cudaErrorInvalidDeviceFunction, "invalid device function")                             \
	X(cudaErrorNoDevice, "no CUDA-capable device is detected")                               \
	X(cudaErrorInvalidDevice, "invalid device ordinal")                                      \
	X(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the "  \
					   "device")                                             \
	X(cudaErrorInvalidResourceHandle, "invalid resource handle")                             \
	X(cudaErrorIllegalState, "the operation cannot be performed in the present state")       \
	X(cudaErrorNotReady, "device not ready")                                                 \
	X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                   \
	X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")              \
	X(cudaErrorLaunchTimeout, "the launch timed out and was terminated")                     \
	X(cudaErrorAssert, "device-side assert triggered")                                       \
	X(cudaErrorLaunchFailure, "unspecified launch failure")                                  \
	X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")           \
	X(cudaErrorNotPermitted, "operation not permitted")                                      \
	X(cudaErrorNotSupported, "operation not supported")                                      \
	X(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing") \
	X(cudaErrorStreamCaptureInvalidated,                                                     \
	  "operation failed due to a previous error during capture")                             \
	X(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another "   \
					   "stream")                                             \
	X(cudaErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a "  \
					  "capturing blocking stream")                           \
	X(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a "      \
				  "capturing stream")                                            \
	X(cudaErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture "      \
					     "sequence from another thread")                     \
	X(cudaErrorInvalidClusterSize, "invalid cluster size")                                   \
	X(cudaErrorUnknown, "unknown error")

const char *cudaGetErrorName(cudaError_t error)
{
	switch ((int)error) {
#define X(name, text) \
	case name:    \
		return #name;
		ERRORS(X)
#undef X
	}
	return "unrecognized error code";
}

/* A failed launch is reported in the words of the emulator's own first report. */
const char *cudaGetErrorString(cudaError_t error)
{
	static __thread char words[600];

	switch ((int)error) {
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

/* Memory is not bound to a device: that a kernel reads what another device allocated is not found. */
cudaError_t cudaSetDevice(int device)
{
	const cudaError_t result = known_device(device);

	if (result == cudaSuccess)
		current_device = device;
	return result;
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
	const struct model *const m = this_model();
	const struct {
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
		{ cudaDevAttrMaxThreadsPerMultiProcessor, m->threads },
		{ cudaDevAttrAsyncEngineCount, 1 },
		{ cudaDevAttrUnifiedAddressing, 1 },
		{ cudaDevAttrComputeCapabilityMajor, m->capability / 10 },
		{ cudaDevAttrComputeCapabilityMinor, m->capability % 10 },
		{ cudaDevAttrMaxSharedMemoryPerMultiprocessor, m->shared },
		{ cudaDevAttrMaxRegistersPerMultiprocessor, REGISTERS },
		{ cudaDevAttrCooperativeLaunch, 1 },
		{ cudaDevAttrMaxSharedMemoryPerBlockOptin, m->block_shared },
		{ cudaDevAttrMaxBlocksPerMultiprocessor, m->blocks },
		{ cudaDevAttrReservedSharedMemoryPerBlock, RESERVED_SHARED },
		{ cudaDevAttrClusterLaunch, m->clusters && runtime_options.clusters },
		{ cudaDevAttrMultiProcessorCount, runtime_options.processors },
	};

	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	*value = 0; /* clocks, bus, ECC, PCI: there is none */
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].attribute == attribute)
			*value = table[i].value;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	const struct model *const m = this_model();

	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	*p = {};
	snprintf(p->name, sizeof p->name, "%s", executor.device);
	memcpy(p->uuid.bytes, executor.uuid, sizeof p->uuid.bytes);
	p->totalGlobalMem = runtime_options.memory;
	p->sharedMemPerBlock = STATIC_SHARED_LIMIT;
	p->sharedMemPerMultiprocessor = (size_t)m->shared;
	p->sharedMemPerBlockOptin = (size_t)m->block_shared;
	p->reservedSharedMemPerBlock = RESERVED_SHARED;
	p->totalConstMem = 65536;
	p->regsPerBlock = p->regsPerMultiprocessor = REGISTERS;
	p->warpSize = LANES;
	p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = MAX_THREADS;
	p->maxThreadsDim[2] = 64;
	p->maxGridSize[0] = 0x7fffffff;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->major = m->capability / 10;
	p->minor = m->capability % 10;
	p->multiProcessorCount = runtime_options.processors;
	p->maxThreadsPerMultiProcessor = m->threads;
	p->maxBlocksPerMultiProcessor = m->blocks;
	p->canMapHostMemory = p->concurrentKernels = p->asyncEngineCount = 1;
	p->unifiedAddressing = p->cooperativeLaunch = 1;
	p->clusterLaunch = m->clusters && runtime_options.clusters;
	p->l2CacheSize = L2_BYTES;
	return cudaSuccess;
}

/* None, unless a test puts a stand-in for NVML behind it. */
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device)
{
	if (known_device(device) != cudaSuccess)
		return cudaErrorInvalidDevice;
	snprintf(text, (size_t)length, "%s", runtime_options.pci ? runtime_options.pci : "");
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
	*value = limit == cudaLimitStackSize ? runtime_options.stack : 0;
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

/* ---- functions --------------------------------------------------------------------------- */

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

cudaError_t runtime_function_set(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
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

bool function_large_clusters(const void *kernel)
{
	const auto found = functions().find(kernel);

	return found != functions().end() && found->second.large_clusters;
}

cudaError_t runtime_function_get(struct cudaFuncAttributes *attributes, const void *kernel)
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

cudaError_t runtime_occupancy(int *blocks, const void *kernel, int block_size, size_t dynamic_bytes)
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

	*blocks = std::min({ m->threads / rounded, m->blocks, (int)((size_t)m->shared / shared) });
	if (facts.registers)
		*blocks = std::min(*blocks, REGISTERS / (rounded * facts.registers));
	return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
	streams_drop_all();
	memory_report_leaks();
	graphs_report_leaks();
	graphs_drop_all();
	memory_release_all();
	functions().clear();
	executor_forget();
	last = sticky = cudaSuccess;
	options_forget();
	options_read();
	return cudaSuccess;
}
