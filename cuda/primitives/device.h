/* device.h -- device code that sorts and scans are made of: the order of keys, a warp's
 * stable ranking by digit, and decoupled look-back.
 *
 * Ranking: for each key a lane asks, by one vote per bit of the digit, which lanes of its warp
 * hold the same digit; those below it, plus the warp's count of that digit so far, are the key's
 * stable rank.  The same work whatever the keys are.
 *
 * Look-back (Merrill and Garland 2016): the tiles of one launch hand each other running sums.
 * A tile publishes its own sum (PARTIAL), adds up the words of its predecessors until it meets
 * one that is FINAL - the sum of all tiles up to that one - and publishes its own FINAL word.
 *   - Flag and sum share one word, and the word is all that is handed over: relaxed loads and
 *     stores of it are enough, and loads of several predecessors may be under way at once.
 *   - Tiles take their number from a counter when they start (next_tile), so every tile waits
 *     only for tiles that already run and that publish PARTIAL before they wait: the
 *     chain moves on however few blocks are resident.
 *   - Words start as 0.  Tile 0 publishes FINAL at once, so no tile looks back beyond it.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_DEVICE_H
#define GPUBENCH_CUDA_PRIMITIVES_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cuda/gpu.h"

#if defined(__CUDACC__)
#define GPU_UNROLL_4  _Pragma("unroll 4") /* where a full unroll would cost registers */
#define GPU_NO_UNROLL _Pragma("unroll 1")
#else
#define GPU_UNROLL_4
#define GPU_NO_UNROLL
#endif

static constexpr int WARP = 32, LOOK_AHEAD = 4;
static constexpr unsigned ALL_LANES = 0xffffffffu;

/* ---- keys -------------------------------------------------------------------------------- */

/* What a sort knows of a type of key: its bits as they lie in memory, and as an unsigned number
 * that compares as the key does. */
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

/* Negative numbers are flipped whole, others get the highest bit: common/radix.h. */
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

/* 16 bytes of keys or counts, as one load or store moves them. */
template <class T> struct alignas(16) gpu_pack {
	static constexpr int COUNT = 16 / sizeof(T);
	T item[16 / sizeof(T)];
};

static inline bool gpu_is_packed(const void *pointer)
{
	return (uintptr_t)pointer % 16 == 0;
}

/* A warp's part of a tile: item k of a lane is first[WARP * k]; `left` elements of memory follow
 * first.  What lies beyond them is `beyond`. */
template <int ITEMS, class T>
static __device__ __forceinline__ void load_striped(T *item, const T *first, int left, T beyond)
{
	if (left > WARP * (ITEMS - 1)) {
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			item[k] = first[WARP * k];
	} else {
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			item[k] = WARP * k < left ? first[WARP * k] : beyond;
	}
}

/* The same for keys, in their order; what lies beyond is the highest key, so it ranks last. */
template <class KEY, int ITEMS>
static __device__ __forceinline__ void load_keys(typename KEY::word *key,
						 const typename KEY::word *first, int left)
{
	load_striped<ITEMS>(key, first, left, KEY::bits(~(typename KEY::word)0));
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		key[k] = KEY::order(key[k]);
}

/* ---- warps ------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned lanes_below(void)
{
	return (1u << threadIdx.x % WARP) - 1;
}

/* How many keys of this digit the warp has met before mine; counts mine.  count: the warp's own
 * counters in shared memory, one per digit.  All lanes call together. */
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

/* The sum of value over lanes up to and with mine. */
template <class T> static __device__ __forceinline__ T warp_scan(T value)
{
	GPU_UNROLL
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
	GPU_UNROLL
	for (int step = WARP / 2; step > 0; step /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, step);
	return value;
}

/* Exclusive prefix sum in place of SIZE values in shared memory, by one warp; returns the sum of
 * all.  SIZE: a multiple of WARP; a lane owns SIZE / WARP neighbours. */
