/* mma.h -- products of bit matrices by a warp, on tensor cores. */
#ifndef GPUBENCH_CUDA_RUNTIME_MMA_H
#define GPUBENCH_CUDA_RUNTIME_MMA_H

#include <stdint.h>

#include <cuda_runtime.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

/* sm_75 has only XOR on 8 x 8 x 128: sum[] += |a ^ b|, for the lane's 2 of the 8 x 8 sums. */
static __device__ __forceinline__ void gpu_mma_xor_popc(int sum[2], uint32_t a, uint32_t b)
{
	asm("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
	    "{%0, %1}, {%2}, {%3}, {%0, %1};"
	    : "+r"(sum[0]), "+r"(sum[1])
	    : "r"(a), "r"(b));
}

#endif

/* The product of a 16 x 256 and a 256 x 8 bit matrix: add to sum the number of ones that each row
 * of the first shares with each column of the second.  All lanes call together.  With g = lane / 4
 * and t = lane % 4, a lane holds
 *	a[0], a[1]    row g, row g + 8: bits 32 t to 32 t + 31
 *	a[2], a[3]    the same rows, 128 bits on
 *	b[0], b[1]    column g: the same bits, and 128 on
 *	sum[0..1]     row g, columns 2 t and 2 t + 1;  sum[2..3]: row g + 8
 * This is one instruction from sm_80 on, but sm_100 and sm_120 emulate it: ptxas expands bits to
 * bytes there.  sm_75 takes ten instructions of a quarter the size, because it has only XOR:
 *	2 |a & b| = |a| + |b| - |a ^ b|, |a| = |a ^ 0|
 * nvcc computes the four that need only a just once for the same a. */
static __device__ __forceinline__ void gpu_mma_and_popc(int sum[4], const uint32_t a[4],
							const uint32_t b[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
	int ones_b[2] = { 0, 0 };

	gpu_mma_xor_popc(ones_b, 0, b[0]);
	gpu_mma_xor_popc(ones_b, 0, b[1]);
	for (int half = 0; half < 2; half++) {
		int ones_a[2] = { 0, 0 }, differ[2] = { 0, 0 };

		gpu_mma_xor_popc(ones_a, a[half], 0);
		gpu_mma_xor_popc(ones_a, a[half + 2], 0);
		gpu_mma_xor_popc(differ, a[half], b[0]);
		gpu_mma_xor_popc(differ, a[half + 2], b[1]);
		sum[2 * half] += (ones_a[0] + ones_b[0] - differ[0]) / 2;
		sum[2 * half + 1] += (ones_a[1] + ones_b[1] - differ[1]) / 2;
	}
#else
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

#endif
