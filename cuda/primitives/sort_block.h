/* sort_block.h -- the whole sort (sort.cu) by one block, for as many keys as it holds: one launch,
 * no histogram, no look-back, no temporary storage.  The parts are those of a pass (sort_pass.h).
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_BLOCK_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_BLOCK_H

#include "cuda/primitives/sort_pass.h"

/* Items beyond the last key are the highest key, and come last in each pass. */
template <class WORD, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS) block_kernel(struct pass<uint32_t> pass)
{
	typedef pass_shared<WORD, uint32_t, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	constexpr place ONLY = { .first = 1, .last = 1, .to_spare = 0 };
	__shared__ shared s;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int part = (int)warp * SHAPE::WARP_ITEMS, count = (int)pass.count;
	WORD word[ITEMS];
	uint32_t first_rank[SHAPE::DIGITS_PER_THREAD];

	load_tile<ITEMS, true>(word, pass, ONLY, (size_t)part, count - part);
#pragma unroll 1
	for (int p = 0; p < pass.bits.passes; p++) {
		const struct digit digit = digit_number(pass.bits, p);

		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			s.warp_histogram[warp][d] = 0;
		__syncwarp();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			atomicAdd(&s.warp_histogram[warp][digit_of(word[k], digit)], 1u);
		__syncthreads();
		scan_histograms<SHAPE, true, true>(&s, first_rank, pass.tile_status,
						   pass.tile_status);
		sort_tile<SHAPE, false>(&s, word, digit, false);
		__syncthreads();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			word[k] = s.sorted[part + (int)lane + k * WARP];
		__syncthreads();
	}
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const int i = part + (int)lane + k * WARP;

		if (i < count)
			write_word(target_of<true>(pass, ONLY), (size_t)i, word[k], pass.format,
				   pass.format.order.sign != 0);
	}
}

#endif
