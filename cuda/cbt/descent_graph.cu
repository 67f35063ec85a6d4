/* descent_graph.cu -- the kernels of descent.cu as a CUDA graph, launched by one call.
 *
 * It differs from descent only in the launch, so it saves what launches cost there: a cycle at
 * depth 17 has 18 of them, 17 to reduce and 1 to decode.  In `time`, where launches are queued
 * before the first kernel starts (cuda/hold.cu), that is the gap between kernels on the device; in
 * `host_time`, it includes the host's calls.  The chain of kernels remains.
 *
 * create() captures a run from the stream and instantiates it once.  Sizes, arrays and arguments do
 * not change during the life of the state, and the contents of the arrays are not part of the
 * graph.  The first run uploads the graph, as it loads the kernels of other variants.  run() does
 * not wait, so it is held back and batched like others; a launch of the graph is ordered after the
 * previous one.  It marks no phases because events go between launches and it has only one.  Memory
 * that the driver keeps for a graph, on the host and the device, is not counted.
 */
#include "cuda/cbt/parts/descent.h"

struct state {
	struct cbt_descent descent;
	cudaGraphExec_t exec; /* one run; NULL before create() succeeds */
	size_t nodes;
};

/* The mode is relaxed because the first launch of a kernel may have to load it.  The capture ends
 * even on failure because the stream is shared. */
static enum gb_status capture(const struct cbt_descent *s, cudaGraph_t *graph, struct gb_error *err)
{
	if (CUDA_TRY(err, cudaStreamBeginCapture(gpu_stream(), cudaStreamCaptureModeRelaxed)))
		return err->code;
	(void)cbt_descent_run(s, NULL, err);
	(void)CUDA_TRY(err, cudaStreamEndCapture(gpu_stream(), graph));
	return err->code;
}

static enum gb_status instantiate(struct state *s, struct gb_error *err)
{
	cudaGraph_t graph = NULL;

	if (capture(&s->descent, &graph, err) ||
	    CUDA_TRY(err, cudaGraphGetNodes(graph, NULL, &s->nodes)))
		goto out;
	if (CUDA_TRY(err, cudaGraphInstantiate(&s->exec, graph, 0)))
		s->exec = NULL;
out:
	if (graph)
		(void)cudaGraphDestroy(graph);
	return err->code;
}

static enum gb_status create(struct state *s, const void *params, const struct cbt_input *input,
			     struct gb_error *err)
{
	if (cbt_descent_create(&s->descent, params, input, err) || gb_memory_is_dry())
		return err->code;
	return instantiate(s, err);
}

static enum gb_status run(const struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	return CUDA_TRY(err, cudaGraphLaunch(s->exec, gpu_stream()));
}

static void destroy(const struct state *s)
{
	if (s->exec)
		(void)cudaGraphExecDestroy(s->exec);
}

static const char *excluded(const void *params)
{
	return "capture and instantiation of the graph";
}

/* graph_nodes: the kernels and memsets in the graph. */
static void metrics(const struct state *s, struct gb_metrics *metrics)
{
	gb_metric(metrics, "graph_nodes", (double)s->nodes);
}

extern "C" const struct gb_variant_ops cbt_cuda_descent_graph = {
	.state_size = sizeof(struct state),
	.create = op<create>,
	.upload = op<cbt_descent_upload>,
	.reset = op<cbt_descent_reset>,
	.run = op<run>,
	.download = op<cbt_descent_download>,
	.destroy = op<destroy>,
	.bytes = op<cbt_descent_bytes>,
	.excluded = excluded,
	.metrics = op<metrics>,
	.flags = GB_REPEATABLE,
};
