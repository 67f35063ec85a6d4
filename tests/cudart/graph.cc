/* graph.cc -- the CUDA runtime API: graphs, captured from one stream.
 *
 * While a stream is captured, operations submitted to it are recorded with their current arguments
 * and do not run.  A launch of the graph enqueues copies of them in this order.
 *
 * A call that a capture does not allow fails as on a GPU and invalidates the capture: later
 * submissions fail, and so does the end of the capture, which gives no graph.  An asynchronous copy
 * of memory that is not page-locked would wait, and so cannot be captured.  Two captures at a time,
 * modes other than relaxed, and launches of a graph into a capture are not supported.
 */
#include <set>
#include <vector>

#include "tests/cudart/stream.h"

struct CUgraph_st {
	std::vector<struct op> ops;
};

struct CUgraphExec_st {
	std::vector<struct op> ops;
};

static struct {
	cudaStream_t stream; /* NULL: no capture */
	bool spoiled;
	std::vector<struct op> *ops;
} capture = { NULL, false, new std::vector<struct op> };

/* Graphs created and not destroyed.  The set is never destroyed: leaks are reported last. */
static std::set<cudaGraph_t> *const graphs = new std::set<cudaGraph_t>;
static std::set<cudaGraphExec_t> *const execs = new std::set<cudaGraphExec_t>;

static struct op copy_of(const struct op *o)
{
	struct op copy = *o;

	if (copy.call)
		copy.call = copy.call->copy(copy.call);
	return copy;
}

static void release(const std::vector<struct op> &ops)
{
	for (const struct op &o : ops)
		if (o.call)
			o.call->destroy(o.call);
}

/* ---- captures ------------------------------------------------------------------------------ */

bool is_captured(cudaStream_t stream)
{
	return stream && stream == capture.stream;
}

cudaError_t capture_add(const struct op *o)
{
	if (capture.spoiled) {
		release({ *o });
		return cudaErrorStreamCaptureInvalidated;
	}
	capture.ops->push_back(*o);
	return cudaSuccess;
}

void capture_drop(void)
{
	release(*capture.ops);
	capture.ops->clear();
	capture.stream = NULL;
}

/* Invalidate the current capture, if there is one, and return `error`. */
static cudaError_t spoil(cudaError_t error)
{
	capture.spoiled = true;
	return capture.stream ? error : cudaSuccess;
}

cudaError_t refuse_legacy(void)
{
	return spoil(cudaErrorStreamCaptureImplicit);
}

cudaError_t refuse_wait(cudaStream_t stream)
{
	if (!stream)
		return refuse_legacy();
	return is_captured(stream) ? refuse_device_wait() : cudaSuccess;
}

cudaError_t refuse_device_wait(void)
{
	return spoil(cudaErrorStreamCaptureUnsupported);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (!stream)
		return device_error(cudaErrorStreamCaptureUnsupported);
	if (is_captured(stream))
		return device_error(cudaErrorIllegalState);
	if (capture.stream || mode != cudaStreamCaptureModeRelaxed) {
		report_error("cudaStreamBeginCapture: one capture at a time is emulated, relaxed");
		return device_error(cudaErrorNotSupported);
	}
	capture.stream = stream;
	capture.spoiled = false;
	return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	*status = !is_captured(stream) ? cudaStreamCaptureStatusNone
		  : capture.spoiled    ? cudaStreamCaptureStatusInvalidated
				       : cudaStreamCaptureStatusActive;
	return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	*graph = NULL;
	if (!is_captured(stream))
		return device_error(cudaErrorIllegalState);
	if (!capture.spoiled) {
		*graph = new CUgraph_st;
		(*graph)->ops.swap(*capture.ops);
		graphs->insert(*graph);
	}
	capture_drop();
	return *graph ? cudaSuccess : device_error(cudaErrorStreamCaptureInvalidated);
}

/* ---- graphs -------------------------------------------------------------------------------- */

/* Report a handle that is not alive: a GPU's driver may crash on it. */
template <class T> static bool alive(const char *function, const std::set<T> *all, T handle)
{
	if (all->count(handle))
		return true;
	report_error("%s: %p was not created, or was destroyed before", function, (void *)handle);
	return false;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	if (!alive("cudaGraphGetNodes", graphs, graph))
		return device_error(cudaErrorInvalidValue);
	if (nodes) {
		report_error("cudaGraphGetNodes: nodes are counted only, not given");
		return device_error(cudaErrorNotSupported);
	}
	*count = graph->ops.size();
	return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (!alive("cudaGraphInstantiate", graphs, graph))
		return device_error(cudaErrorInvalidValue);
	if (flags)
		return device_error(cudaErrorNotSupported);
	*exec = new CUgraphExec_st{};
	for (const struct op &o : graph->ops)
		(*exec)->ops.push_back(copy_of(&o));
	execs->insert(*exec);
	return cudaSuccess;
}

template <class T> static cudaError_t destroy(const char *function, std::set<T> *all, T handle)
{
	if (!alive(function, all, handle))
		return device_error(cudaErrorInvalidValue);
	release(handle->ops);
	all->erase(handle);
	delete handle;
	return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	return destroy("cudaGraphDestroy", graphs, graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return destroy("cudaGraphExecDestroy", execs, exec);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (!alive("cudaGraphLaunch", execs, exec))
		return device_error(cudaErrorInvalidValue);
	if (is_captured(stream))
		return device_error(spoil(cudaErrorNotSupported));
	const cudaError_t refused = stream ? cudaSuccess : refuse_legacy();

	if (refused != cudaSuccess)
		return device_error(refused);
	for (const struct op &o : exec->ops) {
		if (!check_op("cudaGraphLaunch", &o)) {
			device_set_sticky(cudaErrorIllegalAddress);
			return device_error(device_sticky());
		}
	}
	for (const struct op &o : exec->ops) {
		const struct op next = copy_of(&o);

		(void)enqueue(&next);
	}
	return device_error(device_sticky());
}

void graphs_report_leaks(void)
{
	if (runtime_options.leaks && graphs->size() + execs->size())
		report_error("%zu graphs and %zu executable graphs were not destroyed",
			     graphs->size(), execs->size());
}

/* End captures and invalidate all handles. */
void graphs_drop_all(void)
{
	capture_drop();
	while (!execs->empty())
		(void)cudaGraphExecDestroy(*execs->begin());
	while (!graphs->empty())
		(void)cudaGraphDestroy(*graphs->begin());
}
