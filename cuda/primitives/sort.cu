/* sort.cu -- stable radix sort of keys, or keys and values, by 8-bit digits, least
 * significant first, with one sweep over the data per digit (Adinets and Merrill 2022).
 *
 *	histogram  one read of the keys counts the digits of all passes
 *	plan       one block: exclusive sums of each histogram, and which passes are to be run
 *	pass       per digit: read a tile, rank it, learn by look-back how many keys of each digit
 *	           went before, put the tile in order in shared memory, write it out in runs
 *
 * Ideas beyond the textbook:
 *   - A pass in which all keys have the same digit is skipped.  The plan decides that on the
 *     device, and with it between which arrays each pass goes, so that the last one always
 *     writes `out`: the host queues every launch without knowing.  If all passes would be
 *     skipped, the first is run: it copies.
 *   - The base of each digit enters the chain of sums as what tile 0 publishes: only tile 0
 *     reads the histogram.
 *   - Keys alone, sorted by all their bits, need no stable first pass: a lane then reads packs
 *     of 16 bytes.  Later passes read keys 32 apart, the order in which they are ranked.
 *   - Words of look-back are 32 bits wide below 2^30 keys, 64 above.
 *   - Inputs of few tiles take tiles of half the size, so that more multiprocessors work.
 *
 * Shared memory: the warps' digit counts (16 KB) are dead when the tile is put in order (32 KB),
 * so they share one place.  The bound is memory traffic: per key one read, then a read and a
 * write per pass.
 */
#include "cuda/primitives/primitives.h"

#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/primitives/device.h"

enum {
	BLOCK = GPU_BLOCK(512),
	WARPS = BLOCK / WARP,
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
	MAX_PASSES = 64 / DIGIT_BITS,
	KEY_ITEMS = 16,  /* keys of a thread, as many as 64 registers hold: 32-bit keys alone, */
	PAIR_ITEMS = 12, /* with values, */
	LONG_ITEMS = 8,  /* 64-bit keys */
	PLAN_BLOCK = GPU_BLOCK(256),
	PLAN_WARPS = PLAN_BLOCK / WARP,
	OWNED = (DIGITS + BLOCK - 1) / BLOCK, /* digits that a thread looks after */
};

/* From this many keys on, look-back words are 64 bits wide. */
#ifndef GPU_SORT_WIDE
#define GPU_SORT_WIDE ((size_t)1 << 30)
#endif

enum array { IN, OUT, SPARE, SKIPPED };

/* On the device: which array each pass reads and writes; SKIPPED: it does nothing. */
struct plan {
	uint8_t from[MAX_PASSES], to[MAX_PASSES];
};

/* The digits of a sort: pass p looks at bits(p) bits from shift(p) on. */
struct digits {
	int begin_bit, end_bit, passes;
};

/* The start of temporary storage.  The words of look-back follow, 32 or 64 bits each: LOOK_AHEAD *
 * DIGITS that mean nothing, then [passes][tiles][DIGITS].  All is zeroed before a sort. */
struct header {
	unsigned long long histogram[MAX_PASSES][DIGITS]; /* counts, then their exclusive sums */
	struct plan plan;
	uint32_t ticket[MAX_PASSES]; /* tiles handed out */
};

static __device__ __forceinline__ int digit_shift(struct digits digits, int pass)
{
	return digits.begin_bit + DIGIT_BITS * pass;
}

/* All ones, as many as the digit has bits: the last one may be narrower. */
static __device__ __forceinline__ unsigned digit_mask(struct digits digits, int pass)
{
	return (1u << min((int)DIGIT_BITS, digits.end_bit - digit_shift(digits, pass))) - 1;
}

/* ---- histogram --------------------------------------------------------------------------- */

template <class KEY>
static __device__ __forceinline__ void count_key(unsigned (*count)[DIGITS], typename KEY::word bits,
						 struct digits digits)
{
	const typename KEY::word key = KEY::order(bits);

	GPU_UNROLL
	for (int p = 0; p < KEY::BITS / DIGIT_BITS; p++) {
		if (p < digits.passes)
			atomicAdd(&count[p][(unsigned)(key >> digit_shift(digits, p)) &
					    digit_mask(digits, p)],
				  1u);
	}
}

/* A grid that strides over the keys: the first `packs` packs of 16 bytes, then single keys.  Each
 * block counts in shared memory and adds to the whole once. */
