/* stream.h -- internals of streams, shared by stream.cc and graph.cc. */
#ifndef GPUBENCH_TESTS_CUDART_STREAM_H
#define GPUBENCH_TESTS_CUDART_STREAM_H

#include "tests/cudart/runtime.h"

enum op_kind { OP_CALL, OP_COPY, OP_SET, OP_RECORD };

struct op {
	enum op_kind kind;
	struct gpu_call *call;
	void *to;
	const void *from;
	size_t bytes;
	int value;
	enum cudaMemcpyKind direction;
	struct CUevent_st *event;
};

struct CUstream_st {
	struct cudaAccessPolicyWindow policy;
};

/* Count the op and append it to the queue. */
cudaError_t enqueue(const struct op *o);
/* Return true if the memory of a copy or memset is valid; else report an error. */
bool check_op(const char *function, const struct op *o);

/* ---- the L2 (cache.cc) --------------------------------------------------------------------- */

/* The part of an access window that persists. */
struct gpu_window cache_window(const struct cudaAccessPolicyWindow *policy);
/* Clip it to the limit of persisting lines, when the kernel is queued. */
void cache_limit(struct gpu_window *window);
void cache_touch(const struct gpu_window *window); /* a kernel touches all of it */

/* ---- captures (graph.cc) ------------------------------------------------------------------- */

bool is_captured(cudaStream_t stream);
/* Replaces enqueue() while the stream is captured.  The capture takes ownership of the op and its
 * call. */
cudaError_t capture_add(const struct op *o);
void capture_drop(void);

/* cudaSuccess, or the error of such a call during a capture, which it invalidates: */
cudaError_t refuse_legacy(void);              /* uses the default stream */
cudaError_t refuse_wait(cudaStream_t stream); /* waits for a stream */
cudaError_t refuse_device_wait(void);         /* waits for the device */

#endif
