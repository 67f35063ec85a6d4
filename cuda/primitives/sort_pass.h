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
 *	6. write_tile(): write the tile; consecutive threads write a run of keys of one digit
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

/* The blocks of a pass: threads, keys per thread, and blocks per multiprocessor. */
template <int THREADS_, int ITEMS_, int BLOCKS_> struct shape {
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, BLOCKS = BLOCKS_;
	static constexpr int WARPS = THREADS / WARP, WARP_ITEMS = WARP * ITEMS,
			     TILE = THREADS * ITEMS;
	static constexpr int DIGITS_PER_THREAD = (RADIX_DIGITS + THREADS - 1) / THREADS;
};

/* The arguments of a pass.  W: the type of a look-back word. */
template <class W> struct pass {
	const void *keys_in, *values_in;
	void *out, *spare; /* keys, then values at values_offset(); or words */
	size_t values_offset;
	key_format format;
	bool packed; /* keys and values are words between the first and the last pass that run */
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
		WORD sorted[SHAPE::TILE];
	};
};

template <class WORD, class SHAPE> struct tile_shared<WORD, SHAPE, true> {
	WORD sorted[SHAPE::TILE];
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

/* The place of a pass among those that run.  The first one reads the input; the others read what
 * the pass before wrote.  They write `out` and `spare` in turn, so that the last one writes `out`. */
struct place {
	int first, last, to_spare; /* 0 or 1 */
};

static __device__ __forceinline__ place place_of(uint32_t needed, int number)
{
	const uint32_t later = needed >> number >> 1;

	return { (needed & ((1u << number) - 1)) == 0, later == 0, __popc(later) % 2 };
}

/* The arrays of a pass.  words: keys and values are one array of words, at `keys`. */
struct source {
	const void *keys, *values;
	bool words;
};

struct target {
	void *keys, *values;
	bool words;
};

/* CONVERT: keys have values, are not unsigned, or have fewer bits than a word; the first and the
 * last pass then convert to words and back.  Others pay nothing for it.
 *
 * True if an array is one of words; end: it is the input or the output. */
template <bool CONVERT, class W>
static __device__ __forceinline__ bool is_of_words(const pass<W> &pass, bool end)
{
	return !CONVERT || (pass.packed && !(end && pass.format.value_size));
}

template <bool CONVERT, class W>
static __device__ __forceinline__ source source_of(const pass<W> &pass, place place)
{
	const void *const other = place.to_spare ? pass.out : pass.spare;

	return { place.first ? pass.keys_in : other,
		 place.first ? pass.values_in : (const char *)other + pass.values_offset,
		 is_of_words<CONVERT>(pass, place.first) };
}

template <bool CONVERT, class W>
static __device__ __forceinline__ target target_of(const pass<W> &pass, place place)
{
	void *const to = place.to_spare ? pass.spare : pass.out;

	return { to, (char *)to + pass.values_offset, is_of_words<CONVERT>(pass, place.last) };
}

/* Load a warp's part of a full tile in any order: packs, then the remaining words. */
template <int ITEMS, class WORD>
static __device__ __forceinline__ void load_unordered(WORD *word, const WORD *part)
{
	typedef gpu_pack<WORD> pack;
	constexpr int PACKS = ITEMS / pack::COUNT;
	const unsigned lane = threadIdx.x % WARP;

	load_packs<PACKS>(word, (const pack *)part + lane, WARP);
#pragma unroll
	for (int k = PACKS * pack::COUNT; k < ITEMS; k++)
		word[k] = part[k * WARP + lane];
}

/* The word with the highest key, as it is in the array that the pass reads. */
template <bool CONVERT, class WORD, class W>
static __device__ __forceinline__ WORD highest_word(const pass<W> &pass, place place)
{
	WORD word = {};

	key_of(word) = ~key_of(word);
	if (CONVERT && place.first)
		key_of(word) ^= pass.format.order.sign;
	return word;
}

/* Step 2: load a warp's part of a tile, whose first item has number `first`; `left` items follow.
 * Keys beyond the end are the highest. */
template <int ITEMS, bool CONVERT, class WORD, class W>
static __device__ __forceinline__ void load_tile(WORD *word, const pass<W> &pass, place place,
						 size_t first, int left)
{
	const source from = source_of<CONVERT>(pass, place);
	const int lane = (int)(threadIdx.x % WARP);
	const WORD highest = highest_word<CONVERT, WORD>(pass, place);

	if (!from.words)
		load_columns<ITEMS>(word, from.keys, from.values, first + (size_t)lane, left - lane,
				    highest, pass.format);
	else if (pass.unstable && place.first && left >= WARP * ITEMS)
		load_unordered<ITEMS>(word, (const WORD *)from.keys + first);
	else
		load_striped<ITEMS>(word, (const WORD *)from.keys + first + lane, left - lane,
				    highest);
	if (CONVERT && place.first)
		order_keys<ITEMS>(word, pass.format.order);
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
	constexpr int AHEAD = SHAPE::BLOCKS == 1 ? LOOKBACK_AHEAD : 4;

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
			exclusive_prefix = look_back<RADIX_DIGITS, AHEAD>(my_status);
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

/* Step 4.  Unless SEPARATE, all ranks are taken before the first word overwrites the histograms. */
template <class SHAPE, bool SEPARATE, class S, class WORD>
static __device__ __forceinline__ void sort_tile(S *s, const WORD *word, struct digit digit,
						 bool uniform)
{
	constexpr int ITEMS = SHAPE::ITEMS;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	uint32_t rank[ITEMS];

	if (uniform) { /* the rank of an item is its number */
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			s->sorted[warp * SHAPE::WARP_ITEMS + lane + k * WARP] = word[k];
		return;
	}
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		rank[k] = take_rank(s->warp_histogram[warp], digit_of(word[k], digit));
		if (SEPARATE)
			s->sorted[rank[k]] = word[k];
	}
	if (SEPARATE)
		return;
	__syncthreads(); /* ranks taken */
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		s->sorted[rank[k]] = word[k];
}

/* Write a word; reorder: give its key the former bits. */
template <class WORD>
static __device__ __forceinline__ void write_word(const target &to, size_t at, WORD word,
						  const key_format &format, bool reorder)
{
	if (reorder)
		key_of(word) = from_order(key_of(word), format.order);
	if (to.words)
		((WORD *)to.keys)[at] = word;
	else
		store_columns(to.keys, to.values, at, word, format);
}

/* Step 6 for a full tile: store(at, word) writes word number `at` of the output. */
template <class SHAPE, class S, class STORE>
static __device__ __forceinline__ void write_full(const S *s, struct digit digit, STORE store)
{
#pragma unroll
	for (int k = 0; k < SHAPE::ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)(k * SHAPE::THREADS);
		const auto word = s->sorted[i];

		store(s->output_offset[digit_of(word, digit)] + i, word);
	}
}