template <class KEY>
static __global__ void histogram_kernel(const typename KEY::word *keys, size_t packs, size_t count,
					struct digits digits, struct header *header)
{
	typedef struct gpu_pack<typename KEY::word> pack;
	constexpr int PASSES = KEY::BITS / DIGIT_BITS;
	SHARED_ARRAY(unsigned, local, PASSES *DIGITS);
	unsigned(*const by_pass)[DIGITS] = (unsigned(*)[DIGITS])local;
	const size_t stride = (size_t)gridDim.x * BLOCK;
	const size_t first = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	for (unsigned i = threadIdx.x; i < PASSES * DIGITS; i += BLOCK)
		local[i] = 0;
	__syncthreads();
	for (size_t i = first; i < packs; i += stride) {
		const pack p = ((const pack *)keys)[i];

		GPU_UNROLL
		for (int j = 0; j < pack::COUNT; j++)
			count_key<KEY>(by_pass, p.item[j], digits);
	}
	for (size_t i = packs * pack::COUNT + first; i < count; i += stride)
		count_key<KEY>(by_pass, keys[i], digits);
	__syncthreads();
	for (unsigned i = threadIdx.x; i < (unsigned)digits.passes * DIGITS; i += BLOCK) {
		if (local[i])
			atomicAdd(&header->histogram[i / DIGITS][i % DIGITS],
				  (unsigned long long)local[i]);
	}
}

/* ---- plan -------------------------------------------------------------------------------- */

/* Which arrays the passes go between.  needed: bit p is set if pass p has more than one digit. */
static __device__ void make_plan(struct plan *plan, unsigned needed, int passes)
{
	enum array from = IN;

	if (!needed)
		needed = 1;
	for (int p = 0; p < passes; p++) {
		const int later = __popc(needed >> p >> 1);
		const enum array to = later % 2 ? SPARE : OUT;

		if (needed >> p & 1) {
			plan->from[p] = (uint8_t)from;
			plan->to[p] = (uint8_t)to;
			from = to;
		} else {
			plan->from[p] = plan->to[p] = SKIPPED;
		}
	}
}

/* One block; a warp per pass turns the counts into exclusive sums, a lane per 8 digits. */
static __global__ void plan_kernel(struct header *header, size_t count, int passes)
{
	constexpr int EACH = DIGITS / WARP;
	SHARED_ARRAY(uint32_t, varied, MAX_PASSES);
	const int lane = (int)(threadIdx.x % WARP);

	for (int p = (int)(threadIdx.x / WARP); p < passes; p += PLAN_WARPS) {
		unsigned long long *const mine = header->histogram[p] + lane * EACH;
		unsigned long long item[EACH], sum = 0, before;
		bool whole = false;

		GPU_UNROLL
		for (int i = 0; i < EACH; i++) {
			item[i] = mine[i];
			sum += item[i];
			whole |= item[i] == count;
		}
		before = warp_scan(sum) - sum;
		GPU_UNROLL
		for (int i = 0; i < EACH; i++) {
			mine[i] = before;
			before += item[i];
		}
		whole = __any_sync(ALL_LANES, whole);
		if (lane == 0)
			varied[p] = !whole;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned needed = 0;

		for (int p = 0; p < passes; p++)
			needed |= varied[p] << p;
		make_plan(&header->plan, needed, passes);
	}
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
	struct header *header;
	W *words; /* [tiles][DIGITS] */
	size_t count;
	struct digits digits;
	int number;
	bool unstable; /* the first pass that is run need not be stable, and may read packs */
};

