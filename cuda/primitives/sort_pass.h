/* sort_pass.h -- one pass of the sort (sort.cu) over the data, by one digit.  The steps of both
 * kernels, and the functions that they share:
 *
 *	1. take a tile: tiles are numbered in the order in which blocks start
 *	2. load the tile's keys, and count their digits by warp
 *	3. scan_histograms(): publish the tile's count of each digit for later tiles (AGGREGATE), and
 *	   find the rank of each warp's first key of each digit
 *	4. sort_tile(): rank each key in the tile, and sort the tile by rank in shared memory
 *	5. look_back_digits(): find how many keys of each digit are in earlier tiles, and publish
 *	   that plus the tile's own (INCLUSIVE_PREFIX)
 *	6. write_sorted(): write the tile; consecutive threads write a run of keys of one digit
 *
 * A thread has DIGITS_PER_THREAD digits in steps 3 and 5, and ITEMS keys otherwise.
 *
 * pass_kernel has a block per tile.  staged_pass_kernel, for keys without values, has as many
 * blocks as the device holds; each goes from tile to tile and fetches the keys of the next one
 * meanwhile.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_PASS_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_PASS_H

#include <cuda_pipeline_primitives.h>

#include "cuda/primitives/lookback.h"
#include "cuda/primitives/sort_plan.h"

enum array { IN, OUT, SPARE };

/* The blocks of a pass: threads, keys per thread, and blocks per multiprocessor. */
template <int THREADS_, int ITEMS_, int BLOCKS_> struct shape {
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, BLOCKS = BLOCKS_;
	static constexpr int WARPS = THREADS / WARP, WARP_ITEMS = WARP * ITEMS,
			     TILE = THREADS * ITEMS;
	static constexpr int DIGITS_PER_THREAD = (RADIX_DIGITS + THREADS - 1) / THREADS;
};

struct arrays {
	const void *keys_in;
	void *keys_out, *keys_spare;
	const uint32_t *values_in;
	uint32_t *values_out, *values_spare;
};

/* The arguments of a pass.  W: the type of a look-back word. */
template <class W> struct pass {
	struct arrays arrays;
	struct header<W> *header;
	W *tile_status; /* [tiles][RADIX_DIGITS]: look-back words */
	size_t count;
	bit_range bits;
	int number;
	bool unstable; /* the first pass that runs need not be stable and may read packs */
};

/* The histograms and the sorted tile.  They share memory, as the histograms are dead when the tile
 * is sorted, unless SEPARATE. */
template <class WORD, class SHAPE, bool SEPARATE> struct tile_shared {
	union {
		uint32_t warp_histogram[SHAPE::WARPS][RADIX_DIGITS]; /* then the next ranks */
		WORD key[SHAPE::TILE];                               /* sorted */
		uint32_t value[SHAPE::TILE];
	};
};

template <class WORD, class SHAPE> struct tile_shared<WORD, SHAPE, true> {
	union {
		WORD key[SHAPE::TILE];
		uint32_t value[SHAPE::TILE];
	};
	uint32_t warp_histogram[SHAPE::WARPS][RADIX_DIGITS];
};

/* A block's shared memory. */
template <class WORD, class W, class SHAPE, bool SEPARATE = false>
struct pass_shared : tile_shared<WORD, SHAPE, SEPARATE> {
	W output_offset[RADIX_DIGITS]; /* index in the output minus rank in the tile */
	uint32_t digit_group_sum[RADIX_DIGITS / WARP]; /* keys of each group of 32 digits */
	uint32_t tile;
	uint32_t needed; /* header->needed */
	struct digit digit;
	bool uniform; /* all keys have the same digit */
};

