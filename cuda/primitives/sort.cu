/* sort.cu -- stable radix sort of keys, or keys and values, by 8-bit digits, least
 * significant first, with one sweep over the data per digit (Adinets and Merrill 2022).
 *
 *	histogram  one read of the keys counts the digits of all passes; the block that ends last
 *	           makes the plan: exclusive sums of each histogram, and which passes are to be run
 *	pass       per digit: read a tile, count its digits, publish the counts, rank the keys, learn
 *	           by look-back how many keys of each digit went before, put the tile in order in
 *	           shared memory, write it out in runs
 *
 * Ideas beyond the textbook:
 *   - A pass in which all keys have the same digit is skipped.  The plan decides that on the
 *     device, and with it between which arrays each pass goes, so that the last one always
 *     writes `out`: the host queues every launch without knowing.  If all passes would be
 *     skipped, the first is run: it copies.
 *   - A tile in which all keys have the same digit is in order as it is.
 *   - Counting comes before ranking (Merrill's early counts): other tiles learn the counts while
 *     this one ranks, and a rank is a place in the tile at once.
 *   - The base of each digit enters the chain of sums as what tile 0 publishes: only tile 0
 *     reads the histogram.
 *   - Keys alone, sorted by all their bits, need no stable first pass: a lane then reads packs
 *     of 16 bytes.  Later passes read keys 32 apart, the order in which they are ranked.
 *   - Words of look-back are 32 bits wide below 2^30 keys, 64 above.
 *   - The launch of a pass overlaps the pass before it, where the GPU can (sm_90).
 *   - Tiles are nearly as large as 48 KB of shared memory hold, so that runs are long: a run of
 *     bytes that does not end with a sector costs a part of another.  Two blocks work on a
 *     multiprocessor; where there is at most a tile for each, one block of more threads does, and
 *     the fewer tiles the more threads: each has less to do, and the warps more to count.
 *
 * Shared memory: the warps' digit counts are dead when the tile is put in order, so they share one
 * place.  The bound is memory traffic: per key one read, then a read and a write per pass.
 */
#include "cuda/primitives/primitives.h"

#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/primitives/device.h"

enum {
	BLOCK = GPU_BLOCK(512), /* of the histogram */
	WARPS = BLOCK / WARP,
	LOADS = 4, /* packs of 16 bytes that a thread of it has under way */
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
	MAX_PASSES = 64 / DIGIT_BITS,
};

/* The blocks of a pass: threads, keys of a thread, and how many fit a multiprocessor. */
template <int THREADS_, int ITEMS_, int BLOCKS_> struct shape {
	static constexpr int THREADS = GPU_BLOCK(THREADS_), ITEMS = ITEMS_, BLOCKS = BLOCKS_;
	static constexpr int WARPS = THREADS / WARP, PART = WARP * ITEMS, TILE = THREADS * ITEMS;
	static constexpr int OWNED = (DIGITS + THREADS - 1) / THREADS; /* digits of a thread */
};

/* For keys of 4 and 8 bytes: `least` where half of the multiprocessors get a tile at most, `few`
 * where each gets one, `wide` where places do not fit 32 bits, which takes more registers. */
enum size { LEAST, FEW, MANY, WIDE };

template <size_t KEY_SIZE> struct shapes {
	typedef struct shape<1024, 9, 1> least;
	typedef struct shape<768, 12, 1> few;
	typedef struct shape<448, 20, 2> many;
	typedef struct shape<384, 20, 2> wide;
};
template <> struct shapes<8> {
	typedef struct shape<960, 6, 1> least;
	typedef struct shape<736, 8, 1> few;
	typedef struct shape<416, 14, 2> many;
	typedef struct shape<416, 14, 2> wide;
};

/* From this many keys on, look-back words are 64 bits wide. */
#ifndef GPU_SORT_WIDE
#define GPU_SORT_WIDE ((size_t)1 << 30)
#endif

enum array { IN, OUT, SPARE };

/* The digits of a sort: pass p looks at bits(p) bits from shift(p) on. */
struct digits {
	int begin_bit, end_bit, passes;
};

/* The start of temporary storage.  The words of look-back follow, 32 or 64 bits each: LOOK_AHEAD *
 * DIGITS that mean nothing, then [passes][tiles][DIGITS].  All is zeroed before a sort. */
