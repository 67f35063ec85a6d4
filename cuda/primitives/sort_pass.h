/* sort_pass.h -- one pass of the sort (sort.cu) over the data, by one digit.
 *
 *	count   count the tile's digits by warp; publish the counts for later tiles
 *	place   compute the start of each warp's keys of each digit in the tile
 *	rank    each key takes the next position of its digit and goes there in shared memory
 *	find    find by look-back how many keys of each digit precede the tile
 *	write   write the tile in order, in runs
 *
 * A thread handles OWNED digits when counts are summed, and ITEMS keys otherwise.
 *
 * There are two kernels.  pass_kernel has a block per tile.  staged_pass_kernel, for keys without
 * values, has as many blocks as the device holds; each block goes from tile to tile and fetches the
 * keys of the next one meanwhile.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_PASS_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_PASS_H

#include "cuda/primitives/sort_plan.h"

enum array { IN, OUT, SPARE };

/* The blocks of a pass: threads, keys per thread, and blocks per multiprocessor. */
template <int THREADS_, int ITEMS_, int BLOCKS_> struct shape {
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, BLOCKS = BLOCKS_;
	static constexpr int WARPS = THREADS / WARP, PART = WARP * ITEMS, TILE = THREADS * ITEMS;
	static constexpr int OWNED = (DIGITS + THREADS - 1) / THREADS; /* digits per thread */
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
	W *words; /* [tiles][DIGITS] */
	size_t count;
	struct digits digits;
	int number;
	bool unstable; /* the first pass that runs need not be stable and may read packs */
};

/* The warps' counts and the tile in order.  They share memory, as the counts are dead by then,
 * unless APART. */
template <class WORD, class SHAPE, bool APART> struct tile_shared {
	union {
		uint32_t count[SHAPE::WARPS][DIGITS]; /* counts, then a warp's next position */
		WORD key[SHAPE::TILE];                /* the tile in order */
		uint32_t value[SHAPE::TILE];
	};
};

template <class WORD, class SHAPE> struct tile_shared<WORD, SHAPE, true> {
	union {
		WORD key[SHAPE::TILE];
		uint32_t value[SHAPE::TILE];
	};
	uint32_t count[SHAPE::WARPS][DIGITS];
};

/* A block's shared memory. */
template <class WORD, class W, class SHAPE, bool APART = false>
struct pass_shared : tile_shared<WORD, SHAPE, APART> {
	W shift[DIGITS];               /* position in the output minus position in the tile */
	uint32_t group[DIGITS / WARP]; /* keys of each group of 32 digits */
	uint32_t tile;
	uint32_t needed; /* header->needed */
	struct digit digit;
	bool whole; /* all keys have the same digit */
};

/* Load a warp's part of a full tile in any order: packs, then the remaining keys. */
template <class KEY, int ITEMS>
static __device__ __forceinline__ void load_unordered(typename KEY::word *key,
						      const typename KEY::word *part)
{
	typedef struct gpu_pack<typename KEY::word> pack;
	constexpr int PACKS = ITEMS / pack::COUNT;
	const unsigned lane = threadIdx.x % WARP;

	load_packs<KEY, PACKS>(key, (const pack *)part + lane, WARP);
	GPU_UNROLL
	for (int k = PACKS * pack::COUNT; k < ITEMS; k++)
		key[k] = KEY::order(part[k * WARP + lane]);
}

/* The arrays that a pass reads and writes, chosen so that the last pass that runs writes `out`. */
struct route {
	enum array from, to;
};

static __device__ __forceinline__ struct route route_of(uint32_t needed, int number)
{
	const bool last_but_odd = __popc(needed >> number >> 1) % 2;
	const bool first = (needed & ((1u << number) - 1)) == 0;
	const struct route route = { first          ? IN
				     : last_but_odd ? OUT
						    : SPARE,
				     last_but_odd ? SPARE : OUT };

	return route;
}

template <class T>
static __device__ __forceinline__ T *choose(enum array array, T *in, T *out, T *spare)
{
	return array == IN ? in : array == OUT ? out : spare;
}

