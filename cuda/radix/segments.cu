/* segments.cu -- sort each of many segments on its own: a warp, a block or a grid per segment.
 *
 *	classify     one pass over the offsets appends each segment to the list of its class
 *	warp_kernel  up to 128 keys: a bitonic network in registers (Batcher 1968)
 *	block_kernel up to 4096 keys: LSD radix sort by 8-bit digits; keys stay in registers while
 *	             they are ranked, and in shared memory while they move
 *	onesweep     longer segments, one after the other (primitives/sort.cu)
 *
 * The host knows how many segments each class has when it allocates memory, and sizes the grids;
 * which segments these are is found in each run.
 *
 * An element is a word: the order of the key, if keys without values are sorted by all their bits.
 * Otherwise it is tagged: the bits to sort by and the position in the segment, by which keys and
 * values are fetched at the end.  A network is not stable by itself, but with tags all elements
 * differ.  Words beyond the last one have all bits set and come last.
 *
 * Bytes moved: each key and value is read once and written once.
 */
#include "common/memory.h"
#include "cuda/primitives/primitives.h"
#include "cuda/radix/shared/buffers.h"

enum {
	THREADS = 256,
	WARPS = THREADS / WARP,
	RADIX_BITS = 8,
	RADIX_DIGITS = 1 << RADIX_BITS,
};
static_assert(THREADS == RADIX_DIGITS, "a thread per digit");

/* Segments by their length, up to CLASS_ITEMS[class] keys. */
enum { TINY, SHORT, MEDIUM, LONG, LARGE, CLASSES };
static constexpr int SHORT_ITEMS = 4, MEDIUM_ITEMS = 4; /* per thread */

struct segmented {
	const uint64_t *offsets;
	const void *keys_in, *values_in;
	void *keys_out, *values_out;
	unsigned key_size, value_size;
	int begin_bit, end_bit;
	bool is_signed, is_float;
};

/* ---- elements ------------------------------------------------------------------------------ */

struct tagged_word {
	uint64_t bits;
	uint32_t tag;
};

static __device__ __forceinline__ bool is_less(uint64_t a, uint64_t b)
{
	return a < b;
}

static __device__ __forceinline__ bool is_less(const tagged_word &a, const tagged_word &b)
{
	return a.bits < b.bits || (a.bits == b.bits && a.tag < b.tag);
}

template <class T> static __device__ __forceinline__ T shuffle(T word, unsigned mask)
{
	return __shfl_xor_sync(ALL_LANES, word, (int)mask);
}

static __device__ __forceinline__ tagged_word shuffle(const tagged_word &word, unsigned mask)
{
	return { shuffle(word.bits, mask), shuffle(word.tag, mask) };
}

/* KEY: 4 bytes for keys of up to 4 bytes.  LONG_ITEMS: the words per thread of a long block. */
template <class KEY_> struct plain {
	typedef KEY_ key, word;
	static constexpr bool TAGGED = false;
	static constexpr int FIRST_BIT = 0, LONG_ITEMS = 16;
	static __device__ __forceinline__ word last(void)
	{
		return ~(word)0;
	}
	static __device__ __forceinline__ word make(key bits, uint32_t)
	{
		return bits;
	}
	static __device__ __forceinline__ uint32_t tag(word)
	{
		return 0;
	}
	static __device__ __forceinline__ unsigned digit(word w, int bit)
	{
		return (unsigned)(w >> bit) & (RADIX_DIGITS - 1);
	}
};

struct tagged_4 {
	typedef uint32_t key;
	typedef uint64_t word;
	static constexpr bool TAGGED = true;
	static constexpr int LONG_ITEMS = 16;
	static __device__ __forceinline__ word last(void)
	{
		return ~(word)0;
	}
	static __device__ __forceinline__ word make(key bits, uint32_t tag)
	{
		return (word)bits << 32 | tag;
	}
	static __device__ __forceinline__ uint32_t tag(word w)
	{
		return (uint32_t)w;
	}
	static __device__ __forceinline__ unsigned digit(word w, int bit)
	{
		return (unsigned)(w >> 32 >> bit) & (RADIX_DIGITS - 1);
	}
};

