/* stream.h -- internals of streams, shared with the L2 (cache.cc). */
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

/* ---- the L2 (cache.cc) --------------------------------------------------------------------- */

/* The part of an access window that persists. */
struct gpu_window cache_window(const struct cudaAccessPolicyWindow *policy);
/* Clip it to the limit of persisting lines, when the kernel is queued. */
void cache_limit(struct gpu_window *window);
void cache_touch(const struct gpu_window *window); /* a kernel touches all of it */

#endif