template <class WORD>
static __device__ __forceinline__ const WORD *keys_from(const struct arrays &a, struct route route)
{
	return (const WORD *)choose(route.from, a.keys_in, (const void *)a.keys_out,
				    (const void *)a.keys_spare);
}

template <class WORD>
static __device__ __forceinline__ WORD *keys_to(const struct arrays &a, struct route route)
{
	return (WORD *)(route.to == OUT ? a.keys_out : a.keys_spare);
}

static __device__ __forceinline__ const uint32_t *values_from(const struct arrays &a,
							      struct route route)
{
	return choose(route.from, a.values_in, (const uint32_t *)a.values_out,
		      (const uint32_t *)a.values_spare);
}

static __device__ __forceinline__ uint32_t *values_to(const struct arrays &a, struct route route)
{
	return route.to == OUT ? a.values_out : a.values_spare;
}

/* Publish the tile's count of each digit, and turn the warps' counts into the start of each warp's
 * keys of each digit in the tile.  start: the starts for the whole tile, of the digits that this
 * thread owns; s->shift gets their counts.  LOOP: called in a loop.  ptxas makes the loads
 * conditional, not the code around them; without initial values, the registers would be live
 * through the whole loop.  ALONE: there is only one tile, so nothing is published. */
template <class SHAPE, bool LOOP, bool ALONE = false, class S, class W>
static __device__ __forceinline__ void place_digits(S *s, uint32_t *start, W *words, const W *base)
{
	uint32_t count[SHAPE::OWNED][SHAPE::WARPS];

	GPU_UNROLL
	for (int n = 0; LOOP && n < SHAPE::OWNED * SHAPE::WARPS; n++)
		count[n / SHAPE::WARPS][n % SHAPE::WARPS] = 0;
	GPU_UNROLL
	for (unsigned o = 0; o < SHAPE::OWNED; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		uint32_t total = 0, upto;

		if (d >= DIGITS)
			break;
		GPU_UNROLL
		for (int w = 0; w < SHAPE::WARPS; w++) {
			count[o][w] = s->count[w][d];
			total += count[o][w];
		}
		if (!ALONE)
			gpu_st_relaxed(words + (size_t)s->tile * DIGITS + d,
				       s->tile == 0 ? look<W>::FINAL | (base[d] + total)
						    : look<W>::PARTIAL | (W)total);
		s->shift[d] = total;
		if (total == SHAPE::TILE)
			s->whole = true;
		upto = warp_scan(total);
		if (d % WARP == WARP - 1)
			s->group[d / WARP] = upto;
		start[o] = upto - total;
	}
	__syncthreads();
	GPU_UNROLL
	for (unsigned o = 0; o < SHAPE::OWNED; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		uint32_t at;

		if (d >= DIGITS)
			break;
		GPU_UNROLL
		for (unsigned g = 0; g < DIGITS / WARP - 1; g++)
			start[o] += g < d / WARP ? s->group[g] : 0;
		at = start[o];
		GPU_UNROLL
		for (int w = 0; w < SHAPE::WARPS; w++) {
			s->count[w][d] = at;
			at += count[o][w];
		}
	}
	__syncthreads();
}

/* Look back for the digits that this thread owns, publish their sums, and fill in s->shift. */
template <class SHAPE, class S, class W>
static __device__ __forceinline__ void find_digits(S *s, const uint32_t *start, W *words,
						   const W *base)
{
	GPU_UNROLL
	for (unsigned o = 0; o < SHAPE::OWNED; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		W *const word = words + (size_t)s->tile * DIGITS + d;
		W before;

		if (d >= DIGITS)
			break;
		if (s->tile == 0) {
			before = base[d];
		} else {
			before = look_back<DIGITS>(word);
			gpu_st_relaxed(word, look<W>::FINAL | (before + s->shift[d]));
		}
		s->shift[d] = before - start[o];
	}
}

/* Take a key's position in the tile.  count: the warp's next position for each digit.  The last
 * lane with this digit takes positions for all of them.  A warp's additions to one shared word are
 * made in program order, so positions ascend with the order of the keys; CUB relies on it too. */
