/* selftest_graph.cu -- graphs: what is captured does not run, a launch runs it as it was captured, and
 * a capture refuses what it has to.
 */
#include <pthread.h>

#include "cuda/gpu.h"
#include "tests/simt/control.h"
#include "tests/simt/selftest.h"

enum { COUNT = 256 };

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

/* What each case starts with: a stream, words that are 0, and page-locked ones. */
static struct {
	cudaStream_t stream;
	uint32_t *data, *sums, *pinned;
} work;

static bool begin(unsigned flags)
{
	EXPECT(cudaStreamCreateWithFlags(&work.stream, flags) == cudaSuccess);
	EXPECT(cudaMalloc(&work.data, COUNT * sizeof *work.data) == cudaSuccess);
	EXPECT(cudaMalloc(&work.sums, COUNT * sizeof *work.sums) == cudaSuccess);
	EXPECT(cudaMallocHost(&work.pinned, COUNT * sizeof *work.pinned) == cudaSuccess);
	EXPECT(cudaMemset(work.data, 0, COUNT * sizeof *work.data) == cudaSuccess);
	EXPECT(cudaMemset(work.sums, 0, COUNT * sizeof *work.sums) == cudaSuccess);
	EXPECT(cudaDeviceSynchronize() == cudaSuccess);
	return true;
}

static bool end(void)
{
	(void)cudaGetLastError();
	EXPECT(cudaStreamDestroy(work.stream) == cudaSuccess);
	EXPECT(cudaFree(work.data) == cudaSuccess && cudaFree(work.sums) == cudaSuccess);
	EXPECT(cudaFreeHost(work.pinned) == cudaSuccess);
	return true;
}

/* Word COUNT - 1 of an array. */
static uint32_t last_of(const uint32_t *array)
{
	uint32_t word = 0xdeadbeef;

	(void)cudaStreamSynchronize(work.stream);
	(void)cudaMemcpy(&word, array + COUNT - 1, sizeof word, cudaMemcpyDeviceToHost);
	return word;
}

/* sums = 0; data += 5; data = 2 data, sums += data; pinned = sums: `what` is changed before the
 * capture ends. */
static bool capture(cudaGraphExec_t *exec)
{
	uint32_t what = 5;
	cudaGraph_t graph;
	size_t nodes = 0;

	EXPECT(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeThreadLocal) ==
	       cudaSuccess);
	EXPECT(cudaMemsetAsync(work.sums, 0, COUNT * sizeof *work.sums, work.stream) ==
	       cudaSuccess);
	GPU_LAUNCH(add, 2, COUNT / 2, 0, work.stream, work.data, what);
	what = 9;
	GPU_LAUNCH(twice, 1, COUNT, 0, work.stream, work.data, work.sums);
	EXPECT(cudaGetLastError() == cudaSuccess);
	EXPECT(cudaMemcpyAsync(work.pinned, work.sums, COUNT * sizeof *work.sums,
			       cudaMemcpyDeviceToHost, work.stream) == cudaSuccess);
	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaSuccess && what == 9);
	EXPECT(cudaGraphGetNodes(graph, NULL, &nodes) == cudaSuccess && nodes == 4);
	EXPECT(cudaGraphInstantiate(exec, graph, 0) == cudaSuccess);
	EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
	return true;
}

/* Nothing runs before the launch; then everything, in order, with the arguments of the capture. */
static bool test_replay(void)
{
	const uint64_t launches = simt_launches();
	cudaGraphExec_t exec;

	if (!begin(cudaStreamNonBlocking) || !capture(&exec))
		return false;
	work.pinned[COUNT - 1] = 77;
	EXPECT(last_of(work.data) == 0 && work.pinned[COUNT - 1] == 77);
	EXPECT(simt_launches() == launches);
	EXPECT(cudaGraphLaunch(exec, work.stream) == cudaSuccess);
	EXPECT(simt_launches() == launches + 2);
	if (!getenv("GPUBENCH_SIMT_EAGER"))
		EXPECT(work.pinned[COUNT - 1] == 77); /* queued, as launches are */
	EXPECT(last_of(work.data) == 10 && work.pinned[COUNT - 1] == 10);
	/* Data are those of the launch: 2 (10 + 5), then 2 (30 + 5). */
	EXPECT(cudaGraphLaunch(exec, work.stream) == cudaSuccess);
	EXPECT(cudaGraphLaunch(exec, work.stream) == cudaSuccess);
	EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess); /* though it has not run */
	EXPECT(last_of(work.data) == 70 && last_of(work.sums) == 70);
	EXPECT(work.pinned[COUNT - 1] == 70);
	return end();
}

