/* simt_runtime.h -- the part of the CUDA runtime API that gpubench calls, with CUDA's own values.
 *
 * Anything missing here does not compile for the emulator. tests/cudart/ defines the functions.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_RUNTIME_H
#define GPUBENCH_TESTS_SIMT_SIMT_RUNTIME_H

#define CUDART_VERSION 13000

enum cudaError {
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInsufficientDriver = 35,
	cudaErrorInvalidDeviceFunction = 98,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorUnsupportedLimit = 215,
	cudaErrorInvalidResourceHandle = 400,
	cudaErrorIllegalState = 401,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchOutOfResources = 701,
	cudaErrorLaunchFailure = 719,
	cudaErrorCooperativeLaunchTooLarge = 720,
	cudaErrorNotSupported = 801,
	cudaErrorStreamCaptureUnsupported = 900,
	cudaErrorStreamCaptureInvalidated = 901,
	cudaErrorStreamCaptureImplicit = 906,
	cudaErrorInvalidClusterSize = 912,
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost,
	cudaMemcpyDeviceToDevice,
};

enum cudaDeviceAttr {
	cudaDevAttrMaxGridDimX = 5,
	cudaDevAttrMaxSharedMemoryPerBlock = 8,
	cudaDevAttrClockRate = 13,
	cudaDevAttrMultiProcessorCount = 16,
	cudaDevAttrEccEnabled = 32,
	cudaDevAttrMemoryClockRate = 36,
	cudaDevAttrGlobalMemoryBusWidth = 37,
	cudaDevAttrL2CacheSize = 38,
	cudaDevAttrComputeCapabilityMajor = 75,
	cudaDevAttrComputeCapabilityMinor = 76,
	cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
	cudaDevAttrMaxPersistingL2CacheSize = 108,
	cudaDevAttrClusterLaunch = 120,
};

enum cudaLimit { cudaLimitPersistingL2CacheSize = 6 };

enum cudaFuncAttribute {
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9,
	cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
};

enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };

enum cudaStreamCaptureStatus {
	cudaStreamCaptureStatusNone,
	cudaStreamCaptureStatusActive,
	cudaStreamCaptureStatusInvalidated,
};

enum cudaAccessProperty {
	cudaAccessPropertyNormal,
	cudaAccessPropertyStreaming,
	cudaAccessPropertyPersisting,
};

struct cudaAccessPolicyWindow {
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	enum cudaAccessProperty hitProp, missProp;
};

enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1 };

union cudaStreamAttrValue {
	struct cudaAccessPolicyWindow accessPolicyWindow;
};

enum { cudaHostAllocMapped = 2, cudaHostRegisterDefault = 0 };

struct cudaDeviceProp {
	char name[256];
	struct {
		char bytes[16];
	} uuid;
	size_t totalGlobalMem;
	int major, minor;
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
	int maxDynamicSharedSizeBytes;
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

/* ---- device (tests/cudart/device.cc) ------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
/* Drop all queued work and allocations, clear errors and read the environment again. */
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
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

template <class F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *kernel,
									int block_size,
									size_t dynamic_bytes)
{
	return runtime_occupancy(blocks, (const void *)kernel, block_size, dynamic_bytes);
}

/* ---- memory (tests/cudart/memory.cc) ----------------------------------------------------- */

/* Allocate device memory, of the exact size and filled with 0xA5, or else mapped page-locked
 * memory. */
cudaError_t runtime_allocate(void **pointer, size_t bytes, bool device);

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
	return runtime_allocate((void **)pointer, bytes, true);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned)
{
	return runtime_allocate((void **)pointer, bytes, false);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned)
{
	*device = (T *)host;
	return cudaSuccess;
}

/* All host memory counts as page-locked here; only the arguments are checked. */
static inline cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned)
{
	return pointer && bytes ? cudaSuccess : cudaErrorInvalidValue;
}

static inline cudaError_t cudaHostUnregister(void *pointer)
{
	return pointer ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);

/* ---- streams and events (tests/cudart/stream.cc) ----------------------------------------- */

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			    cudaStream_t stream = 0);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaDeviceSynchronize(void);

/* ---- the L2 (tests/cudart/cache.cc) --------------------------------------------------------- */

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaStreamAttrID attribute,
				   const union cudaStreamAttrValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaStreamAttrID attribute,
				   union cudaStreamAttrValue *value);

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

#endif
