/* small.cu -- step 5 of 5: one launch, whose cluster of blocks keeps the keys on the chip.
 *
 * Keys stay in registers while they are ranked and in shared memory while they are moved.  The
 * blocks of a cluster, up to 16 of up to 1024 threads (sm_90 and later), access each other's shared
 * memory and hold up to 16 * 1024 * 28 = 458752 u32 keys.  For each 8-bit digit:
 *	rank   each warp counts and ranks its keys by ballots
 *	scan   each block sums its warps' counts; from the sums of all blocks it computes where
 *	       its keys of each digit start in the whole array
 *	move   each key is stored into the block that holds its new position; all blocks wait and
 *	       read back their own parts
 * Digits that all keys share are skipped.  Positions beyond the last key are filled with the
 * highest key.  These fillers come last and the sort is stable, so they stay last, and only loads
 * and stores check the count.
 *
 * Unlike onesweep, it has one launch and no look-back, which matters for small arrays, where
 * launches and latency dominate.  Elements are words of 4, 8 or 16 bytes (primitives/keys.h): a key,
 * or a key and its value.  Bytes moved: each element is read once and written once, 8 per u32 key.
 */
#include "cuda/radix/shared/buffers.h"

enum {
	RADIX_BITS = 8,
	RADIX_DIGITS = 1 << RADIX_BITS,
	MAX_CLUSTER = 16,
	PORTABLE_CLUSTER = 8, /* supported by every device with clusters */
};

/* The shape of a block: threads, and elements per thread. */
template <int THREADS_, int ITEMS_> struct tile {
	static constexpr int THREADS = THREADS_, WARPS = THREADS / WARP;
	static constexpr int ITEMS = ITEMS_, SIZE = THREADS * ITEMS;
};

struct arrays {
	const void *keys_in, *values_in;
	void *keys_out, *values_out;
	int count;
	key_format format;
	bool plain;     /* the arrays of keys are arrays of words */
	int first, end; /* bits of a word to sort by */
};

/* ---- kernel ------------------------------------------------------------------------------ */

/* A block's shared memory.  A warp's counts and the positions in a block fit in 16 bits. */
template <class WORD, class TILE> struct small_shared {
	WORD item[TILE::SIZE];                  /* the block's part of the array */
	uint32_t block_histogram[RADIX_DIGITS]; /* read by all blocks */
	uint32_t first_position[RADIX_DIGITS];  /* in the array, of this block's keys of a digit */
	uint16_t warp_histogram[TILE::WARPS][RADIX_DIGITS]; /* then the keys in warps before */
	unsigned mask;                                      /* of the digit */
};

template <class WORD>
static __device__ __forceinline__ unsigned digit_of(WORD item, int shift, unsigned mask)
{
	return (unsigned)(key_of(item) >> shift) & mask;
}

/* CLUSTER: true if the launch has a cluster; otherwise, these functions are for a single block. */
template <bool CLUSTER> static __device__ __forceinline__ unsigned block_rank(void)
{
	return CLUSTER ? __clusterRelativeBlockRank() : 0;
}

template <bool CLUSTER> static __device__ __forceinline__ void sync_blocks(void)
{
	if (CLUSTER) {
		__cluster_barrier_arrive();
		__cluster_barrier_wait();
	} else {
		__syncthreads();
	}
}

/* The same shared variable of block `rank`. */
template <bool CLUSTER, class T>
static __device__ __forceinline__ T *in_block(T *shared, unsigned rank)
{
	return CLUSTER ? (T *)__cluster_map_shared_rank(shared, rank) : shared;
}

/* One thread per digit: sum the warps' counts, and replace each by the sum of those before it. */
template <class TILE, class WORD>
static __device__ __forceinline__ void scan_warp_histograms(small_shared<WORD, TILE> *s)
{
	for (unsigned d = threadIdx.x; d < RADIX_DIGITS; d += TILE::THREADS) {
		unsigned sum = 0;

#pragma unroll 4
		for (int w = 0; w < TILE::WARPS; w++) {
			const unsigned count = s->warp_histogram[w][d];

			s->warp_histogram[w][d] = (uint16_t)sum;
			sum += count;
		}
		s->block_histogram[d] = sum;
	}
}

