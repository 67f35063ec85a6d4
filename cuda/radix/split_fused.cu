/* split_fused.cu -- step 2 of 5: one kernel per bit, with decoupled look-back.
 *
 * The algorithm is that of split.cu: a key whose bit is 0 goes to f_i, the number of such keys
 * before it; a key whose bit is 1 goes to zeros + (i - f_i).  Unlike in split.cu, only the elements
 * go through memory:
 *  - f_i is computed in registers: within a warp by a ballot and a popc of the lower lanes, within
 *    the tile from the sums of the warps, and over the tiles by decoupled look-back.
 *  - The number of keys with a clear bit does not change while they move, so one kernel at the
 *    start counts it for all bits, and the scatter need not wait for the end of the scan.
 *
 * Bytes moved per u32 key: 4 to count and 8 per bit, 260 in all instead of 896.  The bound is this
 * traffic at copy bandwidth.
 */
#include "cuda/primitives/lookback.h"
#include "cuda/radix/shared/buffers.h"

enum {
	BLOCK = 256,
	WARPS = BLOCK / WARP,
	ITEMS = 16, /* keys per thread */
	PART = WARP * ITEMS,
	TILE = WARPS * PART,
	MAX_BITS = 64,
};

/* In device memory, zeroed before a run.  The words of look-back follow, [bits][tiles]. */
struct header {
	unsigned long long ones[MAX_BITS]; /* keys with the bit set */
	uint32_t ticket[MAX_BITS];         /* tiles handed out */
};

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	struct header *header;
	uint64_t *words;
	size_t tiles, bytes; /* bytes: size of header and words, which are one allocation */
};

/* A grid-stride loop by warps: lane b of a warp counts bit b (and 32 + b). */
template <class T>
static __global__ void count_kernel(const T *keys, size_t count, key_order order,
				    unsigned long long *ones)
{
	constexpr unsigned BITS = 8 * sizeof(T);
	__shared__ unsigned long long sum[MAX_BITS];
	const unsigned lane = threadIdx.x % WARP;
	const size_t stride = (size_t)gridDim.x * BLOCK;
	const size_t rounds = (count + stride - 1) / stride;
	size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	unsigned mine[BITS / WARP] = { 0 };

	if (threadIdx.x < MAX_BITS)
		sum[threadIdx.x] = 0;
	__syncthreads();
	for (size_t round = 0; round < rounds; round++, i += stride) {
		const T key = i < count ? to_order(keys[i], order) : 0;

#pragma unroll
		for (unsigned b = 0; b < BITS; b++) {
			const unsigned vote = __ballot_sync(ALL_LANES, (int)(key >> b & 1));

			mine[b / WARP] += lane == b % WARP ? (unsigned)__popc(vote) : 0;
		}
	}
#pragma unroll
	for (unsigned b = 0; b < BITS / WARP; b++)
		atomicAdd(&sum[b * WARP + lane], (unsigned long long)mine[b]);
	__syncthreads();
	if (threadIdx.x < BITS)
		atomicAdd(&ones[threadIdx.x], sum[threadIdx.x]);
}

/* One block per tile. */
template <class T>
static __global__ void split_kernel(radix_pass pass, size_t count, key_order order, int bit,
				    struct header *header, uint64_t *words)
{
	__shared__ uint64_t before[WARPS]; /* keys with a clear bit before each warp's part */
	__shared__ uint32_t tile_number;
	const uint32_t tile = next_tile(&header->ticket[bit], &tile_number);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const size_t first = (size_t)tile * TILE + warp * PART + lane;
	const int left = first < count ? (int)min(count - first, (size_t)PART) : 0;
	const size_t zeros = count - header->ones[bit];
	T key[ITEMS];
	unsigned rank[ITEMS], sum = 0;

	load_keys<ITEMS>(key, (const T *)pass.keys_in + (left ? first : 0), left, order);
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const unsigned clear = __ballot_sync(ALL_LANES, !(key[k] >> bit & 1));

		rank[k] = sum + (unsigned)__popc(clear & lanes_below());
		sum += (unsigned)__popc(clear);
	}
	if (lane == 0)
		before[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		const uint64_t mine = lane < WARPS ? before[lane] : 0;
		const uint64_t inclusive = warp_scan(mine);
		const uint64_t all = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
		const uint64_t earlier = chain_warp(words, tile, all);

		if (lane < WARPS)
			before[lane] = earlier + inclusive - mine;
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const size_t i = first + (size_t)k * WARP;
		const size_t f_i = before[warp] + rank[k];
		const size_t to = key[k] >> bit & 1 ? zeros + (i - f_i) : f_i;

		if (k * WARP >= left)
			break;
		((T *)pass.keys_out)[to] = order.sign ? from_order(key[k], order) : key[k];
		radix_move_value(pass, i, to);
	}
}

template <class T> static gb_status sort(const state *s, gb_timer *timer, gb_error *err)
{
	constexpr int BITS = 8 * sizeof(T);
	const key_order order = radix_key_order(s->arrays.input);
	const size_t count = s->arrays.count;
	const size_t most = (size_t)gpu_sm_count() * 8;

	gb_phase(timer, "count");
	if (CUDA_TRY(err, cudaMemsetAsync(s->header, 0, s->bytes, gpu_stream())))
		return err->code;
	count_kernel<<<min(s->tiles, most), BLOCK, 0, gpu_stream()>>>(
		(const T *)s->arrays.keys_in, count, order, s->header->ones);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	gb_phase(timer, "split");
	for (int bit = 0; bit < BITS; bit++) {
		split_kernel<T><<<s->tiles, BLOCK, 0, gpu_stream()>>>(
			radix_pass_of(&s->arrays, bit, BITS), count, order, bit, s->header,
			s->words + (size_t)bit * s->tiles);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
	}
	return GB_OK;
}

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	void *memory;

	if (!radix_is_basic(input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts " RADIX_BASIC);
	s->tiles = gpu_blocks(input->count, TILE);
	s->bytes = sizeof *s->header + 8 * input->key_size * s->tiles * sizeof *s->words;
	(void)radix_arrays_create(&s->arrays, input, true, err);
	if (gpu_alloc(&memory, s->bytes, 1, err))
		return err->code;
	s->header = (header *)memory;
	s->words = (uint64_t *)(void *)(s->header + 1);
	return GB_OK;
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	if (s->arrays.count == 0)
		return GB_OK;
	return s->arrays.input->key_size == 8 ? sort<uint64_t>(s, timer, err)
					      : sort<uint32_t>(s, timer, err);
}

/* Keys are read once to count; keys and values are read and written once per bit. */
static double bytes(const void *params, const radix_input *input)
{
	const size_t item = input->key_size + input->value_size;

	return (double)input->count * (double)(input->key_size + 8 * input->key_size * 2 * item);
}

extern "C" const gb_variant_ops radix_cuda_split_fused = radix_ops<state, create, run, bytes>();
