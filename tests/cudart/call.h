/* call.h -- a kernel launch that waits in a stream, as the runtime sees it.
 *
 * Each executor puts behind it what it needs to run the kernel; the includer provides dim3.
 */
#ifndef GPUBENCH_TESTS_CUDART_CALL_H
#define GPUBENCH_TESTS_CUDART_CALL_H

struct gpu_call {
	void (*destroy)(struct gpu_call *call);
	struct gpu_call *(*copy)(const struct gpu_call *call); /* to be launched now */
	const char *name;
	const void *kernel; /* the address that the host launches it by */
	dim3 grid, block, cluster;
	size_t dynamic_bytes;
	bool cooperative;
};

#endif
