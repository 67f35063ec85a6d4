/* small.cu -- the whole sort in one launch, by one block or by one cluster of blocks.
 *
 * Keys stay on the chip: in registers while they are ranked, in the blocks' shared memory while
 * they change places.  A cluster of up to 16 blocks of up to 1024 threads (sm_90 and later) reaches its
 * blocks' shared memory as one, and holds up to 16 * 1024 * 28 = 458752 u32 keys.  For each 8-bit
 * digit:
 *	rank   each warp counts and ranks its keys by ballots
 *	place  each block sums its warps' counts; from all blocks' sums it learns where in the
 *	       whole its keys of each digit start
 *	move   each key is stored into the block that holds its new place; all blocks wait, and
 *	       read back what lies in theirs
 * Digits that all keys share are skipped.  The places beyond the last key are filled with the
 * highest key: being last and the sort stable, they stay last, so only loads and stores look at
 * the count.
 *
 * What it adds over onesweep is that there is one launch and no look-back: below some hundred
 * thousand keys launches and latency are all there is.  Elements: u32 and f32 keys as 32 bits;
 * u64 keys, and pairs as key << 32 | value, as 64 bits, of which pairs are sorted by the upper
 * half.  Bytes moved: each element read once and written once, 8 per u32 key.
 */
#include "cuda/primitives/device.h"
#include "cuda/radix/parts/arrays.h"

enum {
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
	MAX_CLUSTER = 16,
	PORTABLE_CLUSTER = 8, /* what every device with clusters has */
};

/* A block: its threads, and the elements of each. */
template <int THREADS_, int ITEMS_> struct tile {
	static constexpr int THREADS = THREADS_, WARPS = THREADS / WARP;
	static constexpr int ITEMS = ITEMS_, SIZE = THREADS * ITEMS;
};

/* ---- elements ---------------------------------------------------------------------------- */

struct arrays {
	const void *keys_in;
	const uint32_t *values_in;
	void *keys_out;
	uint32_t *values_out;
	int count;
};

/* An element as it is sorted, in bits FIRST and up; its way in and out of memory. */
template <class KEY> struct lone_key {
	typedef typename KEY::word word;
	static constexpr int FIRST = 0, BITS = KEY::BITS;
	static __device__ __forceinline__ word load(const struct arrays &a, int i)
	{
		return KEY::order(((const word *)a.keys_in)[i]);
	}
	static __device__ __forceinline__ void store(const struct arrays &a, int i, word item)
	{
		((word *)a.keys_out)[i] = KEY::bits(item);
	}
};

struct key_and_value {
	typedef uint64_t word;
	static constexpr int FIRST = 32, BITS = 64;
	static __device__ __forceinline__ word load(const struct arrays &a, int i)
	{
		return (word)((const uint32_t *)a.keys_in)[i] << 32 | a.values_in[i];
	}
	static __device__ __forceinline__ void store(const struct arrays &a, int i, word item)
	{
		((uint32_t *)a.keys_out)[i] = (uint32_t)(item >> 32);
		a.values_out[i] = (uint32_t)item;
	}
};

/* ---- kernel ------------------------------------------------------------------------------ */

/* A block's shared memory.  Counts of a warp and places in a block fit into 16 bits. */
template <class WORD, class TILE> struct small_shared {
	WORD item[TILE::SIZE];  /* the block's part of the whole */
	uint32_t total[DIGITS]; /* keys of each digit in this block: read by the others */
	uint32_t start[DIGITS]; /* where this block's keys of each digit start */
	uint16_t count[TILE::WARPS][DIGITS]; /* of each warp; then from where in the block's */
};

template <class WORD> static __device__ __forceinline__ unsigned digit_of(WORD item, int shift)
{
	return (unsigned)(item >> shift) & (DIGITS - 1);
}

/* CLUSTER: whether the launch has one; without, these are those of a lone block. */
template <bool CLUSTER> static __device__ __forceinline__ unsigned block_rank(void)
{
	return CLUSTER ? gpu_cluster_rank() : 0;
}

template <bool CLUSTER> static __device__ __forceinline__ void sync_all(void)
{
	if (CLUSTER)
		gpu_cluster_sync();
	else
		__syncthreads();
}

template <bool CLUSTER, class T>
static __device__ __forceinline__ T *of_block(T *shared, unsigned rank)
{
	return CLUSTER ? gpu_cluster_map(shared, rank) : shared;
}

/* A thread per digit: the block's total, and for each warp how many keys of the digit the warps
 * before it have. */
