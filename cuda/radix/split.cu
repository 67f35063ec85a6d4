/* split.cu -- step 1 of 5: one bit per pass, by a predicate, a scan and a scatter kernel.
 *
 * The method is that of Bernikova and Denysiuk, unchanged.  For each bit, least significant first:
 *	predicate  p_i = 1 if the bit of key i is 0
 *	scan       f = exclusive prefix sum of p; zeros = the sum of all
 *	scatter    key i goes to f_i if its bit is 0, otherwise to zeros + (i - f_i)
 * Every step is stable, so after the last bit the keys are sorted.
 *
 * The scan is the work-efficient one on a balanced tree (Blelloch 1990; Harris, Sengupta and Owens,
 * GPU Gems 3, chapter 39).  A block scans 512 elements in shared memory; its indices are padded by
 * one in 32 so that the tree's strides do not conflict in one bank, and its loops are unrolled.
 * The blocks' sums are scanned the same way, level by level.  The scatter adds the sum before each
 * block, which saves a pass.
 *
 * Arrays: the input, two more for keys, and p, which f replaces: 16 bytes per u32 key, as in the
 * paper's account of the memory that 210 million keys exhaust.  Bytes moved per u32 key and bit:
 * predicate 8, scan 8, scatter 12, so 896 in all.  The bound is this traffic at copy bandwidth.
 */
#include "cuda/radix/shared/buffers.h"

enum {
	BLOCK = 256,
	TILE = 2 * BLOCK, /* elements that a block scans */
	MAX_LEVELS = 8,   /* 512^8 elements */
};

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	uint32_t *predicate; /* [count], then f within its block */
	uint64_t *sums;      /* the levels above, one after the other */
	uint64_t *zeros;     /* one: the sum of all predicates */
	int levels;          /* levels above the predicates, at least 1 */
	size_t size[MAX_LEVELS];
	uint64_t *level[MAX_LEVELS]; /* pointers into sums */
};

/* A bit of the order of a key. */
template <class T> static __device__ __forceinline__ bool bit_of(T key, key_order order, int bit)
{
	typedef std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t> number;

	return to_order((number)key, order) >> bit & 1;
}

/* One thread per key.  T: an unsigned integer as large as a key. */
template <class T>
static __global__ void predicate_kernel(const T *keys, uint32_t *predicate, size_t count,
					key_order order, int bit)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i < count)
		predicate[i] = !bit_of(keys[i], order, bit);
}

static __device__ __forceinline__ unsigned padded(unsigned i)
{
	return i + i / 32;
}

/* One block per TILE elements, two per thread.  Each value becomes its exclusive prefix sum within
 * the tile; sum[block] is the tile's sum. */
template <class T> static __global__ void scan_kernel(T *value, size_t count, uint64_t *sum)
{
	__shared__ T tree[TILE + TILE / 32];
	const size_t first = (size_t)blockIdx.x * TILE;
	const unsigned a = threadIdx.x, b = threadIdx.x + BLOCK;
	T total = 0;

	tree[padded(a)] = first + a < count ? value[first + a] : 0;
	tree[padded(b)] = first + b < count ? value[first + b] : 0;

#pragma unroll
	for (unsigned half = 1; half < TILE; half *= 2) { /* sums, from the leaves up */
		const unsigned right = 2 * half * (threadIdx.x + 1) - 1;

		__syncthreads();
		if (right < TILE)
			tree[padded(right)] += tree[padded(right - half)];
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		total = tree[padded(TILE - 1)];
		tree[padded(TILE - 1)] = 0;
	}
#pragma unroll
	for (unsigned half = TILE / 2; half > 0; half /= 2) { /* prefixes, from the root down */
		const unsigned right = 2 * half * (threadIdx.x + 1) - 1;

		__syncthreads();
		if (right < TILE) {
			const T left = tree[padded(right - half)];

			tree[padded(right - half)] = tree[padded(right)];
			tree[padded(right)] += left;
		}
	}
	__syncthreads();
	if (first + a < count)
		value[first + a] = tree[padded(a)];
	if (first + b < count)
		value[first + b] = tree[padded(b)];
	if (threadIdx.x == 0)
		sum[blockIdx.x] = total;
}