/* Load a warp's part of a full tile in any order: packs, then the remaining keys. */
template <class KEY, int ITEMS>
static __device__ __forceinline__ void load_unordered(typename KEY::word *key,
						      const typename KEY::word *part)
{
	typedef gpu_pack<typename KEY::word> pack;
	constexpr int PACKS = ITEMS / pack::COUNT;
	const unsigned lane = threadIdx.x % WARP;

	load_packs<KEY, PACKS>(key, (const pack *)part + lane, WARP);
#pragma unroll
	for (int k = PACKS * pack::COUNT; k < ITEMS; k++)
		key[k] = KEY::order(part[k * WARP + lane]);
}

/* The arrays that a pass reads and writes, chosen so that the last pass that runs writes `out`. */
struct buffers {
	array from, to;
};

static __device__ __forceinline__ buffers buffers_of(uint32_t needed, int number)
{
	const bool last_but_odd = __popc(needed >> number >> 1) % 2;
	const bool first = (needed & ((1u << number) - 1)) == 0;
	const struct buffers buffers = { first          ? IN
					 : last_but_odd ? OUT
							: SPARE,
					 last_but_odd ? SPARE : OUT };

	return buffers;
}

template <class T>
static __device__ __forceinline__ T *choose(enum array array, T *in, T *out, T *spare)
{
	return array == IN ? in : array == OUT ? out : spare;
}

template <class WORD>
static __device__ __forceinline__ const WORD *keys_from(const arrays &a, buffers b)
{
	return (const WORD *)choose<const void>(b.from, a.keys_in, a.keys_out, a.keys_spare);
}

template <class WORD> static __device__ __forceinline__ WORD *keys_to(const arrays &a, buffers b)
{
	return (WORD *)(b.to == OUT ? a.keys_out : a.keys_spare);
}

/* Step 3.  first_rank: the tile's first rank of each of the thread's digits; s->output_offset gets
 * the tile's histogram.  Afterwards, s->warp_histogram has the rank of each warp's first key of
 * each digit.  ONE_TILE: there is only one tile, so nothing is published.
 *
 * LOOP: called in a loop.  ptxas makes the loads conditional, not the code around them; without
 * initial values, the registers would be live through the whole loop. */
template <class SHAPE, bool LOOP, bool ONE_TILE = false, class S, class W>
static __device__ __forceinline__ void scan_histograms(S *s, uint32_t *first_rank, W *tile_status,
						       const W *digit_base)
{
	uint32_t warp_count[SHAPE::DIGITS_PER_THREAD][SHAPE::WARPS];

#pragma unroll
	for (int n = 0; LOOP && n < SHAPE::DIGITS_PER_THREAD * SHAPE::WARPS; n++)
		warp_count[n / SHAPE::WARPS][n % SHAPE::WARPS] = 0;
#pragma unroll
	for (unsigned o = 0; o < SHAPE::DIGITS_PER_THREAD; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		uint32_t tile_histogram = 0, inclusive;

		if (d >= RADIX_DIGITS)
			break;
#pragma unroll
		for (int w = 0; w < SHAPE::WARPS; w++) {
			warp_count[o][w] = s->warp_histogram[w][d];
			tile_histogram += warp_count[o][w];
		}
		if (!ONE_TILE)
			gpu_st_relaxed(tile_status + (size_t)s->tile * RADIX_DIGITS + d,
				       s->tile == 0 ? lookback<W>::INCLUSIVE_PREFIX |
							      (digit_base[d] + tile_histogram)
						    : lookback<W>::AGGREGATE | (W)tile_histogram);
		s->output_offset[d] = tile_histogram;
		if (tile_histogram == SHAPE::TILE)
			s->uniform = true;
		inclusive = warp_scan(tile_histogram);
		if (d % WARP == WARP - 1)
			s->digit_group_sum[d / WARP] = inclusive;
		first_rank[o] = inclusive - tile_histogram;
	}
	__syncthreads(); /* sums of 32 digits */
#pragma unroll
	for (unsigned o = 0; o < SHAPE::DIGITS_PER_THREAD; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		uint32_t next_rank;

		if (d >= RADIX_DIGITS)
			break;
#pragma unroll
		for (unsigned g = 0; g < RADIX_DIGITS / WARP - 1; g++)
			first_rank[o] += g < d / WARP ? s->digit_group_sum[g] : 0;
		next_rank = first_rank[o];
#pragma unroll
		for (int w = 0; w < SHAPE::WARPS; w++) {
			s->warp_histogram[w][d] = next_rank;
			next_rank += warp_count[o][w];
		}
	}
	__syncthreads(); /* first ranks */
}

