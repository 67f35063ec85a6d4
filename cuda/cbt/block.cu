/* block.cu -- step 4 of 5: blocks own whole words of every level, a warp decodes 1024 bits.
 *
 * 32 consecutive nodes of level d fill D - d + 1 whole 32-bit words, so the owner of such a group
 * writes plain words: it needs no atomics, and each level is written once and never read.  Unlike
 * descent, it reads the field once for all levels and finds a leaf by counting bits.
 *
 *	reduce  Up to depth 17: one launch of independent blocks.  Each counts the whole field,
 *	        at most 16 KiB, into shared memory and writes its share of the heap's words
 *	        (wide_kernel).
 *	        Deeper: one block per 2^15 bits.  The last of 128 neighbouring blocks to finish
 *	        combines their subtrees, and so on up to the root (tile_kernel).
 *	        A lane owns 128 bits.  Levels D - 1 to D - 3 are packed within its words, D - 4 to
 *	        D - 7 in the warp's shared memory, the rest by the block.
 *	decode  One warp per 1024 bits (chunk.h).
 *	cycle   Reduce and decode; up to depth 17 in one launch, since every block has the sums.
 *	update  Two launches per frame: a warp per 1024 bits finds its leaves and writes the
 *	        frame's field to another heap; then that heap is reduced.  Frames alternate
 *	        between two heaps, and the initial heap does not change.
 *	bitfield  Counts the leaves of each chunk, computes their prefix sums, then decodes.
 *
 * Bytes, for a field of F = 2^D / 8: reduce reads F and writes 3 F; decode reads F and writes 4
 * bytes per leaf.  At depth 17, the launch and the dependent steps dominate.
 */
#include "cuda/cbt/shared/chunk.h"
#include "cuda/cbt/shared/limits.h"
#include "cuda/cbt/shared/pack.h"
#include "cuda/primitives/primitives.h"

enum {
	BLOCK = CBT_BLOCK,
	WARPS = CBT_WARPS,
	WIDE_LEVELS = (int)CBT_WIDE_LEVELS, /* deepest tree of wide_kernel */
	WIDE_COUNTS = 1 << (WIDE_LEVELS - QUAD_LEVELS + 1),
	SLICE_LEVELS = 13, /* a block of wide_kernel writes the share of 2^13 bits */
	SLICE_STRIPS = 1 << (SLICE_LEVELS - STRIP_LEVELS),
	SLICE_CHUNKS = 1 << (SLICE_LEVELS - CBT_CHUNK_LEVELS),
	TILE_LEVELS = 15, /* a block of tile_kernel owns 2^15 bits */
	TILE_STRIPS = 1 << (TILE_LEVELS - STRIP_LEVELS),
	GROUP = 32, /* nodes that fill whole words, GROUP_LEVELS below their root */
	GROUP_LEVELS = 5,
	FAN_LEVELS = (int)CBT_BLOCK_FAN, /* one block combines 2^7 subtrees */
};

struct state {
	cbt_arrays arrays;
	uint32_t *heap[3]; /* the input's, then two that the frames of update alternate between */
	uint32_t *partial; /* [node][GROUP]: sums GROUP_LEVELS below the root of a tile or group */
	uint32_t *ticket;  /* [node]: finished parts of a group; 0 between runs */
	uint32_t *chunk;   /* bitfield: [chunks + 1] leaves of each chunk, then 0 */
	uint32_t *offset;  /* leaves before each chunk */
	void *temp;        /* temporary storage of the scan */
	unsigned fan;      /* levels that a block combines */
};

/* ---- reduce, up to depth 17 ---------------------------------------------------------------- */