template <class W> struct alignas(128) header {
	W histogram[MAX_PASSES][DIGITS]; /* counts, then their exclusive sums */
	uint32_t counted;                /* blocks whose keys are in the histogram */
	uint32_t needed;                 /* bit p: pass p is run */
	uint32_t ticket[MAX_PASSES];     /* tiles handed out */
};

/* The digit that a pass looks at: key >> shift & mask. */
struct digit {
	int shift;
	unsigned mask;
};

template <class WORD>
static __device__ __forceinline__ unsigned digit_of(WORD key, struct digit digit)
{
	return (unsigned)(key >> digit.shift) & digit.mask;
}

/* The last one may be narrower. */
static __device__ __forceinline__ struct digit digit_number(struct digits digits, int pass)
{
	const int shift = digits.begin_bit + DIGIT_BITS * pass;
	const struct digit digit = { shift,
				     (1u << min((int)DIGIT_BITS, digits.end_bit - shift)) - 1 };

	return digit;
}

/* The keys of PACKS packs of 16 bytes, `step` packs apart. */
template <class KEY, int PACKS>
static __device__ __forceinline__ void load_packs(typename KEY::word *key,
						  const struct gpu_pack<typename KEY::word> *first,
						  size_t step)
{
	constexpr int EACH = gpu_pack<typename KEY::word>::COUNT;
	struct gpu_pack<typename KEY::word> pack[PACKS];

	GPU_UNROLL
	for (int p = 0; p < PACKS; p++)
		pack[p] = first[(size_t)p * step];
	GPU_UNROLL
	for (int k = 0; k < PACKS * EACH; k++)
		key[k] = KEY::order(pack[k / EACH].item[k % EACH]);
}

/* ---- plan -------------------------------------------------------------------------------- */

/* One block; a warp per pass turns the counts into exclusive sums, and finds out whether there is
 * more than one digit.  In shared memory: needed, which is 0, and sums. */
template <class W>
static __device__ void make_plan(struct header<W> *header, size_t count, int passes,
				 unsigned *needed, W (*sums)[DIGITS])
{
	const unsigned lane = threadIdx.x % WARP;

	GPU_NO_UNROLL
	for (unsigned p = threadIdx.x / WARP; p < (unsigned)passes; p += WARPS) {
		bool whole = false;

		GPU_UNROLL
		for (unsigned d = lane; d < DIGITS; d += WARP) {
			sums[p][d] = header->histogram[p][d];
			whole |= sums[p][d] == count;
		}
		if (!__any_sync(ALL_LANES, whole) && lane == 0)
			atomicOr(needed, 1u << p);
		__syncwarp();
		(void)warp_scan_array<DIGITS>(sums[p]);
		__syncwarp();
		GPU_UNROLL
		for (unsigned d = lane; d < DIGITS; d += WARP)
			header->histogram[p][d] = sums[p][d];
	}
	__syncthreads();
	if (threadIdx.x == 0)
		header->needed = *needed ? *needed : 1;
}

/* ---- histogram --------------------------------------------------------------------------- */

/* Digit by digit, so that what hangs on the digit is found once for all keys. */
template <int KEYS, class WORD>
static __device__ __forceinline__ void count_keys(unsigned (*count)[DIGITS], const WORD *key,
						  struct digits digits)
{
	GPU_NO_UNROLL
	for (int p = 0; p < digits.passes; p++) {
		const struct digit digit = digit_number(digits, p);

		GPU_UNROLL
		for (int k = 0; k < KEYS; k++)
			atomicAdd(&count[p][digit_of(key[k], digit)], 1u);
	}
}

/* A grid that strides over the keys: the first `packs` packs of 16 bytes, then single keys.  Each
 * block counts in shared memory and adds to the whole once; the last one to do so makes the plan. */