/* A launch is behind the graph's last one, in another stream too. */
static bool test_two_streams(void)
{
	cudaGraphExec_t exec;
	cudaStream_t other;

	if (!begin(cudaStreamNonBlocking) || !capture(&exec))
		return false;
	EXPECT(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
	EXPECT(cudaGraphLaunch(exec, work.stream) == cudaSuccess);
	EXPECT(cudaGraphLaunch(exec, other) == cudaSuccess);
	EXPECT(cudaStreamSynchronize(other) == cudaSuccess);
	EXPECT(last_of(work.data) == 30);
	EXPECT(cudaGraphExecDestroy(exec) == cudaSuccess);
	EXPECT(cudaStreamDestroy(other) == cudaSuccess);
	return end();
}

/* Events recorded in a capture order it, and tell nothing; a stream may be captured again. */
static bool test_captured_event(void)
{
	cudaEvent_t inside, outside;
	cudaGraph_t graph;
	float ms;

	if (!begin(cudaStreamNonBlocking))
		return false;
	EXPECT(cudaEventCreate(&inside) == cudaSuccess && cudaEventCreate(&outside) == cudaSuccess);
	EXPECT(cudaEventRecord(outside, work.stream) == cudaSuccess);
	EXPECT(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
	EXPECT(cudaEventRecord(inside, work.stream) == cudaSuccess);
	EXPECT(cudaStreamWaitEvent(work.stream, inside) == cudaSuccess);
	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaSuccess);
	EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
	EXPECT(cudaEventElapsedTime(&ms, outside, inside) == cudaErrorCapturedEvent);
	EXPECT(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
	EXPECT(cudaStreamWaitEvent(work.stream, outside) == cudaErrorStreamCaptureIsolation);
	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaErrorStreamCaptureInvalidated);
	EXPECT(cudaEventDestroy(inside) == cudaSuccess && cudaEventDestroy(outside) == cudaSuccess);
	return end();
}

/* ---- what a capture refuses ---------------------------------------------------------------- */

static cudaError_t wait_for_stream(void)
{
	return cudaStreamSynchronize(work.stream);
}

static cudaError_t ask_stream(void)
{
	return cudaStreamQuery(work.stream);
}

static cudaError_t wait_for_device(void)
{
	return cudaDeviceSynchronize();
}

static cudaError_t allocate(void)
{
	uint32_t *more = NULL;
	const cudaError_t result = cudaMalloc(&more, 64);

	if (result == cudaSuccess)
		(void)cudaFree(more);
	return result;
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
	GPU_LAUNCH(add, 1, COUNT, 0, 0, work.data, 1u);
	return cudaGetLastError();
}

static cudaError_t capture_again(void)
{
	return cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed);
}

static cudaError_t launch_wrongly(void)
{
	GPU_LAUNCH(add, 0, COUNT, 0, work.stream, work.data, 1u);
	return cudaGetLastError();
}

static const struct {
	cudaError_t (*call)(void);
	/* Under ThreadLocal; under Relaxed; in a stream that has nothing to do with the default one. */
	cudaError_t local, relaxed, apart;
	bool spoils;
} refusals[] = {
	{ wait_for_stream, cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureUnsupported,
	  cudaErrorStreamCaptureUnsupported, true },
	{ ask_stream, cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureUnsupported,
	  cudaErrorStreamCaptureUnsupported, true },
	{ wait_for_device, cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureUnsupported,
	  cudaErrorStreamCaptureUnsupported, true },
	{ allocate, cudaErrorStreamCaptureUnsupported, cudaSuccess, cudaSuccess, true },
	{ copy_at_once, cudaErrorStreamCaptureImplicit, cudaErrorStreamCaptureImplicit, cudaSuccess,
	  true },
	{ copy_pageable, cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureUnsupported,
	  cudaErrorStreamCaptureUnsupported, true },
	{ launch_in_default_stream, cudaErrorStreamCaptureImplicit, cudaErrorStreamCaptureImplicit,
	  cudaSuccess, true },
	{ capture_again, cudaErrorIllegalState, cudaErrorIllegalState, cudaErrorIllegalState,
	  false },
	{ launch_wrongly, cudaErrorInvalidConfiguration, cudaErrorInvalidConfiguration,
	  cudaErrorInvalidConfiguration, false },
};

