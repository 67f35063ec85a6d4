/* faults_host.cu -- seeded faults in what the host does: memory, streams, launches. */
#include "tests/simt/faults.h"

enum { BLOCK = FAULT_BLOCK, BLOCKS = FAULT_BLOCKS, COUNT = FAULT_COUNT };

#define INDEX (blockIdx.x * BLOCK + threadIdx.x)

static __global__ void copy_words(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX];
}

static __global__ void set_words(uint32_t *out, uint32_t value)
{
	out[INDEX] = value;
}

static void run_right_program(void)
{
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, fault_in, fault_out);
	fault_end();
}

/* ---- memory ------------------------------------------------------------------------------ */

static void run_host_pointer_argument(void)
{
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, fault_host, fault_out);
	fault_end();
}

struct arrays {
	const uint32_t *in;
	uint32_t *out;
};

static __global__ void copy_arrays(struct arrays arrays)
{
	arrays.out[INDEX] = arrays.in[INDEX];
}

/* Behind a struct no launch can see the pointer. */
static void run_host_pointer_in_struct(void)
{
	uint32_t *const heap = (uint32_t *)malloc(sizeof fault_host);

	memcpy(heap, fault_host, sizeof fault_host);
	const struct arrays arrays = { heap, fault_out };

	GPU_LAUNCH(copy_arrays, BLOCKS, BLOCK, 0, 0, arrays);
	(void)cudaDeviceSynchronize();
	free(heap);
	fault_end();
}

static void run_host_reads_device(void)
{
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, fault_in, fault_out);
	(void)cudaDeviceSynchronize();
	fault_expected[3] = fault_in[3];
	fault_end();
}

static void run_host_writes_device(void)
{
	fault_in[3] = fault_expected[3];
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, fault_in, fault_out);
	fault_end();
}

static void run_use_after_free(void)
{
	uint32_t *extra = NULL;

	(void)cudaMalloc(&extra, sizeof fault_host);
	(void)cudaMemcpy(extra, fault_host, sizeof fault_host, cudaMemcpyHostToDevice);
	(void)cudaFree(extra);
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, extra, fault_out);
	fault_end();
}

static void run_double_free(void)
{
	uint32_t *extra = NULL;

	(void)cudaMalloc(&extra, 64);
	(void)cudaFree(extra);
	(void)cudaFree(extra);
	run_right_program();
}

static void run_leak(void)
{
	uint32_t *extra = NULL;

	(void)cudaMalloc(&extra, 64);
	run_right_program();
}

static void run_copy_past_end(void)
{
	static uint32_t larger[COUNT + 1];

	(void)cudaMemcpy(fault_in, larger, sizeof larger, cudaMemcpyHostToDevice);
	run_right_program();
}

static void run_copy_in_wrong_direction(void)
{
	static uint32_t result[COUNT];

	(void)cudaMemcpy(result, fault_in, sizeof result, cudaMemcpyHostToDevice);
	run_right_program();
}

/* ---- streams ----------------------------------------------------------------------------- */

/* Page-locked memory is read before the copy into it was waited for. */
static void run_missing_synchronisation(void)
{
	uint32_t *pinned = NULL;
	bool right;

	(void)cudaMallocHost(&pinned, sizeof fault_host);
	memset(pinned, 0, sizeof fault_host);
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, fault_in, fault_out);
	(void)cudaMemcpyAsync(pinned, fault_out, sizeof fault_host, cudaMemcpyDeviceToHost);
	right = memcmp(pinned, fault_host, sizeof fault_host) == 0;
	(void)cudaFreeHost(pinned);
	fault_verdict(right);
}

/* Two streams that do not wait for each other: the second's work is asked for first. */
static void run_missing_event(void)
{
	cudaStream_t first, second;

	(void)cudaDeviceSynchronize();
	(void)cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
	(void)cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
	GPU_LAUNCH(set_words, BLOCKS, BLOCK, 0, first, fault_words, 5u);
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, second, fault_words, fault_out);
	(void)cudaStreamSynchronize(second);
	(void)cudaStreamSynchronize(first);
	(void)cudaStreamDestroy(first);
	(void)cudaStreamDestroy(second);
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = 5;
	fault_end();
}

/* cudaMemset goes into the default stream, for which the other one does not wait. */
static void run_memset_in_other_stream(void)
{
	cudaStream_t stream;

	(void)cudaDeviceSynchronize();
	(void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	(void)cudaMemset(fault_words, 1, sizeof fault_host);
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, stream, fault_words, fault_out);
	(void)cudaStreamSynchronize(stream);
	(void)cudaStreamDestroy(stream);
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = 0x01010101;
	fault_end();
}

/* ---- graphs ------------------------------------------------------------------------------ */

/* A stream in whose capture fault_in is copied to fault_out; and what comes of it. */
static cudaStream_t captured;

static void begin_capture(void)
{
	(void)cudaDeviceSynchronize();
	(void)cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking);
	(void)cudaStreamBeginCapture(captured, cudaStreamCaptureModeRelaxed);
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, captured, fault_in, fault_out);
}

static void end_capture(cudaGraph_t *graph, cudaGraphExec_t *exec)
{
	(void)cudaStreamEndCapture(captured, graph);
	(void)cudaGraphInstantiate(exec, *graph, 0);
}

