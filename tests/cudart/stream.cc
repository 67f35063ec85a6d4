/* stream.cc -- the CUDA runtime API: streams, events, copies, launches.
 *
 * All streams share one queue, which is allowed for streams that synchronise with the default
 * stream; others are not supported.  The queue runs only when the host waits - a synchronisation, a
 * copy that CUDA makes blocking, cudaFree() - so a program that forgets to wait always gets stale
 * data.  Asynchronous copies from and to memory that is not page-locked are blocking, as on a
 * GPU.
 */
#include <stdlib.h>
#include <string.h>

#include <deque>

#include "tests/cudart/control.h"
#include "tests/cudart/stream.h"

struct CUevent_st {
	uint64_t number; /* number of the last record in the queue; 0: never recorded */
	double time_s;
};

/* Never destroyed: kernels may be launched during exit. */
static std::deque<struct op> *const queue = new std::deque<struct op>;
static uint64_t submitted, begun;

/* ---- running the queue ----------------------------------------------------------------------- */

static void move(const struct op *o)
{
	memory_open(true);
	if (o->kind == OP_COPY)
		memmove(o->to, o->from, o->bytes);
	else
		memset(o->to, o->value, o->bytes);
	if (runtime_options.check)
		check_written(o->to, o->bytes);
	memory_open(false);
}

static void destroy(struct gpu_call *call)
{
	free(call->parameters);
	delete call;
}

static void execute(const struct op *o)
{
	const bool dead = device_sticky() != cudaSuccess;

	switch (o->kind) {
	case OP_CALL:
		if (!dead) {
			cache_touch(&o->call->persisting);
			executor_run(o->call);
		}
		destroy(o->call);
		break;
	case OP_COPY:
	case OP_SET:
		if (!dead)
			move(o);
		break;
	case OP_RECORD:
		o->event->time_s = now_s();
		break;
	}
}

/* Run the queue up to the op of that number. */
static cudaError_t drain(uint64_t until)
{
	while (!queue->empty() && begun < until) {
		const struct op o = queue->front();

		queue->pop_front();
		begun++;
		execute(&o);
	}
	return device_sticky();
}

cudaError_t streams_drain_all(void)
{
	return drain(submitted);
}

void streams_drop_all(void)
{
	for (const struct op &o : *queue)
		if (o.kind == OP_CALL)
			destroy(o.call);
	queue->clear();
	begun = submitted;
}

static uint64_t launches, set_bytes;

uint64_t cudart_launches(void)
{
	return launches;
}

uint64_t cudart_set_bytes(void)
{
	return set_bytes;
}

static void count(const struct op *o)
{
	launches += o->kind == OP_CALL;
	if (o->kind == OP_SET) {
		set_bytes += o->bytes;
		count_copy(COPY_SET, o->bytes);
	} else if (o->kind == OP_COPY) {
		count_copy(o->direction == cudaMemcpyHostToDevice   ? COPY_TO_DEVICE
			   : o->direction == cudaMemcpyDeviceToHost ? COPY_TO_HOST
								    : COPY_ON_DEVICE,
			   o->bytes);
	}
}

/* Count the op and append it to the queue. */
static cudaError_t enqueue(const struct op *o)
{
	count(o);
	if (o->call)
		cache_limit(&o->call->persisting);
	submitted++;
	queue->push_back(*o);
	return device_sticky();
}

/* ---- launches ---------------------------------------------------------------------------- */

static uint64_t volume(dim3 d)
{
	return (uint64_t)d.x * d.y * d.z;
}

static cudaError_t check_cluster(const struct gpu_call *call)
{
	const dim3 g = call->grid, c = call->cluster;
	const unsigned most = function_most_cluster_blocks(call->kernel);

	if (!c.x || !c.y || !c.z || volume(c) > most || g.x % c.x || g.y % c.y || g.z % c.z)
		return cudaErrorInvalidClusterSize;
	return cudaSuccess;
}

static cudaError_t check_cooperative(const struct gpu_call *call)
{
	int blocks = 0;

	if (!call->cooperative)
		return cudaSuccess;
	(void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, call->kernel, (int)volume(call->block), call->dynamic_bytes);
	if (volume(call->grid) > (uint64_t)blocks * (unsigned)runtime_options.processors)
		return cudaErrorCooperativeLaunchTooLarge;
	return cudaSuccess;
}

