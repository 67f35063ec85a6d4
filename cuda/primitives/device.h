/* device.h -- device code for sorts and scans: the order of keys, a warp's stable ranking by digit,
 * and decoupled look-back.
 *
 * Ranking: for each key, a lane finds by one vote per bit of the digit which lanes of its warp hold
 * the same digit.  The number of those below it, plus the warp's count of that digit so far, is the
 * stable rank of the key.  The work does not depend on the keys.
 *
 * Look-back (Merrill and Garland 2016): the tiles of one launch pass running sums to each other.  A
 * tile publishes its own sum (AGGREGATE), adds up the words of its predecessors until it meets one
 * that is INCLUSIVE_PREFIX (the sum of all tiles up to that one), and publishes its own INCLUSIVE_PREFIX word.
 *  - Flag and sum share one word, and only that word is passed on.  Relaxed loads and stores are
 *    therefore enough, and loads of several predecessors may be in flight at once.
 *  - Tiles take their number from a counter when they start (next_tile), so a tile waits only for
 *    tiles that already run and that publish AGGREGATE before they wait.  The chain advances however
 *    few blocks are resident.
 *  - Words start as 0.  Tile 0 publishes INCLUSIVE_PREFIX at once, so no tile looks back beyond it.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_DEVICE_H
#define GPUBENCH_CUDA_PRIMITIVES_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/gpu.h"

static constexpr int WARP = 32, LOOKBACK_AHEAD = 4;
static constexpr unsigned ALL_LANES = 0xffffffffu;

/* ---- keys -------------------------------------------------------------------------------- */

/* The key types of a sort.  order() maps a key's bits in memory to an unsigned number that compares
 * as the key does; bits() is its inverse. */
struct key_u32 {
	typedef uint32_t word;
	static constexpr int BITS = 32;
	static __device__ __forceinline__ word order(word bits)
	{
		return bits;
	}
	static __device__ __forceinline__ word bits(word order)
	{
		return order;
	}
};

struct key_u64 {
	typedef uint64_t word;
	static constexpr int BITS = 64;
	static __device__ __forceinline__ word order(word bits)
	{
		return bits;
	}
	static __device__ __forceinline__ word bits(word order)
	{
		return order;
	}
};

/* All bits of a negative number are inverted; for other numbers, the highest bit is set.  See
 * common/radix.h. */
struct key_f32 {
	typedef uint32_t word;
	static constexpr int BITS = 32;
	static __device__ __forceinline__ word order(word bits)
	{
		return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
	}
	static __device__ __forceinline__ word bits(word order)
	{
		return order ^ (~(uint32_t)((int32_t)order >> 31) | 0x80000000u);
	}
};

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

/* The same for keys, in the form of KEY::order().  Items beyond the end are the highest key, which
 * ranks last. */
template <class KEY, int ITEMS>
static __device__ __forceinline__ void load_keys(typename KEY::word *key,
						 const typename KEY::word *first, int left)
{
	load_striped<ITEMS>(key, first, left, KEY::bits(~(typename KEY::word)0));
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		key[k] = KEY::order(key[k]);
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
	const unsigned seen = count[digit];

	__syncwarp();
	if (before == 0)
		count[digit] = (T)(seen + (unsigned)__popc(peers));
	__syncwarp();
	return seen + before;
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
	T *const mine = value + threadIdx.x % WARP * EACH;
	T item[EACH], sum = 0;

#pragma unroll
	for (int i = 0; i < EACH; i++) {
		item[i] = mine[i];
		sum += item[i];
	}

	const T inclusive = warp_scan(sum);
	T before = inclusive - sum;

#pragma unroll
	for (int i = 0; i < EACH; i++) {
		mine[i] = before;
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

/* ---- look-back --------------------------------------------------------------------------- */

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
 * the chain are STRIDE apart; mine: this tile's word.  LOOKBACK_AHEAD words are read at a time, to wait
 * once for all of them.  There must be memory for that many words before tile 0's; its contents do
 * not matter. */
template <unsigned STRIDE, class W> static __device__ __forceinline__ W look_back(const W *mine)
{
	W sum = 0;

	for (;;) {
		W word[LOOKBACK_AHEAD];
		unsigned taken = 0;

#pragma unroll
		for (unsigned i = 0; i < LOOKBACK_AHEAD; i++)
			word[i] = gpu_ld_relaxed(mine - (i + 1) * STRIDE);
#pragma unroll
		for (unsigned i = 0; i < LOOKBACK_AHEAD; i++) {
			if (taken != i ||
			    !(word[i] & (lookback<W>::AGGREGATE | lookback<W>::INCLUSIVE_PREFIX)))
				continue;
			sum += word[i] & lookback<W>::SUM;
			if (word[i] & lookback<W>::INCLUSIVE_PREFIX)
				return sum;
			taken++;
		}
		if (taken == 0)
			__nanosleep(20);
		mine -= taken * STRIDE;
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
	uint64_t before = 0;

	if (tile > 0) {
		if (leader)
			gpu_st_relaxed(words + tile, lookback<uint64_t>::AGGREGATE | sum);
		before = look_back_warp(words, tile);
	}
	if (leader)
		gpu_st_relaxed(words + tile, lookback<uint64_t>::INCLUSIVE_PREFIX | (before + sum));
	return before;
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
		const uint64_t mine = lane < WARPS ? part[lane] : 0;
		const uint64_t inclusive = warp_scan(mine);
		const uint64_t all = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
		const uint64_t earlier = chain_warp(words, tile, all);

		if (lane < WARPS)
			part[lane] = earlier + inclusive - mine;
		if (lane == 0)
			part[WARPS] = earlier + all;
	}
	__syncthreads();
}

#endif