/* Step 6.  The last pass that runs gives keys their former bits. */
template <bool CONVERT, class WORD, class SHAPE, class S, class W>
static __device__ __forceinline__ void write_tile(const S *s, const pass<W> &pass, place place,
						  struct digit digit, int valid_items)
{
	const target to = target_of<CONVERT>(pass, place);
	const bool reorder = CONVERT && place.last && pass.format.order.sign;
	const bool simple = !reorder && valid_items == SHAPE::TILE;

	if (simple && to.words)
		return write_full<SHAPE>(s, digit,
					 [&](W at, WORD word) { ((WORD *)to.keys)[at] = word; });
	if constexpr (CONVERT && sizeof(WORD) == 8)
		if (simple && pass.format.key_size == 4)
			return write_full<SHAPE>(s, digit, [&](W at, WORD word) {
				((uint32_t *)to.keys)[at] = (uint32_t)(word >> 32);
				((uint32_t *)to.values)[at] = (uint32_t)word;
			});
#pragma unroll 4
	for (int i = (int)threadIdx.x; i < valid_items; i += SHAPE::THREADS) {
		const WORD word = s->sorted[i];

		write_word(to, s->output_offset[digit_of(word, digit)] + (unsigned)i, word,
			   pass.format, reorder);
	}
}

