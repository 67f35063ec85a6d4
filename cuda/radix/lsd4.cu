/* lsd4.cu -- step 3 of 5: 4 bits per pass, by a histogram, a scan and a scatter (Satish, Harris and
 * Garland 2009).
 *
 * For each of the 8 (u64: 16) digits of 4 bits:
 *	histogram  each tile of 4096 keys counts its keys with each of the 16 digits
 *	scan       exclusive prefix sum over [digit][tile]: the start of each tile's keys of a digit
 *	scatter    a tile ranks its keys again, puts them in order in shared memory, and writes
 *	           each digit's run to its place
 * Unlike the one-bit split, it sorts by 4 bits for the price of one, ranks with four ballots per
 * key, and writes runs of 256 keys on average.
 *
 * Bytes moved per u32 key and digit: 4 for the histogram and 8 for the scatter, 96 in all.  The
 * bound is this traffic at copy bandwidth.
 */
#include "cuda/primitives/primitives.h"
#include "cuda/radix/shared/buffers.h"

enum {
	BLOCK = 256,
	WARPS = BLOCK / WARP,
	ITEMS = 16, /* keys per thread */
	PART = WARP * ITEMS,
	TILE = WARPS * PART,
	DIGIT_BITS = 4,
	DIGITS = 1 << DIGIT_BITS,
};

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	size_t tiles;
	uint32_t *counts;  /* [DIGITS][tiles] */
	uint64_t *offsets; /* their exclusive prefix sums */
	void *temp;        /* temporary storage of the scan */
};

template <class WORD> static __device__ __forceinline__ unsigned digit_of(WORD key, int shift)
{
	return (unsigned)(key >> shift) & (DIGITS - 1);
}

/* One block per tile. */
template <class T>
static __global__ void histogram_kernel(const T *keys, size_t count, key_order order, int shift,
					uint32_t *counts)
{
	__shared__ unsigned local[DIGITS];
	const size_t first = (size_t)blockIdx.x * TILE + threadIdx.x;

	if (threadIdx.x < DIGITS)
		local[threadIdx.x] = 0;
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const size_t i = first + (size_t)k * BLOCK;

		if (i < count)
			atomicAdd(&local[digit_of(to_order(keys[i], order), shift)], 1u);
	}
	__syncthreads();
	if (threadIdx.x < DIGITS)
		counts[(size_t)threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

/* Shared memory of the scatter. */
template <class WORD> struct scatter_shared {
	uint32_t count[WARPS][DIGITS]; /* per warp: counts, then positions in the tile */
	size_t shift[DIGITS];          /* position in the output minus position in the tile */
	union {
		WORD key[TILE]; /* the tile in order */
		uint32_t value[TILE];
	};
};

/* By one warp, a lane per digit: turn the warps' counts into the positions of their keys in the
 * tile. */
template <class S>
static __device__ __forceinline__ void place_digits(S *s, const uint64_t *offsets)
{
	const unsigned d = threadIdx.x;
	uint32_t total = 0, at;

	if (d < DIGITS) {
		for (int w = 0; w < WARPS; w++)
			total += s->count[w][d];
	}
	at = warp_scan(total) - total;
	if (d >= DIGITS)
		return;
	s->shift[d] = offsets[(size_t)d * gridDim.x + blockIdx.x] - at;
	for (int w = 0; w < WARPS; w++) {
		const uint32_t count = s->count[w][d];

		s->count[w][d] = at;
		at += count;
	}
}

/* One block per tile. */
template <class T, bool VALUES>
static __global__ void scatter_kernel(radix_pass pass, size_t count, key_order order, int shift,
				      const uint64_t *offsets)
{
	typedef scatter_shared<T> shared;
	__shared__ shared s;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const size_t first = (size_t)blockIdx.x * TILE;
	const int valid = (int)min(count - first, (size_t)TILE);
	const int place = (int)(warp * PART + lane); /* position of item 0 in the tile */
	T key[ITEMS];
	uint32_t rank[ITEMS];
	size_t to[VALUES ? ITEMS : 1];

	if (lane < DIGITS)
		s.count[warp][lane] = 0;
	__syncwarp();
	load_keys<ITEMS>(key, (const T *)pass.keys_in + first + place, valid - place, order);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		rank[k] = rank_digit<DIGIT_BITS>(s.count[warp], digit_of(key[k], shift));
	__syncthreads();
	if (warp == 0)
		place_digits(&s, offsets);
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		rank[k] += s.count[warp][digit_of(key[k], shift)];
		s.key[rank[k]] = key[k];
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)k * BLOCK;
		const T sorted = s.key[i];
		const size_t at = s.shift[digit_of(sorted, shift)] + i;

		if ((int)i < valid)
			((T *)pass.keys_out)[at] = order.sign ? from_order(sorted, order) : sorted;
		if (VALUES)
			to[VALUES ? k : 0] = at;
	}
	if (!VALUES)
		return;
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		if (place + WARP * k < valid)
			s.value[rank[k]] =
				((const uint32_t *)pass.values_in)[first + place + WARP * k];
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const unsigned i = threadIdx.x + (unsigned)k * BLOCK;

		if ((int)i < valid)
			((uint32_t *)pass.values_out)[to[VALUES ? k : 0]] = s.value[i];
	}
}

template <class T, bool VALUES>
static gb_status sort(const state *s, gb_timer *timer, gb_error *err)
{
	const size_t count = s->arrays.count;
	const int passes = 8 * sizeof(T) / DIGIT_BITS;
	const key_order order = radix_key_order(s->arrays.input);

	for (int p = 0; p < passes; p++) {
		const radix_pass pass = radix_pass_of(&s->arrays, p, passes);
		const int shift = p * DIGIT_BITS;

		gb_phase(timer, "histogram");
		histogram_kernel<<<s->tiles, BLOCK, 0, gpu_stream()>>>(
			(const T *)pass.keys_in, count, order, shift, s->counts);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
		gb_phase(timer, "scan");
		if (gpu_scan(s->counts, s->offsets, DIGITS * s->tiles, NULL, s->temp, err))
			return err->code;
		gb_phase(timer, "scatter");
		scatter_kernel<T, VALUES><<<s->tiles, BLOCK, 0, gpu_stream()>>>(pass, count, order,
										shift, s->offsets);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
	}
	return GB_OK;
}

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	size_t places;

	if (!radix_is_basic(input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts " RADIX_BASIC);
	s->tiles = gpu_blocks(input->count, TILE);
	places = DIGITS * s->tiles;
	(void)radix_arrays_create(&s->arrays, input, true, err);
	(void)gpu_alloc(&s->counts, places, err);
	(void)gpu_alloc(&s->offsets, places, err);
	return gpu_alloc(&s->temp, gpu_scan_temp_bytes(places), 1, err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	const radix_input *const input = s->arrays.input;

	if (input->count == 0)
		return GB_OK;
	return input->key_size == 8 ? sort<uint64_t, false>(s, timer, err)
	       : input->value_size  ? sort<uint32_t, true>(s, timer, err)
				    : sort<uint32_t, false>(s, timer, err);
}

/* Per digit: keys are read twice and written once; values are read and written once. */
static double bytes(const void *params, const radix_input *input)
{
	const size_t per_digit = 3 * input->key_size + 2 * input->value_size;

	return (double)input->count * (double)(2 * input->key_size * per_digit);
}

extern "C" const gb_variant_ops radix_cuda_lsd4 = radix_ops<state, create, run, bytes>();