/* Step 5.  Fills in s->output_offset, which has the tile's histogram. */
template <class SHAPE, class S, class W>
static __device__ __forceinline__ void look_back_digits(S *s, const uint32_t *first_rank,
							W *tile_status, const W *digit_base)
{
#pragma unroll
	for (unsigned o = 0; o < SHAPE::DIGITS_PER_THREAD; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		W *const my_status = tile_status + (size_t)s->tile * RADIX_DIGITS + d;
		W exclusive_prefix;

		if (d >= RADIX_DIGITS)
			break;
		if (s->tile == 0) {
			exclusive_prefix = digit_base[d];
		} else {
			exclusive_prefix = look_back<RADIX_DIGITS>(my_status);
			gpu_st_relaxed(my_status, lookback<W>::INCLUSIVE_PREFIX |
							  (exclusive_prefix + s->output_offset[d]));
		}
		s->output_offset[d] = exclusive_prefix - first_rank[o];
	}
}

/* The stable rank of a key in the tile.  next_rank: per digit, the rank of the warp's next key.
 * The last lane with this digit takes ranks for all of them.  A warp's additions to one shared word
 * are made in program order, so ranks ascend with the order of the keys; CUB relies on it too. */
static __device__ __forceinline__ uint32_t take_rank(uint32_t *next_rank, unsigned digit)
{
	const unsigned lane = threadIdx.x % WARP, peers = gpu_match<RADIX_BITS>(digit);
	const unsigned peers_up_to_me = (unsigned)__popc(peers & (lanes_below() | 1u << lane));
	const unsigned leader = WARP - 1 - (unsigned)__clz((int)peers);
	const uint32_t first = gpu_add_shared_if(lane == leader, &next_rank[digit], peers_up_to_me);

	return __shfl_sync(ALL_LANES, first, (int)leader) + peers_up_to_me - 1;
}

/* Step 4.  ranks: those of the thread's keys, two per word.  Unless SEPARATE, all ranks are taken
 * before the first key overwrites the histograms. */
template <class SHAPE, bool SEPARATE, class S, class WORD>
static __device__ __forceinline__ void sort_tile(S *s, const WORD *key, uint32_t *ranks,
						 struct digit digit)
{
	constexpr int ITEMS = SHAPE::ITEMS;
	uint32_t rank[ITEMS];

#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		rank[k] = take_rank(s->warp_histogram[threadIdx.x / WARP], digit_of(key[k], digit));
		if (SEPARATE)
			s->key[rank[k]] = key[k];
	}
	if (!SEPARATE)
		__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		if (!SEPARATE)
			s->key[rank[k]] = key[k];
		ranks[k / 2] = k % 2 ? __byte_perm(rank[k - 1], rank[k], 0x5410) : rank[k];
	}
}

/* Step 6.  digits: keeps the digits of the keys written, four per word. */
template <class KEY, bool VALUES, class SHAPE, bool FULL, class S>
static __device__ __forceinline__ void write_sorted(const S *s, typename KEY::word *out,
						    int valid_items, struct digit digit,
						    uint32_t *digits)
{
#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)(k * SHAPE::THREADS);
		const typename KEY::word key = s->key[i];
		const unsigned d = digit_of(key, digit);

		if (FULL || (int)i < valid_items)
			out[s->output_offset[d] + i] = KEY::bits(key);
		if (VALUES)
			digits[k / 4] += d << k % 4 * 8;
	}
}

