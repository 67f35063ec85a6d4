/* test_cbt_graph.cu -- descent-graph when its graph cannot be made: the capture of the stream ends,
 * the half-built state can be destroyed, and the next one works.
 *
 * Runs on a GPU or in the emulator; without either, all tests are skipped.
 */
#include <criterion/criterion.h>
#include <cstring>

#include "common/cbt.h"
#include "cuda/variant.h"
#include "tests/cuda/gpu.h"

extern "C" const struct gb_variant_ops cbt_cuda_descent_graph;

static const struct gb_variant_ops *const ops = &cbt_cuda_descent_graph;

TestSuite(variants_cbt_graph, .init = open_gpu, .fini = close_gpu);

/* A full tree of depth 6, with the members that create() reads. */
static struct cbt_input small_tree(void)
{
	struct cbt_input input = {};

	input.op = CBT_DECODE;
	input.ids = CBT_SUM;
	input.depth = 6;
	input.leaves = 64;
	input.heap_words = cbt_heap_words(6);
	return input;
}

/* Create and destroy.  Return the code of the error and set its message. */
static enum gb_status try_create(const struct cbt_input *input, struct gb_error *err)
{
	void *state = NULL;

	*err = {};
	(void)gb_state_create(ops, NULL, input, &state, err);
	gb_state_destroy(ops, state);
	return err->code;
}

static void expect_free_stream(void)
{
	enum cudaStreamCaptureStatus status;

	cr_expect_eq(cudaStreamIsCapturing(gpu_stream(), &status), cudaSuccess);
	cr_expect_eq(status, cudaStreamCaptureStatusNone);
	cr_expect_eq(cudaGetLastError(), cudaSuccess);
	cr_expect_eq(cudaStreamSynchronize(gpu_stream()), cudaSuccess);
}

Test(variants_cbt_graph, created_and_destroyed)
{
	const struct cbt_input input = small_tree();
	struct gb_error err;

	cr_expect_eq(try_create(&input, &err), GB_OK, "%s", err.message);
	expect_free_stream();
}

/* A launch of no blocks is refused during the capture. */
Test(variants_cbt_graph, refused_launch)
{
	struct cbt_input input = small_tree();
	struct gb_error err;

	input.leaves = 0;
	input.ids = CBT_STORE;
	cr_expect_eq(try_create(&input, &err), GB_ERUNTIME);
	cr_expect(strstr(err.message, "configuration"), "%s", err.message);
	expect_free_stream();
	input = small_tree();
	cr_expect_eq(try_create(&input, &err), GB_OK, "%s", err.message);
}

/* Another capture of the stream must not be ended. */
Test(variants_cbt_graph, stream_is_captured)
{
	const struct cbt_input input = small_tree();
	cudaGraph_t graph = NULL;
	struct gb_error err;
	size_t nodes = 99;

	cr_assert_eq(cudaStreamBeginCapture(gpu_stream(), cudaStreamCaptureModeRelaxed),
		     cudaSuccess);
	cr_expect_eq(try_create(&input, &err), GB_ERUNTIME);
	cr_expect(strstr(err.message, "cudaStreamBeginCapture"), "%s", err.message);
	cr_expect_eq(cudaStreamEndCapture(gpu_stream(), &graph), cudaSuccess);
	cr_expect_eq(cudaGraphGetNodes(graph, NULL, &nodes), cudaSuccess);
	cr_expect_eq(nodes, 0);
	cr_expect_eq(cudaGraphDestroy(graph), cudaSuccess);
	expect_free_stream();
}