/* One thread per digit: find s->first_position from the blocks' histograms.  Return true, in all
 * threads of all blocks, if all keys have the same digit, so that nothing needs to move.  highest:
 * the highest digit. */
template <bool CLUSTER, class TILE, class WORD>
static __device__ __forceinline__ bool scan_block_histograms(small_shared<WORD, TILE> *s,
							     unsigned blocks, unsigned count,
							     unsigned highest)
{
	constexpr int DIGITS_PER_THREAD = (RADIX_DIGITS + TILE::THREADS - 1) / TILE::THREADS;
	const unsigned capacity = blocks * TILE::SIZE;
	const unsigned rank = block_rank<CLUSTER>();
	unsigned in_earlier_blocks[DIGITS_PER_THREAD] = { 0 };
	bool uniform = false;

#pragma unroll
	for (unsigned o = 0; o < DIGITS_PER_THREAD; o++) {
		const unsigned d = threadIdx.x + o * TILE::THREADS;
		unsigned all = 0;

		if (d >= RADIX_DIGITS)
			break;
		in_earlier_blocks[o] = 0;
#pragma unroll 4 /* overlaps the loads from other blocks */
		for (unsigned b = 0; b < blocks; b++) {
			const unsigned in_block_b = in_block<CLUSTER>(s->block_histogram, b)[d];

			all += in_block_b;
			in_earlier_blocks[o] += b < rank ? in_block_b : 0;
		}
		s->first_position[d] = all;
		uniform |= all == (d == highest ? capacity : count);
	}
	uniform = __syncthreads_or(uniform);
	if (uniform)
		return true;
	if (threadIdx.x < WARP)
		warp_scan_array<RADIX_DIGITS>(s->first_position);
	__syncthreads();
#pragma unroll
	for (unsigned o = 0; o < DIGITS_PER_THREAD; o++) {
		const unsigned d = threadIdx.x + o * TILE::THREADS;

		if (d < RADIX_DIGITS)
			s->first_position[d] += in_earlier_blocks[o];
	}
	__syncthreads();
	return false;
}

/* One block, or one cluster of `blocks`, sorts all elements.  Item k of a lane is the warp's
 * element WARP * k + lane, so that loads are coalesced and ranking by rows of 32 is stable. */
