/* lookback.h -- chained scans with decoupled look-back (Merrill and Garland 2016): the tiles of one
 * launch pass running sums to each other.
 *
 * A tile publishes its own sum (AGGREGATE), adds up the words of its predecessors until it meets
 * one that is INCLUSIVE_PREFIX (the sum of all tiles up to that one), and then publishes its own
 * INCLUSIVE_PREFIX.
 *  - Flag and sum share one word, and only that word is passed on.  Relaxed loads and stores are
 *    therefore enough, and loads of several predecessors may be in flight at once.
 *  - Tiles take their number from a counter when they start (next_tile), so a tile waits only for
 *    tiles that already run and that publish AGGREGATE before they wait.  The chain advances
 *    however few blocks are resident.
 *  - Words start as 0.  Tile 0 publishes INCLUSIVE_PREFIX at once, so no tile looks back beyond it.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_LOOKBACK_H
#define GPUBENCH_CUDA_PRIMITIVES_LOOKBACK_H

#include "cuda/primitives/device.h"

/* Words that a thread has in flight, at most.  If all tiles run at once, most words that it reads are
 * AGGREGATE, so more words make fewer trips to memory; otherwise, more of them are read in vain. */
static constexpr int LOOKBACK_AHEAD = 8;

/* W: uint32_t for sums below 2^30, uint64_t for sums below 2^62. */
template <class W> struct lookback {
	static const W AGGREGATE = (W)1 << (8 * sizeof(W) - 2);
	static const W INCLUSIVE_PREFIX = (W)2 << (8 * sizeof(W) - 2);
	static const W SUM = AGGREGATE - 1;
};

/* The number of this block's tile, also stored in shared memory at `tile`.  Ends with a barrier. */
static __device__ __forceinline__ uint32_t next_tile(uint32_t *ticket, uint32_t *tile)
{
	if (threadIdx.x == 0)
		*tile = atomicAdd(ticket, 1u);
	__syncthreads();
	return *tile;
}

/* One thread's look-back: the sum of all tiles before this one, which is not tile 0.  The words of
 * the chain are STRIDE apart; my_word: this tile's.  AHEAD words are read at a time, to wait once for
 * all of them.  There must be memory for LOOKBACK_AHEAD words before tile 0's; its contents do not
 * matter. */
template <unsigned STRIDE, int AHEAD, class W>
static __device__ __forceinline__ W look_back(const W *my_word)
{
	W sum = 0;

	for (;;) {
		W word[AHEAD];
		unsigned consumed = 0;

#pragma unroll
		for (unsigned i = 0; i < AHEAD; i++)
			word[i] = gpu_ld_relaxed(my_word - (i + 1) * STRIDE);
#pragma unroll
		for (unsigned i = 0; i < AHEAD; i++) {
			if (consumed != i ||
			    !(word[i] & (lookback<W>::AGGREGATE | lookback<W>::INCLUSIVE_PREFIX)))
				continue; /* not published, or after one that is not */
			sum += word[i] & lookback<W>::SUM;
			if (word[i] & lookback<W>::INCLUSIVE_PREFIX)
				return sum;
			consumed++;
		}
		if (consumed == 0)
			__nanosleep(20);
		my_word -= consumed * STRIDE;
	}
}

/* A whole warp's look-back in a chain of one word per tile: 32 predecessors are read at a time.
 * The result is in all lanes. */
static __device__ __forceinline__ uint64_t look_back_warp(const uint64_t *words, uint32_t tile)
{
	const uint32_t lane = threadIdx.x % WARP;
	uint64_t sum = 0;

	for (;;) {
		const uint64_t word = lane < tile ? gpu_ld_relaxed(words + (tile - 1 - lane))
						  : lookback<uint64_t>::INCLUSIVE_PREFIX;
		const bool final = word & lookback<uint64_t>::INCLUSIVE_PREFIX;
		const bool empty = !final && !(word & lookback<uint64_t>::AGGREGATE);
		const int first_final = __ffs((int)__ballot_sync(ALL_LANES, final));
		const int first_empty = __ffs((int)__ballot_sync(ALL_LANES, empty));
		const bool done = first_final && (!first_empty || first_final < first_empty);
		const uint32_t take = (uint32_t)(done          ? first_final
						 : first_empty ? first_empty - 1
							       : (int)WARP);

		sum += warp_sum(lane < take ? word & lookback<uint64_t>::SUM : (uint64_t)0);
		if (done)
			return sum;
		if (take == 0)
			__nanosleep(20);
		tile -= take;
	}
}

/* Publish this tile's sum, look back, and publish the sum of all tiles up to this one.  Return the
 * sum of all tiles before it, in all lanes.  A whole warp must call. */
static __device__ __forceinline__ uint64_t chain_warp(uint64_t *words, uint32_t tile, uint64_t sum)
{
	const bool leader = threadIdx.x % WARP == 0;
	uint64_t exclusive_prefix = 0;

	if (tile > 0) {
		if (leader)
			gpu_st_relaxed(words + tile, lookback<uint64_t>::AGGREGATE | sum);
		exclusive_prefix = look_back_warp(words, tile);
	}
	if (leader)
		gpu_st_relaxed(words + tile,
			       lookback<uint64_t>::INCLUSIVE_PREFIX | (exclusive_prefix + sum));
	return exclusive_prefix;
}

/* By a block of WARPS warps: fill part[w] with the sum of all earlier tiles and of this tile's
 * warps before w; part[WARPS] includes the whole tile.  sum: the warp's, in its first lane.  Ends
 * with a barrier. */
template <int WARPS>
static __device__ __forceinline__ void chain_block(uint64_t *part, uint64_t *words, uint32_t tile,
						   uint64_t sum)
{
	const int warp = (int)(threadIdx.x / WARP), lane = (int)(threadIdx.x % WARP);

	if (lane == 0)
		part[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		const uint64_t sum_of_warp = lane < WARPS ? part[lane] : 0;
		const uint64_t inclusive = warp_scan(sum_of_warp);
		const uint64_t tile_sum = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
		const uint64_t exclusive_prefix = chain_warp(words, tile, tile_sum);

		if (lane < WARPS)
			part[lane] = exclusive_prefix + inclusive - sum_of_warp;
		if (lane == 0)
			part[WARPS] = exclusive_prefix + tile_sum;
	}
	__syncthreads();
}

#endif