static __device__ __forceinline__ uint32_t take_place(uint32_t *count, unsigned digit)
{
	const unsigned lane = threadIdx.x % WARP, peers = gpu_match<DIGIT_BITS>(digit);
	const unsigned upto = (unsigned)__popc(peers & (lanes_below() | 1u << lane));
	const unsigned last = WARP - 1 - (unsigned)__clz((int)peers);
	const uint32_t first = gpu_add_shared_if(lane == last, &count[digit], upto);

	return __shfl_sync(ALL_LANES, first, (int)last) + upto - 1;
}

/* Move the keys of a tile to their positions in it.  places: these positions, two per word. */
template <class SHAPE, bool APART, class S, class WORD>
static __device__ __forceinline__ void order_keys(S *s, const WORD *key, uint32_t *places,
						  struct digit digit)
{
	constexpr int ITEMS = SHAPE::ITEMS;
	uint32_t rank[ITEMS]; /* the key's position in the ordered tile */

	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++) {
		rank[k] = take_place(s->count[threadIdx.x / WARP], digit_of(key[k], digit));
		if (APART)
			s->key[rank[k]] = key[k];
	}
	if (!APART)
		__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++) {
		if (!APART)
			s->key[rank[k]] = key[k];
		places[k / 2] = k % 2 ? __byte_perm(rank[k - 1], rank[k], 0x5410) : rank[k];
	}
}

/* Write the tile's keys in order.  digits: keeps their digits, four per word. */
template <class KEY, bool VALUES, class SHAPE, bool FULL, class S>
static __device__ __forceinline__ void write_keys(const S *s, typename KEY::word *out, int valid,
						  struct digit digit, uint32_t *digits)
{
	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)(k * SHAPE::THREADS);
		const typename KEY::word key = s->key[i];
		const unsigned d = digit_of(key, digit);

		if (FULL || (int)i < valid)
			out[s->shift[d] + i] = KEY::bits(key);
		if (VALUES)
			digits[k / 4] += d << k % 4 * 8;
	}
}

/* Write the values: first to shared memory by the keys' positions, then out by the keys' digits. */
template <class SHAPE, class S>
static __device__ __forceinline__ void write_values(S *s, uint32_t *out, const uint32_t *value,
						    const uint32_t *places, int valid,
						    const uint32_t *digits)
{
	__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++)
		s->value[__byte_perm(places[k / 2], 0, k % 2 ? 0x4432 : 0x4410)] = value[k];
	__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)(k * SHAPE::THREADS);
		const unsigned d = digits[k / 4] >> k % 4 * 8 & (DIGITS - 1);

		if ((int)i < valid)
			out[s->shift[d] + i] = s->value[i];
	}
}

/* Write item k of a lane to out[WARP * k], as it was read; `left` elements follow out. */
template <int ITEMS, class T>
static __device__ __forceinline__ void write_striped(T *out, const T *item, int left)
{
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		if (WARP * k < left)
			out[WARP * k] = item[k];
}

/* Write a tile in which all keys have the same digit, as it was read. */
template <class KEY, bool VALUES, class SHAPE, class S>
static __device__ __forceinline__ void write_whole(const S *s, typename KEY::word *out,
						   uint32_t *values_out, typename KEY::word *key,
						   const uint32_t *value, int place, int valid,
						   struct digit digit)
{
	const size_t at = (size_t)s->shift[digit_of(key[0], digit)] + (size_t)place;

	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++)
		key[k] = KEY::bits(key[k]);
	write_striped<SHAPE::ITEMS>(out + at, key, valid - place);
	if (VALUES)
		write_striped<VALUES ? SHAPE::ITEMS : 1>(values_out + at, value, valid - place);
}