static void launch_graph(cudaGraphExec_t exec)
{
	(void)cudaGraphLaunch(exec, captured);
	(void)cudaStreamSynchronize(captured);
}

/* A capture takes work down and does none. */
static void run_graph_not_launched(void)
{
	cudaGraph_t graph;

	begin_capture();
	(void)cudaStreamEndCapture(captured, &graph);
	(void)cudaStreamSynchronize(captured);
	(void)cudaGraphDestroy(graph);
	fault_end();
}

/* The argument is changed between capture and launch, in the hope that the graph sees it. */
static void run_graph_with_old_argument(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	uint32_t value = 4;

	begin_capture();
	GPU_LAUNCH(set_words, BLOCKS, BLOCK, 0, captured, fault_out, value);
	end_capture(&graph, &exec);
	value = 5;
	launch_graph(exec);
	(void)cudaGraphDestroy(graph);
	(void)cudaGraphExecDestroy(exec);
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = value;
	fault_end();
}

static void run_graph_memory_freed(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	uint32_t *extra = NULL;

	(void)cudaMalloc(&extra, sizeof fault_host);
	begin_capture();
	(void)cudaMemsetAsync(extra, 0, sizeof fault_host, captured);
	end_capture(&graph, &exec);
	(void)cudaFree(extra);
	launch_graph(exec);
	fault_end();
}

static void run_graph_destroyed_twice(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	begin_capture();
	end_capture(&graph, &exec);
	launch_graph(exec);
	(void)cudaGraphDestroy(graph);
	(void)cudaGraphExecDestroy(exec);
	(void)cudaGraphExecDestroy(exec);
	fault_end();
}

static void run_graph_leak(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	begin_capture();
	end_capture(&graph, &exec);
	launch_graph(exec);
	(void)cudaGraphDestroy(graph);
	fault_end();
}

/* Without the wait the program is right. */
static void run_wait_in_capture(void)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	begin_capture();
	(void)cudaStreamSynchronize(captured);
	if (cudaStreamEndCapture(captured, &graph) != cudaSuccess)
		fault_end();
	(void)cudaGraphInstantiate(&exec, graph, 0);
	launch_graph(exec);
	fault_end();
}

/* ---- launches ---------------------------------------------------------------------------- */

static void run_block_too_large(void)
{
	GPU_LAUNCH(copy_words, 1, 2048, 0, 0, fault_in, fault_out);
	fault_end();
}

static void run_too_much_dynamic_shared(void)
{
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 60 << 10, 0, fault_in, fault_out);
	fault_end();
}

static void run_grid_not_multiple_of_cluster(void)
{
	GPU_LAUNCH_CLUSTER(copy_words, BLOCKS, BLOCK, 3, 0, 0, fault_in, fault_out);
	fault_end();
}

static void run_cluster_too_large(void)
{
	GPU_LAUNCH_CLUSTER(copy_words, 16, 64, 16, 0, 0, fault_in, fault_out);
	fault_end();
}

static void run_cooperative_too_large(void)
{
	GPU_LAUNCH_COOPERATIVE(copy_words, 100000, BLOCK, 0, 0, fault_in, fault_out);
	fault_end();
}

/* The error is asked for, and thrown away. */
static void run_unheeded_error(void)
{
	GPU_LAUNCH(copy_words, 0, BLOCK, 0, 0, fault_in, fault_out);
	(void)cudaGetLastError();
	fault_end();
}

const struct fault host_faults[] = {
	{ "right_program", "", run_right_program },
	{ "host_pointer_argument", "reported", run_host_pointer_argument },
	{ "host_pointer_in_struct", "check", run_host_pointer_in_struct },
	{ "host_reads_device", "protect|check", run_host_reads_device },
	{ "host_writes_device", "protect|check", run_host_writes_device },
	{ "use_after_free", "reported", run_use_after_free },
	{ "double_free", "reported", run_double_free },
	{ "leak", "reported", run_leak },
	{ "copy_past_end", "reported", run_copy_past_end },
	{ "copy_in_wrong_direction", "reported", run_copy_in_wrong_direction },
	{ "missing_synchronisation", "wrong", run_missing_synchronisation },
	{ "missing_event", "wrong", run_missing_event },
	{ "memset_in_other_stream", "wrong", run_memset_in_other_stream },
	{ "graph_not_launched", "wrong", run_graph_not_launched },
	{ "graph_with_old_argument", "wrong", run_graph_with_old_argument },
	{ "graph_memory_freed", "reported", run_graph_memory_freed },
	{ "graph_destroyed_twice", "reported", run_graph_destroyed_twice },
	{ "graph_leak", "reported", run_graph_leak },
	{ "wait_in_capture", "refused", run_wait_in_capture },
	{ "block_too_large", "refused", run_block_too_large },
	{ "too_much_dynamic_shared", "refused", run_too_much_dynamic_shared },
	{ "grid_not_multiple_of_cluster", "refused", run_grid_not_multiple_of_cluster },
	{ "cluster_too_large", "refused", run_cluster_too_large },
	{ "cooperative_too_large", "refused", run_cooperative_too_large },
	{ "unheeded_error", "wrong", run_unheeded_error },
	{ NULL, NULL, NULL },
};