/* One thread per element of a level: add the sum before its tile. */
static __global__ void add_kernel(uint64_t *value, size_t count, const uint64_t *before)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i < count)
		value[i] += before[i / TILE];
}

/* One thread per key. */
template <class T>
static __global__ void scatter_kernel(radix_pass pass, const uint32_t *f, const uint64_t *before,
				      const uint64_t *zeros, size_t count, key_order order, int bit)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= count)
		return;

	const T key = ((const T *)pass.keys_in)[i];
	const size_t f_i = before[i / TILE] + f[i];
	const size_t to = bit_of(key, order, bit) ? *zeros + (i - f_i) : f_i;

	((T *)pass.keys_out)[to] = key;
	radix_move_value(pass, i, to);
}

/* Turn predicate into f, except for the sum before each tile, which is in level[0]. */
static gb_status scan(const state *s, gb_error *err)
{
	const cudaStream_t stream = gpu_stream();
	const int top = s->levels - 1;

	scan_kernel<uint32_t><<<gpu_blocks(s->arrays.count, TILE), BLOCK, 0, stream>>>(
		s->predicate, s->arrays.count, s->level[0]);
	for (int l = 0; l <= top; l++)
		scan_kernel<uint64_t><<<gpu_blocks(s->size[l], TILE), BLOCK, 0, stream>>>(
			s->level[l], s->size[l], l == top ? s->zeros : s->level[l + 1]);
	for (int l = top - 1; l >= 0; l--)
		add_kernel<<<gpu_blocks(s->size[l], BLOCK), BLOCK, 0, stream>>>(
			s->level[l], s->size[l], s->level[l + 1]);
	return CUDA_TRY(err, cudaGetLastError());
}

template <class T> static gb_status sort(const state *s, gb_timer *timer, gb_error *err)
{
	const radix_input *const input = s->arrays.input;
	const size_t count = s->arrays.count;
	const size_t blocks = gpu_blocks(count, BLOCK);
	const key_order order = radix_key_order(input);

	for (int bit = input->begin_bit; bit < input->end_bit; bit++) {
		const radix_pass pass = radix_pass_of(&s->arrays, bit - input->begin_bit,
						      (int)radix_bit_count(input));

		gb_phase(timer, "predicate");
		predicate_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(
			(const T *)pass.keys_in, s->predicate, count, order, bit);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
		gb_phase(timer, "scan");
		if (scan(s, err) != GB_OK)
			return err->code;
		gb_phase(timer, "scatter");
		scatter_kernel<T><<<blocks, BLOCK, 0, gpu_stream()>>>(
			pass, s->predicate, s->level[0], s->zeros, count, order, bit);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
	}
	return GB_OK;
}

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	size_t sums = 0;

	for (size_t n = input->count; s->levels == 0 || n > 1; s->levels++) {
		n = gpu_blocks(n, TILE);
		s->size[s->levels] = n;
		sums += n;
	}
	(void)radix_arrays_create(&s->arrays, input, true, err);
	(void)gpu_alloc(&s->predicate, input->count, err);
	(void)gpu_alloc(&s->sums, sums, err);
	if (gpu_alloc(&s->zeros, 1, err))
		return err->code;
	s->level[0] = s->sums;
	for (int l = 1; l < s->levels; l++)
		s->level[l] = s->level[l - 1] + s->size[l - 1];
	return GB_OK;
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	if (s->arrays.count == 0)
		return GB_OK;
	switch (s->arrays.input->key_size) {
	case 1:
		return sort<uint8_t>(s, timer, err);
	case 2:
		return sort<uint16_t>(s, timer, err);
	case 4:
		return sort<uint32_t>(s, timer, err);
	default:
		return sort<uint64_t>(s, timer, err);
	}
}

/* Per bit: key read and predicate written; predicate read and f written; key and f read, key
 * written; values read and written. */
static double bytes(const void *params, const radix_input *input)
{
	const size_t key = input->key_size;
	const size_t per_bit = key + 4 + 8 + key + 4 + key + 2 * input->value_size;

	return (double)input->count * (double)(radix_bit_count(input) * per_bit);
}

extern "C" const gb_variant_ops radix_cuda_split = radix_ops<state, create, run, bytes>();
