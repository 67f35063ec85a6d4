/* descent.cu -- implements descent.h. */
#include "cuda/cbt/shared/descent.h"

#include "cuda/cbt/shared/pack.h"

enum {
	BLOCK = 256,
	SUM_BLOCKS = 32, /* per SM, when ids are summed */
	WORD_LEVELS = 5, /* levels of sums over the bits of a word */
};

/* ---- reduce -------------------------------------------------------------------------------- */

/* Element k while others change other bits of the same words. */
static __device__ __forceinline__ uint32_t element_relaxed(const uint32_t *heap, unsigned depth,
							   unsigned level, uint32_t k)
{
	const unsigned width = cbt_width(depth, level);
	const uint64_t bit = ((uint64_t)2 << level) + (uint64_t)k * width;
	const uint32_t *at = heap + bit / 32;
	const unsigned shift = (unsigned)bit % 32;
	uint32_t value = gpu_ld_relaxed(at) >> shift;

	if (shift + width > 32)
		value |= gpu_ld_relaxed(at + 1) << (32 - shift);
	return value & ((1u << width) - 1);
}

/* Write `bits` bits from element k on: one or several elements. */
static __device__ __forceinline__ void put_bits(uint32_t *heap, unsigned depth, unsigned level,
						uint32_t k, unsigned bits, uint32_t value)
{
	const uint64_t bit = ((uint64_t)2 << level) + (uint64_t)k * cbt_width(depth, level);
	const uint32_t mask = (1u << bits) - 1;
	uint32_t *at = heap + bit / 32;
	const unsigned shift = (unsigned)bit % 32;

	atomicAnd(at, ~(mask << shift));
	atomicOr(at, value << shift);
	if (shift + bits > 32) {
		atomicAnd(at + 1, ~(mask >> (32 - shift)));
		atomicOr(at + 1, value >> (32 - shift));
	}
}

/* One thread per word of the field: levels D - 1 to D - 5 of its 32 leaves. */
static __global__ void prepass_kernel(uint32_t *heap, unsigned depth)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, k = (1u << depth) + i * 32;

	if (i >= 1u << (depth - WORD_LEVELS))
		return;

	const word_sums sums = sums_of_word(heap[cbt_level_word(depth, depth) + i]);
	const uint32_t low = sums.by16 & 31, high = sums.by16 >> 16;

	heap[cbt_level_word(depth, depth - 1) + i] = sums.by2;
	put_bits(heap, depth, depth - 2, k >> 2, 24, sums.by4);
	put_bits(heap, depth, depth - 3, k >> 3, 16, sums.by8);
	put_bits(heap, depth, depth - 4, k >> 4, 10, low | high << 5);
	put_bits(heap, depth, depth - 5, k >> 5, 6, low + high);
	if (i == 0)
		atomicOr(heap, 1u << depth);
}

/* One thread per node of `level`.  MIXED: a word may hold elements of this level and the next. */
template <bool MIXED>
static __global__ void reduce_kernel(uint32_t *heap, unsigned depth, unsigned level)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	const uint32_t k = (1u << level) + i;
	uint32_t sum;

	if (i >= 1u << level)
		return;
	if (MIXED)
		sum = element_relaxed(heap, depth, level + 1, 2 * k) +
		      element_relaxed(heap, depth, level + 1, 2 * k + 1);
	else
		sum = cbt_element(heap, depth, level + 1, 2 * k) +
		      cbt_element(heap, depth, level + 1, 2 * k + 1);
	put_bits(heap, depth, level, k, cbt_width(depth, level), sum);
	if (level == 0)
		atomicOr(heap, 1u << depth);
}

static gb_status reduce(const cbt_descent *s, size_t frames, gb_error *err)
{
	const unsigned depth = s->arrays.input->depth;
	unsigned level = depth;

	if (s->prepass && depth >= WORD_LEVELS) {
		level -= WORD_LEVELS;
		prepass_kernel<<<gpu_blocks((size_t)1 << level, BLOCK), BLOCK, 0, gpu_stream()>>>(
			s->heap, depth);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
	}
	while (level-- > 0) {
		const auto kernel = level < 5 ? reduce_kernel<true> : reduce_kernel<false>;

		kernel<<<gpu_blocks((size_t)1 << level, BLOCK), BLOCK, 0, gpu_stream()>>>(
			s->heap, depth, level);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
	}
	return GB_OK;
}

/* ---- decode -------------------------------------------------------------------------------- */

/* The node of leaf number `leaf`; *level gets its level.  CHANGING: level D is being changed. */
template <bool CHANGING>
static __device__ __forceinline__ uint32_t leaf_node(const uint32_t *heap, unsigned depth,
						     uint32_t leaf, uint32_t sum, unsigned *level)
{
	uint32_t k = 1;
	unsigned d = 0;

	while (sum > 1) {
		uint32_t left;

		d++;
		k *= 2;
		if (CHANGING && (d == depth || depth < 5))
			left = element_relaxed(heap, depth, d, k);
		else
			left = cbt_element(heap, depth, d, k);
		if (leaf < left) {
			sum = left;
		} else {
			k++;
			leaf -= left;
			sum -= left;
		}
	}
	*level = d;
	return k;
}