struct tagged_8 {
	typedef uint64_t key;
	typedef tagged_word word;
	static constexpr bool TAGGED = true;
	static constexpr int LONG_ITEMS = 8;
	static __device__ __forceinline__ word last(void)
	{
		return { ~(key)0, ~0u };
	}
	static __device__ __forceinline__ word make(key bits, uint32_t tag)
	{
		return { bits, tag };
	}
	static __device__ __forceinline__ uint32_t tag(word w)
	{
		return w.tag;
	}
	static __device__ __forceinline__ unsigned digit(word w, int bit)
	{
		return (unsigned)(w.bits >> bit) & (RADIX_DIGITS - 1);
	}
};

/* The order of a key, or back: see common/radix_types.h.  is_order: x is an order. */
template <class KEY>
static __device__ __forceinline__ KEY flip(KEY x, const segmented &a, bool is_order)
{
	constexpr KEY SIGN = (KEY)1 << (8 * sizeof(KEY) - 1);

	if (!a.is_signed)
		return x;
	return x ^ (a.is_float && ((x & SIGN) != 0) != is_order ? ~(KEY)0 : SIGN);
}

template <class KEY> static __device__ __forceinline__ KEY load_key(const segmented &a, uint64_t i)
{
	if (sizeof(KEY) == 8 || a.key_size == 4)
		return ((const KEY *)a.keys_in)[i];
	return a.key_size == 2 ? ((const uint16_t *)a.keys_in)[i] : ((const uint8_t *)a.keys_in)[i];
}

template <class KEY>
static __device__ __forceinline__ void store_key(const segmented &a, uint64_t i, KEY key)
{
	if (sizeof(KEY) == 8 || a.key_size == 4)
		((KEY *)a.keys_out)[i] = key;
	else if (a.key_size == 2)
		((uint16_t *)a.keys_out)[i] = (uint16_t)key;
	else
		((uint8_t *)a.keys_out)[i] = (uint8_t)key;
}

/* Element i of the segment that begins at `first`. */
template <class ELEMENT>
static __device__ __forceinline__ typename ELEMENT::word load(const segmented &a, uint64_t first,
							      int i)
{
	typedef typename ELEMENT::key key;
	const key order = flip(load_key<key>(a, first + i), a, false);

	if (!ELEMENT::TAGGED)
		return ELEMENT::make(order, 0);
	return ELEMENT::make(order >> a.begin_bit &
				     ~(key)0 >> (8 * (int)sizeof(key) - a.end_bit + a.begin_bit),
			     (uint32_t)i);
}

/* Store the element of rank r of the segment. */
template <class ELEMENT>
static __device__ __forceinline__ void store(const segmented &a, uint64_t first, int r,
					     typename ELEMENT::word word)
{
	typedef typename ELEMENT::key key;
	const uint64_t from = first + ELEMENT::tag(word), to = first + r;

	if constexpr (!ELEMENT::TAGGED)
		store_key(a, to, flip<key>(word, a, true));
	else
		store_key(a, to, load_key<key>(a, from));
	if (ELEMENT::TAGGED && a.value_size == 4)
		((uint32_t *)a.values_out)[to] = ((const uint32_t *)a.values_in)[from];
	else if (ELEMENT::TAGGED && a.value_size == 8)
		((uint64_t *)a.values_out)[to] = ((const uint64_t *)a.values_in)[from];
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* The most keys of a segment of each class. */
struct limits {
	uint64_t most[CLASSES];
};

/* lists: [class][segments].  Empty segments are in none. */

static __global__ void classify_kernel(const uint64_t *offsets, size_t segments, limits limits,
				       uint32_t *lists, uint32_t *counts)
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
			place = atomicAdd(&counts[c], (unsigned)__popc(peers));
		place = __shfl_sync(ALL_LANES, place, 0);
		if (mine)
			lists[c * segments + place + (unsigned)__popc(peers & lanes_below())] =
				(uint32_t)s;
	}
}

/* A warp per segment of up to WARP * ITEMS keys.  Item k of a lane is element WARP * k + lane.
 *
 * Runs of `run` sorted elements become runs of twice as many: elements with mirrored positions are
 * compared, then those half a run apart, a quarter, and so on. */
