/* descent_graph.cu -- descent.cu as a CUDA graph: its kernels, in their order, launched by one call.
 *
 * What it adds is nothing but the launch: what it takes less than descent is what launches cost there,
 * 18 of them for a cycle at depth 17.  In `time`, where launches are queued before the first kernel
 * starts (cuda/hold.cu), that is the way from one kernel to the next on the device; in `host_time`
 * the host's calls as well.  What is left is the kernels' own chain.
 *
 * create() captures a run from the stream and instantiates it, once: sizes, arrays and arguments stay
 * the same as long as the state does, and what a kernel finds in its arrays is not part of the graph.
 * The first run uploads it, as it loads the kernels of other variants.  run() waits for nothing, so it
 * is held back and batched as others are; a launch of the graph is ordered behind the one before.  It
 * marks no phases: events go between launches, and here is only one.  What the driver keeps for a
 * graph, on the host and the device, is not counted memory.
 */
#include "cuda/cbt/parts/descent.h"

struct state {
	struct cbt_descent descent;
	cudaGraphExec_t exec; /* of a run; NULL: none yet */
	size_t nodes;
};

/* Relaxed: the first launch of a kernel may have to load it.  Whatever happens the capture ends, for
 * the stream is everybody's. */
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

/* graph_nodes: what the one launch stands for, kernels and memsets. */
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