/* Check the launch against the kernel's compiled limits, as far as the executor knows them. */
static cudaError_t check_bounds(const struct gpu_call *call)
{
	struct kernel_facts facts;
	int most = 0;
	const cudaError_t result = executor_facts(call->kernel, &facts);

	if (result != cudaSuccess)
		return result;
	(void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
	if ((facts.max_threads && volume(call->block) > (unsigned)facts.max_threads) ||
	    facts.shared_bytes + call->dynamic_bytes > (size_t)most)
		return cudaErrorLaunchOutOfResources;
	return cudaSuccess;
}

static cudaError_t check_launch(const struct gpu_call *call)
{
	const dim3 g = call->grid, b = call->block;

	if (!volume(b) || volume(b) > MAX_THREADS || b.x > 1024 || b.y > 1024 || b.z > 64 ||
	    !volume(g) || g.x > 0x7fffffff || g.y > 65535 || g.z > 65535)
		return cudaErrorInvalidConfiguration;
	if (call->dynamic_bytes > (size_t)function_dynamic_limit(call->kernel))
		return cudaErrorInvalidValue;
	cudaError_t result = check_bounds(call);

	if (result == cudaSuccess)
		result = check_cluster(call);
	return result != cudaSuccess ? result : check_cooperative(call);
}

cudaError_t runtime_launch(struct gpu_call *call, cudaStream_t stream)
{
	cudaError_t result = device_sticky();

	options_read();
	if (result == cudaSuccess)
		result = check_launch(call);
	if (result != cudaSuccess) {
		destroy(call);
		return device_error(result);
	}
	struct op o = {};

	if (stream)
		call->persisting = cache_window(&stream->policy);
	o.kind = OP_CALL;
	o.call = call;
	return device_error(enqueue(&o));
}

/* ---- copies ------------------------------------------------------------------------------ */

/* True if [p, p + bytes) is inside one allocation that the device can access; else report it. */
static bool on_device(const char *function, const void *p, size_t bytes)
{
	uintptr_t begin;
	size_t size;
	const enum memory_kind kind = memory_find(p, &begin, &size);

	if (kind == MEMORY_DEVICE || kind == MEMORY_HOST) {
		if ((uintptr_t)p - begin + bytes <= size)
			return true;
		report_error(
			"%s: %zu bytes at offset %zu pass the end of an allocation of %zu bytes",
			function, bytes, (size_t)((uintptr_t)p - begin), size);
	} else {
		report_error("%s: %p is %s", function, p,
			     kind == MEMORY_FREED ? "device memory that was freed"
						  : "not device memory");
	}
	return false;
}

/* True if p is host memory and not device memory; else report it. */
static bool on_host(const char *function, const void *p)
{
	uintptr_t begin;
	size_t size;

	if (memory_find(p, &begin, &size) != MEMORY_DEVICE || (uintptr_t)p == begin + size)
		return true;
	report_error("%s: %p is device memory, and the direction says host", function, p);
	return false;
}

static bool page_locked(const void *p)
{
	uintptr_t begin;
	size_t size;

	return memory_find(p, &begin, &size) == MEMORY_HOST;
}

static bool check_copy(const char *function, const void *to, const void *from, size_t bytes,
		       enum cudaMemcpyKind kind)
{
	const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
	const uintptr_t t = (uintptr_t)to, f = (uintptr_t)from;

	if (!(to_device ? on_device(function, to, bytes) : on_host(function, to)) ||
	    !(from_device ? on_device(function, from, bytes) : on_host(function, from)))
		return false;
	if (t < f + bytes && f < t + bytes) {
		report_error("%s: source and destination overlap", function);
		return false;
	}
	return true;
}

static cudaError_t copy(const char *function, void *to, const void *from, size_t bytes,
			enum cudaMemcpyKind kind, bool async)
{
	struct op o = {};

	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (bytes && !check_copy(function, to, from, bytes, kind))
		return device_error(cudaErrorInvalidValue);
	if ((kind == cudaMemcpyHostToDevice && !page_locked(from)) ||
	    (kind == cudaMemcpyDeviceToHost && !page_locked(to)))
		async = async && !bytes;
	cudaError_t result = cudaSuccess;

	o.kind = OP_COPY;
	o.to = to;
	o.from = from;
	o.bytes = bytes;
	o.direction = kind;
	if (bytes)
		result = enqueue(&o);
	if (result == cudaSuccess && !async)
		result = streams_drain_all();
	return device_error(result);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	return copy("cudaMemcpy", to, from, bytes, kind, false);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			    cudaStream_t)
{
	return copy("cudaMemcpyAsync", to, from, bytes, kind, true);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
	struct op o = {};

	if (device_sticky() != cudaSuccess)
		return device_error(device_sticky());
	if (bytes == 0)
		return cudaSuccess;
	if (!on_device("cudaMemset", to, bytes))
		return device_error(cudaErrorInvalidValue);
	o.kind = OP_SET;
	o.to = to;
	o.value = value;
	o.bytes = bytes;
	return device_error(enqueue(&o));
}

/* On device memory: asynchronous, in the default stream. */
cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
	return cudaMemsetAsync(to, value, bytes, NULL);
}

/* ---- streams ----------------------------------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	*stream = new CUstream_st{};
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	if (!stream)
		return device_error(cudaErrorInvalidResourceHandle);
	delete stream;
	return streams_drain_all();
}

cudaError_t cudaStreamSynchronize(cudaStream_t)
{
	return device_error(streams_drain_all());
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return cudaStreamSynchronize(stream);
}

cudaError_t cudaDeviceSynchronize(void)
{
	return device_error(streams_drain_all());
}

/* ---- events ------------------------------------------------------------------------------ */

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	*event = new CUevent_st{};
	return cudaSuccess;
}

extern "C" cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

extern "C" cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	if (!event)
		return device_error(cudaErrorInvalidResourceHandle);
	(void)drain(event->number);
	delete event;
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
	struct op o = {};

	o.kind = OP_RECORD;
	o.event = event;
	event->number = submitted + 1;
	return device_error(enqueue(&o));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return device_error(drain(event->number));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
	if (!begin->number || !end->number)
		return device_error(cudaErrorInvalidResourceHandle);
	if (begun < begin->number || begun < end->number)
		return device_error(cudaErrorNotReady);
	*ms = (float)((end->time_s - begin->time_s) * 1e3);
	return cudaSuccess;
}