template <class WORD, class TILE, bool CLUSTER>
static __global__ void __launch_bounds__(TILE::THREADS, 1) small_kernel(arrays a, unsigned blocks)
{
	typedef small_shared<WORD, TILE> shared;
	constexpr int ITEMS = TILE::ITEMS;
	constexpr unsigned SIZE = TILE::SIZE;
	extern __shared__ __align__(16) unsigned char shared_bytes[];
	shared *const s = reinterpret_cast<shared *>(shared_bytes);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const unsigned first_in_block = warp * (WARP * ITEMS) + lane;
	const int first = (int)(block_rank<CLUSTER>() * SIZE + first_in_block);
	const int remaining = a.count - first;
	WORD item[ITEMS], highest = {};

	/* 1. Load; positions beyond the end hold the highest key. */
	key_of(highest) = ~key_of(highest);
	key_of(highest) ^= a.format.order.sign;
	if (a.plain)
		load_striped<ITEMS>(item, (const WORD *)a.keys_in + first, remaining, highest);
	else
		load_columns<ITEMS>(item, a.keys_in, a.values_in, (size_t)first, remaining, highest,
				    a.format);
	order_keys<ITEMS>(item, a.format.order);
	for (int shift = a.first; shift < a.end; shift += RADIX_BITS) {
		const unsigned mask = (1u << min((int)RADIX_BITS, a.end - shift)) - 1;
		uint32_t ranks[(ITEMS + 1) / 2] = { 0 }; /* two per word, to fit in 64 registers */

		/* 2. Count digits by warp, and rank each key among the warp's keys of its digit. */
		if (threadIdx.x == 0)
			s->mask = mask;
		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			s->warp_histogram[warp][d] = 0;
		__syncwarp();
#pragma unroll
		for (int k = 0; k < ITEMS; k++) {
			const unsigned rank = rank_digit<RADIX_BITS>(
				s->warp_histogram[warp], digit_of(item[k], shift, mask));

			ranks[k / 2] = k % 2 ? __byte_perm(ranks[k / 2], rank, 0x5410) : rank;
		}
		__syncthreads(); /* histograms of warps */

		/* 3. Find where the block's keys of each digit start in the whole array. */
		scan_warp_histograms(s);
		sync_blocks<CLUSTER>(); /* histograms of blocks */
		if (scan_block_histograms<CLUSTER>(s, blocks, (unsigned)a.count, mask)) {
			sync_blocks<CLUSTER>(); /* before they are written again */
			continue;
		}

		/* 4. Store each key into the block that holds its position, and read back.  The mask
		 * is read again; otherwise, the digits would stay in registers from step 2 on. */
		const unsigned again = s->mask;

#pragma unroll
		for (int k = 0; k < ITEMS; k++) {
			const unsigned d = digit_of(item[k], shift, again);
			const unsigned rank = __byte_perm(ranks[k / 2], 0, k % 2 ? 0x4432 : 0x4410);
			const unsigned position =
				s->first_position[d] + s->warp_histogram[warp][d] + rank;

			in_block<CLUSTER>(s->item, position / SIZE)[position % SIZE] = item[k];
			if (k % 4 == 3)
				__syncwarp(); /* codegen: bounds the live addresses */
		}
		sync_blocks<CLUSTER>(); /* keys moved */
#pragma unroll
		for (unsigned k = 0; k < ITEMS; k++)
			item[k] = s->item[first_in_block + k * WARP];
	}

	/* 5. Write the sorted elements. */
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const size_t i = (size_t)(first + k * WARP);

		if (k * WARP >= remaining)
			break;
		if (a.format.order.sign)
			key_of(item[k]) = from_order(key_of(item[k]), a.format.order);
		if (a.plain)
			((WORD *)a.keys_out)[i] = item[k];
		else
			store_columns(a.keys_out, a.values_out, i, item[k], a.format);
	}
}

/* ---- host -------------------------------------------------------------------------------- */

/* A kernel and its capacity. */
struct shape {
	void (*kernel)(arrays, unsigned);
	bool cluster;     /* a cluster of 2 to MAX_CLUSTER blocks, otherwise a single block */
	unsigned threads; /* per block */
	unsigned tile;    /* elements per block */
	size_t shared_bytes;
};

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	struct shape shape;
	unsigned blocks;
};

template <class WORD, class TILE, bool CLUSTER> static shape shape_of(void)
{
	const struct shape shape = {
		.kernel = small_kernel<WORD, TILE, CLUSTER>,
		.cluster = CLUSTER,
		.threads = TILE::THREADS,
		.tile = TILE::SIZE,
		.shared_bytes = sizeof(small_shared<WORD, TILE>),
	};

	return shape;
}

/* True if the device can run `blocks` blocks of this shape as one cluster, or a single block. */
static bool fits(const struct shape *shape, unsigned blocks)
{
	const int shared = gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);

	if (gb_memory_is_dry())
		return true; /* an estimate, perhaps without a device */
	if (shape->shared_bytes > (size_t)shared ||
	    (shape->cluster && !gpu_attribute(cudaDevAttrClusterLaunch)) ||
	    cudaFuncSetAttribute(shape->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 (int)shape->shared_bytes) != cudaSuccess)
		return false;
	if (!shape->cluster)
		return true;
	if (blocks > PORTABLE_CLUSTER &&
	    cudaFuncSetAttribute(shape->kernel, cudaFuncAttributeNonPortableClusterSizeAllowed,
				 1) != cudaSuccess)
		return false;
	return gpu_cluster_fits(shape->kernel, blocks, shape->threads, shape->shared_bytes);
}

