/* chunk.h -- a warp decodes or updates its chunk, 1024 bits of the field; a lane owns a row of 32.
 *
 * An example with 4 lanes and rows of 2 bits, the field of depth 3 whose leaves are nodes 2, 12, 13
 * and 7:
 *	bit                          0 1   2 3   4 5   6 7
 *	field                        1 0   0 0   1 1   1 0
 *	leaf that starts there       2           12 13 7
 *	lane                          0     1     2     3
 *	leaves before its row         0     1     1     3     popc, warp scan
 *	end of the last leaf so far   4     4     6     8     vote, shuffle
 * A leaf ends where the next one starts: the leaf at bit 0 has 4 bits, so it is node (8 + 0) >>
 * log2 4 = 2.  Its split sets its middle bit, 2, in the row of lane 1.  A merge of 12 and 13 clears
 * the bit of the right one, 5.
 *
 * The sums give the number of leaves before the chunk: those of the left siblings of all its
 * ancestors, one lane each, at independent addresses.  Subtrees are aligned, so a leaf that starts
 * within a chunk ends within it, unless it starts with the chunk.  It is then the only leaf of the
 * chunk, and its node is the highest ancestor whose sum is 1.
 *
 * The source of the sums is a template parameter, SUMS, with
 *	get(k, level)       the leaves below node k of that level
 *	before(k, level)    by all lanes: the leaves before the subtree of node k, in all lanes
 *
 * Ids are put in order in shared memory before they are written, so stores are coalesced whatever
 * the shape of the tree.  The ids of a chunk whose leaves have one size are consecutive, and are
 * written without looking at its bits.  Such a tree is bound by its ids, 4 bytes per leaf; others
 * are bound by instructions.
 *
 * An update is a gather: each row finds the effects of its own leaves and of the leaf that covers
 * it, and is written once, to another field.  It needs no atomics, and the order of its reads and
 * writes does not matter.
 */
#ifndef GPUBENCH_CUDA_CBT_SHARED_CHUNK_H
#define GPUBENCH_CUDA_CBT_SHARED_CHUNK_H

#include "cuda/cbt/shared/tree.h"
#include "cuda/primitives/device.h"

enum {
	CBT_BLOCK = 256,
	CBT_WARPS = CBT_BLOCK / WARP,
	CBT_GRID = 16, /* most blocks per SM; a warp may take several chunks */
	CBT_ROW = 32,  /* bits of a lane */
	CBT_CHUNK_LEVELS = 10,
	CBT_CHUNK = 1 << CBT_CHUNK_LEVELS,      /* bits of a warp; a small tree has fewer */
	CBT_STAGE = CBT_CHUNK + CBT_CHUNK / 32, /* words in which a warp puts ids in order */
};

/* Levels above the chunks, and the number of chunks. */
static __host__ __device__ __forceinline__ unsigned cbt_chunk_level(unsigned depth)
{
	return depth > CBT_CHUNK_LEVELS ? depth - CBT_CHUNK_LEVELS : 0;
}