/* Compute the sums of all nodes down to level `bottom` into count, by node number. */
static __device__ __forceinline__ void count_field(const cbt_field &field, unsigned bottom,
						   uint32_t *count)
{
	for (uint32_t i = threadIdx.x; i < 1u << bottom; i += BLOCK)
		count[(1u << bottom) + i] =
			field.depth < STRIP_LEVELS
				? (uint32_t)__popc(cbt_row(field, i / 16) >> i % 16 * 2 & 3)
				: quad_leaves(quad_of_field(field, i));
	__syncthreads();
	for (uint32_t nodes = 1u << bottom >> 1; nodes > 0; nodes /= 2) {
		for (uint32_t i = threadIdx.x; i < nodes; i += BLOCK)
			count[nodes + i] = count[2 * (nodes + i)] + count[2 * (nodes + i) + 1];
		__syncthreads();
	}
}

/* By one block: write a tree of less than 2^12 bits, whose sums are all in count. */
static __device__ __forceinline__ void write_small(uint32_t *heap, unsigned depth,
						   const uint32_t *count)
{
	const uint32_t field = 3u << depth, words = (field + 31) / 32;

	for (uint32_t o = threadIdx.x; o < words; o += BLOCK) {
		uint32_t word = heap_word(count, depth, depth, o);

		if (o == field / 32) /* the field begins in this word */
			word |= heap[o] & ~((1u << field % 32) - 1);
		heap[o] = word;
	}
}

/* A warp's buffer in wide_kernel: sums first, ids later. */
union warp_shared {
	struct strip strip;
	uint32_t stage[CBT_STAGE];
};

/* Block b writes the lowest levels of slice b of the field, its share of all other sums and, if
 * DECODE, the ids of slice b.  BLOCK threads; count (8 KiB) and warps (33 KiB) in shared memory. */
template <bool DECODE>
static __global__ void __launch_bounds__(BLOCK)
	wide_kernel(uint32_t *heap, unsigned depth, uint32_t *ids, cbt_result *result)
{
	__shared__ uint32_t count[WIDE_COUNTS];
	__shared__ warp_shared warps[WARPS];
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const unsigned bottom = depth < STRIP_LEVELS ? depth - 1 : depth - QUAD_LEVELS;
	const cbt_field field = cbt_field_of(heap, depth);
	unsigned long long sum = 0;

	count_field(field, bottom, count);
	if (depth < STRIP_LEVELS) {
		write_small(heap, depth, count);
	} else {
		const uint32_t strips = 1u << (depth - STRIP_LEVELS);
		const uint32_t first = blockIdx.x * SLICE_STRIPS;
		const uint32_t upper = (uint32_t)cbt_level_word(depth, bottom);

		for (uint32_t i = first + warp; i < min(first + SLICE_STRIPS, strips); i += WARPS)
			reduce_strip(heap, depth, i, quad_of_field(field, i * WARP + lane),
				     &warps[warp].strip);
		for (uint32_t o = blockIdx.x * BLOCK + threadIdx.x; o < upper;
		     o += gridDim.x * BLOCK)
			heap[o] = heap_word(count, depth, bottom, o);
	}
	if (!DECODE)
		return;
	__syncthreads();

	const cbt_array_sums sums = { count };
	const uint32_t first = blockIdx.x * SLICE_CHUNKS;

	for (uint32_t c = first + warp; c < min(first + SLICE_CHUNKS, cbt_chunks(depth));
	     c += WARPS)
		decode_chunk(sums, depth, c, cbt_row(field, c * WARP + lane), ids,
			     warps[warp].stage, &sum);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		result->leaves = count[1];
	if (ids)
		return;
	sum = warp_sum(sum);
	if (lane == 0)
		atomicAdd(&result->id_sum, sum);
}

/* ---- reduce, above ------------------------------------------------------------------------- */

/* A block's shared memory. */
struct tile_shared {
	union {
		struct strip strip[WARPS];
		uint32_t top[GROUP << FAN_LEVELS]; /* sums of a group, by node from its root */
	};
	uint32_t sum256[1 << (TILE_LEVELS - 8)];
	uint32_t sum512[1 << (TILE_LEVELS - 9)];
	uint32_t sum1024[GROUP];
	uint32_t last;
};

