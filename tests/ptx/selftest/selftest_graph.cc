/* selftest_graph.cc -- graphs on this executor: arguments are those of the capture, counts those of
 * the launch. tests/simt/selftest_runtime.cu tests the rest of graphs for both executors.  Then the
 * instructions that are counted for one that expands, and compare-and-swaps for one that a thread
 * would repeat.
 */
#include <cuda_runtime_api.h>
#include <string.h>

#include "common/backend.h"
#include "tests/ptx/machine.h"
#include "tests/ptx/selftest/selftest.h"

extern const struct gb_counter *gb_gpu_counter;

static const char add_text[] = ".reg .b64 v;\nld.global.u64 v, [%p0];\nadd.s64 v, v, %p1;\n"
			       "st.global.u64 [%p0], v;\n";

/* A graph that adds 5, then 6, to *word. */
static cudaGraphExec_t capture(const void *kernel, cudaStream_t stream, uint64_t *word)
{
	uint64_t what = 5;
	void *arguments[] = { &word, &what };
	cudaGraph_t graph = NULL;
	cudaGraphExec_t exec = NULL;

	(void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
	(void)cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, stream);
	what = 6;
	(void)cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, stream);
	what = 0;
	(void)cudaStreamEndCapture(stream, &graph);
	(void)cudaGraphInstantiate(&exec, graph, 0);
	(void)cudaGraphDestroy(graph);
	return exec;
}

static uint64_t read_word(const uint64_t *word)
{
	uint64_t value = ~0ull;

	(void)cudaDeviceSynchronize();
	(void)cudaMemcpy(&value, word, sizeof value, cudaMemcpyDeviceToHost);
	return value;
}

/* The extra instructions of a division by expansions.inc, per warp that executes it. */
static void check_expanded(void)
{
	static const struct {
		const char *opcode;
		unsigned count;
	} known[] = {
#include "tests/ptx/expansions.inc"
	};
	static const char body[] = ".reg .b32 n;\n.reg .pred p, q;\nmov.u32 n, %tid;\n"
				   "div.u32 n, n, n;\nsetp.lt.u32 p, %tid, 32;\n"
				   "setp.gt.u32 q, %tid, 1000;\n"
				   "@p rem.u32 n, n, n;\n@q rem.u32 n, n, n;\n";
	std::vector<std::vector<uint8_t>> buffers(1, std::vector<uint8_t>(8));
	unsigned wanted = 0;

	for (const auto &k : known)
		wanted += strcmp(k.opcode, "div.u32") == 0   ? 3 * 2 * k.count
			  : strcmp(k.opcode, "rem.u32") == 0 ? 3 * k.count
							     : 0;
	gb_gpu_counter->count(true);
	const std::string error = run_kernel(kernel_text(1, body), buffers, 3, 64);

	gb_gpu_counter->count(false);
	const std::string text = "\"expanded\":" + std::to_string(wanted) + ",";

	expect(wanted > 0 && error.empty() && strstr(gb_gpu_counter->counts(), text.c_str()),
	       "three blocks of two warps that divide, one of which takes a remainder: %s in "
	       "%.300s",
	       text.c_str(), gb_gpu_counter->counts());
}

/* Three blocks, whose first warps change two words, each in a sector of its own, once a warp.  Half
 * of a warp meets one or two changes there.  Other words, later accesses and the second warps,
 * which only read, count nothing. */
static void check_repeated(void)
{
	static const char body[] =
		".reg .b32 n, v, more;\n.reg .b64 at;\n.reg .pred p;\n"
		"and.b32 n, %tid, 1;\nmul.wide.u32 at, n, 64;\nadd.s64 at, at, %p0;\n"
		"setp.lt.u32 p, %tid, 32;\n"
		"ld.global.u32 v, [%p0+128];\nld.global.u32 v, [at];\n"
		"ld.global.u32 n, [%p0+192];\nadd.u32 more, v, 1;\nadd.u32 more, more, %tid;\n"
		"@p atom.global.cas.b32 v, [at], v, more;\nld.global.u32 v, [at];\n"
		"@p atom.global.cas.b32 v, [%p0+192], 0, 1;\n";
	std::vector<std::vector<uint8_t>> buffers(1, std::vector<uint8_t>(256));

	gb_gpu_counter->count(true);
	const std::string error = run_kernel(kernel_text(1, body), buffers, 3, 64);

	gb_gpu_counter->count(false);
	expect(error.empty() && strstr(gb_gpu_counter->counts(), "\"repeated\":48,"),
	       "16 lanes would repeat one compare-and-swap, and 16 two: %s%.300s", error.c_str(),
	       gb_gpu_counter->counts());
}

void test_graphs(void)
{
	static char key;
	uint64_t *word = NULL;
	cudaStream_t stream = NULL;

	function_register(module_from_text(kernel_text(2, add_text)), &key, "test");
	(void)cudaMalloc((void **)&word, sizeof *word);
	(void)cudaMemset(word, 0, sizeof *word);
	(void)cudaStreamCreate(&stream);

	const cudaGraphExec_t exec = capture(&key, stream, word);

	expect(exec && read_word(word) == 0, "a captured kernel has run");
	gb_gpu_counter->count(true);
	(void)cudaGraphLaunch(exec, stream);
	gb_gpu_counter->count(false);
	(void)cudaGraphLaunch(exec, stream);
	(void)cudaGraphExecDestroy(exec);
	const uint64_t sum = read_word(word);

	expect(sum == 22, "5 + 6 + 5 + 6 by a graph: %llu", (unsigned long long)sum);
	expect(strstr(gb_gpu_counter->counts(), "{\"launches\":2,") != NULL,
	       "of two launches of a graph of two kernels the first is counted: %.40s",
	       gb_gpu_counter->counts());
	(void)cudaStreamDestroy(stream);
	(void)cudaFree(word);
	expect(report_count() == 0, "graphs: %s", report_count() ? report_first() : "");
	report_forget();
	(void)cudaDeviceReset();
	check_expanded();
	check_repeated();
}