/* One thread per leaf; if ids is NULL, a thread may sum the ids of several leaves. */
static __global__ void decode_kernel(const uint32_t *heap, unsigned depth, uint32_t *ids,
				     cbt_result *result)
{
	const uint32_t leaves = cbt_element(heap, depth, 0, 1);
	const uint32_t first = blockIdx.x * BLOCK + threadIdx.x;
	unsigned long long sum = 0;

	for (uint64_t leaf = first; leaf < leaves; leaf += (uint64_t)gridDim.x * BLOCK) {
		unsigned level;
		const uint32_t id = leaf_node<false>(heap, depth, (uint32_t)leaf, leaves, &level);

		if (ids)
			ids[leaf] = id;
		sum += id;
	}
	if (first == 0)
		result->leaves = leaves;
	if (ids)
		return;
	sum = warp_sum(sum);
	if (threadIdx.x % WARP == 0)
		atomicAdd(&result->id_sum, sum);
}

static gb_status decode(const cbt_descent *s, gb_error *err)
{
	const cbt_arrays *a = &s->arrays;
	const size_t most = (size_t)gpu_sm_count() * SUM_BLOCKS;
	const size_t blocks = gpu_blocks(a->input->leaves, BLOCK);

	if (!a->ids && gpu_zero(a->result, 1, err))
		return err->code;
	decode_kernel<<<a->ids ? blocks : min(blocks, most), BLOCK, 0, gpu_stream()>>>(
		s->heap, a->input->depth, a->ids, a->result);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- update -------------------------------------------------------------------------------- */

/* One thread per leaf applies its wishes by the rules of common/cbt_types.h. */
static __global__ void update_kernel(uint32_t *heap, unsigned depth, cbt_wishes wishes)
{
	const uint32_t leaves =
		depth < 5 ? element_relaxed(heap, depth, 0, 1) : cbt_element(heap, depth, 0, 1);
	const uint32_t leaf = blockIdx.x * BLOCK + threadIdx.x;
	const uint64_t field = (uint64_t)3 << depth;
	uint64_t bit;
	uint32_t k;
	unsigned level;

	if (leaf >= leaves)
		return;
	k = leaf_node<true>(heap, depth, leaf, leaves, &level);
	if (level < depth && cbt_wish(wishes.split, leaf)) {
		bit = field + cbt_field_bit(depth, 2 * k + 1);
		atomicOr(heap + bit / 32, 1u << bit % 32);
	}
	/* For two leaves that are siblings, the right one merges. */
	if (k > 1 && k % 2 == 1 && cbt_wish(wishes.merge, leaf) &&
	    cbt_wish(wishes.merge, leaf - 1) &&
	    element_relaxed(heap, depth, level - 1, k / 2) == 2) {
		bit = field + cbt_field_bit(depth, k);
		atomicAnd(heap + bit / 32, ~(1u << bit % 32));
	}
}

static gb_status update(const cbt_descent *s, size_t f, const cbt_wishes &wishes, gb_error *err)
{
	const cbt_input *input = s->arrays.input;

	update_kernel<<<gpu_blocks(input->frame[f].leaves, BLOCK), BLOCK, 0, gpu_stream()>>>(
		s->heap, input->depth, wishes);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- what the variants share --------------------------------------------------------------- */

gb_status cbt_descent_create(cbt_descent *s, const void *params, const cbt_input *input,
			     gb_error *err)
{
	const size_t words = cbt_heap_words32(input);

	if (input->op == CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a descent needs the sums: --op=bitfield is for serial and block");
	(void)cbt_arrays_create(&s->arrays, input, err);
	(void)gpu_alloc(&s->heap, words, err);
	if (input->op == CBT_UPDATE)
		(void)gpu_alloc(&s->start, words, err);
	if (cbt_has_heap(input))
		gb_memory_result(s->heap, cbt_sum_bytes(input->depth), 0);
	return err->code;
}

gb_status cbt_descent_upload(const cbt_descent *s, gb_error *err)
{
	(void)cbt_arrays_upload(&s->arrays, err);
	return cbt_heap_upload(&s->arrays, s->start ? s->start : s->heap, err);
}

gb_status cbt_descent_reset(const cbt_descent *s, int64_t sample, gb_error *err)
{
	const size_t bytes = s->arrays.input->heap_words * sizeof(uint64_t);

	return s->start ? CUDA_TRY(err, cudaMemcpyAsync(s->heap, s->start, bytes,
							cudaMemcpyDeviceToDevice, gpu_stream()))
			: cbt_heap_reset(&s->arrays, s->heap, err);
}

gb_status cbt_descent_run(const cbt_descent *s, gb_timer *timer, gb_error *err)
{
	return cbt_run(s, timer, err);
}

gb_status cbt_descent_download(const cbt_descent *s, void *output, gb_error *err)
{
	return cbt_heap_download(&s->arrays, s->heap, output, err);
}

/* In units of a field: a reduction reads every level and writes all but the field, 7 in all; with
 * the first pass of libcbt, it reads the field and levels 0 to D - 5, which makes 1 + 14/32 + 3.  A
 * decoding reads the heap, 4, and writes the ids.  A frame reads a heap and two wishes per leaf,
 * writes next to nothing, and is reduced. */
double cbt_descent_bytes(const void *params, const cbt_input *input)
{
	return cbt_bytes(input, 7, 4, 11);
}

double cbt_libcbt_bytes(const void *params, const cbt_input *input)
{
	return cbt_bytes(input, 4.4375, 4, 8.4375);
}