template <class ELEMENT, int ITEMS>
static __global__ void __launch_bounds__(THREADS)
	warp_kernel(segmented a, const uint32_t *list, size_t segments)
{
	typedef typename ELEMENT::word word;
	const size_t number = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
	const unsigned lane = threadIdx.x % WARP;

	if (number >= segments)
		return;
	const uint32_t segment = list[number];
	const uint64_t first = a.offsets[segment];
	const int count = (int)(a.offsets[segment + 1] - first);
	word item[ITEMS], other[ITEMS];

#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const int i = WARP * k + (int)lane;

		item[k] = i < count ? load<ELEMENT>(a, first, i) : ELEMENT::last();
	}
#pragma unroll
	for (unsigned run = 1; run < WARP * ITEMS; run *= 2) {
		if (run >= (unsigned)count)
			break; /* what follows is behind the last key */
#pragma unroll
		for (unsigned step = run; step > 0; step /= 2) {
			const unsigned mask = step == run ? 2 * run - 1 : step;

#pragma unroll
			for (unsigned k = 0; k < ITEMS; k++)
				other[k] = mask % WARP ? shuffle(item[k ^ mask / WARP], mask % WARP)
						       : item[k ^ mask / WARP];
#pragma unroll
			for (unsigned k = 0; k < ITEMS; k++) {
				const bool is_upper = ((WARP * k + lane) & step) != 0;

				if (is_less(other[k], item[k]) != is_upper)
					item[k] = other[k];
			}
		}
	}
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const int r = WARP * k + (int)lane;

		if (r < count)
			store<ELEMENT>(a, first, r, item[k]);
	}
}

/* A block per segment of up to THREADS * ITEMS keys.  Item k of a lane is its warp's element
 * WARP * k + lane.  Rows of 32 elements beyond the last key take no part. */
template <class ELEMENT, int ITEMS>
static __global__ void __launch_bounds__(THREADS) block_kernel(segmented a, const uint32_t *list)
{
	typedef typename ELEMENT::word word;
	__shared__ word sorted[THREADS * ITEMS];
	__shared__ uint16_t warp_histogram[WARPS][RADIX_DIGITS]; /* then the keys in warps before */
	__shared__ uint32_t first_rank[RADIX_DIGITS];
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const uint32_t segment = list[blockIdx.x];
	const uint64_t first = a.offsets[segment];
	const int count = (int)(a.offsets[segment + 1] - first);
	const int first_row = (int)(warp * WARP * ITEMS), bits = a.end_bit - a.begin_bit;
	word item[ITEMS];

	/* 1. Load. */
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const int i = first_row + WARP * k + (int)lane;

		item[k] = i < count ? load<ELEMENT>(a, first, i) : ELEMENT::last();
	}
#pragma unroll 1
	for (int bit = 0; bit < bits; bit += RADIX_BITS) {
		uint16_t rank[ITEMS];
		uint32_t sum = 0;

		/* 2. Rank each key among the warp's keys of its digit. */
		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			warp_histogram[warp][d] = 0;
		__syncwarp();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			if (first_row + WARP * k < count)
				rank[k] = (uint16_t)rank_digit<RADIX_BITS>(
					warp_histogram[warp], ELEMENT::digit(item[k], bit));
		__syncthreads(); /* histograms of warps */

		/* 3. Find the first rank of each digit and of each warp's keys of the digit. */
#pragma unroll
		for (int w = 0; w < WARPS; w++) {
			const uint32_t keys = warp_histogram[w][threadIdx.x];

			warp_histogram[w][threadIdx.x] = (uint16_t)sum;
			sum += keys;
		}
		first_rank[threadIdx.x] = sum;
		__syncthreads();
		if (warp == 0)
			warp_scan_array<RADIX_DIGITS>(first_rank);
		__syncthreads();

		/* 4. Move. */
#pragma unroll
		for (int k = 0; k < ITEMS; k++) {
			const unsigned d = ELEMENT::digit(item[k], bit);

			if (first_row + WARP * k < count)
				sorted[first_rank[d] + warp_histogram[warp][d] + rank[k]] = item[k];
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
			if (first_row + WARP * k < count)
				item[k] = sorted[first_row + WARP * k + lane];
	}

	/* 5. Write. */
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const int r = first_row + WARP * k + (int)lane;

		if (r < count)
			store<ELEMENT>(a, first, r, item[k]);
	}
}

