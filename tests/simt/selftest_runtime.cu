/* selftest_runtime.cu -- the emulated runtime API: streams run late, errors are CUDA's own. */
#include <string.h>

#include "cuda/gpu.h"
#include "tests/simt/selftest.h"

enum { COUNT = 1000 };

static __global__ void add(uint32_t *data, uint32_t what, uint32_t n)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		data[i] += what;
}

static __global__ void wait_for_gate(const uint32_t *gate, uint32_t *data)
{
	while (!gpu_ld_acquire(gate))
		__nanosleep(100);
	data[0] = 7;
}

/* A kernel behind a gate in mapped host memory: it is queued, the host opens, then it runs. */
static bool test_gate(void)
{
	uint32_t *gate, *device_gate, *data, result = 0;
	cudaStream_t stream;

	EXPECT(cudaHostAlloc(&gate, sizeof *gate, cudaHostAllocMapped) == cudaSuccess);
	EXPECT(cudaHostGetDevicePointer(&device_gate, gate, 0) == cudaSuccess);
	EXPECT(cudaMalloc(&data, sizeof *data) == cudaSuccess);
	EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
	*gate = 0;
	GPU_LAUNCH(wait_for_gate, 1, 1, 0, stream, device_gate, data);
	EXPECT(cudaGetLastError() == cudaSuccess);
	__atomic_store_n(gate, 1, __ATOMIC_RELEASE);
	EXPECT(cudaMemcpyAsync(&result, data, sizeof result, cudaMemcpyDeviceToHost, stream) ==
	       cudaSuccess);
	EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
	EXPECT(result == 7);
	EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
	EXPECT(cudaFree(data) == cudaSuccess && cudaFreeHost(gate) == cudaSuccess);
	return true;
}

