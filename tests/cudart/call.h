/* call.h -- a kernel launch queued in a stream, as the runtime sees it.
 *
 * Each executor derives from it and adds what it needs to run the kernel.  The includer provides
 * dim3.
 */
#ifndef GPUBENCH_TESTS_CUDART_CALL_H
#define GPUBENCH_TESTS_CUDART_CALL_H

#include <stddef.h>
#include <stdint.h>

/* Memory whose lines persist in the L2 after the kernel. */
struct gpu_window {
	uintptr_t begin;
	size_t bytes; /* 0: none */
};

struct gpu_call {
	void (*destroy)(struct gpu_call *call);
	const char *name;
	const void *kernel; /* the address by which the host launches it */
	dim3 grid, block, cluster;
	size_t dynamic_bytes;
	bool cooperative;
	struct gpu_window persisting; /* access window of the stream at the launch */
};

#endif