/* What a block keeps in shared memory. */
template <class WORD, class W, int ITEMS> struct pass_shared {
	union {
		uint32_t count[WARPS][DIGITS]; /* of each warp; then where its keys start */
		WORD key[BLOCK * ITEMS];       /* the tile in order */
		uint32_t value[BLOCK * ITEMS];
	};
	W shift[DIGITS];        /* place in the output less place in the tile */
	uint32_t start[DIGITS]; /* place in the tile */
	uint32_t tile;
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

/* Of three arrays, the one that a pass reads. */
static __device__ __forceinline__ const void *choose(unsigned array, const void *in,
						     const void *out, const void *spare)
{
	return array == IN ? in : array == OUT ? out : spare;
}

/* A warp's part of a full tile as packs: neighbours in memory are in one lane. */
template <class KEY, int ITEMS>
static __device__ __forceinline__ void load_packed(typename KEY::word *key,
						   const typename KEY::word *part)
{
	typedef struct gpu_pack<typename KEY::word> pack;
	const pack *const mine = (const pack *)part + threadIdx.x % WARP;

	GPU_UNROLL
	for (int k = 0; k < ITEMS; k += pack::COUNT) {
		const pack p = mine[k / pack::COUNT * WARP];

		GPU_UNROLL
		for (int j = 0; j < pack::COUNT; j++)
			key[k + j] = KEY::order(p.item[j]);
	}
}

/* From the warps' counts: publish the tile's count of each digit, and turn the counts into where
 * each warp's keys of each digit start in the tile.  total: of the digits this thread owns. */
template <class S, class W>
static __device__ __forceinline__ void place_digits(S *s, uint32_t *total, W *words,
						    const unsigned long long *base)
{
	GPU_UNROLL
	for (unsigned o = 0; o < OWNED; o++) {
		const unsigned d = threadIdx.x + o * BLOCK;

		if (d >= DIGITS)
			break;
		total[o] = 0;
		GPU_UNROLL_4
		for (int w = 0; w < WARPS; w++)
			total[o] += s->count[w][d];
		s->start[d] = total[o];
		gpu_st_relaxed(&words[d], s->tile == 0 ? look<W>::FINAL | ((W)base[d] + total[o])
						       : look<W>::PARTIAL | (W)total[o]);
	}
	__syncthreads();
	if (threadIdx.x < WARP)
		warp_scan_array<DIGITS>(s->start);
	__syncthreads();
	for (unsigned d = threadIdx.x; d < DIGITS; d += BLOCK) {
		uint32_t at = s->start[d];

		GPU_UNROLL_4
		for (int w = 0; w < WARPS; w++) {
			const uint32_t count = s->count[w][d];

			s->count[w][d] = at;
			at += count;
		}
	}
	__syncthreads();
}

/* Look back for the digits this thread owns, and publish their sums; fills s->shift. */
template <class S, class W>
static __device__ __forceinline__ void find_digits(S *s, const uint32_t *total, W *words,
						   const unsigned long long *base)
{
	GPU_UNROLL
	for (unsigned o = 0; o < OWNED; o++) {
		const unsigned d = threadIdx.x + o * BLOCK;
		W before;

		if (d >= DIGITS)
			break;
		if (s->tile == 0) {
			before = (W)base[d];
		} else {
			before = look_back<DIGITS>(&words[d]);
			gpu_st_relaxed(&words[d], look<W>::FINAL | (before + total[o]));
		}
		s->shift[d] = before - s->start[d];
	}
}

/* A key's rank among the warp's keys of its digit, with the digit above it: one register holds
 * both until place_key(), where computing the digit again would keep another one alive. */
static __device__ __forceinline__ uint32_t rank_key(uint32_t *count, unsigned digit)
{
	return digit << 16 | rank_digit<DIGIT_BITS>(count, digit);
}

/* The same key's place in the tile.  count: where the warp's keys of each digit start. */
static __device__ __forceinline__ uint32_t place_key(const uint32_t *count, uint32_t rank)
{
	return count[rank >> 16] + (rank & 0xffff);
}

/* Loads from below are not moved above this, which they would be to hide their latency, and then
 * keys, values and places would not fit into 64 registers together. */
static __device__ __forceinline__ void part_loads(void)
{
	__syncwarp();
}

/* The tile's keys go out in order; their digits stay behind in `digits`, four to a word. */
template <class KEY, bool VALUES, int ITEMS, class S, class W>
static __device__ __forceinline__ void write_keys(const S *s, typename KEY::word *out, int valid,
						  struct digit digit, uint32_t *digits, W)
{
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)k * BLOCK;
		const typename KEY::word key = s->key[i];
		const unsigned d = digit_of(key, digit);

		if ((int)i < valid)
			out[(W)(s->shift[d] + i)] = KEY::bits(key);
		if (VALUES)
			digits[k / 4] |= d << k % 4 * 8;
		if (VALUES && k % 4 == 3) /* a few at a time */
			part_loads();
	}
}

