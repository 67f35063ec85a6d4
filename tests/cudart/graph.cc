/* graph.cc -- the CUDA runtime API: graphs, captured from one stream.
 *
 * While a stream is captured, what is submitted to it is written down, with the arguments of that
 * moment, and nothing runs.  A launch of the graph puts copies of it into a queue, in that order.
 *
 * A call that cannot be made during a capture fails as on a GPU, and spoils the capture: then whatever
 * is submitted fails, and so does the end of the capture, which gives no graph.  An asynchronous copy
 * from or to memory that is not page-locked waits, and so cannot be captured.  A capture of several
 * streams, and a graph launched into a capture, are not supported.
 */
#include <set>
#include <vector>

#include "tests/cudart/stream.h"

struct capture {
	uint64_t number; /* from 1 */
	enum cudaStreamCaptureMode mode;
	pthread_t thread;
	bool spoiled;
	std::vector<struct op> ops;
};

struct CUgraphNode_st {
	struct op op;
};

struct CUgraph_st {
	std::vector<struct CUgraphNode_st> nodes;
};

struct CUgraphExec_st {
	std::vector<struct op> ops;
	struct queue *queue; /* of the last launch; NULL: none */
	uint64_t number;
};

/* What has been created and not destroyed.  Never destroyed: the report of leaks comes last. */
static struct {
	std::set<cudaStream_t> *captured;
	std::set<cudaGraph_t> *graphs;
	std::set<cudaGraphExec_t> *execs;
	uint64_t captures; /* so far */
} live = { new std::set<cudaStream_t>, new std::set<cudaGraph_t>, new std::set<cudaGraphExec_t>,
	   0 };

static struct op copy_of(const struct op *o)
{
	struct op copy = *o;

	if (copy.call)
		copy.call = copy.call->copy(copy.call);
	return copy;
}

static void release(const struct op *o)
{
	if (o->call)
		o->call->destroy(o->call);
}

/* ---- captures ------------------------------------------------------------------------------ */

/* Nothing comes of it any more; returns `error`. */
static cudaError_t spoil(struct capture *c, cudaError_t error)
{
	c->spoiled = true;
	return error;
}

cudaError_t capture_add(struct capture *c, const struct op *o)
{
	if (c->spoiled) {
		release(o);
		return cudaErrorStreamCaptureInvalidated;
	}
	c->ops.push_back(*o);
	return cudaSuccess;
}

void capture_record(struct capture *c, struct CUevent_st *event)
{
	event->captured = c->number;
}

cudaError_t capture_wait(struct capture *c, const struct CUevent_st *event)
{
	if (c->spoiled)
		return cudaErrorStreamCaptureInvalidated;
	return event->captured == c->number ? cudaSuccess
					    : spoil(c, cudaErrorStreamCaptureIsolation);
}

void capture_drop(cudaStream_t stream)
{
	struct capture *const c = stream->capture;

	if (!c)
		return;
	for (const struct op &o : c->ops)
		release(&o);
	live.captured->erase(stream);
	stream->capture = NULL;
	delete c;
}

/* Of all streams that order themselves with the default stream. */
static cudaError_t legacy_state(bool spoils)
{
	cudaError_t result = cudaSuccess;

	for (cudaStream_t s : *live.captured) {
		if (s->owned)
			continue;
		s->capture->spoiled |= spoils;
		result = cudaErrorStreamCaptureImplicit;
	}
	return result;
}

cudaError_t refuse_legacy(void)
{
	return legacy_state(true);
}

cudaError_t refuse_wait(cudaStream_t stream)
{
	if (!stream)
		return refuse_legacy();
	return stream->capture ? spoil(stream->capture, cudaErrorStreamCaptureUnsupported)
			       : cudaSuccess;
}

cudaError_t refuse_device_wait(void)
{
	cudaError_t result = cudaSuccess;

	for (cudaStream_t s : *live.captured)
		result = spoil(s->capture, cudaErrorStreamCaptureUnsupported);
	return result;
}

cudaError_t refuse_event(const struct CUevent_st *event)
{
	if (!event->captured)
		return cudaSuccess;
	for (cudaStream_t s : *live.captured)
		if (s->capture->number == event->captured)
			(void)spoil(s->capture, cudaSuccess);
	return cudaErrorCapturedEvent;
}