template <int SIZE, class T> static __device__ __forceinline__ T warp_scan_array(T *value)
{
	constexpr int EACH = SIZE / WARP;
	T *const mine = value + threadIdx.x % WARP * EACH;
	T item[EACH], sum = 0;

	GPU_UNROLL
	for (int i = 0; i < EACH; i++) {
		item[i] = mine[i];
		sum += item[i];
	}

	const T upto = warp_scan(sum);
	T before = upto - sum;

	GPU_UNROLL
	for (int i = 0; i < EACH; i++) {
		mine[i] = before;
		before += item[i];
	}
	return __shfl_sync(ALL_LANES, upto, WARP - 1);
}

/* ---- look-back --------------------------------------------------------------------------- */

/* W: uint32_t for sums below 2^30, uint64_t for sums below 2^62. */
template <class W> struct look {
	static const W PARTIAL = (W)1 << (8 * sizeof(W) - 2);
	static const W FINAL = (W)2 << (8 * sizeof(W) - 2);
	static const W SUM = PARTIAL - 1;
};

/* The number of the tile this block works on, in shared memory `tile`; ends with a barrier. */
static __device__ __forceinline__ uint32_t next_tile(uint32_t *ticket, uint32_t *tile)
{
	if (threadIdx.x == 0)
		*tile = atomicAdd(ticket, 1u);
	__syncthreads();
	return *tile;
}

/* One thread's look-back: the sum of all tiles before this one, which is not tile 0, in a chain
 * whose words lie STRIDE apart; mine: this tile's word.  LOOK_AHEAD words are read at a time, to wait
 * once for all: on an H100 the FINAL one is five tiles back on average.  There must be memory for
 * that many words before tile 0's, but what it holds is nothing. */
template <unsigned STRIDE, class W> static __device__ __forceinline__ W look_back(const W *mine)
{
	W sum = 0;

	for (;;) {
		W word[LOOK_AHEAD];
		unsigned taken = 0;

		GPU_UNROLL
		for (unsigned i = 0; i < LOOK_AHEAD; i++)
			word[i] = gpu_ld_relaxed(mine - (i + 1) * STRIDE);
		GPU_UNROLL
		for (unsigned i = 0; i < LOOK_AHEAD; i++) {
			if (taken != i || !(word[i] & (look<W>::PARTIAL | look<W>::FINAL)))
				continue;
			sum += word[i] & look<W>::SUM;
			if (word[i] & look<W>::FINAL)
				return sum;
			taken++;
		}
		if (taken == 0)
			__nanosleep(20);
		mine -= taken * STRIDE;
	}
}

/* A whole warp's look-back in a chain of one word a tile: 32 predecessors are read at a time.
 * The result is in all lanes. */
static __device__ __forceinline__ uint64_t look_back_warp(const uint64_t *words, uint32_t tile)
{
	const uint32_t lane = threadIdx.x % WARP;
	uint64_t sum = 0;

	for (;;) {
		const uint64_t word = lane < tile ? gpu_ld_relaxed(words + (tile - 1 - lane))
						  : look<uint64_t>::FINAL;
		const bool final = word & look<uint64_t>::FINAL;
		const bool empty = !final && !(word & look<uint64_t>::PARTIAL);
		const int first_final = __ffs((int)__ballot_sync(ALL_LANES, final));
		const int first_empty = __ffs((int)__ballot_sync(ALL_LANES, empty));
		const bool done = first_final && (!first_empty || first_final < first_empty);
		const uint32_t take = (uint32_t)(done          ? first_final
						 : first_empty ? first_empty - 1
							       : (int)WARP);

		sum += warp_sum(lane < take ? word & look<uint64_t>::SUM : (uint64_t)0);
		if (done)
			return sum;
		if (take == 0)
			__nanosleep(20);
		tile -= take;
	}
}

/* Publish this tile's sum, look back, publish the sum of all up to it.  A whole warp calls; the
 * sum of all tiles before this one is returned in all lanes. */
static __device__ __forceinline__ uint64_t chain_warp(uint64_t *words, uint32_t tile, uint64_t sum)
{
	const bool leader = threadIdx.x % WARP == 0;
	uint64_t before = 0;

	if (tile > 0) {
		if (leader)
			gpu_st_relaxed(words + tile, look<uint64_t>::PARTIAL | sum);
		before = look_back_warp(words, tile);
	}
	if (leader)
		gpu_st_relaxed(words + tile, look<uint64_t>::FINAL | (before + sum));
	return before;
}

#endif