/* The values follow their keys: to shared memory by the keys' ranks, and out by their digits. */
template <int ITEMS, class S, class W>
static __device__ __forceinline__ void write_values(S *s, uint32_t *out, const uint32_t *value,
						    const uint32_t *places, int valid,
						    const uint32_t *digits, W)
{
	__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		s->value[__byte_perm(places[k / 2], 0, k % 2 ? 0x4432 : 0x4410)] = value[k];
	__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)k * BLOCK;
		const unsigned d = digits[k / 4] >> k % 4 * 8 & (DIGITS - 1);

		if ((int)i < valid)
			out[(W)(s->shift[d] + i)] = s->value[i];
	}
}

/* One block per tile of BLOCK * ITEMS keys.  At most 64 registers: two blocks of 512 threads. */
template <class KEY, bool VALUES, class W, int ITEMS>
static __global__ void __launch_bounds__(BLOCK, 2) pass_kernel(struct pass<W> pass)
{
	typedef typename KEY::word word;
	typedef struct pass_shared<word, W, ITEMS> shared;
	constexpr int TILE = BLOCK * ITEMS, PART = WARP * ITEMS;
	SHARED_VAR(shared, s);
	const struct arrays a = pass.arrays;
	const unsigned from = pass.header->plan.from[pass.number];
	const unsigned to = pass.header->plan.to[pass.number];
	const unsigned long long *const base = pass.header->histogram[pass.number];
	const struct digit digit = { digit_shift(pass.digits, pass.number),
				     digit_mask(pass.digits, pass.number) };
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const int place = (int)(warp * PART + lane); /* of item 0 in the tile */
	word key[ITEMS];
	uint32_t rank[ITEMS]; /* among the warp's keys of the digit, then in the tile */
	uint32_t value[VALUES ? ITEMS : 1];
	uint32_t places[ITEMS / 2] = { 0 };       /* of the keys read, two to a word */
	uint32_t digits[(ITEMS + 3) / 4] = { 0 }; /* of the keys written, four to a word */
	uint32_t total[OWNED] = { 0 };

	if (from == SKIPPED)
		return;
	for (unsigned d = lane; d < DIGITS; d += WARP)
		s.count[warp][d] = 0;
	next_tile(&pass.header->ticket[pass.number], &s.tile);

	const size_t first = (size_t)s.tile * TILE;
	const int valid = (int)min(pass.count - first, (size_t)TILE);
	W *const words = pass.words + (size_t)s.tile * DIGITS;
	const word *const in =
		(const word *)choose(from, a.keys_in, a.keys_out, a.keys_spare) + first;

	if (!VALUES && pass.unstable && from == IN && valid == TILE)
		load_packed<KEY, ITEMS>(key, in + warp * PART);
	else
		load_keys<KEY, ITEMS>(key, in + place, valid - place);
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		rank[k] = rank_key(s.count[warp], digit_of(key[k], digit));
	__syncthreads();
	place_digits(&s, total, words, base);
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		rank[k] = place_key(s.count[warp], rank[k]);
	__syncthreads();
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++) {
		s.key[rank[k]] = key[k];
		if (k % 2)
			places[k / 2] = __byte_perm(rank[k - 1], rank[k], 0x5410);
	}
	if (VALUES) {
		part_loads();

		const uint32_t *const values =
			(const uint32_t *)choose(from, a.values_in, a.values_out, a.values_spare) +
			first;

		load_striped<VALUES ? ITEMS : 1>(value, values + place, valid - place, 0u);
	}
	find_digits(&s, total, words, base);
	__syncthreads();
	write_keys<KEY, VALUES, ITEMS>(&s, (word *)(to == OUT ? a.keys_out : a.keys_spare), valid,
				       digit, digits, (W)0);
	if (VALUES)
		write_values<ITEMS>(&s, to == OUT ? a.values_out : a.values_spare, value, places,
				    valid, digits, (W)0);
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

/* Keys of a thread in a tile of full size. */
static constexpr int items_of(bool is_long, bool values)
{
	return is_long ? LONG_ITEMS : values ? PAIR_ITEMS : KEY_ITEMS;
}

/* Keys in such a tile. */
static size_t large_tile(enum gpu_key key, bool values)
{
	return (size_t)BLOCK * (size_t)items_of(key == GPU_KEY_U64, values);
}

/* Half tiles when full ones would not give every multiprocessor two. */
static bool is_small(enum gpu_key key, bool values, size_t count)
{
	return tiles_of(count, large_tile(key, values)) < 2 * (size_t)gpu_sm_count() &&
	       !is_wide(count);
}

