/* simt_runtime.h -- the part of the CUDA runtime API that gpubench calls, with CUDA's own numbers.
 *
 * A stream is a queue that runs when somebody waits for it: as late as CUDA allows, so that a
 * missing synchronisation shows.  See tests/cudart/stream.cc.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_RUNTIME_H
#define GPUBENCH_TESTS_SIMT_SIMT_RUNTIME_H

#define CUDART_VERSION 13000

enum cudaError {
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInitializationError = 3,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInvalidSymbol = 13,
	cudaErrorInvalidDevicePointer = 17,
	cudaErrorInvalidMemcpyDirection = 21,
	cudaErrorInsufficientDriver = 35,
	cudaErrorInvalidDeviceFunction = 98,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorInvalidResourceHandle = 400,
	cudaErrorIllegalState = 401,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchOutOfResources = 701,
	cudaErrorLaunchTimeout = 702,
	cudaErrorAssert = 710,
	cudaErrorLaunchFailure = 719,
	cudaErrorCooperativeLaunchTooLarge = 720,
	cudaErrorNotPermitted = 800,
	cudaErrorNotSupported = 801,
	cudaErrorStreamCaptureUnsupported = 900,
	cudaErrorStreamCaptureInvalidated = 901,
	cudaErrorStreamCaptureIsolation = 905,
	cudaErrorStreamCaptureImplicit = 906,
	cudaErrorCapturedEvent = 907,
	cudaErrorStreamCaptureWrongThread = 908,
	cudaErrorInvalidClusterSize = 912,
	cudaErrorUnknown = 999,
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
	cudaMemcpyHostToHost,
	cudaMemcpyHostToDevice,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
	cudaMemcpyDefault,
};

enum cudaDeviceAttr {
	cudaDevAttrMaxThreadsPerBlock = 1,
	cudaDevAttrMaxBlockDimX = 2,
	cudaDevAttrMaxBlockDimY = 3,
	cudaDevAttrMaxBlockDimZ = 4,
	cudaDevAttrMaxGridDimX = 5,
	cudaDevAttrMaxGridDimY = 6,
	cudaDevAttrMaxGridDimZ = 7,
	cudaDevAttrMaxSharedMemoryPerBlock = 8,
	cudaDevAttrTotalConstantMemory = 9,
	cudaDevAttrWarpSize = 10,
	cudaDevAttrMaxRegistersPerBlock = 12,
	cudaDevAttrClockRate = 13,
	cudaDevAttrMultiProcessorCount = 16,
	cudaDevAttrKernelExecTimeout = 17,
	cudaDevAttrIntegrated = 18,
	cudaDevAttrCanMapHostMemory = 19,
	cudaDevAttrComputeMode = 20,
	cudaDevAttrConcurrentKernels = 31,
	cudaDevAttrEccEnabled = 32,
	cudaDevAttrPciBusId = 33,
	cudaDevAttrPciDeviceId = 34,
	cudaDevAttrMemoryClockRate = 36,
	cudaDevAttrGlobalMemoryBusWidth = 37,
	cudaDevAttrL2CacheSize = 38,
	cudaDevAttrMaxThreadsPerMultiProcessor = 39,
	cudaDevAttrAsyncEngineCount = 40,
	cudaDevAttrUnifiedAddressing = 41,
	cudaDevAttrPciDomainId = 50,
	cudaDevAttrComputeCapabilityMajor = 75,
	cudaDevAttrComputeCapabilityMinor = 76,
	cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
	cudaDevAttrMaxRegistersPerMultiprocessor = 82,
	cudaDevAttrManagedMemory = 83,
	cudaDevAttrCooperativeLaunch = 95,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
	cudaDevAttrMaxBlocksPerMultiprocessor = 106,
	cudaDevAttrMaxPersistingL2CacheSize = 108,
	cudaDevAttrReservedSharedMemoryPerBlock = 111,
	cudaDevAttrMemoryPoolsSupported = 115,
	cudaDevAttrClusterLaunch = 120,
};

enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9,
	cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};

enum cudaFuncCache {
	cudaFuncCachePreferNone,
	cudaFuncCachePreferShared,
	cudaFuncCachePreferL1,
	cudaFuncCachePreferEqual,
};

enum cudaLimit {
	cudaLimitStackSize = 0,
	cudaLimitPrintfFifoSize = 1,
	cudaLimitMallocHeapSize = 2,
	cudaLimitPersistingL2CacheSize = 6,
};

enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal,
	cudaStreamCaptureModeThreadLocal,
	cudaStreamCaptureModeRelaxed,
};

enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone,
	cudaStreamCaptureStatusActive,
	cudaStreamCaptureStatusInvalidated,
};

enum {
	cudaStreamDefault = 0,
	cudaStreamNonBlocking = 1,
	cudaEventDefault = 0,
	cudaEventBlockingSync = 1,
	cudaEventDisableTiming = 2,
	cudaHostAllocDefault = 0,
	cudaHostAllocPortable = 1,
	cudaHostAllocMapped = 2,
	cudaHostAllocWriteCombined = 4,
	cudaDeviceScheduleAuto = 0,
	cudaDeviceScheduleSpin = 1,
	cudaDeviceScheduleYield = 2,
	cudaDeviceScheduleBlockingSync = 4,
	cudaDeviceMapHost = 8,
};

struct cudaUUID_t {
	char bytes[16];
};

struct cudaDeviceProp {
	char name[256];
	cudaUUID_t uuid;
	size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor;
	size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock, totalConstMem;
	int regsPerBlock, regsPerMultiprocessor, warpSize;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	int major, minor, multiProcessorCount;
	int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
	int integrated, canMapHostMemory, concurrentKernels, asyncEngineCount;
	int ECCEnabled, pciBusID, pciDeviceID, pciDomainID, unifiedAddressing;
	int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
	int managedMemory, cooperativeLaunch, clusterLaunch;
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
	int maxDynamicSharedSizeBytes;
};

enum cudaMemoryType {
	cudaMemoryTypeUnregistered,
	cudaMemoryTypeHost,
	cudaMemoryTypeDevice,
	cudaMemoryTypeManaged,
};

struct cudaPointerAttributes {
	enum cudaMemoryType type;
	int device;
	void *devicePointer, *hostPointer;
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

#define cudaStreamLegacy ((cudaStream_t)0)

/* ---- device (tests/cudart/device.cc) ------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
/* Drops everything that is queued and allocated, clears errors, and reads the environment again. */
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

