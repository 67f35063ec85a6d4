/* device.h -- device code for sorts and scans: loads of a tile, a warp's stable ranking by digit,
 * and sums over warps.
 *
 * Ranking: for each key, a lane finds by one vote per bit of the digit which lanes of its warp hold
 * the same digit.  The number of those below it, plus the warp's count of that digit so far, is the
 * stable rank of the key.  The work does not depend on the keys.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_DEVICE_H
#define GPUBENCH_CUDA_PRIMITIVES_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/runtime/gpu.h"

static constexpr int WARP = 32;
static constexpr unsigned ALL_LANES = 0xffffffffu;

/* 16 bytes of keys or counts, moved by one load or store. */
template <class T> struct alignas(16) gpu_pack {
	static constexpr int COUNT = 16 / sizeof(T);
	T item[16 / sizeof(T)];
};

static inline bool gpu_is_packed(const void *pointer)
{
	return (uintptr_t)pointer % 16 == 0;
}

/* Load a warp's part of a tile: item k of a lane is first[WARP * k].  `left` elements follow first;
 * items beyond them are set to `beyond`. */
template <int ITEMS, class T>
static __device__ __forceinline__ void load_striped(T *item, const T *first, int left, T beyond)
{
	if (left > WARP * (ITEMS - 1)) {
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			item[k] = first[WARP * k];
	} else {
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			item[k] = WARP * k < left ? first[WARP * k] : beyond;
	}
}

/* ---- warps ------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned lanes_below(void)
{
	return (1u << threadIdx.x % WARP) - 1;
}

/* The number of keys with this digit that the warp has met before this one; counts this one.
 * count: the warp's counters in shared memory, one per digit.  All lanes must call. */
template <int BITS, class T>
static __device__ __forceinline__ unsigned rank_digit(T *count, unsigned digit)
{
	const unsigned peers = gpu_match<BITS>(digit);
	const unsigned before = (unsigned)__popc(peers & lanes_below());
	const unsigned earlier = count[digit];

	__syncwarp();
	if (before == 0)
		count[digit] = (T)(earlier + (unsigned)__popc(peers));
	__syncwarp();
	return earlier + before;
}

/* The sum of value over the lanes up to and including this one. */
template <class T> static __device__ __forceinline__ T warp_scan(T value)
{
#pragma unroll
	for (unsigned step = 1; step < WARP; step *= 2) {
		const T other = __shfl_up_sync(ALL_LANES, value, step);

		if (threadIdx.x % WARP >= step)
			value += other;
	}
	return value;
}

/* The sum of value over all lanes, in all lanes. */
template <class T> static __device__ __forceinline__ T warp_sum(T value)
{
#pragma unroll
	for (int step = WARP / 2; step > 0; step /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, step);
	return value;
}

/* By one warp: exclusive prefix sum of SIZE values in shared memory, in place; returns the total.
 * SIZE: a multiple of WARP.  A lane owns SIZE / WARP neighbours. */
template <int SIZE, class T> static __device__ __forceinline__ T warp_scan_array(T *value)
{
	constexpr int EACH = SIZE / WARP;
	T *const own = value + threadIdx.x % WARP * EACH;
	T item[EACH], sum = 0;

#pragma unroll
	for (int i = 0; i < EACH; i++) {
		item[i] = own[i];
		sum += item[i];
	}

	const T inclusive = warp_scan(sum);
	T before = inclusive - sum;

#pragma unroll
	for (int i = 0; i < EACH; i++) {
		own[i] = before;
		before += item[i];
	}
	return __shfl_sync(ALL_LANES, inclusive, WARP - 1);
}

/* ---- grids -------------------------------------------------------------------------------- */

/* True in all threads of the last block of the grid to call; it sees what the others wrote before
 * they called.  done: 0 before the launch, and again after it.  All threads must call. */
static __device__ __forceinline__ bool is_last_block(uint32_t *done)
{
	bool last = false;

	__syncthreads();
	if (threadIdx.x == 0) {
		last = gpu_add(done, 1) == gridDim.x - 1;
		if (last)
			*done = 0;
	}
	return __syncthreads_or(last);
}

#endif
