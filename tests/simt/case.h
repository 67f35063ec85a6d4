/* case.h -- a small kernel, what it should leave, and how to run it: right ones (selftest.cu) and ones
 * with a seeded fault (faults.cu). */
#ifndef GPUBENCH_TESTS_SIMT_CASE_H
#define GPUBENCH_TESTS_SIMT_CASE_H

#include "cuda/gpu.h"

static const uint32_t BLOCK = 128, BLOCKS = 8, COUNT = BLOCK * BLOCKS;

#define INDEX (blockIdx.x * BLOCK + threadIdx.x)

/* in: COUNT words, well mixed; out and words: as many, zero. */
#define KERNEL(name)                                                     \
	static __global__ void name([[maybe_unused]] const uint32_t *in, \
				    [[maybe_unused]] uint32_t *out,      \
				    [[maybe_unused]] uint32_t *words)

struct manner {
	dim3 blocks = BLOCKS, threads = BLOCK, cluster = 1;
	size_t shared = 0; /* dynamic, in bytes */
	bool cooperative = false;
};

struct kernel_case {
	const char *name;
	/* Who is known to catch it, separated by |: reported (by the engine, in any build), wrong
	 * (the result, in forward order), refused (a CUDA error), asan, check, seeds, reverse,
	 * protect.  Each one named must; nobody may report a right kernel, with "". */
	const char *caught_by;
	void (*kernel)(const uint32_t *in, uint32_t *out, uint32_t *words) = NULL;
	uint32_t (*expected)(uint32_t i) = NULL; /* word i of `out`, then; NULL: that of `in` */
	struct manner how = {};
	void (*before)(void) = NULL; /* what the host does beside the launch */
	void (*after)(void) = NULL;
};

/* What `in` holds. */
extern uint32_t case_in[COUNT];
/* The arrays on the device, for the kernel; `before` may put others there. */
extern struct case_arrays {
	uint32_t *in, *out, *words;
} case_device;
/* Where the kernel is launched. */
extern cudaStream_t case_stream;

/* NULL: the result is right; else "wrong" or a CUDA error in words. */
const char *case_run(const struct kernel_case *c);
/* The case fails with this error, if it is one and the first. */
void case_check(cudaError_t error);

/* Expectations: the inclusive sum in the block; the block's words backwards; VALUE in the first N. */
uint32_t prefix_sum(uint32_t i);
uint32_t mirrored(uint32_t i);

template <uint32_t N, uint32_t VALUE> static inline uint32_t first(uint32_t i)
{
	return i < N ? VALUE : 0;
}

#endif