cudaError_t refuse_unsafe(void)
{
	const api_lock lock;
	cudaError_t result = cudaSuccess;

	for (cudaStream_t s : *live.captured) {
		const struct capture *const c = s->capture;

		if (c->mode == cudaStreamCaptureModeGlobal ||
		    (c->mode == cudaStreamCaptureModeThreadLocal &&
		     pthread_equal(c->thread, pthread_self())))
			result = spoil(s->capture, cudaErrorStreamCaptureUnsupported);
	}
	return result;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	const api_lock lock;

	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (!stream)
		return device_error(cudaErrorStreamCaptureUnsupported);
	if (stream->capture)
		return device_error(cudaErrorIllegalState);
	stream->capture = new capture{ ++live.captures, mode, pthread_self(), false, {} };
	live.captured->insert(stream);
	return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	const api_lock lock;

	if (!stream) {
		*status = cudaStreamCaptureStatusNone;
		return device_error(legacy_state(false));
	}
	*status = !stream->capture           ? cudaStreamCaptureStatusNone
		  : stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
					     : cudaStreamCaptureStatusActive;
	return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	const api_lock lock;
	struct capture *const c = stream ? stream->capture : NULL;

	*graph = NULL;
	if (!c)
		return device_error(cudaErrorIllegalState);
	if (c->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(c->thread, pthread_self()))
		return device_error(cudaErrorStreamCaptureWrongThread);
	if (!c->spoiled) {
		*graph = new CUgraph_st;
		for (const struct op &o : c->ops)
			(*graph)->nodes.push_back({ o });
		c->ops.clear();
		live.graphs->insert(*graph);
	}
	capture_drop(stream);
	return *graph ? cudaSuccess : device_error(cudaErrorStreamCaptureInvalidated);
}

/* ---- graphs -------------------------------------------------------------------------------- */

/* One that is not alive is an error of the program: a GPU's driver may crash. */
template <class T> static bool alive(const char *function, const std::set<T> *all, T handle)
{
	if (all->count(handle))
		return true;
	report_error("%s: %p was not created, or was destroyed before", function, (void *)handle);
	return false;
}

/* NULL nodes: how many there are. */
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	const api_lock lock;

	if (!alive("cudaGraphGetNodes", live.graphs, graph))
		return device_error(cudaErrorInvalidValue);
	for (size_t i = 0; nodes && i < *count; i++)
		nodes[i] = i < graph->nodes.size() ? &graph->nodes[i] : NULL;
	if (!nodes || *count > graph->nodes.size())
		*count = graph->nodes.size();
	return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	const api_lock lock;

	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (!alive("cudaGraphInstantiate", live.graphs, graph))
		return device_error(cudaErrorInvalidValue);
	if (flags)
		return device_error(cudaErrorNotSupported);
	*exec = new CUgraphExec_st{};
	for (const struct CUgraphNode_st &node : graph->nodes)
		(*exec)->ops.push_back(copy_of(&node.op));
	live.execs->insert(*exec);
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	const api_lock lock;

	if (!alive("cudaGraphDestroy", live.graphs, graph))
		return device_error(cudaErrorInvalidValue);
	for (const struct CUgraphNode_st &node : graph->nodes)
		release(&node.op);
	live.graphs->erase(graph);
	delete graph;
	return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	const api_lock lock;

	if (!alive("cudaGraphExecDestroy", live.execs, exec))
		return device_error(cudaErrorInvalidValue);
	for (const struct op &o : exec->ops)
		release(&o);
	live.execs->erase(exec);
	delete exec;
	return cudaSuccess;
}

/* Behind its last launch, in whatever stream that was. */
static void follow_last(cudaGraphExec_t exec, struct queue *q)
{
	struct op o = {};

	if (!exec->queue || exec->queue == q)
		return;
	o.kind = OP_WAIT;
	o.other = exec->queue;
	o.other_number = exec->number;
	(void)enqueue(q, &o);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	const api_lock lock;
	struct queue *const q = queue_of(stream);

	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (!alive("cudaGraphLaunch", live.execs, exec))
		return device_error(cudaErrorInvalidValue);
	if (stream && stream->capture)
		return device_error(spoil(stream->capture, cudaErrorNotSupported));
	const cudaError_t refused = stream ? cudaSuccess : refuse_legacy();

	if (refused != cudaSuccess)
		return device_error(refused);
	for (const struct op &o : exec->ops) {
		if (!check_op("cudaGraphLaunch", &o)) {
			device_set_sticky(cudaErrorIllegalAddress);
			return device_error(device_sticky());
		}
	}
	follow_last(exec, q);
	for (const struct op &o : exec->ops) {
		struct op next = copy_of(&o);

		(void)enqueue(q, &next);
		exec->number = next.number;
	}
	exec->queue = q;
	return device_error(device_sticky());
}

void graphs_report_leaks(void)
{
	const size_t graphs = live.graphs->size(), execs = live.execs->size();

	if (runtime_options.leaks && graphs + execs)
		report_error("%zu graphs and %zu executable graphs were not destroyed", graphs,
			     execs);
}

/* Captures end; handles that are left are good for nothing any more. */
void graphs_drop_all(void)
{
	const api_lock lock;

	while (!live.captured->empty())
		capture_drop(*live.captured->begin());
	while (!live.execs->empty())
		(void)cudaGraphExecDestroy(*live.execs->begin());
	while (!live.graphs->empty())
		(void)cudaGraphDestroy(*live.graphs->begin());
}
