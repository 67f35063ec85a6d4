/* sort_block.h -- the whole sort (sort.cu) by one block, for as many keys as it holds: one launch,
 * no histogram, no look-back, no temporary storage.  The parts are those of a pass (sort_pass.h).
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_BLOCK_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_BLOCK_H

#include "cuda/primitives/sort_pass.h"

/* Move the values of a tile to their positions in it.  place: position of a lane's first item. */
template <class SHAPE, class S>
static __device__ __forceinline__ void move_values(S *s, uint32_t *value, const uint32_t *places,
						   int place)
{
	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++)
		s->value[__byte_perm(places[k / 2], 0, k % 2 ? 0x4432 : 0x4410)] = value[k];
	__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++)
		value[k] = s->value[place + k * WARP];
	__syncthreads();
}

/* Items beyond the last key are the highest key, and come last in each pass. */
template <class KEY, bool VALUES, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS) block_kernel(struct pass<uint32_t> pass)
{
	typedef typename KEY::word word;
	typedef struct pass_shared<word, uint32_t, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	SHARED_VAR(shared, s);
	const struct arrays a = pass.arrays;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int place = (int)(warp * SHAPE::PART + lane), left = (int)pass.count - place;
	word key[ITEMS];
	uint32_t value[VALUES ? ITEMS : 1], places[(ITEMS + 1) / 2], start[SHAPE::OWNED];

	load_keys<KEY, ITEMS>(key, (const word *)a.keys_in + place, left);
	if (VALUES)
		load_striped<VALUES ? ITEMS : 1>(value, a.values_in + place, left, 0u);
	GPU_NO_UNROLL
	for (int p = 0; p < pass.digits.passes; p++) {
		const struct digit digit = digit_number(pass.digits, p);

		for (unsigned d = lane; d < DIGITS; d += WARP)
			s.count[warp][d] = 0;
		__syncwarp();
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			atomicAdd(&s.count[warp][digit_of(key[k], digit)], 1u);
		__syncthreads();
		place_digits<SHAPE, true, true>(&s, start, pass.words, pass.words);
		order_keys<SHAPE, false>(&s, key, places, digit);
		__syncthreads();
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			key[k] = s.key[place + k * WARP];
		__syncthreads();
		if (VALUES)
			move_values<SHAPE>(&s, value, places, place);
	}
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		key[k] = KEY::bits(key[k]);
	write_striped<ITEMS>((word *)a.keys_out + place, key, left);
	if (VALUES)
		write_striped<VALUES ? ITEMS : 1>(a.values_out + place, value, left);
}

#endif
