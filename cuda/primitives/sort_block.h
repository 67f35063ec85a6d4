/* sort_block.h -- the whole sort (sort.cu) by one block, for as many keys as it holds: one launch,
 * no histogram, no look-back, no temporary storage.  The parts are those of a pass (sort_pass.h).
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_BLOCK_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_BLOCK_H

#include "cuda/primitives/sort_pass.h"

/* Sort the values of a tile by their keys' ranks.  first_item: number of a lane's first item. */
template <class SHAPE, class S>
static __device__ __forceinline__ void move_values(S *s, uint32_t *value, const uint32_t *ranks,
						   int first_item)
{
#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++)
		s->value[__byte_perm(ranks[k / 2], 0, k % 2 ? 0x4432 : 0x4410)] = value[k];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++)
		value[k] = s->value[first_item + k * WARP];
	__syncthreads();
}

/* Items beyond the last key are the highest key, and come last in each pass. */
template <class KEY, bool VALUES, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS) block_kernel(struct pass<uint32_t> pass)
{
	typedef typename KEY::word word;
	typedef pass_shared<word, uint32_t, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	__shared__ shared s;
	const arrays a = pass.arrays;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int first_item = (int)(warp * SHAPE::WARP_ITEMS + lane),
		  left = (int)pass.count - first_item;
	word key[ITEMS];
	uint32_t value[VALUES ? ITEMS : 1], ranks[(ITEMS + 1) / 2],
		first_rank[SHAPE::DIGITS_PER_THREAD];

	load_keys<KEY, ITEMS>(key, (const word *)a.keys_in + first_item, left);
	if (VALUES)
		load_striped<VALUES ? ITEMS : 1>(value, a.values_in + first_item, left, 0u);
#pragma unroll 1
	for (int p = 0; p < pass.bits.passes; p++) {
		const struct digit digit = digit_number(pass.bits, p);

		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			s.warp_histogram[warp][d] = 0;
		__syncwarp();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			atomicAdd(&s.warp_histogram[warp][digit_of(key[k], digit)], 1u);
		__syncthreads();
		scan_histograms<SHAPE, true, true>(&s, first_rank, pass.tile_status,
						   pass.tile_status);
		sort_tile<SHAPE, false>(&s, key, ranks, digit);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			key[k] = s.key[first_item + k * WARP];
		__syncthreads();
		if (VALUES)
			move_values<SHAPE>(&s, value, ranks, first_item);
	}
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		key[k] = KEY::bits(key[k]);
	write_striped<ITEMS>((word *)a.keys_out + first_item, key, left);
	if (VALUES)
		write_striped<VALUES ? ITEMS : 1>(a.values_out + first_item, value, left);
}

#endif