template <class KEY, class W>
static __global__ void histogram_kernel(const typename KEY::word *keys, size_t packs, size_t count,
					struct digits digits, struct header<W> *header)
{
	typedef typename KEY::word word;
	typedef struct gpu_pack<word> pack;
	constexpr int PASSES = KEY::BITS / DIGIT_BITS;
	SHARED_ARRAY(unsigned, local, PASSES *DIGITS);
	SHARED_ARRAY(W, sums, PASSES * DIGITS);
	SHARED_VAR(unsigned, needed);
	unsigned(*const by_pass)[DIGITS] = (unsigned(*)[DIGITS])local;
	const size_t stride = (size_t)gridDim.x * BLOCK;
	const size_t first = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	size_t i = first;
	bool last = false;

	GPU_UNROLL
	for (unsigned j = threadIdx.x; j < PASSES * DIGITS; j += BLOCK)
		local[j] = 0;
	if (threadIdx.x == 0)
		needed = 0;
	__syncthreads();
	gpu_let_next_launch();
	GPU_NO_UNROLL
	for (; i + (LOADS - 1) * stride < packs; i += LOADS * stride) {
		word key[LOADS * pack::COUNT];

		load_packs<KEY, LOADS>(key, (const pack *)keys + i, stride);
		count_keys<LOADS * pack::COUNT>(by_pass, key, digits);
	}
	GPU_NO_UNROLL
	for (; i < packs; i += stride) {
		word key[pack::COUNT];

		load_packs<KEY, 1>(key, (const pack *)keys + i, stride);
		count_keys<pack::COUNT>(by_pass, key, digits);
	}
	GPU_NO_UNROLL
	for (i = packs * pack::COUNT + first; i < count; i += stride) {
		const word key = KEY::order(keys[i]);

		count_keys<1>(by_pass, &key, digits);
	}
	__syncthreads();
	GPU_NO_UNROLL
	for (unsigned j = threadIdx.x; j < (unsigned)digits.passes * DIGITS; j += BLOCK) {
		if (local[j])
			atomicAdd(&header->histogram[j / DIGITS][j % DIGITS], (W)local[j]);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		last = gpu_add(&header->counted, 1) == gridDim.x - 1;
	if (__syncthreads_or(last))
		make_plan(header, count, digits.passes, &needed, (W(*)[DIGITS])sums);
}

/* ---- pass -------------------------------------------------------------------------------- */

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
	bool unstable; /* the first pass that is run need not be stable, and may read packs */
};

/* What a block keeps in shared memory. */
template <class WORD, class W, class SHAPE> struct pass_shared {
	union {
		uint32_t count[SHAPE::WARPS][DIGITS]; /* then where a warp's next key of it goes */
		WORD key[SHAPE::TILE];                /* the tile in order */
		uint32_t value[SHAPE::TILE];
	};
	W shift[DIGITS];               /* place in the output less place in the tile */
	uint32_t group[DIGITS / WARP]; /* keys of 32 digits */
	uint32_t tile;
	uint32_t needed; /* the plan */
	struct digit digit;
	bool whole; /* all keys have one digit */
};

/* A warp's part of a full tile in any order: packs, and what is left of it. */
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

/* The arrays that a pass goes between, such that the last pass that is run writes `out`. */
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

/* From the warps' counts: publish the tile's count of each digit, and turn the counts into where
 * each warp's keys of each digit start in the tile.  start: the tile's, of the digits this thread
 * owns; how many of them there are is left in s->shift. */
