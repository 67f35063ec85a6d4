/* faults.cu -- runs one seeded fault by name.  This file has the faults in host code.
 *
 * usage: faults NAME | --list.  Prints "result right", "result wrong" or "result cuda: ...", which
 * faults.py counts as one of the checkers.
 */
#include "tests/simt/faults.h"

enum { WRONG = 1, LARGE = 60 << 10 };

KERNEL(copy)
{
	out[INDEX] = in[INDEX];
}

/* ---- memory ------------------------------------------------------------------------------ */

static uint32_t *extra;

static void allocate_extra(void)
{
	(void)cudaMalloc(&extra, sizeof case_in);
	(void)cudaMemcpy(extra, case_in, sizeof case_in, cudaMemcpyHostToDevice);
}

static void free_extra(void)
{
	(void)cudaDeviceSynchronize();
	(void)cudaFree(extra);
}

static void pass_host_pointer(void)
{
	case_device.in = case_in;
}

struct arrays {
	const uint32_t *in;
	uint32_t *out;
};

static __global__ void copy_arrays(struct arrays arrays)
{
	arrays.out[INDEX] = arrays.in[INDEX];
}

/* A launch does not see a pointer inside a struct. */
static void pass_struct(void)
{
	uint32_t *const heap = (uint32_t *)malloc(sizeof case_in);

	memcpy(heap, case_in, sizeof case_in);
	GPU_LAUNCH(copy_arrays, BLOCKS, BLOCK, 0, 0, (struct arrays){ heap, case_device.out });
	(void)cudaDeviceSynchronize();
	free(heap);
}

static void read_device(void)
{
	case_in[3] = case_device.in[3];
}

static void write_device(void)
{
	case_device.in[3] = case_in[3];
}

static void use_freed(void)
{
	allocate_extra();
	free_extra();
	case_device.in = extra;
}

static void free_twice(void)
{
	allocate_extra();
	free_extra();
	free_extra();
}

static void copy_past_end(void)
{
	static const uint32_t larger[COUNT + 1] = {};

	(void)cudaMemcpy(case_device.in, larger, sizeof larger, cudaMemcpyHostToDevice);
}

static void copy_in_wrong_direction(void)
{
	(void)cudaMemcpy(case_in, case_device.in, sizeof case_in, cudaMemcpyHostToDevice);
}

KERNEL(add_words)
{
	out[INDEX] = in[INDEX] + (words[INDEX] & 1);
}

static void uninitialise(void)
{
	(void)cudaMalloc(&extra, sizeof case_in);
	case_device.words = extra;
}

/* The program reads its result from page-locked memory before it waits for the copy. */
static void read_too_early(void)
{
	uint32_t *pinned = NULL;

	(void)cudaHostAlloc(&pinned, sizeof case_in, 0);
	memset(pinned, 0, sizeof case_in);
	(void)cudaMemcpyAsync(pinned, case_device.out, sizeof case_in, cudaMemcpyDeviceToHost);
	memcpy(case_in, pinned, sizeof case_in);
	(void)cudaFreeHost(pinned);
}

/* The error is fetched and ignored. */
static void ignore_error(void)
{
	(void)cudaGetLastError();
}

/* ---- graphs ------------------------------------------------------------------------------ */

static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void begin_capture(void)
{
	(void)cudaDeviceSynchronize();
	(void)cudaStreamCreate(&case_stream);
	(void)cudaStreamBeginCapture(case_stream, cudaStreamCaptureModeRelaxed);
}

static void instantiate(void)
{
	case_check(cudaStreamEndCapture(case_stream, &graph));
	if (graph)
		(void)cudaGraphInstantiate(&exec, graph, 0);
}

static void launch_graph(void)
{
	case_check(cudaGraphLaunch(exec, case_stream));
	case_check(cudaStreamSynchronize(case_stream));
	(void)cudaGraphDestroy(graph);
}

static void launch_and_destroy(void)
{
	launch_graph();
	(void)cudaGraphExecDestroy(exec);
}

/* A capture records work but does not run it. */
static void capture_only(void)
{
	instantiate();
	(void)cudaGraphDestroy(graph);
	(void)cudaGraphExecDestroy(exec);
}