/* ---- host ---------------------------------------------------------------------------------- */

struct state {
	const radix_input *input;
	segmented args;
	limits limits;
	void *keys_in, *values_in, *out;
	uint64_t *offsets;
	uint32_t *lists, *counts;
	size_t in_class[CLASSES];
	size_t *large; /* on the host: the segments of this class */
	size_t longest;
	void *keys_spare, *temp; /* for the longest segment */
	uint32_t *values_spare;
	gpu_key key;
};

template <class ELEMENT> static gb_status sort_classes(const state *s, gb_error *err)
{
	const size_t *const n = s->in_class, segments = s->input->segments;
	const uint32_t *const lists = s->lists;
	const cudaStream_t stream = gpu_stream();

	if (n[TINY])
		warp_kernel<ELEMENT, 1><<<gpu_blocks(n[TINY], WARPS), THREADS, 0, stream>>>(
			s->args, lists, n[TINY]);
	if (n[SHORT])
		warp_kernel<ELEMENT, SHORT_ITEMS>
			<<<gpu_blocks(n[SHORT], WARPS), THREADS, 0, stream>>>(
				s->args, lists + SHORT * segments, n[SHORT]);
	if (n[MEDIUM])
		block_kernel<ELEMENT, MEDIUM_ITEMS>
			<<<n[MEDIUM], THREADS, 0, stream>>>(s->args, lists + MEDIUM * segments);
	if (n[LONG])
		block_kernel<ELEMENT, ELEMENT::LONG_ITEMS>
			<<<n[LONG], THREADS, 0, stream>>>(s->args, lists + LONG * segments);
	return CUDA_TRY(err, cudaGetLastError());
}

static bool is_tagged(const radix_input *input)
{
	return input->value_size || !radix_sorts_whole_keys(input);
}

/* The segments of each class, and a list of the large ones. */
static gb_status count_classes(state *s, gb_error *err)
{
	const radix_input *const input = s->input;
	const int long_items = is_tagged(input) && input->key_size == 8
				       ? tagged_8::LONG_ITEMS
				       : plain<uint64_t>::LONG_ITEMS;

	s->limits = { { WARP, WARP * SHORT_ITEMS, THREADS * MEDIUM_ITEMS,
			(uint64_t)(THREADS * long_items), UINT64_MAX } };
	s->large = (size_t *)gb_host_alloc(input->count / s->limits.most[LONG] + 1,
					   sizeof *s->large, err);
	if (!s->large)
		return err->code;
	for (size_t i = 0; i < input->segments; i++) {
		const uint64_t length = input->offsets[i + 1] - input->offsets[i];
		int c = 0;

		while (length > s->limits.most[c])
			c++;
		if (c == LARGE)
			s->large[s->in_class[LARGE]] = i;
		s->longest = max(s->longest, (size_t)length);
		s->in_class[c] += length > 0;
	}
	return GB_OK;
}

static gb_status create_large(state *s, gb_error *err)
{
	const radix_input *const input = s->input;

	s->key = input->type == RADIX_U64   ? GPU_KEY_U64
		 : input->type == RADIX_F32 ? GPU_KEY_F32
					    : GPU_KEY_U32;
	if ((input->type != RADIX_U32 && input->value_size) || input->value_size > 4 ||
	    (input->type != RADIX_U32 && s->key == GPU_KEY_U32))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts segments of up to %zu keys",
			       (size_t)s->limits.most[LONG]);
	(void)gpu_alloc(&s->keys_spare, s->longest, input->key_size, err);
	if (input->value_size)
		(void)gpu_alloc(&s->values_spare, s->longest, err);
	return gpu_alloc(&s->temp,
			 gpu_sort_temp_bytes(s->key, input->value_size > 0, s->longest,
					     input->begin_bit, input->end_bit),
			 1, err);
}