template <class SHAPE, class S, class W>
static __device__ __forceinline__ void place_digits(S *s, uint32_t *start, W *words, const W *base)
{
	uint32_t count[SHAPE::OWNED][SHAPE::WARPS];

	GPU_UNROLL
	for (unsigned o = 0; o < SHAPE::OWNED; o++) {
		const unsigned d = threadIdx.x + o * SHAPE::THREADS;
		W *const word = words + (size_t)s->tile * DIGITS + d;
		uint32_t total = 0, upto;

		if (d >= DIGITS)
			break;
		GPU_UNROLL
		for (int w = 0; w < SHAPE::WARPS; w++) {
			count[o][w] = s->count[w][d];
			total += count[o][w];
		}
		gpu_st_relaxed(word, s->tile == 0 ? look<W>::FINAL | (base[d] + total)
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

/* Look back for the digits this thread owns, and publish their sums; fills s->shift. */
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

/* A key's place in the tile.  count: where the warp's next key of each digit goes.  The last of
 * the lanes with this digit takes places for all of them. */
static __device__ __forceinline__ uint32_t take_place(uint32_t *count, unsigned digit)
{
	const unsigned lane = threadIdx.x % WARP, peers = gpu_match<DIGIT_BITS>(digit);
	const unsigned upto = (unsigned)__popc(peers & (lanes_below() | 1u << lane));
	const unsigned last = WARP - 1 - (unsigned)__clz((int)peers);
	const uint32_t first = gpu_add_shared_if(lane == last, &count[digit], upto);

	return __shfl_sync(ALL_LANES, first, (int)last) + upto - 1;
}

/* Loads from below are not moved above this, which they would be to hide their latency, and then
 * keys, values and places would not fit into 64 registers together. */
static __device__ __forceinline__ void part_loads(void)
{
	__syncwarp();
}

/* The tile's keys go out in order; their digits stay behind in `digits`, four to a word. */
template <class KEY, bool VALUES, class SHAPE, bool FULL, class S, class W>
static __device__ __forceinline__ void write_keys(const S *s, typename KEY::word *out, int valid,
						  struct digit digit, uint32_t *digits, W)
{
	GPU_UNROLL
	for (int k = 0; k < SHAPE::ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)(k * SHAPE::THREADS);
		const typename KEY::word key = s->key[i];
		const unsigned d = digit_of(key, digit);

		if (FULL || (int)i < valid)
			out[(W)(s->shift[d] + i)] = KEY::bits(key);
		if (VALUES)
			digits[k / 4] += d << k % 4 * 8;
		if (VALUES && k % 4 == 3) /* a few at a time */
			part_loads();
	}
}

/* The values follow their keys: to shared memory by the keys' places, and out by their digits. */
template <class SHAPE, class S, class W>
static __device__ __forceinline__ void write_values(S *s, uint32_t *out, const uint32_t *value,
						    const uint32_t *places, int valid,
						    const uint32_t *digits, W)
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
			out[(W)(s->shift[d] + i)] = s->value[i];
	}
}

/* Item k of a lane goes to out[WARP * k], as it was read; `left` elements follow out. */
template <int ITEMS, class T>
static __device__ __forceinline__ void write_striped(T *out, const T *item, int left)
{
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		if (WARP * k < left)
			out[WARP * k] = item[k];
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
	const int place = (int)(warp * SHAPE::PART + lane); /* of item 0 in the tile */
	word key[ITEMS];
	uint32_t rank[ITEMS]; /* the key's place in the tile in order */
	uint32_t value[VALUES ? ITEMS : 1];
	uint32_t places[(ITEMS + 1) / 2];         /* of the keys read, two to a word */
	uint32_t digits[(ITEMS + 3) / 4] = { 0 }; /* of the keys written, four to a word */
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
	const word *const in = (const word *)choose(route.from, a.keys_in, (const void *)a.keys_out,
						    (const void *)a.keys_spare) +
			       first;

	if (!VALUES && pass.unstable && route.from == IN && valid == SHAPE::TILE)
		load_unordered<KEY, ITEMS>(key, in + warp * SHAPE::PART);
	else
		load_keys<KEY, ITEMS>(key, in + place, valid - place);
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		atomicAdd(&s.count[warp][digit_of(key[k], digit)], 1u);
	__syncthreads();
	place_digits<SHAPE>(&s, start, pass.words, base);

	/* Read again, or the digits counted would stay in registers until they are ranked. */
	const struct digit again = s.digit;
	const bool whole = s.whole;

	if (!whole) {
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			rank[k] = take_place(s.count[warp], digit_of(key[k], again));
		__syncthreads();
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++) {
			s.key[rank[k]] = key[k];
			places[k / 2] = k % 2 ? __byte_perm(rank[k - 1], rank[k], 0x5410) : rank[k];
		}
	}
	if (VALUES) {
		part_loads();

		const uint32_t *const values =
			choose(route.from, a.values_in, (const uint32_t *)a.values_out,
			       (const uint32_t *)a.values_spare) +
			(size_t)s.tile * SHAPE::TILE;

		load_striped<VALUES ? ITEMS : 1>(value, values + place, valid - place, 0u);
	}
	find_digits<SHAPE>(&s, start, pass.words, base);
	__syncthreads();

	word *const out = (word *)(route.to == OUT ? a.keys_out : a.keys_spare);
	uint32_t *const values_out = route.to == OUT ? a.values_out : a.values_spare;

	if (whole) {
		const size_t at = s.shift[digit_of(key[0], digit)] + (W)place;

		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++)
			key[k] = KEY::bits(key[k]);
		write_striped<ITEMS>(out + at, key, valid - place);
		if (VALUES)
			write_striped<VALUES ? ITEMS : 1>(values_out + at, value, valid - place);
		return;
	}
	if (valid == SHAPE::TILE)
		write_keys<KEY, VALUES, SHAPE, true>(&s, out, valid, digit, digits, (W)0);
	else
		write_keys<KEY, VALUES, SHAPE, false>(&s, out, valid, digit, digits, (W)0);
	if (VALUES)
		write_values<SHAPE>(&s, values_out, value, places, valid, digits, (W)0);
}

