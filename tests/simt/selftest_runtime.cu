/* selftest_runtime.cu -- the emulated runtime API: streams run as late as possible, errors are
 * CUDA's, graphs replay their capture, and a capture refuses unsupported calls.
 */
#include "tests/simt/control.h"
#include "tests/simt/selftest.h"

static const uint32_t WORDS = 256, BYTES = WORDS * sizeof(uint32_t);

static __global__ void add(uint32_t *data, uint32_t what)
{
	data[blockIdx.x * blockDim.x + threadIdx.x] += what;
}

static __global__ void twice(uint32_t *data, uint32_t *sums)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	data[i] *= 2;
	sums[i] += data[i];
}

/* Each test has a stream, words that are 0 and page-locked words that are 77. */
static struct {
	cudaStream_t stream;
	uint32_t *data, *sums, *pinned;
} work;

bool selftest_begin(void)
{
	OK(cudaStreamCreate(&work.stream));
	OK(cudaMalloc(&work.data, BYTES));
	OK(cudaMalloc(&work.sums, BYTES));
	OK(cudaHostAlloc(&work.pinned, BYTES, cudaHostAllocMapped));
	OK(cudaMemset(work.data, 0, BYTES));
	OK(cudaMemset(work.sums, 0, BYTES));
	OK(cudaDeviceSynchronize());
	for (uint32_t i = 0; i < WORDS; i++)
		work.pinned[i] = 77;
	return true;
}

bool selftest_end(void)
{
	OK(cudaGetLastError());
	OK(cudaStreamDestroy(work.stream));
	OK(cudaFree(work.data));
	OK(cudaFree(work.sums));
	OK(cudaFreeHost(work.pinned));
	return true;
}

/* Word WORDS - 1 of a device array. */
static uint32_t last_of(const uint32_t *array)
{
	uint32_t word = 0xdeadbeef;

	(void)cudaMemcpy(&word, array + WORDS - 1, sizeof word, cudaMemcpyDeviceToHost);
	return word;
}

/* ---- streams ----------------------------------------------------------------------------- */

static __global__ void wait_for_gate(const uint32_t *gate, uint32_t *data)
{
	while (!gpu_ld_acquire(gate))
		__nanosleep(100);
	data[WORDS - 1] = 7;
}

/* A kernel waits for a flag in mapped host memory: it is queued, the host sets the flag, it
 * runs. */
static bool test_gate(void)
{
	uint32_t *gate;

	OK(cudaHostGetDevicePointer(&gate, work.pinned, 0));
	*work.pinned = 0;
	GPU_LAUNCH(wait_for_gate, 1, 1, 0, work.stream, gate, work.data);
	OK(cudaGetLastError());
	__atomic_store_n(work.pinned, 1, __ATOMIC_RELEASE);
	EXPECT(last_of(work.data) == 7);
	return true;
}

/* Work stays queued until the host waits, page-locked copies too. */
static bool test_late(void)
{
	OK(cudaMemsetAsync(work.data, 1, BYTES, work.stream));
	GPU_LAUNCH(add, 2, WORDS / 2, 0, work.stream, work.data, 1u);
	OK(cudaMemcpyAsync(work.pinned, work.data, BYTES, cudaMemcpyDeviceToHost, work.stream));
	EXPECT(work.pinned[WORDS - 1] == 77);
	OK(cudaStreamSynchronize(work.stream));
	EXPECT(work.pinned[WORDS - 1] == 0x01010102);
	return true;
}

/* After a wait for an event the work before it has run and later work has not.  Times ascend. */
static bool test_events(void)
{
	cudaEvent_t begin, end;
	float ms = -1;

	OK(cudaEventCreate(&begin));
	OK(cudaEventCreate(&end));
	EXPECT(cudaEventElapsedTime(&ms, begin, end) == cudaErrorInvalidResourceHandle);
	OK(cudaEventRecord(begin, work.stream));
	OK(cudaMemcpyAsync(work.pinned, work.data, 4, cudaMemcpyDeviceToHost, work.stream));
	OK(cudaEventRecord(end, work.stream));
	OK(cudaMemcpyAsync(work.pinned + 1, work.data, 4, cudaMemcpyDeviceToHost, work.stream));
	EXPECT(cudaEventElapsedTime(&ms, begin, end) == cudaErrorNotReady);
	OK(cudaEventSynchronize(end));
	EXPECT(work.pinned[0] == 0 && work.pinned[1] == 77);
	OK(cudaEventElapsedTime(&ms, begin, end));
	EXPECT(ms >= 0);
	(void)cudaGetLastError();
	OK(cudaEventDestroy(begin));
	OK(cudaEventDestroy(end));
	return true;
}