/* The argument is changed after the capture; the graph does not see the change. */
static uint32_t argument = 4;

static __global__ void set_words(uint32_t *to, uint32_t value)
{
	to[INDEX] = value;
}

static uint32_t new_argument(uint32_t)
{
	return 5;
}

static void begin_set(void)
{
	begin_capture();
	GPU_LAUNCH(set_words, BLOCKS, BLOCK, 0, case_stream, case_device.out, argument);
}

static void launch_set(void)
{
	instantiate();
	argument = 5;
	launch_and_destroy();
}

static void use_extra(void)
{
	(void)cudaMalloc(&extra, sizeof case_in);
	begin_capture();
	(void)cudaMemsetAsync(extra, 0, sizeof case_in, case_stream);
}

static void launch_freed(void)
{
	instantiate();
	free_extra();
	launch_and_destroy();
}

static void destroy_twice(void)
{
	instantiate();
	launch_and_destroy();
	(void)cudaGraphExecDestroy(exec);
}

static void leave_exec(void)
{
	instantiate();
	launch_graph();
}

/* Without the wait this program is correct. */
static void wait_in_capture(void)
{
	(void)cudaStreamSynchronize(case_stream);
	instantiate();
}

static const struct kernel_case host_faults[] = {
	{ "right_program", "", copy },
	{ "host_pointer_argument", "reported", copy, NULL, {}, pass_host_pointer },
	{ "host_pointer_in_struct", "check", NULL, NULL, {}, pass_struct },
	{ "host_reads_device", "protect|check", copy, NULL, {}, NULL, read_device },
	{ "host_writes_device", "protect|check", copy, NULL, {}, write_device },
	{ "use_after_free", "reported", copy, NULL, {}, use_freed },
	{ "double_free", "reported", copy, NULL, {}, free_twice },
	{ "leak", "reported", copy, NULL, {}, allocate_extra },
	{ "uninitialised_global", "wrong|check", add_words, NULL, {}, uninitialise, free_extra },
	{ "copy_past_end", "reported", copy, NULL, {}, copy_past_end },
	{ "copy_in_wrong_direction", "reported", copy, NULL, {}, copy_in_wrong_direction },
	{ "missing_synchronisation", "wrong", copy, NULL, {}, NULL, read_too_early },
	{ "graph_not_launched", "wrong", copy, NULL, {}, begin_capture, capture_only },
	{ "graph_with_old_argument", "wrong", NULL, new_argument, {}, begin_set, launch_set },
	{ "graph_memory_freed", "reported", copy, NULL, {}, use_extra, launch_freed },
	{ "graph_destroyed_twice", "reported", copy, NULL, {}, begin_capture, destroy_twice },
	{ "graph_leak", "reported", copy, NULL, {}, begin_capture, leave_exec },
	{ "wait_in_capture", "refused", copy, NULL, {}, begin_capture, wait_in_capture },
	{ "block_too_large", "refused", copy, NULL, { 1, 2048 } },
	{ "too_much_dynamic_shared", "refused", copy, NULL, { .shared = LARGE } },
	{ "grid_not_multiple_of_cluster", "refused", copy, NULL, { .cluster = 3 } },
	{ "cluster_too_large", "refused", copy, NULL, { 16, 64, 16 } },
	{ "cooperative_too_large", "refused", copy, NULL, { 100000, BLOCK, 1, 0, true } },
	{ "unheeded_error", "wrong", copy, NULL, { .shared = LARGE }, NULL, ignore_error },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const char *const name = argc == 2 ? argv[1] : "";
	const bool lists = strcmp(name, "--list") == 0;

	for (const struct kernel_case *table : { block_faults, grid_faults, host_faults }) {
		for (const struct kernel_case *c = table; c->name; c++) {
			if (lists)
				printf("%s %s\n", c->name, c->caught_by);
			if (strcmp(name, c->name) != 0)
				continue;
			const char *const wrong = case_run(c);
			const bool refused = wrong && strcmp(wrong, "wrong") != 0;

			printf("result %s%s\n", refused ? "cuda: " : "", wrong ? wrong : "right");
			return wrong ? WRONG : 0;
		}
	}
	return lists ? 0 : 2;
}
