/* ocbt.cu -- step 5 of 5: only sums of 1024 bits and more are stored (Benyoub and Dupuy 2024).
 *
 * This is their optimised concurrent binary tree with one more level of the field per chunk.
 * A sum of fewer bits is a popc of the field, so it need not be stored.  A 32-bit word for each
 * node down to level D - 10 takes 1/16 of the size of the field; the sums of a heap take three
 * times its size.  The words have one owner each and need no atomics.
 *
 *	reduce  One block per 2^15 bits: a lane counts 128 of them, and the block sums its 32
 *	        chunks.  The last of 2^10 neighbouring blocks to finish sums theirs, and so on up
 *	        to the root.
 *	decode, cycle, update   as in block.cu: one warp per 1024 bits (chunk.h)
 *
 * When decoding, a lane owns 32 bits and a warp 1024, so finer sums would never be read.
 *
 * Bytes, for a field of F = 2^D / 8 bytes: reduce reads F and writes F / 16, about a quarter of
 * what a heap takes.  A full decoding is bound by its ids, as with the heap.
 */
#include "cuda/cbt/shared/chunk.h"
#include "cuda/cbt/shared/limits.h"
#include "cuda/cbt/shared/pack.h"

enum {
	BLOCK = CBT_BLOCK,
	WARPS = CBT_WARPS,
	TILE_LEVELS = 15, /* a block owns 2^15 bits */
	TILE_CHUNKS = 1 << (TILE_LEVELS - CBT_CHUNK_LEVELS),
	STRIP_CHUNKS = 1 << ((int)STRIP_LEVELS - (int)CBT_CHUNK_LEVELS),
	STRIP_WORDS = 1 << (STRIP_LEVELS - 5),
	FAN_LEVELS = (int)CBT_OCBT_FAN, /* one block sums 2^10 tiles or groups */
};

/* On the device. */
struct tree {
	uint32_t *field; /* at least one strip; bits beyond 2^D are 0 */
	uint32_t *count; /* by node, levels 0 .. cbt_chunk_level(depth) */
};

struct state {
	cbt_arrays arrays;
	struct tree tree[3]; /* the input's, then two that the frames of update alternate between */
	uint32_t *ticket;    /* by node, down to the tiles; 0 between runs */
	uint32_t *counts;    /* host copy of a tree's counts */
	unsigned fan;
};

/* ---- reduce -------------------------------------------------------------------------------- */

/* A block's shared memory: sums of a tile or group, by node from its root. */
struct tile_sums {
	uint32_t sum[1 << FAN_LEVELS];
	uint32_t last;
};

/* By a block: from the sums of the `nodes` (a power of two) lowest subtrees below k, which are in
 * s->sum, compute all sums up to k's and store them in count. */
static __device__ __forceinline__ void sum_subtree(uint32_t *count, uint32_t k, uint32_t nodes,
						   tile_sums *s)
{
	__syncthreads();
	for (uint32_t n = nodes / 2; n > 0; n /= 2) {
		for (uint32_t i = threadIdx.x; i < n; i += BLOCK)
			s->sum[n + i] = s->sum[2 * (n + i)] + s->sum[2 * (n + i) + 1];
		__syncthreads();
	}
	for (uint32_t i = threadIdx.x + 1; i < 2 * nodes; i += BLOCK) {
		const unsigned level = cbt_log2(i);

		count[(k << level) + i - (1u << level)] = s->sum[i];
	}
}

/* Reduce a tile, or a whole tree that is smaller than a tile. */
static __device__ __forceinline__ void reduce_tile(struct tree tree, uint32_t k, uint32_t tile,
						   uint32_t chunks, tile_sums *s)
{
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const uint4 *const quads = (const uint4 *)(const void *)tree.field;

	for (uint32_t first = warp * STRIP_CHUNKS; first < chunks; first += WARPS * STRIP_CHUNKS) {
		const size_t strip =
			(size_t)tile * (TILE_CHUNKS / STRIP_CHUNKS) + first / STRIP_CHUNKS;
		const uint32_t chunk = first + lane / (WARP / STRIP_CHUNKS);
		uint32_t sum = quad_leaves(quads[strip * WARP + lane]);

#pragma unroll
		for (int step = 1; step < WARP / STRIP_CHUNKS; step *= 2)
			sum += __shfl_xor_sync(ALL_LANES, sum, step);
		if (lane % (WARP / STRIP_CHUNKS) == 0 && chunk < chunks)
			s->sum[chunks + chunk] = sum;
	}
	sum_subtree(tree.count, k, chunks, s);
}