/* ---- host -------------------------------------------------------------------------------- */

static size_t tiles_of(size_t count, size_t tile)
{
	return count / tile + (count % tile != 0);
}

static bool is_wide(size_t count)
{
	return count >= GPU_SORT_WIDE;
}

template <size_t KEY_SIZE> static enum size size_of(size_t count)
{
	typedef struct shapes<KEY_SIZE> shapes;
	const size_t processors = (size_t)gpu_sm_count();

	return is_wide(count)                                           ? WIDE
	       : tiles_of(count, shapes::least::TILE) <= processors / 2 ? LEAST
	       : tiles_of(count, shapes::few::TILE) <= processors       ? FEW
									: MANY;
}

template <size_t KEY_SIZE> static size_t tiles_by_size(size_t count)
{
	typedef struct shapes<KEY_SIZE> shapes;

	switch (size_of<KEY_SIZE>(count)) {
	case LEAST:
		return tiles_of(count, shapes::least::TILE);
	case FEW:
		return tiles_of(count, shapes::few::TILE);
	case MANY:
		return tiles_of(count, shapes::many::TILE);
	case WIDE:
	default:
		return tiles_of(count, shapes::wide::TILE);
	}
}

static struct digits digits_of(int begin_bit, int end_bit)
{
	const int passes = (end_bit - begin_bit + DIGIT_BITS - 1) / DIGIT_BITS;
	const struct digits digits = { begin_bit, end_bit, passes };

	return digits;
}

template <class W> static size_t temp_bytes(size_t tiles, int passes)
{
	return sizeof(struct header<W>) +
	       (LOOK_AHEAD + (size_t)passes * tiles) * DIGITS * sizeof(W);
}

/* No overflow: it is less than the keys themselves, but for a constant. */
size_t gpu_sort_temp_bytes(enum gpu_key key, size_t count, int begin_bit, int end_bit)
{
	const int passes = digits_of(begin_bit, end_bit).passes;
	const size_t tiles = key == GPU_KEY_U64 ? tiles_by_size<8>(count) : tiles_by_size<4>(count);

	return is_wide(count) ? temp_bytes<unsigned long long>(tiles, passes)
			      : temp_bytes<uint32_t>(tiles, passes);
}

template <class KEY, bool VALUES, class W, class SHAPE>
static enum gb_status run_passes(const struct gpu_sort_args *sort, struct digits digits,
				 cudaStream_t stream, struct gb_error *err)
{
	void (*const kernel)(struct pass<W>) = pass_kernel<KEY, VALUES, W, SHAPE>;
	const bool overlap = gpu_can_overlap(kernel);
	const size_t tiles = tiles_of(sort->count, SHAPE::TILE);
	struct header<W> *const start = (struct header<W> *)sort->temp;
	struct pass<W> pass = {
		.arrays = { sort->keys_in,   sort->keys_out,   sort->keys_spare,
			    sort->values_in, sort->values_out, sort->values_spare },
		.header = start, .words = (W *)(void *)(start + 1) + (size_t)LOOK_AHEAD * DIGITS,
		.count = sort->count, .digits = digits, .number = 0,
		.unstable = gpu_is_packed(sort->keys_in) && digits.begin_bit == 0 &&
			    digits.end_bit == KEY::BITS,
	};

	for (; pass.number < digits.passes; pass.number++) {
		if (overlap)
			GPU_LAUNCH_OVERLAPPED(kernel, (unsigned)tiles, SHAPE::THREADS, 0, stream,
					      pass);
		else
			GPU_LAUNCH(kernel, (unsigned)tiles, SHAPE::THREADS, 0, stream, pass);
		if (!CUDA_OK(err, cudaGetLastError()))
			return err->code;
		pass.words += tiles * DIGITS;
	}
	return GB_OK;
}