static __host__ __device__ __forceinline__ uint32_t cbt_chunks(unsigned depth)
{
	return 1u << cbt_chunk_level(depth);
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* The number of leaves before node k: the sums of the left siblings on its path, one lane per
 * level. */
template <class SUMS>
static __device__ __forceinline__ uint32_t sum_of_siblings(const SUMS &sums, uint32_t k,
							   unsigned level)
{
	const unsigned lane = threadIdx.x % WARP;
	uint32_t sum = 0;

	if (lane < level && k >> lane & 1)
		sum = sums.get((k >> lane) - 1, level - lane);
	return warp_sum(sum);
}

/* Sums from a heap. */
struct cbt_heap_sums {
	const uint32_t *heap;
	unsigned depth;
	__device__ __forceinline__ uint32_t get(uint32_t k, unsigned level) const
	{
		return cbt_element(heap, depth, level, k);
	}
	__device__ __forceinline__ uint32_t before(uint32_t k, unsigned level) const
	{
		return sum_of_siblings(*this, k, level);
	}
};

/* Sums from an array with one word per node, by node number, in shared or global memory. */
struct cbt_array_sums {
	const uint32_t *count;
	__device__ __forceinline__ uint32_t get(uint32_t k, unsigned) const
	{
		return count[k];
	}
	__device__ __forceinline__ uint32_t before(uint32_t k, unsigned level) const
	{
		return sum_of_siblings(*this, k, level);
	}
};

/* Sums from prefix sums over the chunks: offset[c] leaves come before chunk c.  The last c is the
 * number of chunks. */
struct cbt_offset_sums {
	const uint32_t *offset;
	unsigned chunk_level;
	__device__ __forceinline__ uint32_t get(uint32_t k, unsigned level) const
	{
		const unsigned span = chunk_level - level;
		const uint32_t first = (k << span) - (1u << chunk_level);

		return offset[first + (1u << span)] - offset[first];
	}
	__device__ __forceinline__ uint32_t before(uint32_t k, unsigned) const
	{
		return offset[k - (1u << chunk_level)];
	}
};

/* ---- a chunk ------------------------------------------------------------------------------- */

/* The leaves around a lane's row.  Positions are relative to the chunk's first bit. */
struct cbt_row_leaves {
	uint32_t before; /* leaves of the chunk that start before the row */
	uint32_t all;    /* leaves of the chunk, at least 1 */
	uint32_t end;    /* end of the last leaf that starts in or before the row */
};

/* Bit j: the ancestor of chunk node k, j + 1 levels up, has `sum` leaves. */
template <class SUMS>
static __device__ __forceinline__ uint32_t ancestors_with(const SUMS &sums, uint32_t k,
							  unsigned level, uint32_t sum)
{
	const unsigned lane = threadIdx.x % WARP;
	bool has = false;

	if (lane < level)
		has = sums.get(k >> (lane + 1), level - lane - 1) == sum;
	return __ballot_sync(ALL_LANES, has);
}

static __device__ __forceinline__ unsigned trailing_ones(uint32_t bits)
{
	return ~bits ? (unsigned)__ffs((int)~bits) - 1 : 32;
}

static __device__ __forceinline__ uint32_t lowest_bit(uint32_t bits)
{
	return (uint32_t)__ffs((int)bits) - 1;
}

static __device__ __forceinline__ uint32_t highest_bit(uint32_t bits)
{
	return 31 - (uint32_t)__clz((int)bits);
}

/* k: the chunk's node, on level `level`.  row: the lane's.  All lanes of a warp must call. */
template <class SUMS>
static __device__ __forceinline__ cbt_row_leaves leaves_of_row(const SUMS &sums, unsigned depth,
							       uint32_t k, unsigned level,
							       uint32_t row)
{
	const unsigned lane = threadIdx.x % WARP;
	const uint32_t own = (uint32_t)__popc(row), inclusive = warp_scan(own);
	const uint32_t rows_after = __ballot_sync(ALL_LANES, row != 0) & ~((2u << lane) - 1);
	const uint32_t next = rows_after ? lowest_bit(rows_after) : 0;
	const uint32_t first_of_next = __shfl_sync(ALL_LANES, lowest_bit(row), (int)next);
	cbt_row_leaves leaves;

	leaves.before = inclusive - own;
	leaves.all = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	leaves.end = rows_after ? next * CBT_ROW + first_of_next : 1u << (depth - level);
	if (leaves.all == 1)
		leaves.end <<= trailing_ones(ancestors_with(sums, k, level, 1));
	return leaves;
}

/* ---- decode -------------------------------------------------------------------------------- */

/* Pad by one word in 32; otherwise, the lanes' rows of 32 ids would start in the same bank. */
static __device__ __forceinline__ uint32_t padded(uint32_t i)
{
	return i + i / 32;
}

/* True if all leaves of a chunk have one size; their number is a power of 2.  All lanes call. */
static __device__ __forceinline__ bool have_one_size(uint32_t row, uint32_t leaves)
{
	const uint32_t start = threadIdx.x % WARP * CBT_ROW, size = CBT_CHUNK >> cbt_log2(leaves);
	const uint32_t even = size < CBT_ROW ? row << size | 1 : (start & (size - 1)) == 0;

	return __all_sync(ALL_LANES, row == even);
}

/* The ids of `leaves` leaves of one size, from ids[base] on: first, first + 1 and so on. */
static __device__ __forceinline__ void decode_one_size(uint32_t first, uint32_t leaves,
						       uint32_t *ids, uint32_t base,
						       unsigned long long *sum)
{
	const unsigned lane = threadIdx.x % WARP;

	if (!ids) {
		for (uint32_t i = lane; i < leaves; i += WARP)
			*sum += first + i;
		return;
	}
	ids += base;
	if (leaves == CBT_CHUNK) {
#pragma unroll
		for (uint32_t i = 0; i < CBT_CHUNK; i += WARP)
			ids[i + lane] = first + i + lane;
		return;
	}
	for (uint32_t i = lane; i < leaves; i += WARP)
		ids[i] = first + i;
}

/* Decode chunk `chunk`, of which each lane has a row, and return its number of leaves.  The ids go
 * to ids, from the index that the sums give; if ids is NULL, each lane adds its ids to *sum.
 * stage: CBT_STAGE words of shared memory for this warp, not used without ids.  All lanes of a warp
 * must call. */
template <class SUMS>
static __device__ __forceinline__ uint32_t decode_chunk(const SUMS &sums, unsigned depth,
							uint32_t chunk, uint32_t row, uint32_t *ids,
							uint32_t *stage, unsigned long long *sum)
{
	const unsigned lane = threadIdx.x % WARP, level = cbt_chunk_level(depth);
	const uint32_t k = (1u << level) + chunk;
	const uint32_t start = (1u << depth) + chunk * CBT_CHUNK + lane * CBT_ROW;
	uint32_t base = 0;

	if (!__any_sync(ALL_LANES, row != 0))
		return 0;

	if (ids)
		base = sums.before(k, level);

	const cbt_row_leaves leaves = leaves_of_row(sums, depth, k, level, row);

	/* A chunk's only leaf may be a node above the chunk's. */
	if (leaves.all > 1 && __popc(leaves.all) == 1 && have_one_size(row, leaves.all)) {
		decode_one_size(k * leaves.all, leaves.all, ids, base, sum);
		return leaves.all;
	}

	const uint32_t end = leaves.end - lane * CBT_ROW;
	uint32_t leaf = leaves.before;

	while (row) {
		const uint32_t x = lowest_bit(row);

		row &= row - 1;

		const uint32_t next = row ? lowest_bit(row) : end;
		const uint32_t id = (start + x) >> cbt_log2(next - x);

		if (ids)
			stage[padded(leaf++)] = id;
		else
			*sum += id;
	}
	if (!ids)
		return leaves.all;
	__syncwarp();
	for (uint32_t i = lane; i < leaves.all; i += WARP)
		ids[(size_t)base + i] = stage[padded(i)];
	__syncwarp();
	return leaves.all;
}

/* ---- split and merge ----------------------------------------------------------------------- */

/* True if the first bit of a chunk without leaves is set by the split of the leaf that covers it,
 * number `leaf`. */
template <class SUMS>
static __device__ __forceinline__ bool is_middle_of_split(const SUMS &sums, uint32_t k,
							  unsigned level, uint32_t leaf,
							  const cbt_wishes &wishes)
{
	const uint32_t none = ancestors_with(sums, k, level, 0);
	const uint32_t one = ancestors_with(sums, k, level, 1);
	/* The highest ancestor without leaves is `up` levels up.  It is half of the leaf's node if
	 * that is its parent, so that the parent's parent has more than one leaf. */
	const unsigned up = trailing_ones(none);
	const bool is_half = !(one >> (up + 1) & 1);
	const bool starts = (k & ((1u << up) - 1)) == 0;

	return is_half && starts && cbt_wish(wishes.split, leaf);
}

/* True if the only leaf of a chunk, number `leaf`, is merged into its left sibling.  It ends 2^up
 * chunks after its start. */
template <class SUMS>
static __device__ __forceinline__ bool merges_only_leaf(const SUMS &sums, uint32_t k,
							unsigned level, unsigned up, uint32_t leaf,
							const cbt_wishes &wishes)
{
	if (up >= level || !(k >> up & 1) || !cbt_wish(wishes.merge, leaf))
		return false;
	return sums.get(k >> (up + 1), level - up - 1) == 2 && cbt_wish(wishes.merge, leaf - 1);
}

/* The row after its own leaves, of which the first is number `leaf`, are split and merged.
 * previous: position of the leaf before it, if the chunk has one.  end: that of the last one. */
static __device__ __forceinline__ uint32_t update_row(uint32_t row, uint32_t leaf,
						      uint32_t previous, uint32_t end,
						      const cbt_wishes &wishes)
{
	const uint32_t start = threadIdx.x % WARP * CBT_ROW;
	uint32_t remaining = row;

	while (remaining) {
		const uint32_t x = lowest_bit(remaining), position = start + x;

		remaining &= remaining - 1;

		const uint32_t size = (remaining ? start + lowest_bit(remaining) : end) - position;

		if (size > 1 && size <= CBT_ROW && cbt_wish(wishes.split, leaf))
			row |= 1u << (x + size / 2);
		if (position & size && previous == position - size &&
		    cbt_wish(wishes.merge, leaf) && cbt_wish(wishes.merge, leaf - 1))
			row &= ~(1u << x);
		previous = position;
		leaf++;
	}
	return row;
}

/* Return the lane's row of chunk `chunk` after the frame.  All lanes of a warp must call. */
template <class SUMS>
static __device__ __forceinline__ uint32_t update_chunk(const SUMS &sums, unsigned depth,
							uint32_t chunk, uint32_t row,
							const cbt_wishes &wishes)
{
	const unsigned lane = threadIdx.x % WARP, level = cbt_chunk_level(depth);
	const uint32_t k = (1u << level) + chunk, base = sums.before(k, level);
	const uint32_t rows = __ballot_sync(ALL_LANES, row != 0);

	if (!rows)
		return is_middle_of_split(sums, k, level, base - 1, wishes) && lane == 0;

	const cbt_row_leaves leaves = leaves_of_row(sums, depth, k, level, row);
	const uint32_t rows_before = rows & lanes_below();
	const uint32_t before = rows_before ? highest_bit(rows_before) : 0;
	const uint32_t last_of_before =
		__shfl_sync(ALL_LANES, row ? highest_bit(row) : 0, (int)before);
	const uint32_t previous = before * CBT_ROW + last_of_before;

	if (row == 0) {
		/* A split of the leaf that covers this row sets the leaf's middle bit. */
		const uint32_t middle = previous + (leaves.end - previous) / 2;

		return middle == lane * CBT_ROW && cbt_wish(wishes.split, base + leaves.before - 1);
	}
	row = update_row(row, base + leaves.before, previous, leaves.end, wishes);
	if (lane == 0 && leaves.all == 1 &&
	    merges_only_leaf(sums, k, level, cbt_log2(leaves.end) - (depth - level), base, wishes))
		row &= ~1u;
	return row;
}

/* ---- kernels ------------------------------------------------------------------------------- */

/* Store the ids of all leaves in order or, if ids is NULL, their sum.  A warp may take several
 * chunks.  Uses 33 KiB of shared memory. */
template <class SUMS>
static __global__ void __launch_bounds__(CBT_BLOCK)
	decode_kernel(SUMS sums, cbt_field field, uint32_t *ids, cbt_result *result)
{
	__shared__ uint32_t stages[CBT_WARPS * CBT_STAGE];
	const unsigned lane = threadIdx.x % WARP, depth = field.depth;
	const uint32_t chunks = cbt_chunks(depth), level = cbt_chunk_level(depth);
	uint32_t *const stage = stages + threadIdx.x / WARP * CBT_STAGE;
	unsigned long long sum = 0;

	for (uint32_t c = (blockIdx.x * CBT_BLOCK + threadIdx.x) / WARP; c < chunks;
	     c += gridDim.x * CBT_WARPS) {
		const uint32_t row = cbt_row(field, c * WARP + lane);
		const uint32_t leaves = decode_chunk(sums, depth, c, row, ids, stage, &sum);

		if (c == chunks - 1) {
			const uint32_t before = sums.before((1u << level) + c, level);

			if (lane == 0)
				result->leaves = before + leaves;
		}
	}
	if (ids)
		return;
	sum = warp_sum(sum);
	if (lane == 0)
		atomicAdd(&result->id_sum, sum);
}

/* Store the field `from`, after the frame, in `to`. */
template <class SUMS>
static __global__ void __launch_bounds__(CBT_BLOCK)
	update_kernel(SUMS sums, cbt_field from, cbt_field to, cbt_wishes wishes)
{
	const unsigned lane = threadIdx.x % WARP, depth = from.depth;

	for (uint32_t c = (blockIdx.x * CBT_BLOCK + threadIdx.x) / WARP; c < cbt_chunks(depth);
	     c += gridDim.x * CBT_WARPS) {
		const uint32_t row = cbt_row(from, c * WARP + lane);

		cbt_put_row(to, c * WARP + lane, update_chunk(sums, depth, c, row, wishes));
	}
}

/* Blocks to launch for so many chunks, one warp each. */
static inline unsigned cbt_grid(uint32_t chunks)
{
	const uint32_t blocks = chunks / CBT_WARPS + (chunks % CBT_WARPS != 0);
	const uint32_t most = (uint32_t)gpu_sm_count() * CBT_GRID;

	return blocks < most ? blocks : most;
}

/* Clear the sum of the ids before a kernel adds to it. */
static inline gb_status cbt_clear_sum(const cbt_arrays *a, gb_error *err)
{
	return a->ids ? GB_OK : gpu_zero(a->result, 1, err);
}

template <class SUMS>
static inline gb_status cbt_decode(const SUMS &sums, const cbt_field &field, const cbt_arrays *a,
				   gb_error *err)
{
	if (cbt_clear_sum(a, err) != GB_OK)
		return err->code;
	decode_kernel<SUMS><<<cbt_grid(cbt_chunks(field.depth)), CBT_BLOCK, 0, gpu_stream()>>>(
		sums, field, a->ids, a->result);
	return CUDA_TRY(err, cudaGetLastError());
}

template <class SUMS>
static inline gb_status cbt_update(const SUMS &sums, const cbt_field &from, const cbt_field &to,
				   const cbt_wishes &wishes, gb_error *err)
{
	update_kernel<SUMS><<<cbt_grid(cbt_chunks(from.depth)), CBT_BLOCK, 0, gpu_stream()>>>(
		sums, from, to, wishes);
	return CUDA_TRY(err, cudaGetLastError());
}

#endif