/* Choose the smallest shape that holds count elements.  If there is none, return false; *most is
 * then the largest capacity.  A cluster grows before its blocks do: with fewer elements per thread,
 * a sort takes less time, and with fewer warps per block there are fewer counts to sum.  The second
 * single block comes before a cluster of two because it need not wait for another block.  The last
 * shape is for devices without clusters. */
template <class WORD> static bool choose(state *s, size_t count, size_t *most)
{
	constexpr int WORDS = sizeof(WORD) / 4;
	const shape shapes[] = { shape_of<WORD, tile<512, 4 / WORDS>, false>(),
				 shape_of<WORD, tile<512, 8 / WORDS>, false>(),
				 shape_of<WORD, tile<512, 4 / WORDS>, true>(),
				 shape_of<WORD, tile<512, 8 / WORDS>, true>(),
				 shape_of<WORD, tile<512, 16 / WORDS>, true>(),
				 shape_of<WORD, tile<1024, 16 / WORDS>, true>(),
				 shape_of<WORD, tile<1024, 28 / WORDS>, true>(),
				 shape_of<WORD, tile<1024, 16 / WORDS>, false>() };

	for (const struct shape &shape : shapes) {
		const unsigned last = shape.cluster ? MAX_CLUSTER : 1;

		for (unsigned blocks = shape.cluster ? 2 : 1; blocks <= last; blocks *= 2) {
			const size_t holds = (size_t)blocks * shape.tile;

			if (holds <= *most || !fits(&shape, blocks))
				continue;
			*most = holds;
			s->shape = shape;
			s->blocks = blocks;
			if (holds >= count)
				return true;
		}
	}
	return false;
}

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	const size_t count = input->count;
	size_t most = 0;
	const size_t word = word_size_of(input->key_size, input->value_size);
	const bool fit = word == 4   ? choose<uint32_t>(s, count, &most)
			 : word == 8 ? choose<uint64_t>(s, count, &most)
				     : choose<key_value>(s, count, &most);

	(void)cudaGetLastError(); /* a shape that does not fit is not an error */
	if (!fit)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%zu keys: one launch holds at most %zu of this type on this device",
			       count, most);
	return radix_arrays_create(&s->arrays, input, false, err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	const radix_arrays *const a = &s->arrays;
	const radix_input *const input = a->input;
	const int key_size = (int)input->key_size, value_size = (int)input->value_size;
	const int shift = key_shift(key_size, value_size);
	const struct arrays arrays = {
		.keys_in = a->keys_in,
		.values_in = a->values_in,
		.keys_out = a->out,
		.values_out = radix_output_values(input, a->out),
		.count = (int)a->count,
		.format = { key_size, value_size,
			    key_order_of(radix_gpu_order(input), input->key_size, shift) },
		.plain = key_size >= 4 && !value_size,
		.first = input->begin_bit + shift,
		.end = input->end_bit + shift,
	};

	if (a->count == 0)
		return GB_OK;
	if (s->shape.cluster)
		return CUDA_TRY(err, gpu_launch_cluster(s->shape.kernel, s->blocks,
							s->shape.threads, s->shape.shared_bytes,
							gpu_stream(), arrays, s->blocks));
	s->shape.kernel<<<1, s->shape.threads, s->shape.shared_bytes, gpu_stream()>>>(arrays, 1u);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Each element is read once and written once. */
static double bytes(const void *params, const radix_input *input)
{
	return (double)input->count * 2 * (double)(input->key_size + input->value_size);
}

extern "C" const gb_variant_ops radix_cuda_small = radix_ops<state, create, run, bytes>();