template <class KEY, bool VALUES, class W, class SHAPE>
static enum gb_status sort_by_shape(const struct gpu_sort_args *sort, struct digits digits,
				    cudaStream_t stream, struct gb_error *err)
{
	typedef typename KEY::word word;
	const size_t packs = gpu_is_packed(sort->keys_in) ? sort->count / gpu_pack<word>::COUNT : 0;
	const size_t most = (size_t)gpu_sm_count() * 4, wanted = sort->count / (BLOCK * 16) + 1;

	GPU_LAUNCH((histogram_kernel<KEY, W>), (unsigned)(wanted < most ? wanted : most), BLOCK, 0,
		   stream, (const word *)sort->keys_in, packs, sort->count, digits,
		   (struct header<W> *)sort->temp);
	if (!CUDA_OK(err, cudaGetLastError()))
		return err->code;
	if (sort->timer)
		gb_phase(sort->timer, "pass");
	return run_passes<KEY, VALUES, W, SHAPE>(sort, digits, stream, err);
}

template <class KEY, bool VALUES>
static enum gb_status sort_keys(const struct gpu_sort_args *sort, struct digits digits,
				cudaStream_t stream, struct gb_error *err)
{
	constexpr size_t KEY_SIZE = sizeof(typename KEY::word);
	typedef typename shapes<KEY_SIZE>::least least;
	typedef typename shapes<KEY_SIZE>::few few;
	typedef typename shapes<KEY_SIZE>::many many;
	typedef typename shapes<KEY_SIZE>::wide wide;

	switch (size_of<KEY_SIZE>(sort->count)) {
	case LEAST:
		return sort_by_shape<KEY, VALUES, uint32_t, least>(sort, digits, stream, err);
	case FEW:
		return sort_by_shape<KEY, VALUES, uint32_t, few>(sort, digits, stream, err);
	case MANY:
		return sort_by_shape<KEY, VALUES, uint32_t, many>(sort, digits, stream, err);
	case WIDE:
	default:
		return sort_by_shape<KEY, VALUES, unsigned long long, wide>(sort, digits, stream,
									    err);
	}
}

enum gb_status gpu_sort(const struct gpu_sort_args *sort, cudaStream_t stream, struct gb_error *err)
{
	const struct digits digits = digits_of(sort->begin_bit, sort->end_bit);
	const size_t temp_bytes =
		gpu_sort_temp_bytes(sort->key, sort->count, sort->begin_bit, sort->end_bit);

	if (sort->begin_bit < 0 || sort->end_bit <= sort->begin_bit ||
	    sort->end_bit > (sort->key == GPU_KEY_U64 ? 64 : 32))
		return gb_fail(err, GB_ERUNTIME, "cannot sort by bits %d to %d", sort->begin_bit,
			       sort->end_bit);
	if (sort->count == 0)
		return GB_OK;
	if (sort->timer)
		gb_phase(sort->timer, "histogram");
	if (!CUDA_OK(err, cudaMemsetAsync(sort->temp, 0, temp_bytes, stream)))
		return err->code;
	switch (sort->key) {
	case GPU_KEY_U64:
		return sort->values_in ? sort_keys<key_u64, true>(sort, digits, stream, err)
				       : sort_keys<key_u64, false>(sort, digits, stream, err);
	case GPU_KEY_F32:
		if (sort->values_in)
			return gb_fail(err, GB_ERUNTIME, "f32 keys are sorted without values");
		return sort_keys<key_f32, false>(sort, digits, stream, err);
	case GPU_KEY_U32:
	default:
		return sort->values_in ? sort_keys<key_u32, true>(sort, digits, stream, err)
				       : sort_keys<key_u32, false>(sort, digits, stream, err);
	}
}
