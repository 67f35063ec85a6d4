/* segments.cu -- sort each of many segments on its own: a warp, a block or a grid for each.
 *
 *	classify   one pass over the offsets appends each segment to the list of its class
 *	tiny       up to 8, 16 or 32 keys: each of as many lanes counts the keys before its own
 *	short      up to 256 keys: LSD radix sort by one warp, 8 bits per pass
 *	long       up to 4096 keys: the same by a block
 *	large      onesweep (primitives/sort.cu), one segment after the other
 *
 * Keys and values are words (primitives/keys.h).  They stay in registers while they are ranked and
 * in shared memory while they move.  Each is read once and written once, except in large segments.
 *
 * The host knows how many segments each class has when it allocates memory, and sizes the grids;
 * which segments these are is found in each run.
 */
#include "cuda/primitives/primitives.h"
#include "cuda/radix/shared/buffers.h"

static constexpr int THREADS = 256, RADIX_BITS = 8, RADIX_DIGITS = 1 << RADIX_BITS;

enum { TINY_8, TINY_16, TINY_32, SHORT, LONG, LARGE, CLASSES };

/* The most keys of a segment of each class.  A word of 16 bytes takes the room of two. */
struct limits {
	uint64_t most[CLASSES];
};

static constexpr int items_of(int keys, int threads, size_t word)
{
	return keys / threads / (word > 8 ? 2 : 1);
}

struct segmented {
	const uint64_t *offsets;
	const void *keys_in, *values_in;
	void *keys_out, *values_out;
	key_format format;
	int first_bit, end_bit; /* of a word's key, to sort by */
};

/* ---- kernels ------------------------------------------------------------------------------- */

/* lists: [class][segments].  count: their lengths, 0 before.  Empty segments are in no list. */
static __global__ void __launch_bounds__(THREADS)
	classify_kernel(const uint64_t *offsets, size_t segments, limits limits, uint32_t *lists,
			uint32_t *count)
{
	const size_t s = (size_t)blockIdx.x * THREADS + threadIdx.x;
	const uint64_t length = s < segments ? offsets[s + 1] - offsets[s] : 0;

#pragma unroll
	for (int c = 0; c < LARGE; c++) {
		const bool mine = length > (c ? limits.most[c - 1] : 0) && length <= limits.most[c];
		const unsigned peers = __ballot_sync(ALL_LANES, mine);
		uint32_t place = 0;

		if (!peers)
			continue;
		if (threadIdx.x % WARP == 0)
			place = atomicAdd(&count[c], (unsigned)__popc(peers));
		place = __shfl_sync(ALL_LANES, place, 0) + (unsigned)__popc(peers & lanes_below());
		if (mine)
			lists[c * segments + place] = (uint32_t)s;
	}
}

/* Load a warp's words, from element `first` of the arrays on. */
template <int ITEMS, class WORD>
static __device__ __forceinline__ void load(WORD *word, const segmented &a, uint64_t first,
					    int left)
{
	WORD highest = {};

	key_of(highest) = ~key_of(highest) ^ (decltype(key_of(highest) + 0))a.format.order.sign;
	if (sizeof(WORD) == 8 && a.format.key_size == 8)
		load_striped<ITEMS>(word, (const WORD *)a.keys_in + first, left, highest);
	else
		load_columns<ITEMS>(word, a.keys_in, a.values_in, first, left, highest, a.format);
	order_keys<ITEMS>(word, a.format.order);
}

template <class WORD>
static __device__ __forceinline__ void store(const segmented &a, uint64_t i, WORD word)
{
	if (a.format.order.sign)
		key_of(word) = from_order(key_of(word), a.format.order);
	store_columns(a.keys_out, a.values_out, i, word, a.format);
}

/* GROUP lanes per segment of up to GROUP keys. */
template <class WORD, int GROUP>
static __global__ void __launch_bounds__(THREADS)
	tiny_kernel(segmented a, const uint32_t *list, size_t segments)
{
	const size_t number = ((size_t)blockIdx.x * THREADS + threadIdx.x) / GROUP;
	const uint64_t *const offset = a.offsets + list[min(number, segments - 1)];
	const int lane = (int)(threadIdx.x % GROUP);
	const int count = number < segments ? (int)(offset[1] - offset[0]) : 0;
	WORD word;
	unsigned rank = 0;

	load<1>(&word, a, offset[0] + (unsigned)lane, count - lane);
	const int above = 8 * (int)sizeof key_of(word) - a.end_bit;
	const auto key = key_of(word) << above >> above >> a.first_bit;

#pragma unroll
	for (int other = 0; other < GROUP; other++) {
		const auto theirs = __shfl_sync(ALL_LANES, key, other, GROUP);

		rank += other < lane ? theirs <= key : theirs < key;
	}
	if (lane < count)
		store(a, offset[0] + rank, word);
}