/* One block per tile. */
template <class WORD, bool CONVERT, class W, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS)
	pass_kernel(struct pass<W> pass)
{
	typedef pass_shared<WORD, W, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	__shared__ shared s;
	const W *const digit_base = pass.header->histogram[pass.number];
	const struct digit digit = digit_number(pass.bits, pass.number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	WORD word[ITEMS];
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

	const struct place place = place_of(s.needed, pass.number);
	const size_t first = (size_t)s.tile * SHAPE::TILE;
	const int valid_items = (int)min(pass.count - first, (size_t)SHAPE::TILE);
	const int part = (int)warp * SHAPE::WARP_ITEMS;

	/* 2. Load and count the keys; those beyond the end are the highest key, and not written. */
	load_tile<ITEMS, CONVERT>(word, pass, place, first + (size_t)part, valid_items - part);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		atomicAdd(&s.warp_histogram[warp][digit_of(word[k], digit)], 1u);
	__syncthreads(); /* histograms complete */

	/* 3. to 5. */
	scan_histograms<SHAPE, false>(&s, first_rank, pass.tile_status, digit_base);

	/* Read again; otherwise, the digits would stay in registers from counting to ranking. */
	const auto again = s.digit;

	sort_tile<SHAPE, false>(&s, word, again, s.uniform);
	look_back_digits<SHAPE>(&s, first_rank, pass.tile_status, digit_base);
	__syncthreads(); /* sorted tile, output offsets */

	/* 6. Write the tile. */
	write_tile<CONVERT, WORD, SHAPE>(&s, pass, place, digit, valid_items);
}

/* ---- persistent blocks -------------------------------------------------------------------- */

/* A block's shared memory in a staged pass, with room for the words of the next tile.  Separate
 * counts save two barriers per tile. */
template <class WORD, class W, class SHAPE>
struct staged_shared : pass_shared<WORD, W, SHAPE, true> {
	alignas(16) WORD next_words[SHAPE::TILE];
	uint32_t now, next; /* tiles */
	/* Kept here to save registers. */
	struct place place;
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
static __device__ __forceinline__ void stage(T *room, const void *array, uint32_t tile,
					     size_t count)
{
	typedef gpu_pack<T> pack;
	constexpr unsigned PACKS = SHAPE::WARP_ITEMS / pack::COUNT;
	const unsigned part = threadIdx.x / WARP * SHAPE::WARP_ITEMS, lane = threadIdx.x % WARP;

	if (is_full<SHAPE>(tile, count)) {
		const pack *const from =
			(const pack *)((const T *)array + (size_t)tile * SHAPE::TILE + part) + lane;
		pack *const to = (pack *)(room + part) + lane;

#pragma unroll
		for (unsigned p = 0; p < PACKS; p += WARP)
			if (PACKS - p >= WARP || lane < PACKS - p)
				__pipeline_memcpy_async(to + p, from + p, 16);
	}
	__pipeline_commit();
}

/* Each block goes from tile to tile.  Keys have the size of a word and no values; all arrays are
 * aligned to 16 bytes.  A block takes the number of its next tile early in the current one, so that
 * the copy of the keys overlaps the work.  Tiles are handed out in order, a block handles its tiles
 * in order, and a tile waits only for earlier tiles.  The first unfinished tile thus never waits,
 * even if its number was handed out long before. */
template <class WORD, bool CONVERT, class W, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS)
	staged_pass_kernel(struct pass<W> pass)
{
	typedef staged_shared<WORD, W, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	extern __shared__ __align__(16) unsigned char shared_bytes[];
	shared *const s = reinterpret_cast<shared *>(shared_bytes);
	uint32_t *const ticket = &pass.header->ticket[pass.number];
	const struct digit digit = digit_number(pass.bits, pass.number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int part = (int)warp * SHAPE::WARP_ITEMS;

	/* 1. Take the first tile. */
	cudaGridDependencySynchronize();
	if (threadIdx.x == 0) {
		s->digit = digit;
		s->needed = pass.header->needed;
		s->uniform = false;
		s->place = place_of(s->needed, pass.number);
		s->tile_status = pass.tile_status;
		s->digit_base = pass.header->histogram[pass.number];
	}
	next_tile(ticket, &s->tile);
	/* The next launch may start only after all blocks of this one have, so it takes no room
	 * from them. */
	cudaTriggerProgrammaticLaunchCompletion();
	if (!(s->needed >> pass.number & 1))
		return;
	stage<SHAPE>(s->next_words, source_of<CONVERT>(pass, s->place).keys, s->tile, pass.count);

#pragma unroll 1
	for (uint32_t tile = s->tile; (size_t)tile * SHAPE::TILE < pass.count; tile = s->next) {
		WORD word[ITEMS];
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
				word[k] = s->next_words[part + (int)lane + k * WARP];
		} else {
			const size_t first = (size_t)tile * SHAPE::TILE;

			load_striped<ITEMS>(word,
					    (const WORD *)source_of<CONVERT>(pass, s->place).keys +
						    first + part + lane,
					    (int)(pass.count - first) - part - (int)lane,
					    highest_word<CONVERT, WORD>(pass, s->place));
		}
		if (CONVERT && s->place.first)
			order_keys<ITEMS>(word, pass.format.order);
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			atomicAdd(&s->warp_histogram[warp][digit_of(word[k], digit)], 1u);
		__syncthreads(); /* histograms complete */
		if (threadIdx.x == 0) {
			s->now = tile;
			s->next = next;
		}

		/* 3. to 5., while the next tile's keys are copied. */
		scan_histograms<SHAPE, true>(s, first_rank, s->tile_status, s->digit_base);
		stage<SHAPE>(s->next_words, source_of<CONVERT>(pass, s->place).keys, s->next,
			     pass.count);
		sort_tile<SHAPE, true>(s, word, s->digit, s->uniform);
		look_back_digits<SHAPE>(s, first_rank, s->tile_status, s->digit_base);
		__syncthreads();        /* sorted tile, output offsets */
		if (threadIdx.x == 0) { /* read after the next tile's first barrier */
			s->tile = s->next;
			s->uniform = false;
		}

		/* 6. Write the tile. */
		const size_t first = (size_t)s->now * SHAPE::TILE;

		write_tile<CONVERT, WORD, SHAPE>(s, pass, s->place, digit,
						 (int)min(pass.count - first, (size_t)SHAPE::TILE));
	}
}

#endif