/* Work stays queued until somebody waits; page-locked copies too. */
static bool test_late(void)
{
	uint32_t *pinned, *data;
	cudaStream_t stream;

	if (getenv("GPUBENCH_SIMT_EAGER"))
		return true;
	EXPECT(cudaMallocHost(&pinned, COUNT * sizeof *pinned) == cudaSuccess);
	EXPECT(cudaMalloc(&data, COUNT * sizeof *data) == cudaSuccess);
	EXPECT(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
	memset(pinned, 0, COUNT * sizeof *pinned);
	EXPECT(cudaMemsetAsync(data, 1, COUNT * sizeof *data, stream) == cudaSuccess);
	GPU_LAUNCH(add, 8, 128, 0, stream, data, 1u, (uint32_t)COUNT);
	EXPECT(cudaMemcpyAsync(pinned, data, COUNT * sizeof *data, cudaMemcpyDeviceToHost,
			       stream) == cudaSuccess);
	EXPECT(pinned[COUNT - 1] == 0); /* not yet */
	EXPECT(cudaStreamSynchronize(0) == cudaSuccess);
	EXPECT(pinned[COUNT - 1] == 0); /* another stream */
	EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
	EXPECT(pinned[COUNT - 1] == 0x01010102);
	EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
	EXPECT(cudaFree(data) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
	return true;
}

/* One stream waits for an event of another; times are in order. */
static bool test_events(void)
{
	cudaStream_t first, second;
	cudaEvent_t begin, end, quiet;
	uint32_t *data, result[2];
	float ms = -1;

	EXPECT(cudaMalloc(&data, 2 * sizeof *data) == cudaSuccess);
	EXPECT(cudaMemset(data, 0, 2 * sizeof *data) == cudaSuccess);
	EXPECT(cudaDeviceSynchronize() == cudaSuccess);
	EXPECT(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
	EXPECT(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
	EXPECT(cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess);
	EXPECT(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming) == cudaSuccess);
	EXPECT(cudaEventElapsedTime(&ms, begin, end) == cudaErrorInvalidResourceHandle);
	EXPECT(cudaEventRecord(begin, first) == cudaSuccess);
	GPU_LAUNCH(add, 1, 32, 0, first, data, 5u, 1u);
	EXPECT(cudaEventRecord(quiet, first) == cudaSuccess);
	EXPECT(cudaStreamWaitEvent(second, quiet) == cudaSuccess);
	EXPECT(cudaMemcpyAsync(data + 1, data, sizeof *data, cudaMemcpyDeviceToDevice, second) ==
	       cudaSuccess);
	EXPECT(cudaMemcpyAsync(result, data, sizeof result, cudaMemcpyDeviceToHost, second) ==
	       cudaSuccess);
	EXPECT(result[0] == 5 && result[1] == 5);
	EXPECT(cudaEventRecord(end, first) == cudaSuccess);
	EXPECT(cudaEventSynchronize(end) == cudaSuccess);
	EXPECT(cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && ms >= 0);
	(void)cudaGetLastError();
	EXPECT(cudaEventDestroy(begin) == cudaSuccess && cudaEventDestroy(end) == cudaSuccess);
	EXPECT(cudaEventDestroy(quiet) == cudaSuccess);
	EXPECT(cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess);
	EXPECT(cudaFree(data) == cudaSuccess);
	return true;
}

/* The errors that a program gets when it asks for what cannot be. */
static bool test_refusals(void)
{
	uint32_t *data = NULL;
	size_t available = 0, total = 0;

	EXPECT(cudaMemGetInfo(&available, &total) == cudaSuccess && available <= total);
	EXPECT(cudaMalloc(&data, total + 1) == cudaErrorMemoryAllocation && !data);
	EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
	EXPECT(cudaGetLastError() == cudaSuccess);
	EXPECT(cudaMalloc(&data, 0) == cudaSuccess && cudaFree(data) == cudaSuccess);
	EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
	(void)cudaGetLastError();
	EXPECT(cudaMalloc(&data, 64) == cudaSuccess);
	GPU_LAUNCH(add, 1, 1025, 0, 0, data, 1u, 1u);
	EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
	GPU_LAUNCH(add, 0, 32, 0, 0, data, 1u, 1u);
	EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
	EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
	GPU_LAUNCH(add, 1, 32, 49 << 10, 0, data, 1u, 1u);
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
	EXPECT(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10) ==
	       cudaErrorInvalidValue);
	(void)cudaGetLastError();
	EXPECT(strcmp(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice") == 0);
	EXPECT(cudaFree(data) == cudaSuccess);
	return true;
}

/* The third allocation fails, then one that is too large. */
static bool test_failing_allocations(void)
{
	uint32_t *p[4] = {};
	cudaError_t result[4];

	setenv("GPUBENCH_SIMT_FAIL_ALLOC", "3", 1);
	setenv("GPUBENCH_SIMT_FAIL_BYTES", "5000", 1);
	(void)cudaDeviceReset();
	for (int i = 0; i < 4; i++)
		result[i] = cudaMalloc(&p[i], i == 3 ? 5000 : 4999);
	for (int i = 0; i < 4; i++)
		EXPECT(cudaFree(p[i]) == cudaSuccess);
	unsetenv("GPUBENCH_SIMT_FAIL_ALLOC");
	unsetenv("GPUBENCH_SIMT_FAIL_BYTES");
	(void)cudaDeviceReset();
	EXPECT(result[0] == cudaSuccess && result[1] == cudaSuccess);
	EXPECT(result[2] == cudaErrorMemoryAllocation && result[3] == cudaErrorMemoryAllocation);
	return true;
}

static bool test_device(void)
{
	struct cudaDeviceProp p;
	struct cudaFuncAttributes attributes;
	int count = 0, value = 0, blocks = 0;

	EXPECT(cudaGetDeviceCount(&count) == cudaSuccess && count == 1);
	EXPECT(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
	EXPECT(strcmp(p.name, "SIMT emulator") == 0);
	EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
	EXPECT(value == p.multiProcessorCount && value > 0);
	EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0) == cudaSuccess);
	EXPECT(blocks == 8);
	EXPECT(cudaFuncGetAttributes(&attributes, add) == cudaSuccess);
	EXPECT(attributes.maxThreadsPerBlock == 1024);
	EXPECT(cudaRuntimeGetVersion(&value) == cudaSuccess && value == CUDART_VERSION);
	return true;
}

const struct selftest runtime_tests[] = {
	{ "gate", test_gate },
	{ "late", test_late },
	{ "events", test_events },
	{ "refusals", test_refusals },
	{ "failing allocations", test_failing_allocations },
	{ "device", test_device },
	{ NULL, NULL },
};