/* A block per segment of up to THREADS * ITEMS keys.  Item k of a lane is its warp's element
 * WARP * k + lane.  Rows of 32 elements beyond the last key take no part. */
template <class WORD, int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS) block_kernel(segmented a, const uint32_t *list)
{
	constexpr int WARPS = THREADS / WARP;
	__shared__ WORD sorted[THREADS * ITEMS];
	__shared__ uint16_t warp_histogram[WARPS][RADIX_DIGITS]; /* then the keys in warps before */
	__shared__ uint32_t first_rank[RADIX_DIGITS];
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const uint64_t first = a.offsets[list[blockIdx.x]];
	const int part = (int)(warp * WARP * ITEMS); /* the warp's first element */
	const int left = (int)(a.offsets[list[blockIdx.x] + 1] - first) - part;
	WORD word[ITEMS];

	/* 1. Load; words beyond the last key have the highest key, and stay behind it. */
	load<ITEMS>(word, a, first + (unsigned)part + lane, left - (int)lane);
#pragma unroll 1
	for (int bit = a.first_bit; bit < a.end_bit; bit += RADIX_BITS) {
		const unsigned mask = (1u << min(RADIX_BITS, a.end_bit - bit)) - 1;
		unsigned rank[ITEMS];

		/* 2. Rank each key among the warp's keys of its digit. */
		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			warp_histogram[warp][d] = 0;
		__syncwarp();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			if (WARP * k < left)
				rank[k] = rank_digit<RADIX_BITS>(
					warp_histogram[warp],
					(unsigned)(key_of(word[k]) >> bit) & mask);
		__syncthreads();

		/* 3. Find the first rank of each digit, and of each warp's keys of the digit. */
		for (unsigned d = threadIdx.x; d < RADIX_DIGITS; d += THREADS) {
			unsigned sum = 0;

#pragma unroll
			for (int w = 0; w < WARPS; w++) {
				const unsigned keys = warp_histogram[w][d];

				warp_histogram[w][d] = (uint16_t)sum;
				sum += keys;
			}
			first_rank[d] = sum;
		}
		__syncthreads();
		if (warp == 0)
			warp_scan_array<RADIX_DIGITS>(first_rank);
		__syncthreads();

		/* 4. Move. */
#pragma unroll
		for (int k = 0; k < ITEMS; k++) {
			const unsigned d = (unsigned)(key_of(word[k]) >> bit) & mask;

			if (WARP * k < left)
				sorted[first_rank[d] + warp_histogram[warp][d] + rank[k]] = word[k];
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			if (WARP * k < left)
				word[k] = sorted[part + WARP * k + (int)lane];
	}

	/* 5. Write. */
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		if (WARP * k + (int)lane < left)
			store(a, first + (unsigned)(part + WARP * k) + lane, word[k]);
}

/* ---- host ---------------------------------------------------------------------------------- */

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	uint32_t *lists, *count;
	size_t segments[CLASSES];
	limits limits;
	gpu_sort_args sort; /* of a large segment */
};

static gb_status create(state *s, const void *, const radix_input *input, gb_error *err)
{
	const size_t word = word_size_of(input->key_size, input->value_size);
	const uint64_t room = word > 8 ? 2 : 1;
	size_t longest = 0, temp = 0;

	if (input->segments == 1)
		return gb_fail(err, GB_EUNAVAILABLE, "sorts two segments or more");
	s->sort = {
		.key_size = input->key_size,
		.value_size = input->value_size,
		.order = radix_gpu_order(input),
		.begin_bit = input->begin_bit,
		.end_bit = input->end_bit,
	};
	s->limits = { { 8, 16, 32, 256 / room, 4096 / room, UINT64_MAX } };
	for (size_t i = 0; i < input->segments; i++) {
		const uint64_t length = input->offsets[i + 1] - input->offsets[i];
		int c = 0;

		while (length > s->limits.most[c])
			c++;
		s->segments[c] += length > 0;
		if (c == LARGE) {
			s->sort.count = length;
			longest = max(longest, s->sort.count);
			temp = max(temp, gpu_sort_temp_bytes(&s->sort));
		}
	}
	(void)radix_segments_create(&s->arrays, input, err);
	(void)gpu_alloc(&s->lists, LARGE * input->segments, err);
	if (gpu_alloc(&s->count, LARGE, err) || !s->segments[LARGE])
		return err->code;
	const size_t room_bytes = gpu_sort_bytes(longest, input->key_size, input->value_size);
	(void)gpu_alloc(&s->sort.out, room_bytes, 1, err);
	(void)gpu_alloc(&s->sort.spare, room_bytes, 1, err);
	return gpu_alloc(&s->sort.temp, temp, 1, err);
}