/* ---- errors, the device ------------------------------------------------------------------ */

/* True if the launch fails with this error, which cudaGetLastError() returns once. */
static bool refuses_launch(const struct manner &how, cudaError_t wanted)
{
	(void)simt_bind("add", add, how.blocks, how.threads, how.cluster, how.cooperative,
			how.shared, (cudaStream_t)0, work.data, 1u);
	EXPECT(cudaPeekAtLastError() == wanted);
	EXPECT(cudaGetLastError() == wanted);
	OK(cudaGetLastError());
	return true;
}

/* Impossible requests fail with CUDA's errors. */
static bool test_errors(void)
{
	uint32_t *data = NULL;
	size_t available = 0, total = 0;

	OK(cudaMemGetInfo(&available, &total));
	EXPECT(available <= total);
	EXPECT(cudaMalloc(&data, total + 1) == cudaErrorMemoryAllocation && !data);
	EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
	OK(cudaMalloc(&data, 0));
	OK(cudaFree(data));
	EXPECT(cudaSetDevice(1) == cudaErrorInvalidDevice);
	EXPECT(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10) ==
	       cudaErrorInvalidValue);
	(void)cudaGetLastError();
	return refuses_launch({ 1, 1025 }, cudaErrorInvalidConfiguration) &&
	       refuses_launch({ 0, 32 }, cudaErrorInvalidConfiguration) &&
	       refuses_launch({ 1, 32, 1, 49 << 10 }, cudaErrorInvalidValue) &&
	       refuses_launch({ 3, 32, 2 }, cudaErrorInvalidClusterSize) &&
	       refuses_launch({ 16, 32, 16 }, cudaErrorInvalidClusterSize) &&
	       refuses_launch({ 100000, 32, 1, 0, true }, cudaErrorCooperativeLaunchTooLarge);
}

static bool test_device(void)
{
	struct cudaDeviceProp p;
	struct cudaFuncAttributes attributes;
	int count = 0, value = 0, blocks = 0;

	OK(cudaGetDeviceCount(&count));
	OK(cudaGetDeviceProperties(&p, 0));
	EXPECT(count == 1 && strcmp(p.name, "SIMT emulator") == 0);
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
	EXPECT(value == p.major);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
	EXPECT(blocks == 8);
	OK(cudaFuncGetAttributes(&attributes, add));
	EXPECT(attributes.maxThreadsPerBlock == 1024);
	OK(cudaRuntimeGetVersion(&value));
	EXPECT(value == CUDART_VERSION);
	return true;
}

/* ---- graphs ------------------------------------------------------------------------------ */

/* sums = 0; data += 5; data = 2 data, sums += data; pinned = sums.  The argument `what` is changed
 * before the capture ends. */