/* One block per tile; one block for a tree smaller than a tile. */
static __global__ void __launch_bounds__(BLOCK)
	reduce_kernel(struct tree tree, unsigned depth, unsigned max_fan, uint32_t *ticket)
{
	__shared__ tile_sums s;
	const uint32_t chunks = min(cbt_chunks(depth), (uint32_t)TILE_CHUNKS);
	unsigned level = depth > TILE_LEVELS ? depth - TILE_LEVELS : 0;
	uint32_t k = (1u << level) + blockIdx.x;

	reduce_tile(tree, k, blockIdx.x, chunks, &s);
	while (level > 0) {
		const unsigned fan = min(max_fan, level);
		const uint32_t half = 1u << fan >> 1;

		k >>= fan;
		level -= fan;
		if (!last_of(&ticket[k], 1u << fan, &s.last))
			return;

		const uint32_t *const in = tree.count + ((size_t)k << fan);

		for (uint32_t i = threadIdx.x; i < half; i += BLOCK)
			s.sum[half + i] = in[2 * i] + in[2 * i + 1];
		sum_subtree(tree.count, k, half, &s);
	}
}

/* ---- host ---------------------------------------------------------------------------------- */

static cbt_field field_of(const state *s, const struct tree *tree)
{
	const cbt_field field = { tree->field, s->arrays.input->depth, 0 };

	return field;
}

static cbt_array_sums sums_of(const struct tree *tree)
{
	const cbt_array_sums sums = { tree->count };

	return sums;
}

/* The tree after `frames` frames. */
static const tree *tree_after(const state *s, size_t frames)
{
	return &s->tree[cbt_tree_after(frames)];
}

static gb_status reduce(const state *s, size_t frames, gb_error *err)
{
	const unsigned depth = s->arrays.input->depth;
	const unsigned blocks = depth > TILE_LEVELS ? 1u << (depth - TILE_LEVELS) : 1;

	reduce_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(*tree_after(s, frames), depth, s->fan,
							  s->ticket);
	return CUDA_TRY(err, cudaGetLastError());
}

static gb_status decode(const state *s, gb_error *err)
{
	return cbt_decode(sums_of(&s->tree[0]), field_of(s, &s->tree[0]), &s->arrays, err);
}

static gb_status update(const state *s, size_t f, const cbt_wishes &wishes, gb_error *err)
{
	const tree *const from = tree_after(s, f), *const to = tree_after(s, f + 1);

	return cbt_update(sums_of(from), field_of(s, from), field_of(s, to), wishes, err);
}

/* ---- the variant --------------------------------------------------------------------------- */

static size_t field_words(unsigned depth)
{
	return depth > STRIP_LEVELS ? (size_t)1 << (depth - 5) : (size_t)STRIP_WORDS;
}

/* Words for the nodes of the stored levels. */
static size_t count_words(unsigned depth)
{
	return (size_t)2 * cbt_chunks(depth);
}

