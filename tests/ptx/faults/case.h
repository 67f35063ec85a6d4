/* case.h -- runs a small kernel and judges its result: kernels with a planted fault, and correct
 * ones, which nothing may report.
 */
#ifndef GPUBENCH_TESTS_PTX_FAULTS_CASE_H
#define GPUBENCH_TESTS_PTX_FAULTS_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/gpu.h"

static const uint32_t BLOCK = 128, BLOCKS = 8, COUNT = BLOCK * BLOCKS;

#define INDEX (blockIdx.x * BLOCK + threadIdx.x)

/* in: COUNT pseudo-random words. out, words: COUNT zero words each. */
#define KERNEL(name)                                                     \
	static __global__ void name([[maybe_unused]] const uint32_t *in, \
				    [[maybe_unused]] uint32_t *out,      \
				    [[maybe_unused]] uint32_t *words)

struct manner {
	dim3 blocks = BLOCKS, threads = BLOCK;
	unsigned cluster = 1;
	size_t shared = 0; /* dynamic shared memory, in bytes */
	bool cooperative = false;
};

struct kernel_case {
	const char *name;
	/* The check that finds it; see faults.py.  "" for a correct kernel. */
	const char *found_by;
	void (*kernel)(const uint32_t *in, uint32_t *out, uint32_t *words) = NULL;
	/* word i of `out` after the kernel; NULL: case_in[i] */
	uint32_t (*expected)(uint32_t i) = NULL;
	struct manner how = {};
	void (*before)(void) = NULL; /* host code before the launch */
	void (*after)(void) = NULL;
};

/* The tables end with a NULL name. */
extern const struct kernel_case block_faults[];  /* block.cu */
extern const struct kernel_case grid_faults[];   /* grid.cu */
extern const struct kernel_case right_kernels[]; /* right.cu */

/* The initial content of `in`. */
extern uint32_t case_in[COUNT];
/* The device arrays that the kernel gets; `before` may replace them. */
extern struct case_arrays {
	uint32_t *in, *out, *words;
} case_device;

/* Return NULL if the result is correct, else "wrong" or the text of a CUDA error. */
const char *case_run(const struct kernel_case *c);
/* Make the case fail with this error unless it is cudaSuccess or an earlier one was recorded. */
void case_check(cudaError_t error);

/* Expected words: inclusive sums per block; each block reversed; VALUE in the first N. */
uint32_t prefix_sum(uint32_t i);
uint32_t mirrored(uint32_t i);

template <uint32_t N, uint32_t VALUE> static inline uint32_t first(uint32_t i)
{
	return i < N ? VALUE : 0;
}

/* Inclusive sums within each block, after Hillis and Steele.  SYNC: no barrier is missing. */
template <bool SYNC> static __device__ inline void scan_block(const uint32_t *in, uint32_t *out)
{
	__shared__ uint32_t sum[BLOCK];
	const uint32_t t = threadIdx.x;

	sum[t] = in[INDEX];
	__syncthreads();
	for (uint32_t step = 1; step < BLOCK; step *= 2) {
		const uint32_t left = t >= step ? sum[t - step] : 0;

		if (SYNC)
			__syncthreads();
		sum[t] += left;
		__syncthreads();
	}
	out[INDEX] = sum[t];
}

/* 0, which the compiler does not know, so that it keeps the computation of v. */
static __device__ inline uint32_t nothing_of(uint32_t v)
{
	asm volatile("and.b32 %0, %0, 0;" : "+r"(v));
	return v;
}

#endif