/* Step 6 for values: sort them by the keys' ranks, then write them by the keys' digits. */
template <class SHAPE, class S>
static __device__ __forceinline__ void write_values(S *s, uint32_t *out, const uint32_t *value,
						    const uint32_t *ranks, int valid_items,
						    const uint32_t *digits)
{
	__syncthreads();
#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++)
		s->value[__byte_perm(ranks[k / 2], 0, k % 2 ? 0x4432 : 0x4410)] = value[k];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)(k * SHAPE::THREADS);
		const unsigned d = digits[k / 4] >> k % 4 * 8 & (RADIX_DIGITS - 1);

		if ((int)i < valid_items)
			out[s->output_offset[d] + i] = s->value[i];
	}
}

/* Write item k of a lane to out[WARP * k], as it was read; `left` elements follow out. */
template <int ITEMS, class T>
static __device__ __forceinline__ void write_striped(T *out, const T *item, int left)
{
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		if (WARP * k < left)
			out[WARP * k] = item[k];
}

/* Step 6 for a tile in which all keys have the same digit: write it as it was read. */
template <class KEY, bool VALUES, class SHAPE, class S>
static __device__ __forceinline__ void write_uniform(const S *s, typename KEY::word *out,
						     uint32_t *values_out, typename KEY::word *key,
						     const uint32_t *value, int first_item,
						     int valid_items, struct digit digit)
{
	const size_t at = (size_t)s->output_offset[digit_of(key[0], digit)] + (size_t)first_item;

#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++)
		key[k] = KEY::bits(key[k]);
	write_striped<SHAPE::ITEMS>(out + at, key, valid_items - first_item);
	if (VALUES)
		write_striped<VALUES ? SHAPE::ITEMS : 1>(values_out + at, value,
							 valid_items - first_item);
}