cudaError_t runtime_function_set(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t runtime_function_get(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t runtime_occupancy(int *blocks, const void *kernel, int block_size,
			      size_t dynamic_bytes);

template <class F>
static inline cudaError_t cudaFuncSetAttribute(F *kernel, enum cudaFuncAttribute attribute,
					       int value)
{
	return runtime_function_set((const void *)kernel, attribute, value);
}

template <class F>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, F *kernel)
{
	return runtime_function_get(attributes, (const void *)kernel);
}

template <class F> static inline cudaError_t cudaFuncSetCacheConfig(F *, enum cudaFuncCache)
{
	return cudaSuccess;
}

template <class F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *kernel,
									int block_size,
									size_t dynamic_bytes)
{
	return runtime_occupancy(blocks, (const void *)kernel, block_size, dynamic_bytes);
}

template <class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F *kernel,
							     size_t dynamic_bytes = 0,
							     int limit = 0)
{
	int blocks = 0, processors = 0;
	const cudaError_t result = runtime_occupancy(&blocks, (const void *)kernel,
						     limit > 0 ? limit : 256, dynamic_bytes);

	(void)cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
	*block = limit > 0 ? limit : 256;
	*grid = blocks * processors;
	return result;
}

/* ---- memory (tests/cudart/memory.cc) ----------------------------------------------------- */

/* device: exact size, filled with 0xA5; else page-locked host memory that kernels may use too. */
cudaError_t runtime_allocate(void **pointer, size_t bytes, bool device);

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
	return runtime_allocate((void **)pointer, bytes, true);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t)
{
	return runtime_allocate((void **)pointer, bytes, true);
}

template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes)
{
	return runtime_allocate((void **)pointer, bytes, false);
}

template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned = cudaHostAllocDefault)
{
	return runtime_allocate((void **)pointer, bytes, false);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned)
{
	*device = (T *)host;
	return cudaSuccess;
}

enum { cudaHostRegisterDefault = 0 };

/* Any memory of the host is as good as page-locked here; only the arguments are looked at. */
static inline cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned)
{
	return pointer && bytes ? cudaSuccess : cudaErrorInvalidValue;
}

static inline cudaError_t cudaHostUnregister(void *pointer)
{
	return pointer ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);

/* ---- streams and events (tests/cudart/stream.cc) ----------------------------------------- */

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			    cudaStream_t stream = 0);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *data);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaDeviceSynchronize(void);

/* ---- graphs (tests/cudart/graph.cc) -------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
				 unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

/* ---- symbols ------------------------------------------------------------------------------- */

/* Variables of a .cu file are ordinary variables here. */
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes,
					     size_t offset = 0,
					     enum cudaMemcpyKind = cudaMemcpyHostToDevice)
{
	const cudaError_t result = cudaDeviceSynchronize();

	if (offset > sizeof symbol || bytes > sizeof symbol - offset)
		return cudaErrorInvalidValue;
	memcpy((char *)&symbol + offset, from, bytes);
	return result;
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
					       size_t offset = 0,
					       enum cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
	const cudaError_t result = cudaDeviceSynchronize();

	if (offset > sizeof symbol || bytes > sizeof symbol - offset)
		return cudaErrorInvalidValue;
	memcpy(to, (const char *)&symbol + offset, bytes);
	return result;
}

#endif