/* By a block: write nodes first .. first + nodes - 1 of a level, whole groups, to the heap. */
static __device__ __forceinline__ void write_nodes(uint32_t *heap, unsigned depth, unsigned level,
						   uint32_t first, const uint32_t *count,
						   uint32_t nodes)
{
	const unsigned width = cbt_width(depth, level);
	uint32_t *const to = heap + cbt_level_word(depth, level) + (size_t)(first / 32) * width;

	for (uint32_t o = threadIdx.x; o < nodes / 32 * width; o += BLOCK)
		to[o] = pack_word(count, width, o);
}

/* Write the ten lowest levels of tile number `tile`, and the highest of them to partial. */
static __device__ __forceinline__ void reduce_tile(uint32_t *heap, unsigned depth, uint32_t tile,
						   uint32_t *partial, tile_shared *s)
{
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const cbt_field field = cbt_field_of(heap, depth);

	for (uint32_t i = warp; i < TILE_STRIPS; i += WARPS) {
		const uint32_t strip = tile * TILE_STRIPS + i;
		const uint4 quad = quad_of_field(field, (size_t)strip * WARP + lane);
		uint32_t sum = reduce_strip(heap, depth, strip, quad, &s->strip[warp]);

		sum += __shfl_xor_sync(ALL_LANES, sum, 1);
		if (lane % 2 == 0)
			s->sum256[i * 16 + lane / 2] = sum;
		sum += __shfl_xor_sync(ALL_LANES, sum, 2);
		if (lane % 4 == 0)
			s->sum512[i * 8 + lane / 4] = sum;
		sum += __shfl_xor_sync(ALL_LANES, sum, 4);
		if (lane % 8 == 0) {
			s->sum1024[i * 4 + lane / 8] = sum;
			partial[i * 4 + lane / 8] = sum;
		}
	}
	__syncthreads();
	write_nodes(heap, depth, depth - 8, tile * 128, s->sum256, 128);
	write_nodes(heap, depth, depth - 9, tile * 64, s->sum512, 64);
	write_nodes(heap, depth, depth - 10, tile * 32, s->sum1024, 32);
}

/* Combine the 2^fan subtrees below node k of level `level`, whose sums are in partial.  Write
 * levels level + GROUP_LEVELS to level + fan + GROUP_LEVELS - 1 below k to the heap and the first
 * of them to partial.  If k is the root, write all levels down to the last of these. */
static __device__ void finish_group(uint32_t *heap, unsigned depth, uint32_t k, unsigned level,
				    unsigned fan, uint32_t *partial, tile_shared *s)
{
	const uint32_t *const in = partial + (size_t)GROUP * (k << fan);
	const uint32_t half = GROUP << fan >> 1, top_nodes = k == 1 ? 1 : GROUP;

	for (uint32_t i = threadIdx.x; i < half; i += BLOCK)
		s->top[half + i] = in[2 * i] + in[2 * i + 1];
	__syncthreads();
	for (uint32_t nodes = half / 2; nodes >= top_nodes; nodes /= 2) {
		for (uint32_t i = threadIdx.x; i < nodes; i += BLOCK)
			s->top[nodes + i] = s->top[2 * (nodes + i)] + s->top[2 * (nodes + i) + 1];
		__syncthreads();
	}
	if (k == 1) {
		const unsigned levels = fan + GROUP_LEVELS;

		for (uint32_t o = threadIdx.x; o < cbt_level_word(depth, levels); o += BLOCK)
			heap[o] = heap_word(s->top, depth, levels, o);
		return;
	}
	for (unsigned up = fan + GROUP_LEVELS - 1; up >= GROUP_LEVELS; up--)
		write_nodes(heap, depth, level + up, (k - (1u << level)) << up, s->top + (1u << up),
			    1u << up);
	for (uint32_t i = threadIdx.x; i < GROUP; i += BLOCK)
		partial[(size_t)GROUP * k + i] = s->top[GROUP + i];
}