template <class WORD, int GROUP> static void sort_tiny(const state *s, const segmented &a, int c)
{
	const size_t n = s->segments[c];

	if (n)
		tiny_kernel<WORD, GROUP>
			<<<gpu_blocks(n, THREADS / GROUP), THREADS, 0, gpu_stream()>>>(
				a, s->lists + c * s->arrays.input->segments, n);
}

template <class WORD>
static gb_status sort_classes(const state *s, const segmented &a, gb_error *err)
{
	const size_t *const n = s->segments, all = s->arrays.input->segments;
	const cudaStream_t stream = gpu_stream();

	sort_tiny<WORD, 8>(s, a, TINY_8);
	sort_tiny<WORD, 16>(s, a, TINY_16);
	sort_tiny<WORD, 32>(s, a, TINY_32);
	if (n[SHORT])
		block_kernel<WORD, WARP, items_of(256, WARP, sizeof(WORD))>
			<<<n[SHORT], WARP, 0, stream>>>(a, s->lists + SHORT * all);
	if (n[LONG])
		block_kernel<WORD, THREADS, items_of(4096, THREADS, sizeof(WORD))>
			<<<n[LONG], THREADS, 0, stream>>>(a, s->lists + LONG * all);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Move a sorted column to its place. */
static gb_status copy(void *to, const void *from, size_t bytes, gb_error *err)
{
	return CUDA_TRY(err,
			cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, gpu_stream()));
}

static gb_status sort_large(const state *s, const segmented &a, gb_timer *timer, gb_error *err)
{
	const radix_input *const input = s->arrays.input;
	const size_t keys = input->key_size, values = input->value_size;
	size_t left = s->segments[LARGE];

	for (size_t i = 0; left > 0 && !err->code; i++) {
		const size_t first = input->offsets[i], count = input->offsets[i + 1] - first;
		gpu_sort_args sort = s->sort;

		if (count <= s->limits.most[LONG])
			continue;
		left--;
		sort.count = count;
		sort.keys_in = (const char *)a.keys_in + first * keys;
		sort.values_in = values ? (const char *)a.values_in + first * values : NULL;
		if (!gpu_sort(&sort, timer, err) &&
		    !copy((char *)a.keys_out + first * keys, sort.out, count * keys, err) && values)
			(void)copy((char *)a.values_out + first * values,
				   (char *)sort.out + values_offset(count, keys), count * values,
				   err);
	}
	return err->code;
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	const radix_input *const input = s->arrays.input;
	const int key_size = (int)input->key_size, value_size = (int)input->value_size;
	const size_t word = word_size_of(input->key_size, input->value_size);
	const int shift = key_shift(key_size, value_size);
	const segmented a = {
		.offsets = s->arrays.offsets,
		.keys_in = s->arrays.keys_in,
		.values_in = s->arrays.values_in,
		.keys_out = s->arrays.out,
		.values_out = radix_output_values(input, s->arrays.out),
		.format = { key_size, value_size,
			    key_order_of(radix_gpu_order(input), input->key_size, shift) },
		.first_bit = input->begin_bit + shift,
		.end_bit = input->end_bit + shift,
	};

	gb_phase(timer, "classify");
	if (gpu_zero(s->count, LARGE, err))
		return err->code;
	classify_kernel<<<gpu_blocks(input->segments, THREADS), THREADS, 0, gpu_stream()>>>(
		s->arrays.offsets, input->segments, s->limits, s->lists, s->count);
	gb_phase(timer, "sort");
	if (word == 4   ? sort_classes<uint32_t>(s, a, err)
	    : word == 8 ? sort_classes<uint64_t>(s, a, err)
			: sort_classes<key_value>(s, a, err))
		return err->code;
	return sort_large(s, a, timer, err);
}

static double bytes(const void *, const radix_input *input)
{
	return (double)input->count * 2 * (double)(input->key_size + input->value_size) +
	       (double)(input->segments + 1) * sizeof *input->offsets;
}

extern "C" const gb_variant_ops radix_cuda_segments = radix_ops<state, create, run, bytes>();
