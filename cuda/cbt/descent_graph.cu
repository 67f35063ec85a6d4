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
	struct gb_timer none = {};

	none.err = err;
	if (!CUDA_OK(err, cudaStreamBeginCapture(gpu_stream(), cudaStreamCaptureModeRelaxed)))
		return err->code;
	(void)cbt_descent_queue(s, &none, err);
	(void)CUDA_OK(err, cudaStreamEndCapture(gpu_stream(), graph));
	return err->code;
}

static enum gb_status instantiate(struct state *s, struct gb_error *err)
{
	cudaGraph_t graph = NULL;

	if (capture(&s->descent, &graph, err) ||
	    !CUDA_OK(err, cudaGraphGetNodes(graph, NULL, &s->nodes)))
		goto out;
	if (!CUDA_OK(err, cudaGraphInstantiate(&s->exec, graph, 0)))
		s->exec = NULL;
out:
	if (graph)
		(void)cudaGraphDestroy(graph);
	return err->code;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	if (cbt_descent_create(&s->descent, (const struct cbt_input *)input, err) ||
	    gb_memory_is_dry())
		return err->code;
	return instantiate(s, err);
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	return cbt_descent_upload(&((struct state *)state)->descent, err);
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	return cbt_descent_reset(&((const struct state *)state)->descent, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;

	return CUDA_OK(err, cudaGraphLaunch(s->exec, gpu_stream())) ? GB_OK : err->code;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	return cbt_descent_download(&((const struct state *)state)->descent, output, err);
}

static void destroy(void *state)
{
	const struct state *s = (const struct state *)state;

	if (s->exec)
		(void)cudaGraphExecDestroy(s->exec);
}

static double bytes(const void *params, const void *input)
{
	return cbt_descent_bytes((const struct cbt_input *)input);
}

static const char *excluded(const void *params)
{
	return "capture and instantiation of the graph";
}

/* graph_nodes: what the one launch stands for, kernels and memsets. */
static void metrics(void *state, struct gb_metrics *metrics)
{
	gb_metric(metrics, "graph_nodes", (double)((const struct state *)state)->nodes);
}

extern "C" const struct gb_variant_ops cbt_cuda_descent_graph = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.bytes = bytes,
	.excluded = excluded,
	.metrics = metrics,
	.flags = GB_REPEATABLE,
};