static bool capture(cudaGraphExec_t *exec)
{
	uint32_t what = 5;
	cudaGraph_t graph;
	size_t nodes = 0;

	OK(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed));
	OK(cudaMemsetAsync(work.sums, 0, BYTES, work.stream));
	GPU_LAUNCH(add, 2, WORDS / 2, 0, work.stream, work.data, what);
	what = 9;
	GPU_LAUNCH(twice, 1, WORDS, 0, work.stream, work.data, work.sums);
	OK(cudaGetLastError());
	OK(cudaMemcpyAsync(work.pinned, work.sums, BYTES, cudaMemcpyDeviceToHost, work.stream));
	OK(cudaStreamEndCapture(work.stream, &graph));
	OK(cudaGraphGetNodes(graph, NULL, &nodes));
	EXPECT(what == 9 && nodes == 4);
	OK(cudaGraphInstantiate(exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	return true;
}

/* Nothing runs before the launch.  Then everything runs in order, with the captured arguments. */
static bool test_replay(void)
{
	const uint64_t launches = simt_launches();
	cudaGraphExec_t exec;

	EXPECT(capture(&exec));
	EXPECT(last_of(work.data) == 0 && work.pinned[WORDS - 1] == 77);
	EXPECT(simt_launches() == launches);
	OK(cudaGraphLaunch(exec, work.stream));
	EXPECT(simt_launches() == launches + 2);
	EXPECT(work.pinned[WORDS - 1] == 77); /* a graph launch is queued like any other */
	EXPECT(last_of(work.data) == 10 && work.pinned[WORDS - 1] == 10);
	/* The graph uses the data at launch: 2 (10 + 5), then 2 (30 + 5). */
	OK(cudaGraphLaunch(exec, work.stream));
	OK(cudaGraphLaunch(exec, work.stream));
	OK(cudaGraphExecDestroy(exec)); /* before the graph has run */
	EXPECT(last_of(work.data) == 70 && last_of(work.sums) == 70);
	EXPECT(work.pinned[WORDS - 1] == 70);
	return true;
}

static cudaError_t wait_for_stream(void)
{
	return cudaStreamSynchronize(work.stream);
}

static cudaError_t ask_stream(void)
{
	return cudaStreamQuery(work.stream);
}

static cudaError_t copy_at_once(void)
{
	uint32_t word = 0;

	return cudaMemcpy(work.data, &word, sizeof word, cudaMemcpyHostToDevice);
}

static cudaError_t copy_pageable(void)
{
	uint32_t word = 0;

	return cudaMemcpyAsync(work.data, &word, sizeof word, cudaMemcpyHostToDevice, work.stream);
}

static cudaError_t launch_in_default_stream(void)
{
	GPU_LAUNCH(add, 1, WORDS, 0, 0, work.data, 1u);
	return cudaGetLastError();
}

static cudaError_t capture_again(void)
{
	return cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed);
}

static cudaError_t launch_wrongly(void)
{
	GPU_LAUNCH(add, 0, WORDS, 0, work.stream, work.data, 1u);
	return cudaGetLastError();
}

static const struct {
	cudaError_t (*call)(void);
	cudaError_t wanted;
	bool spoils;
} refusals[] = {
	{ wait_for_stream, cudaErrorStreamCaptureUnsupported, true },
	{ ask_stream, cudaErrorStreamCaptureUnsupported, true },
	{ cudaDeviceSynchronize, cudaErrorStreamCaptureUnsupported, true },
	{ copy_at_once, cudaErrorStreamCaptureImplicit, true },
	{ copy_pageable, cudaErrorStreamCaptureUnsupported, true },
	{ launch_in_default_stream, cudaErrorStreamCaptureImplicit, true },
	{ capture_again, cudaErrorIllegalState, false },
	{ launch_wrongly, cudaErrorInvalidConfiguration, false },
};

/* True if the capture of the stream is in this state. */
static bool is_in(enum cudaStreamCaptureStatus wanted)
{
	enum cudaStreamCaptureStatus status;

	OK(cudaStreamIsCapturing(work.stream, &status));
	EXPECT(status == wanted);
	return true;
}

/* A call fails with the expected error.  If it invalidates the capture, a launch and the end of the
 * capture fail too. */
static bool test_refusals(void)
{
	cudaGraph_t graph = NULL;

	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaErrorIllegalState && !graph);
	EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed) ==
	       cudaErrorStreamCaptureUnsupported);
	for (const auto &r : refusals) {
		const cudaError_t then = r.spoils ? cudaErrorStreamCaptureInvalidated : cudaSuccess;

		OK(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed));
		EXPECT(r.call() == r.wanted);
		(void)cudaGetLastError();
		EXPECT(is_in(r.spoils ? cudaStreamCaptureStatusInvalidated
				      : cudaStreamCaptureStatusActive));
		GPU_LAUNCH(add, 1, WORDS, 0, work.stream, work.data, 1u);
		EXPECT(cudaGetLastError() == then);
		EXPECT(cudaStreamEndCapture(work.stream, &graph) == then);
		EXPECT(cudaGetLastError() == then && !graph == r.spoils);
		if (graph)
			OK(cudaGraphDestroy(graph));
		/* The stream is not capturing any more. */
		EXPECT(is_in(cudaStreamCaptureStatusNone));
		OK(cudaStreamSynchronize(work.stream));
	}
	return true;
}

const struct selftest runtime_tests[] = {
	{ "gate", test_gate },
	{ "late", test_late },
	{ "events", test_events },
	{ "errors", test_errors },
	{ "device", test_device },
	{ "graph: replay", test_replay },
	{ "graph: refusals", test_refusals },
	{ NULL, NULL },
};