/* One block per tile. */
template <class KEY, bool VALUES, class W, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS)
	pass_kernel(struct pass<W> pass)
{
	typedef typename KEY::word word;
	typedef pass_shared<word, W, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	__shared__ shared s;
	const arrays a = pass.arrays;
	const W *const digit_base = pass.header->histogram[pass.number];
	const struct digit digit = digit_number(pass.bits, pass.number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int first_item = (int)(warp * SHAPE::WARP_ITEMS + lane);
	word key[ITEMS];
	uint32_t value[VALUES ? ITEMS : 1];
	uint32_t ranks[(ITEMS + 1) / 2];          /* of the keys read, two per word */
	uint32_t digits[(ITEMS + 3) / 4] = { 0 }; /* of the keys written, four per word */
	uint32_t first_rank[SHAPE::DIGITS_PER_THREAD];

	/* 1. Take a tile. */
	for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
		s.warp_histogram[warp][d] = 0;
	cudaGridDependencySynchronize();
	if (threadIdx.x == 0) {
		s.digit = digit;
		s.needed = pass.header->needed;
		s.uniform = false;
	}
	next_tile(&pass.header->ticket[pass.number], &s.tile);
	cudaTriggerProgrammaticLaunchCompletion();
	if (!(s.needed >> pass.number & 1))
		return;

	const struct buffers buffers = buffers_of(s.needed, pass.number);
	const size_t first = (size_t)s.tile * SHAPE::TILE;
	const int valid_items = (int)min(pass.count - first, (size_t)SHAPE::TILE);
	const word *const in = keys_from<word>(a, buffers) + first;

	/* 2. Load and count the keys; those beyond the end are the highest key, and not written. */
	if (!VALUES && pass.unstable && buffers.from == IN && valid_items == SHAPE::TILE)
		load_unordered<KEY, ITEMS>(key, in + warp * SHAPE::WARP_ITEMS);
	else
		load_keys<KEY, ITEMS>(key, in + first_item, valid_items - first_item);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		atomicAdd(&s.warp_histogram[warp][digit_of(key[k], digit)], 1u);
	__syncthreads(); /* histograms complete */

	/* 3. to 5. */
	scan_histograms<SHAPE, false>(&s, first_rank, pass.tile_status, digit_base);

	/* Read again; otherwise, the digits would stay in registers from counting to ranking. */
	const auto again = s.digit;
	const bool uniform = s.uniform;

	if (!uniform)
		sort_tile<SHAPE, false>(&s, key, ranks, again);
	look_back_digits<SHAPE>(&s, first_rank, pass.tile_status, digit_base);
	__syncthreads(); /* sorted tile, output offsets */

	/* 6. Write the tile. */
	word *const out = keys_to<word>(a, buffers);
	uint32_t *const out_values = buffers.to == OUT ? a.values_out : a.values_spare;
	const uint32_t *const values =
		choose<const uint32_t>(buffers.from, a.values_in, a.values_out, a.values_spare) +
		first + first_item;

	if (uniform) {
		if (VALUES)
			load_striped<VALUES ? ITEMS : 1>(value, values, valid_items - first_item,
							 0u);
		write_uniform<KEY, VALUES, SHAPE>(&s, out, out_values, key, value, first_item,
						  valid_items, digit);
		return;
	}
	if (valid_items == SHAPE::TILE)
		write_sorted<KEY, VALUES, SHAPE, true>(&s, out, valid_items, digit, digits);
	else
		write_sorted<KEY, VALUES, SHAPE, false>(&s, out, valid_items, digit, digits);
	if (VALUES) {
		load_striped<VALUES ? ITEMS : 1>(value, values, valid_items - first_item, 0u);
		write_values<SHAPE>(&s, out_values, value, ranks, valid_items, digits);
	}
}

/* ---- persistent blocks -------------------------------------------------------------------- */

/* A block's shared memory in a staged pass, with room for the keys of the next tile.  Separate
 * counts save two barriers per tile. */
template <class WORD, class W, class SHAPE>
struct staged_shared : pass_shared<WORD, W, SHAPE, true> {
	alignas(16) WORD next_key[SHAPE::TILE];
	uint32_t now, next; /* tiles */
	/* Kept here to save registers. */
	struct buffers buffers;
	W *tile_status;
	const W *digit_base; /* per digit: the number of keys with lower digits */
};

template <class SHAPE> static __device__ __forceinline__ bool is_full(uint32_t tile, size_t count)
{
	return ((size_t)tile + 1) * SHAPE::TILE <= count;
}

/* Start copying a warp's part of a tile to the warp's part of `room`, as one group of copies.  The
 * group is empty if the tile is not full or does not exist. */
template <class SHAPE, class T>
static __device__ __forceinline__ void stage(T *room, const T *array, uint32_t tile, size_t count)
{
	typedef gpu_pack<T> pack;
	constexpr unsigned PACKS = SHAPE::WARP_ITEMS / pack::COUNT;
	const unsigned part = threadIdx.x / WARP * SHAPE::WARP_ITEMS, lane = threadIdx.x % WARP;

	if (is_full<SHAPE>(tile, count)) {
		const pack *const from =
			(const pack *)(array + (size_t)tile * SHAPE::TILE + part) + lane;
		pack *const to = (pack *)(room + part) + lane;

#pragma unroll
		for (unsigned p = 0; p < PACKS; p += WARP)
			if (PACKS - p >= WARP || lane < PACKS - p)
				__pipeline_memcpy_async(to + p, from + p, 16);
	}
	__pipeline_commit();
}

/* Each block goes from tile to tile.  All arrays are aligned to 16 bytes.  A block takes the number
 * of its next tile early in the current one, so that the copy of the keys overlaps the work.  Tiles
 * are handed out in order, a block handles its tiles in order, and a tile waits only for earlier
 * tiles.  The first unfinished tile thus never waits, even if its number was handed out long
 * before. */
template <class KEY, class W, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS)
	staged_pass_kernel(struct pass<W> pass)
{
	typedef typename KEY::word word;
	typedef staged_shared<word, W, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	extern __shared__ __align__(16) unsigned char shared_bytes[];
	shared *const s = reinterpret_cast<shared *>(shared_bytes);
	uint32_t *const ticket = &pass.header->ticket[pass.number];
	const struct digit digit = digit_number(pass.bits, pass.number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int first_item = (int)(warp * SHAPE::WARP_ITEMS + lane);

	/* 1. Take the first tile. */
	cudaGridDependencySynchronize();
	if (threadIdx.x == 0) {
		s->digit = digit;
		s->needed = pass.header->needed;
		s->uniform = false;
		s->buffers = buffers_of(s->needed, pass.number);
		s->tile_status = pass.tile_status;
		s->digit_base = pass.header->histogram[pass.number];
	}
	next_tile(ticket, &s->tile);
	/* The next launch may first_rank only after all blocks of this one have, so it takes no
	 * room from them. */
	cudaTriggerProgrammaticLaunchCompletion();
	if (!(s->needed >> pass.number & 1))
		return;
	stage<SHAPE>(s->next_key, keys_from<word>(pass.arrays, s->buffers), s->tile, pass.count);

#pragma unroll 1
	for (uint32_t tile = s->tile; (size_t)tile * SHAPE::TILE < pass.count; tile = s->next) {
		word key[ITEMS];
		uint32_t ranks[(ITEMS + 1) / 2]; /* of the keys read, two per word */
		uint32_t first_rank[SHAPE::DIGITS_PER_THREAD] = { 0 };
		uint32_t next = 0; /* thread 0 only */

		/* 1. Take the next tile. */
		if (threadIdx.x == 0)
			next = atomicAdd(ticket, 1u);
		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			s->warp_histogram[warp][d] = 0;

		/* 2. Load the keys, which were copied meanwhile, and count them. */
		__pipeline_wait_prior(0);
		__syncwarp();
		if (is_full<SHAPE>(tile, pass.count)) {
#pragma unroll
			for (int k = 0; k < ITEMS; k++)
				key[k] = KEY::order(s->next_key[first_item + k * WARP]);
		} else {
			const size_t first = (size_t)tile * SHAPE::TILE;

			load_keys<KEY, ITEMS>(
				key, keys_from<word>(pass.arrays, s->buffers) + first + first_item,
				(int)(pass.count - first) - first_item);
		}
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			atomicAdd(&s->warp_histogram[warp][digit_of(key[k], digit)], 1u);
		__syncthreads(); /* histograms complete */
		if (threadIdx.x == 0) {
			s->now = tile;
			s->next = next;
		}

		/* 3. to 5., while the next tile's keys are copied. */
		scan_histograms<SHAPE, true>(s, first_rank, s->tile_status, s->digit_base);
		stage<SHAPE>(s->next_key, keys_from<word>(pass.arrays, s->buffers), s->next,
			     pass.count);

		const bool uniform = s->uniform;

		if (!uniform)
			sort_tile<SHAPE, true>(s, key, ranks, s->digit);
		look_back_digits<SHAPE>(s, first_rank, s->tile_status, s->digit_base);
		__syncthreads();        /* sorted tile, output offsets */
		if (threadIdx.x == 0) { /* read after the next tile's first barrier */
			s->tile = s->next;
			s->uniform = false;
		}

		/* 6. Write the tile. */
		const size_t first = (size_t)s->now * SHAPE::TILE;
		const int valid_items = (int)min(pass.count - first, (size_t)SHAPE::TILE);
		word *const out = keys_to<word>(pass.arrays, s->buffers);

		if (uniform)
			write_uniform<KEY, false, SHAPE>(s, out, NULL, key, NULL, first_item,
							 valid_items, digit);
		else if (valid_items == SHAPE::TILE)
			write_sorted<KEY, false, SHAPE, true>(s, out, valid_items, digit, NULL);
		else
			write_sorted<KEY, false, SHAPE, false>(s, out, valid_items, digit, NULL);
	}
}

#endif