/* One block per tile of 2^TILE_LEVELS bits. */
static __global__ void __launch_bounds__(BLOCK)
	tile_kernel(uint32_t *heap, unsigned depth, unsigned max_fan, uint32_t *partial,
		    uint32_t *ticket)
{
	__shared__ tile_shared s;
	unsigned level = depth - TILE_LEVELS;
	uint32_t k = (1u << level) + blockIdx.x;

	reduce_tile(heap, depth, blockIdx.x, partial + (size_t)GROUP * k, &s);
	while (level > 0) {
		const unsigned fan = min(max_fan, level);

		k >>= fan;
		level -= fan;
		if (!last_of(&ticket[k], 1u << fan, &s.last))
			return;
		finish_group(heap, depth, k, level, fan, partial, &s);
	}
}

/* ---- bitfield ------------------------------------------------------------------------------- */

/* Count the leaves of each chunk, and store a 0 after the last. */
static __global__ void __launch_bounds__(BLOCK) count_kernel(cbt_field field, uint32_t *chunk)
{
	const uint32_t lane = threadIdx.x % WARP, chunks = cbt_chunks(field.depth);

	for (uint32_t c = (blockIdx.x * BLOCK + threadIdx.x) / WARP; c <= chunks;
	     c += gridDim.x * WARPS) {
		const uint32_t row = c < chunks ? cbt_row(field, c * WARP + lane) : 0;
		const uint32_t leaves = warp_sum((uint32_t)__popc(row));

		if (lane == 0)
			chunk[c] = leaves;
	}
}

/* ---- host ---------------------------------------------------------------------------------- */

/* Compute the sums of a heap from its field and, if `decode`, the ids. */
static gb_status reduce_wide(const state *s, uint32_t *heap, bool decode, gb_error *err)
{
	const cbt_arrays *a = &s->arrays;
	const unsigned depth = a->input->depth;
	const unsigned blocks = depth > SLICE_LEVELS ? 1u << (depth - SLICE_LEVELS) : 1;

	if (decode && cbt_clear_sum(a, err) != GB_OK)
		return err->code;
	const auto kernel = decode ? wide_kernel<true> : wide_kernel<false>;

	kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(heap, depth, a->ids, a->result);
	return CUDA_TRY(err, cudaGetLastError());
}

/* The heap after `frames` frames. */
static uint32_t *heap_after(const state *s, size_t frames)
{
	return s->heap[cbt_tree_after(frames)];
}