template <class TILE, class S> static __device__ __forceinline__ void total_digits(S *s)
{
	for (unsigned d = threadIdx.x; d < DIGITS; d += TILE::THREADS) {
		unsigned sum = 0;

		GPU_UNROLL_4
		for (int w = 0; w < TILE::WARPS; w++) {
			const unsigned count = s->count[w][d];

			s->count[w][d] = (uint16_t)sum;
			sum += count;
		}
		s->total[d] = sum;
	}
}

/* A thread per digit: from the blocks' totals fill s->start.  True, in all threads of all blocks,
 * if all keys have one digit, and nothing needs to move. */
template <bool CLUSTER, class TILE, class S>
static __device__ __forceinline__ bool place_digits(S *s, unsigned blocks, unsigned count)
{
	constexpr int OWNED = (DIGITS + TILE::THREADS - 1) / TILE::THREADS;
	const unsigned capacity = blocks * TILE::SIZE;
	const unsigned rank = block_rank<CLUSTER>();
	unsigned before[OWNED] = { 0 };
	bool whole = false;

	GPU_UNROLL
	for (int o = 0; o < OWNED; o++) {
		const unsigned d = threadIdx.x + (unsigned)(o * TILE::THREADS);
		unsigned all = 0;

		if (d >= DIGITS)
			break;
		before[o] = 0;
		GPU_UNROLL_4 /* loads of the others' memory under way together */
			for (unsigned b = 0; b < blocks; b++)
		{
			const unsigned its = of_block<CLUSTER>(s->total, b)[d];

			all += its;
			before[o] += b < rank ? its : 0;
		}
		s->start[d] = all;
		whole |= all == (d == DIGITS - 1 ? capacity : count);
	}
	whole = __syncthreads_or(whole);
	if (whole)
		return true;
	if (threadIdx.x < WARP)
		warp_scan_array<DIGITS>(s->start);
	__syncthreads();
	GPU_UNROLL
	for (int o = 0; o < OWNED; o++) {
		const unsigned d = threadIdx.x + (unsigned)(o * TILE::THREADS);

		if (d < DIGITS)
			s->start[d] += before[o];
	}
	__syncthreads();
	return false;
}

/* One block, or one cluster of `blocks`, for all; a thread's elements are WARP apart. */
template <class ELEMENT, class TILE, bool CLUSTER>
static __global__ void __launch_bounds__(TILE::THREADS, 1)
	small_kernel(struct arrays a, unsigned blocks)
{
	typedef typename ELEMENT::word word;
	typedef struct small_shared<word, TILE> shared;
	constexpr int ITEMS = TILE::ITEMS;
	constexpr unsigned PART = WARP * ITEMS, SIZE = TILE::SIZE;
	DYN_SHARED(shared, s);
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const unsigned place = warp * PART + lane; /* of item 0 in the block */
	const int first = (int)(block_rank<CLUSTER>() * SIZE + place);
	const int left = a.count - first;
	word item[ITEMS];

	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++)
		item[k] = k * WARP < left ? ELEMENT::load(a, first + k * WARP) : ~(word)0;
	for (int shift = ELEMENT::FIRST; shift < ELEMENT::BITS; shift += DIGIT_BITS) {
		uint32_t ranks[ITEMS / 2] = {
			0
		}; /* two per word: all must fit into 64 registers */

		for (unsigned d = lane; d < DIGITS; d += WARP)
			s->count[warp][d] = 0;
		__syncwarp();
		GPU_UNROLL
		for (int k = 0; k < ITEMS; k++) {
			const unsigned rank =
				rank_digit<DIGIT_BITS>(s->count[warp], digit_of(item[k], shift));

			ranks[k / 2] = k % 2 ? __byte_perm(ranks[k / 2], rank, 0x5410) : rank;
		}
		__syncthreads();
		total_digits<TILE>(s);
		sync_all<CLUSTER>();
		if (!place_digits<CLUSTER, TILE>(s, blocks, (unsigned)a.count)) {
			GPU_UNROLL
			for (int k = 0; k < ITEMS; k++) {
				const unsigned d = digit_of(item[k], shift);
				const unsigned rank =
					__byte_perm(ranks[k / 2], 0, k % 2 ? 0x4432 : 0x4410);
				const unsigned to = s->start[d] + s->count[warp][d] + rank;

				of_block<CLUSTER>(s->item, to / SIZE)[to % SIZE] = item[k];
				if (k % 4 == 3)
					__syncwarp(); /* a few addresses at a time, for registers */
			}
			sync_all<CLUSTER>();
			GPU_UNROLL
			for (int k = 0; k < ITEMS; k++)
				item[k] = s->item[place + (unsigned)k * WARP];
		} else {
			sync_all<CLUSTER>(); /* before the totals are written again */
		}
	}
	GPU_UNROLL
	for (int k = 0; k < ITEMS; k++) {
		if (k * WARP < left)
			ELEMENT::store(a, first + k * WARP, item[k]);
	}
}

