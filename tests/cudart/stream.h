/* stream.h -- streams from the inside: what stream.cc and graph.cc share. */
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
};

/* Count it and put it into the queue. */
cudaError_t enqueue(const struct op *o);
/* Whether the memory of a copy or memset is there; else it is reported. */
bool check_op(const char *function, const struct op *o);

/* ---- captures (graph.cc) ------------------------------------------------------------------- */

bool is_captured(cudaStream_t stream);
/* Instead of enqueue() while the stream is captured: the op, its call included, is the capture's. */
cudaError_t capture_add(const struct op *o);
void capture_drop(void);

/* cudaSuccess, or what a call of that sort returns now, after it has spoiled the capture: */
cudaError_t refuse_legacy(void);              /* uses the default stream */
cudaError_t refuse_wait(cudaStream_t stream); /* waits for a stream */
cudaError_t refuse_device_wait(void);         /* waits for the device */

#endif
