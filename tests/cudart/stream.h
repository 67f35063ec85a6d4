/* stream.h -- streams from the inside: what stream.cc and graph.cc share. */
#ifndef GPUBENCH_TESTS_CUDART_STREAM_H
#define GPUBENCH_TESTS_CUDART_STREAM_H

#include <deque>

#include "tests/cudart/runtime.h"

enum op_kind { OP_CALL, OP_COPY, OP_SET, OP_RECORD, OP_WAIT, OP_HOST };

struct op {
	enum op_kind kind;
	uint64_t number; /* in the order of submission, over all streams */
	struct gpu_call *call;
	void *to;
	const void *from;
	size_t bytes;
	int value;
	enum cudaMemcpyKind direction; /* OP_COPY: not cudaMemcpyDefault */
	struct CUevent_st *event;
	struct queue *other; /* OP_WAIT: until that queue has passed other_number */
	uint64_t other_number;
	void (*function)(void *);
};

struct queue {
	std::deque<struct op> ops;
};

struct capture; /* graph.cc */

struct CUstream_st {
	struct queue *queue;
	bool owned;
	struct capture *capture; /* what is submitted goes there; NULL: into the queue */
};

struct CUevent_st {
	struct queue *queue;   /* of the last record; NULL: never recorded */
	uint64_t number, done; /* of the last record; that ran last */
	double time_s;
	bool timed;
	uint64_t captured; /* the capture that it was last recorded in; 0: in none */
};

/* Held by every function of the API that touches a queue: host threads may share the device. */
struct api_lock {
	api_lock();
	~api_lock();
};

struct queue *queue_of(cudaStream_t stream);
/* Put it behind what is in the queue, count it, and under EAGER run it; o->number is set. */
cudaError_t enqueue(struct queue *q, struct op *o);
/* Whether the memory of a copy or memset is there; else it is reported. */
bool check_op(const char *function, const struct op *o);

/* ---- captures (graph.cc); the lock is held --------------------------------------------------- */

/* Instead of enqueue() while the stream is captured: the op, its call included, is the capture's. */
cudaError_t capture_add(struct capture *c, const struct op *o);
void capture_record(struct capture *c, struct CUevent_st *event);
/* cudaSuccess if that event was recorded in this capture: then the order is there already. */
cudaError_t capture_wait(struct capture *c, const struct CUevent_st *event);
void capture_drop(cudaStream_t stream);

/* cudaSuccess, or what a call of that sort returns at this time, after it has spoiled a capture: */
cudaError_t refuse_legacy(void);                          /* uses the default stream */
cudaError_t refuse_wait(cudaStream_t stream);             /* waits for a stream */
cudaError_t refuse_device_wait(void);                     /* waits for the device */
cudaError_t refuse_event(const struct CUevent_st *event); /* asks for an event's time or state */

#endif