/* ---- host -------------------------------------------------------------------------------- */

/* A kernel, and what it holds. */
struct shape {
	void (*kernel)(struct arrays, unsigned);
	bool cluster;     /* of 2 to MAX_CLUSTER blocks, else a lone block */
	unsigned threads; /* of a block */
	unsigned tile;    /* elements of a block */
	size_t shared_bytes;
};

struct state {
	struct radix_arrays arrays; /* first: see radix_upload() */
	struct shape shape;
	unsigned blocks;
};

template <class ELEMENT, class TILE, bool CLUSTER> static struct shape shape_of(void)
{
	const struct shape shape = {
		.kernel = small_kernel<ELEMENT, TILE, CLUSTER>,
		.cluster = CLUSTER,
		.threads = TILE::THREADS,
		.tile = TILE::SIZE,
		.shared_bytes = sizeof(struct small_shared<typename ELEMENT::word, TILE>),
	};

	return shape;
}

/* Whether the device can run `blocks` blocks of this shape as one cluster, or one alone. */
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

/* The smallest shape that holds count elements; else the most that any holds in *most.  Few elements per
 * thread are sorted sooner, and a block's warps are fewer to be summed up, so a cluster grows before its
 * blocks do.  A second lone block comes before a cluster of two: it need not wait for another.  The last
 * is for devices without clusters. */
template <class ELEMENT> static bool choose(struct state *s, size_t count, size_t *most)
{
	constexpr int HALF = sizeof(typename ELEMENT::word) / 4;
	const struct shape shapes[] = { shape_of<ELEMENT, tile<512, 4 / HALF>, false>(),
					shape_of<ELEMENT, tile<512, 8 / HALF>, false>(),
					shape_of<ELEMENT, tile<512, 4 / HALF>, true>(),
					shape_of<ELEMENT, tile<512, 8 / HALF>, true>(),
					shape_of<ELEMENT, tile<512, 16 / HALF>, true>(),
					shape_of<ELEMENT, tile<1024, 16 / HALF>, true>(),
					shape_of<ELEMENT, tile<1024, 28 / HALF>, true>(),
					shape_of<ELEMENT, tile<1024, 16 / HALF>, false>() };

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

static enum gb_status create(struct state *s, const void *params, const struct radix_input *input,
			     struct gb_error *err)
{
	const size_t count = input->count;
	size_t most = 0;
	const bool fit = input->type == RADIX_U64     ? choose<lone_key<key_u64>>(s, count, &most)
			 : input->type == RADIX_F32   ? choose<lone_key<key_f32>>(s, count, &most)
			 : input->type == RADIX_PAIRS ? choose<key_and_value>(s, count, &most)
						      : choose<lone_key<key_u32>>(s, count, &most);

	(void)cudaGetLastError(); /* a shape that does not fit is no failure */
	if (!fit)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%zu keys: one launch holds at most %zu of this type on this device",
			       count, most);
	return radix_arrays_create(&s->arrays, input, false, err);
}

static enum gb_status run(const struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	const struct radix_arrays *const a = &s->arrays;
	const struct arrays arrays = { a->keys_in, a->values_in, a->keys_out, a->values_out,
				       (int)a->count };

	if (a->count == 0)
		return GB_OK;
	if (s->shape.cluster)
		GPU_LAUNCH_CLUSTER(s->shape.kernel, s->blocks, s->shape.threads, s->blocks,
				   s->shape.shared_bytes, gpu_stream(), arrays, s->blocks);
	else
		GPU_LAUNCH(s->shape.kernel, 1, s->shape.threads, s->shape.shared_bytes,
			   gpu_stream(), arrays, 1u);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Each element read once and written once. */
static double bytes(const void *params, const struct radix_input *input)
{
	return (double)input->count * 2 * (double)(input->key_size + radix_value_size(input));
}

extern "C" const struct gb_variant_ops radix_cuda_small =
	radix_ops<struct state, create, run, bytes>();