/* The call gives the error wanted; if it spoils the capture, so do a launch and its end. */
static bool refuses(cudaError_t (*call)(void), enum cudaStreamCaptureMode mode, cudaError_t wanted,
		    bool spoils)
{
	cudaGraph_t graph = NULL;
	cudaStreamCaptureStatus status;

	EXPECT(cudaStreamBeginCapture(work.stream, mode) == cudaSuccess);
	EXPECT(call() == wanted);
	(void)cudaGetLastError();
	EXPECT(cudaStreamIsCapturing(work.stream, &status) == cudaSuccess);
	EXPECT(status ==
	       (spoils ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive));
	GPU_LAUNCH(add, 1, COUNT, 0, work.stream, work.data, 1u);
	EXPECT(cudaGetLastError() == (spoils ? cudaErrorStreamCaptureInvalidated : cudaSuccess));
	if (spoils) {
		EXPECT(cudaStreamEndCapture(work.stream, &graph) ==
		       cudaErrorStreamCaptureInvalidated);
		EXPECT(!graph && cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
	} else {
		EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaSuccess);
		EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
	}
	/* The stream is as it was. */
	EXPECT(cudaStreamIsCapturing(work.stream, &status) == cudaSuccess);
	EXPECT(status == cudaStreamCaptureStatusNone);
	EXPECT(cudaStreamSynchronize(work.stream) == cudaSuccess);
	return true;
}

static bool test_refusals(void)
{
	for (unsigned flags = 0; flags <= cudaStreamNonBlocking; flags++) {
		if (!begin(flags))
			return false;
		for (const auto &r : refusals) {
			const cudaError_t relaxed = flags ? r.apart : r.relaxed;
			const cudaError_t local = r.call == allocate ? r.local
						  : flags            ? r.apart
								     : r.local;

			EXPECT(refuses(r.call, cudaStreamCaptureModeThreadLocal, local,
				       r.spoils && local != cudaSuccess));
			EXPECT(refuses(r.call, cudaStreamCaptureModeRelaxed, relaxed,
				       r.spoils && relaxed != cudaSuccess));
		}
		if (!end())
			return false;
	}
	return true;
}

/* To ask for the default stream's state does no harm, though it has none. */
static bool test_status(void)
{
	cudaStreamCaptureStatus status;
	cudaGraph_t graph;

	if (!begin(cudaStreamDefault))
		return false;
	EXPECT(cudaStreamIsCapturing(0, &status) == cudaSuccess);
	EXPECT(status == cudaStreamCaptureStatusNone);
	EXPECT(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
	EXPECT(cudaStreamIsCapturing(0, &status) == cudaErrorStreamCaptureImplicit);
	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaSuccess);
	EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
	return end();
}

static void *end_elsewhere(void *graph)
{
	return (void *)(intptr_t)(cudaStreamEndCapture(work.stream, (cudaGraph_t *)graph) ==
				  cudaErrorStreamCaptureWrongThread);
}

/* Without a capture, in the default stream, from another thread. */
static bool test_out_of_place(void)
{
	cudaGraph_t graph = NULL;
	pthread_t thread;
	void *right = NULL;

	if (!begin(cudaStreamNonBlocking))
		return false;
	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaErrorIllegalState && !graph);
	EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed) ==
	       cudaErrorStreamCaptureUnsupported);
	EXPECT(cudaStreamBeginCapture(work.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
	EXPECT(pthread_create(&thread, NULL, end_elsewhere, &graph) == 0);
	EXPECT(pthread_join(thread, &right) == 0 && right);
	EXPECT(cudaStreamEndCapture(work.stream, &graph) == cudaSuccess);
	EXPECT(cudaGraphDestroy(graph) == cudaSuccess);
	return end();
}

const struct selftest graph_tests[] = {
	{ "graph: replay", test_replay },
	{ "graph: two streams", test_two_streams },
	{ "graph: captured event", test_captured_event },
	{ "graph: refusals", test_refusals },
	{ "graph: status", test_status },
	{ "graph: out of place", test_out_of_place },
	{ NULL, NULL },
};
