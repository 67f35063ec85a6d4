/* selftest_graph.cc -- graphs on this executor: arguments are those of the capture, counts those of
 * the launch. tests/simt/selftest_runtime.cu tests the rest of graphs for both executors.
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
}