/* One block per tile. */
template <class KEY, bool VALUES, class W, class SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS)
	pass_kernel(struct pass<W> pass)
{
	typedef typename KEY::word word;
	typedef struct pass_shared<word, W, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	SHARED_VAR(shared, s);
	const struct arrays a = pass.arrays;
	const W *const base = pass.header->histogram[pass.number];
	const struct digit digit = digit_number(pass.digits, pass.number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int place = (int)(warp * SHAPE::PART + lane); /* position of item 0 in the tile */
	word key[ITEMS];
	uint32_t value[VALUES ? ITEMS : 1];
	uint32_t places[(ITEMS + 1) / 2];         /* positions of the keys read, two per word */
	uint32_t digits[(ITEMS + 3) / 4] = { 0 }; /* digits of the keys written, four per word */
	uint32_t start[SHAPE::OWNED];

	for (unsigned d = lane; d < DIGITS; d += WARP)
		s.count[warp][d] = 0;
	gpu_wait_for_last_launch();
	if (threadIdx.x == 0) {
		s.digit = digit;
		s.needed = pass.header->needed;
		s.whole = false;
	}
	next_tile(&pass.header->ticket[pass.number], &s.tile);
	gpu_let_next_launch();
	if (!(s.needed >> pass.number & 1))
		return;

	const struct route route = route_of(s.needed, pass.number);
	const size_t first = (size_t)s.tile * SHAPE::TILE;
	const int valid = (int)min(pass.count - first, (size_t)SHAPE::TILE);
	const word *const in = keys_from<word>(a, route) + first;

	if (!VALUES && pass.unstable && route.from == IN && valid == SHAPE::TILE)
		load_unordered<KEY, ITEMS>(key, in + warp * SHAPE::PART);
	else
		load_keys<KEY, ITEMS>(key, in + place, valid - place);
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		atomicAdd(&s.count[warp][digit_of(key[k], digit)], 1u);
	__syncthreads();
	place_digits<SHAPE, false>(&s, start, pass.words, base);

	/* Read again; otherwise, the digits would stay in registers from counting to ranking. */
	const struct digit again = s.digit;
	const bool whole = s.whole;

	if (!whole)
		order_keys<SHAPE, false>(&s, key, places, again);
	find_digits<SHAPE>(&s, start, pass.words, base);
	__syncthreads();

	word *const out = keys_to<word>(a, route);
	uint32_t *const out_values = values_to(a, route);
	const uint32_t *const values = values_from(a, route) + first + place;

	if (whole) {
		if (VALUES)
			load_striped<VALUES ? ITEMS : 1>(value, values, valid - place, 0u);
		write_whole<KEY, VALUES, SHAPE>(&s, out, out_values, key, value, place, valid,
						digit);
		return;
	}
	if (valid == SHAPE::TILE)
		write_keys<KEY, VALUES, SHAPE, true>(&s, out, valid, digit, digits);
	else
		write_keys<KEY, VALUES, SHAPE, false>(&s, out, valid, digit, digits);
	if (VALUES) {
		load_striped<VALUES ? ITEMS : 1>(value, values, valid - place, 0u);
		write_values<SHAPE>(&s, out_values, value, places, valid, digits);
	}
}

/* ---- persistent blocks -------------------------------------------------------------------- */

/* Shared memory per block if a multiprocessor holds two: sm_90 has 228 KB and reserves 1 KB per
 * block. */
static constexpr size_t STAGED_BYTES = (size_t)(228 / 2 - 1) << 10;

/* A block's shared memory in a staged pass, with room for the keys of the next tile.  Separate
 * counts save two barriers per tile. */
template <class WORD, class W, class SHAPE>
struct staged_shared : pass_shared<WORD, W, SHAPE, true> {
	alignas(16) WORD next_key[SHAPE::TILE];
	uint32_t now, next; /* tiles */
	/* Kept here to save registers. */
	struct route route;
	W *words;      /* look-back words */
	const W *base; /* per digit: the number of keys with lower digits */
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
	typedef struct gpu_pack<T> pack;
	constexpr unsigned PACKS = SHAPE::PART / pack::COUNT;
	const unsigned part = threadIdx.x / WARP * SHAPE::PART, lane = threadIdx.x % WARP;

	if (is_full<SHAPE>(tile, count)) {
		const pack *const from =
			(const pack *)(array + (size_t)tile * SHAPE::TILE + part) + lane;
		pack *const to = (pack *)(room + part) + lane;

		GPU_UNROLL
		for (unsigned p = 0; p < PACKS; p += WARP)
			if (PACKS - p >= WARP || lane < PACKS - p)
				gpu_copy_16(to + p, from + p);
	}
	gpu_end_copies();
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
	typedef struct staged_shared<word, W, SHAPE> shared;
	constexpr int ITEMS = SHAPE::ITEMS;
	DYN_SHARED(shared, s);
	uint32_t *const ticket = &pass.header->ticket[pass.number];
	const struct digit digit = digit_number(pass.digits, pass.number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int place = (int)(warp * SHAPE::PART + lane); /* position of item 0 in the tile */

	static_assert(sizeof(shared) <= STAGED_BYTES, "two blocks fit a multiprocessor");
	gpu_wait_for_last_launch();
	if (threadIdx.x == 0) {
		s->digit = digit;
		s->needed = pass.header->needed;
		s->whole = false;
		s->route = route_of(s->needed, pass.number);
		s->words = pass.words;
		s->base = pass.header->histogram[pass.number];
	}
	next_tile(ticket, &s->tile);
	/* The next launch may start only after all blocks of this one have, so it takes no room
	 * from them. */
	gpu_let_next_launch();
	if (!(s->needed >> pass.number & 1))
		return;
	stage<SHAPE>(s->next_key, keys_from<word>(pass.arrays, s->route), s->tile, pass.count);

	GPU_NO_UNROLL
	for (uint32_t tile = s->tile; (size_t)tile * SHAPE::TILE < pass.count; tile = s->next) {
		word key[ITEMS];
		uint32_t places[(ITEMS + 1) / 2]; /* positions of the keys read, two per word */
		uint32_t start[SHAPE::OWNED] = { 0 };
		uint32_t next = 0; /* thread 0 only */

		if (threadIdx.x == 0)
			next = atomicAdd(ticket, 1u);
		for (unsigned d = lane; d < DIGITS; d += WARP)
			s->count[warp][d] = 0;
		gpu_wait_for_copies<0>();
		__syncwarp();
		if (is_full<SHAPE>(tile, pass.count)) {
			GPU_UNROLL
			for (int k = 0; k < ITEMS; k++)
				key[k] = KEY::order(s->next_key[place + k * WARP]);
		} else {
			const size_t first = (size_t)tile * SHAPE::TILE;

			load_keys<KEY, ITEMS>(
				key, keys_from<word>(pass.arrays, s->route) + first + place,
				(int)(pass.count - first) - place);
		}
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			atomicAdd(&s->count[warp][digit_of(key[k], digit)], 1u);
		__syncthreads();
		if (threadIdx.x == 0) {
			s->now = tile;
			s->next = next;
		}
		place_digits<SHAPE, true>(s, start, s->words, s->base);
		stage<SHAPE>(s->next_key, keys_from<word>(pass.arrays, s->route), s->next,
			     pass.count);

		const bool whole = s->whole;

		if (!whole)
			order_keys<SHAPE, true>(s, key, places, s->digit);
		find_digits<SHAPE>(s, start, s->words, s->base);
		__syncthreads();
		if (threadIdx.x == 0) { /* read after the next tile's first barrier */
			s->tile = s->next;
			s->whole = false;
		}

		const size_t first = (size_t)s->now * SHAPE::TILE;
		const int valid = (int)min(pass.count - first, (size_t)SHAPE::TILE);
		word *const out = keys_to<word>(pass.arrays, s->route);

		if (whole)
			write_whole<KEY, false, SHAPE>(s, out, NULL, key, NULL, place, valid,
						       digit);
		else if (valid == SHAPE::TILE)
			write_keys<KEY, false, SHAPE, true>(s, out, valid, digit, NULL);
		else
			write_keys<KEY, false, SHAPE, false>(s, out, valid, digit, NULL);
	}
}

#endif