static gb_status reduce(const state *s, size_t frames, gb_error *err)
{
	const unsigned depth = s->arrays.input->depth;
	uint32_t *const heap = heap_after(s, frames);

	if (!s->ticket)
		return reduce_wide(s, heap, false, err);
	tile_kernel<<<1u << (depth - TILE_LEVELS), BLOCK, 0, gpu_stream()>>>(heap, depth, s->fan,
									     s->partial, s->ticket);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Decode with existing sums. */
static gb_status decode(const state *s, gb_error *err)
{
	const unsigned depth = s->arrays.input->depth;
	const cbt_heap_sums sums = { s->heap[0], depth };

	return cbt_decode(sums, cbt_field_of(s->heap[0], depth), &s->arrays, err);
}

static gb_status update(const state *s, size_t f, const cbt_wishes &wishes, gb_error *err)
{
	const unsigned depth = s->arrays.input->depth;
	uint32_t *const from = heap_after(s, f), *const to = heap_after(s, f + 1);
	const cbt_heap_sums sums = { from, depth };

	return cbt_update(sums, cbt_field_of(from, depth), cbt_field_of(to, depth), wishes, err);
}

/* Decode from the field alone. */
static gb_status bitfield(const state *s, gb_timer *timer, gb_error *err)
{
	const unsigned depth = s->arrays.input->depth;
	const uint32_t chunks = cbt_chunks(depth);
	const cbt_field field = cbt_field_of(s->heap[0], depth);
	const cbt_offset_sums sums = { s->offset, cbt_chunk_level(depth) };

	gb_phase(timer, "count");
	count_kernel<<<cbt_grid(chunks + 1), BLOCK, 0, gpu_stream()>>>(field, s->chunk);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	gb_phase(timer, "scan");
	if (gpu_scan(s->chunk, s->offset, (size_t)chunks + 1, NULL, s->temp, err))
		return err->code;
	gb_phase(timer, "decode");
	return cbt_decode(sums, field, &s->arrays, err);
}

/* ---- the variant --------------------------------------------------------------------------- */

/* Allocate the arrays of tile_kernel: sums and a ticket for each node down to the tiles. */
static gb_status create_tiles(state *s, gb_error *err)
{
	const size_t nodes = (size_t)2 << (s->arrays.input->depth - TILE_LEVELS);

	s->fan = cbt_cuda_limits.block_fan;
	(void)gpu_alloc(&s->partial, GROUP * nodes, err);
	return gpu_alloc_zeroed(&s->ticket, nodes, err);
}

static gb_status create_offsets(state *s, gb_error *err)
{
	const size_t count = (size_t)cbt_chunks(s->arrays.input->depth) + 1;

	(void)gpu_alloc(&s->chunk, count, err);
	(void)gpu_alloc(&s->offset, count, err);
	return gpu_alloc(&s->temp, gpu_scan_temp_bytes(count), 1, err);
}

static gb_status create(state *s, const void *params, const cbt_input *input, gb_error *err)
{
	const int heaps = input->op == CBT_UPDATE ? 3 : 1;

	(void)cbt_arrays_create(&s->arrays, input, err);
	(void)gpu_alloc(&s->heap[0], cbt_heap_words32(input), err);
	for (int i = 1; i < heaps; i++)
		(void)gpu_alloc_zeroed(&s->heap[i], cbt_heap_words32(input), err);
	if (input->op == CBT_REDUCE || input->op == CBT_CYCLE)
		gb_memory_result(s->heap[0], cbt_sum_bytes(input->depth), 0);
	for (int i = 1; i < heaps; i++)
		gb_memory_result(s->heap[i], GB_WHOLE, 0);
	if (input->op == CBT_BITFIELD)
		return create_offsets(s, err);
	if (cbt_has_heap(input) && input->depth > cbt_cuda_limits.wide)
		return create_tiles(s, err);
	return err->code;
}

static gb_status upload(const state *s, gb_error *err)
{
	(void)cbt_arrays_upload(&s->arrays, err);
	return cbt_heap_upload(&s->arrays, s->heap[0], err);
}

static gb_status reset(const state *s, int64_t sample, gb_error *err)
{
	return cbt_heap_reset(&s->arrays, s->heap[0], err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	const cbt_op op = s->arrays.input->op;

	if (op == CBT_BITFIELD)
		return bitfield(s, timer, err);
	if (op == CBT_DECODE)
		return decode(s, err);
	if (op == CBT_CYCLE && !s->ticket)
		return reduce_wide(s, s->heap[0], true, err);
	return op == CBT_REDUCE ? reduce(s, 0, err) : cbt_run(s, timer, err);
}

static gb_status download(const state *s, void *output, gb_error *err)
{
	return cbt_heap_download(&s->arrays, heap_after(s, s->arrays.input->frames), output, err);
}

/* In units of a field: a reduction reads one and writes three; a decoding reads one and writes the
 * ids; bitfield reads it twice.  A frame reads one and two wishes per leaf, and writes another,
 * before it is reduced. */
static double bytes(const void *params, const cbt_input *input)
{
	return cbt_bytes(input, 4, input->op == CBT_BITFIELD ? 2 : 1, 6);
}

extern "C" const gb_variant_ops cbt_cuda_block = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<upload>,
	.reset = op<reset>,
	.run = op<run>,
	.download = op<download>,
	.bytes = op<bytes>,
	.flags = GB_REPEATABLE,
};