static gb_status sort_large(const state *s, gb_error *err)
{
	const radix_input *const input = s->input;

	for (size_t n = 0; n < s->in_class[LARGE] && !err->code; n++) {
		const uint64_t first = input->offsets[s->large[n]];
		gpu_sort_args sort = {
			.key = s->key,
			.count = input->offsets[s->large[n] + 1] - first,
			.begin_bit = input->begin_bit,
			.end_bit = input->end_bit,
			.keys_in = (char *)s->keys_in + first * input->key_size,
			.keys_out = (char *)s->out + first * input->key_size,
			.keys_spare = s->keys_spare,
			.temp = s->temp,
		};

		if (input->value_size) {
			sort.values_in = (const uint32_t *)s->values_in + first;
			sort.values_out = (uint32_t *)s->args.values_out + first;
			sort.values_spare = s->values_spare;
		}
		(void)gpu_sort(&sort, err);
	}
	return err->code;
}

static gb_status create(state *s, const void *, const radix_input *input, gb_error *err)
{
	if (input->segments == 1)
		return gb_fail(err, GB_EUNAVAILABLE, "sorts two segments or more");
	s->input = input;
	if (count_classes(s, err))
		return err->code;
	(void)gpu_alloc(&s->keys_in, input->count, input->key_size, err);
	if (input->value_size)
		(void)gpu_alloc(&s->values_in, input->count, input->value_size, err);
	(void)gpu_alloc(&s->out, radix_output_size(input), 1, err);
	gb_memory_result(s->out, GB_WHOLE, GB_POISON);
	(void)gpu_alloc(&s->offsets, input->segments + 1, err);
	(void)gpu_alloc(&s->lists, LARGE * input->segments, err);
	(void)gpu_alloc(&s->counts, LARGE, err);
	if (s->in_class[LARGE])
		(void)create_large(s, err);
	s->args = {
		.offsets = s->offsets,
		.keys_in = s->keys_in,
		.values_in = s->values_in,
		.keys_out = s->out,
		.values_out = input->value_size ? radix_output_values(input, s->out) : NULL,
		.key_size = (unsigned)input->key_size,
		.value_size = (unsigned)input->value_size,
		.begin_bit = input->begin_bit,
		.end_bit = input->end_bit,
		.is_signed = input->type >= RADIX_I32,
		.is_float = input->type >= RADIX_F32,
	};
	return err->code;
}

static gb_status upload(const state *s, gb_error *err)
{
	const radix_input *const input = s->input;

	(void)gpu_upload(s->offsets, input->offsets, (input->segments + 1) * sizeof *s->offsets,
			 err);
	(void)gpu_upload(s->keys_in, input->keys, input->count * input->key_size, err);
	return gpu_upload(s->values_in, input->values, input->count * input->value_size, err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	const radix_input *const input = s->input;

	gb_phase(timer, "classify");
	if (gpu_zero(s->counts, LARGE, err))
		return err->code;
	classify_kernel<<<gpu_blocks(input->segments, THREADS), THREADS, 0, gpu_stream()>>>(
		s->offsets, input->segments, s->limits, s->lists, s->counts);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	gb_phase(timer, "sort");
	if (is_tagged(input))
		(void)(input->key_size == 8 ? sort_classes<tagged_8>(s, err)
					    : sort_classes<tagged_4>(s, err));
	else
		(void)(input->key_size == 8 ? sort_classes<plain<uint64_t>>(s, err)
					    : sort_classes<plain<uint32_t>>(s, err));
	return err->code ? err->code : sort_large(s, err);
}

static gb_status download(const state *s, void *output, gb_error *err)
{
	return gpu_download(output, s->out, radix_output_size(s->input), err);
}

static double bytes(const void *, const radix_input *input)
{
	return (double)input->count * 2 * (double)(input->key_size + input->value_size) +
	       (double)(input->segments + 1) * sizeof *input->offsets;
}

extern "C" const gb_variant_ops radix_cuda_segments = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<upload>,
	.run = op<run>,
	.download = op<download>,
	.bytes = op<bytes>,
	.flags = GB_REPEATABLE,
};