static gb_status create(state *s, const void *params, const cbt_input *input, gb_error *err)
{
	const unsigned depth = input->depth;
	const int trees = input->op == CBT_UPDATE ? 3 : 1;

	if (input->op == CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "ocbt finds leaves by its sums: --op=bitfield is for serial and "
			       "block");
	s->fan = cbt_cuda_limits.ocbt_fan;
	(void)cbt_arrays_create(&s->arrays, input, err);
	(void)gpu_alloc_zeroed(&s->ticket,
			       depth > TILE_LEVELS ? (size_t)1 << (depth - TILE_LEVELS) : 1, err);
	for (int i = 0; i < trees; i++) {
		struct tree *tree = &s->tree[i];

		(void)gpu_alloc_zeroed(&tree->field, field_words(depth), err);
		(void)gpu_alloc(&tree->count, count_words(depth), err);
		if (i > 0)
			gb_memory_result(tree->field, GB_WHOLE, 0);
		if (i > 0 || input->op == CBT_REDUCE || input->op == CBT_CYCLE)
			gb_memory_result(tree->count, GB_WHOLE, 0);
	}
	if (cbt_has_heap(input))
		s->counts = (uint32_t *)gb_host_alloc(count_words(depth), sizeof *s->counts, err);
	return err->code;
}

/* Upload the field, to where reset() copies it from if a run stores its sums.  Compute its sums if
 * the operation starts with them. */
static gb_status upload(const state *s, gb_error *err)
{
	const cbt_input *input = s->arrays.input;
	const size_t bytes = input->field_words * sizeof *input->field;
	void *const to = s->arrays.start ? (void *)s->arrays.start : s->tree[0].field;

	if (cbt_arrays_upload(&s->arrays, err) || gpu_upload(to, input->field, bytes, err) ||
	    (input->heap && reduce(s, 0, err)))
		return err->code;
	return gpu_wait(err);
}

static gb_status reset(const state *s, int64_t sample, gb_error *err)
{
	const size_t bytes = s->arrays.input->field_words * sizeof *s->arrays.start;

	if (!s->arrays.start)
		return GB_OK;
	return CUDA_TRY(err, cudaMemcpyAsync(s->tree[0].field, s->arrays.start, bytes,
					     cudaMemcpyDeviceToDevice, gpu_stream()));
}

/* Build a heap from the stored sums, the depth marker and the field; all other sums are 0. */
static gb_status make_heap(const state *s, const struct tree *tree, uint64_t *heap, gb_error *err)
{
	const cbt_input *input = s->arrays.input;
	const unsigned depth = input->depth;
	const size_t counts = count_words(depth), field_bytes = input->field_words * sizeof *heap;
	const size_t sums = depth < 6 ? input->heap_words : cbt_field_at(depth);
	uint64_t small = 0; /* a field smaller than a word of the heap */
	uint64_t *const field = depth < 6 ? &small : heap + sums;

	if (gpu_download(field, tree->field, field_bytes, err) ||
	    gpu_download(s->counts, tree->count, counts * sizeof *s->counts, err))
		return err->code;
	memset(heap, 0, sums * sizeof *heap);
	cbt_set_bits(heap, 0, depth + 1, (uint64_t)1 << depth);
	for (uint32_t k = 1; k < counts; k++)
		cbt_set(heap, depth, k, s->counts[k]);
	if (depth < 6)
		cbt_put_field(heap, depth, field);
	return GB_OK;
}

static gb_status download(const state *s, cbt_output *head, gb_error *err)
{
	const cbt_input *input = s->arrays.input;

	if (cbt_arrays_download(&s->arrays, head, err) != GB_OK)
		return err->code;
	head->last_level = (int64_t)cbt_chunk_level(input->depth);
	if (!cbt_has_heap(input))
		return GB_OK;
	if (make_heap(s, tree_after(s, input->frames), cbt_output_heap(input, head), err) != GB_OK)
		return err->code;
	if (input->op != CBT_CYCLE)
		head->leaves = s->counts[1];
	return GB_OK;
}

/* In units of a field: a reduction reads one and writes a sixteenth.  The rest is as in
 * block.cu. */
static double bytes(const void *params, const cbt_input *input)
{
	return cbt_bytes(input, 1.0625, 1, 3.0625);
}

extern "C" const gb_variant_ops cbt_cuda_ocbt = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<upload>,
	.reset = op<reset>,
	.run = op<cbt_run<state>>,
	.download = op<download>,
	.bytes = op<bytes>,
	.flags = GB_REPEATABLE,
};