static struct digits digits_of(int begin_bit, int end_bit)
{
	const int passes = (end_bit - begin_bit + DIGIT_BITS - 1) / DIGIT_BITS;
	const struct digits digits = { begin_bit, end_bit, passes };

	return digits;
}

/* Look-back words of one pass. */
static size_t words_of(enum gpu_key key, bool values, size_t count)
{
	const size_t tile = large_tile(key, values) / (is_small(key, values, count) ? 2 : 1);

	return tiles_of(count, tile) * DIGITS;
}

/* No overflow: it is less than the keys themselves, but for a constant. */
size_t gpu_sort_temp_bytes(enum gpu_key key, bool values, size_t count, int begin_bit, int end_bit)
{
	const size_t word = is_wide(count) ? sizeof(uint64_t) : sizeof(uint32_t);
	const size_t passes = (size_t)digits_of(begin_bit, end_bit).passes;
	const size_t words = (size_t)LOOK_AHEAD * DIGITS + passes * words_of(key, values, count);

	return sizeof(struct header) + words * word;
}

template <class KEY, bool VALUES, class W, int ITEMS>
static enum gb_status run_passes(const struct gpu_sort_args *sort, struct digits digits,
				 cudaStream_t stream, struct gb_error *err)
{
	const size_t words = words_of(sort->key, VALUES, sort->count);
	struct pass<W> pass = {
		.arrays = { sort->keys_in,   sort->keys_out,   sort->keys_spare,
			    sort->values_in, sort->values_out, sort->values_spare },
		.header = (struct header *)sort->temp,
		.words = (W *)(void *)((struct header *)sort->temp + 1) +
			 (size_t)LOOK_AHEAD * DIGITS,
		.count = sort->count, .digits = digits, .number = 0,
		.unstable = gpu_is_packed(sort->keys_in) && digits.begin_bit == 0 &&
			    digits.end_bit == KEY::BITS,
	};

	for (; pass.number < digits.passes; pass.number++) {
		GPU_LAUNCH((pass_kernel<KEY, VALUES, W, ITEMS>), (unsigned)(words / DIGITS), BLOCK,
			   0, stream, pass);
		if (!CUDA_OK(err, cudaGetLastError()))
			return err->code;
		pass.words += words;
	}
	return GB_OK;
}

template <class KEY, bool VALUES>
static enum gb_status sort_keys(const struct gpu_sort_args *sort, struct digits digits,
				cudaStream_t stream, struct gb_error *err)
{
	typedef typename KEY::word word;
	enum { ITEMS = items_of(sizeof(word) == 8, VALUES) };
	struct header *const header = (struct header *)sort->temp;
	const size_t packs = gpu_is_packed(sort->keys_in) ? sort->count / gpu_pack<word>::COUNT : 0;
	const size_t most = (size_t)gpu_sm_count() * 4, wanted = sort->count / (BLOCK * 16) + 1;

	GPU_LAUNCH(histogram_kernel<KEY>, (unsigned)(wanted < most ? wanted : most), BLOCK, 0,
		   stream, (const word *)sort->keys_in, packs, sort->count, digits, header);
	if (!CUDA_OK(err, cudaGetLastError()))
		return err->code;
	GPU_LAUNCH(plan_kernel, 1, PLAN_BLOCK, 0, stream, header, sort->count, digits.passes);
	if (!CUDA_OK(err, cudaGetLastError()))
		return err->code;
	if (sort->timer)
		gb_phase(sort->timer, "pass");
	if (is_wide(sort->count))
		return run_passes<KEY, VALUES, uint64_t, ITEMS>(sort, digits, stream, err);
	if (is_small(sort->key, VALUES, sort->count))
		return run_passes<KEY, VALUES, uint32_t, ITEMS / 2>(sort, digits, stream, err);
	return run_passes<KEY, VALUES, uint32_t, ITEMS>(sort, digits, stream, err);
}

enum gb_status gpu_sort(const struct gpu_sort_args *sort, cudaStream_t stream, struct gb_error *err)
{
	const struct digits digits = digits_of(sort->begin_bit, sort->end_bit);
	const size_t temp_bytes = gpu_sort_temp_bytes(sort->key, sort->values_in != NULL,
						      sort->count, sort->begin_bit, sort->end_bit);

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
