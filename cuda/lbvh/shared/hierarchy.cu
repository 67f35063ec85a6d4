/* hierarchy.cu -- leaf nodes, inner nodes and their boxes on the device, three ways.
 *
 *	karras_kernel, refit_kernel   the paper's method (section 4.1, steps 5 and 6): one thread
 *	                              per inner node finds its range and split by binary search
 *	                              (Karras 2012); then one launch per level joins the boxes of
 *	                              nodes whose children have theirs
 *	karras_kernel, climb_kernel   boxes by one kernel from the leaves up
 *	fused_kernel                  one kernel from the leaves up also finds the nodes (Apetrei
 *	                              2014)
 *
 * "From the leaves up": one thread per leaf.  The first of two threads that meet at a node leaves a
 * mark and ends; the second continues with the joint box.  The mark is a compare-and-swap or an
 * addition that releases the first thread's node and lets the second read it.
 *
 * Apetrei's method: a subtree's sibling is the neighbour with which its codes share more bits.  The
 * two meet at their parent's split, where the first to arrive leaves the other bound of its range.
 * This gives the parent's range; the children's numbers follow from split and range as in
 * common/lbvh_types.h.  No parent is stored, and no node is read before its box is complete.
 *
 * A block joins the subtrees among its leaves in shared memory, where two meet by a
 * compare-and-swap within the block.  When no more can be joined, the nodes are written out in
 * rows.  The remaining subtrees wait for subtrees of other blocks, and one or two warps continue
 * with them in global memory.  To leave few of these, a block ends at that one of 32 splits whose
 * codes share the fewest bits.
 *
 * Bound: memory, mostly for the boxes of primitives, gathered in the order of the curve, one sector
 * of 32 bytes each.
 */
#include "cuda/lbvh/shared/builder.h"

#include <float.h>

enum {
	BLOCK = 256,
	FEW = 32,        /* most primitives of a leaf that one thread takes alone */
	PASSES = 32,     /* refit passes: 30-bit codes give at most 30 inner levels */
	PASS_BLOCKS = 8, /* most blocks of a pass per SM: as many as run at once */
};

#define DONE UINT64_MAX

/* A box; of nothing unless it is set. */
struct bounds {
	float lo[3] = { FLT_MAX, FLT_MAX, FLT_MAX };
	float hi[3] = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
};

/* ---- nodes -------------------------------------------------------------------------------- */

/* fminf() is one instruction, and equals lbvh_min() if nothing is NaN or -0. */
static __device__ __forceinline__ void widen(bounds *b, float4 lo, float4 hi)
{
	b->lo[0] = fminf(b->lo[0], lo.x);
	b->lo[1] = fminf(b->lo[1], lo.y);
	b->lo[2] = fminf(b->lo[2], lo.z);
	b->hi[0] = fmaxf(b->hi[0], hi.x);
	b->hi[1] = fmaxf(b->hi[1], hi.y);
	b->hi[2] = fmaxf(b->hi[2], hi.z);
}

/* Widen by the box of node i. */
static __device__ __forceinline__ void widen_by_node(bounds *b, const lbvh_node *node, uint32_t i)
{
	const float4 *const from = (const float4 *)(const void *)(node + i);

	widen(b, from[0], from[1]);
}

/* ---- leaves ------------------------------------------------------------------------------- */

/* The box of the primitives at positions begin, begin + step, ... before end. */
static __device__ __forceinline__ bounds bound_positions(const lbvh_gpu *g, uint32_t begin,
							 uint32_t end, uint32_t step)
{
	bounds b = {};

	for (uint32_t i = begin; i < end; i += step) {
		const float4 *const box = (const float4 *)(const void *)(g->box + g->index[i]);

		widen(&b, box[0], box[1]);
	}
	return b;
}

/* The same by a whole warp; every lane gets the box. */
static __device__ __forceinline__ bounds bound_by_warp(const lbvh_gpu *g, uint32_t begin,
						       uint32_t end)
{
	bounds b = bound_positions(g, begin + threadIdx.x % WARP, end, WARP);

	for (int step = WARP / 2; step > 0; step /= 2)
		widen(&b,
		      make_float4(__shfl_xor_sync(ALL_LANES, b.lo[0], step),
				  __shfl_xor_sync(ALL_LANES, b.lo[1], step),
				  __shfl_xor_sync(ALL_LANES, b.lo[2], step), 0),
		      make_float4(__shfl_xor_sync(ALL_LANES, b.hi[0], step),
				  __shfl_xor_sync(ALL_LANES, b.hi[1], step),
				  __shfl_xor_sync(ALL_LANES, b.hi[2], step), 0));
	return b;
}

/* A leaf's primitives: their positions, and their box. */
struct leaf {
	uint32_t begin, end;
	bounds box;
};

/* This thread's leaf if `mine`, else an empty one.  All lanes of the warp call together. */
static __device__ __forceinline__ leaf bound_leaf(const lbvh_gpu *g, uint32_t number, bool mine)
{
	const uint32_t begin = mine ? g->first[number] : 0, end = mine ? g->first[number + 1] : 0;
	const bool few = end - begin <= FEW;
	bounds b = bound_positions(g, begin, few ? end : begin, 1);

	for (unsigned many = __ballot_sync(ALL_LANES, !few); many; many &= many - 1) {
		const int lane = __ffs((int)many) - 1;
		const bounds all = bound_by_warp(g, __shfl_sync(ALL_LANES, begin, lane),
						 __shfl_sync(ALL_LANES, end, lane));

		if ((int)(threadIdx.x % WARP) == lane)
			b = all;
	}
	return { begin, end, b };
}

/* One thread per primitive; the first `leaves` of them write a leaf each. */
static __global__ void leaves_kernel(lbvh_gpu g)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;
	const leaf mine = bound_leaf(&g, i, i < leaves);

	if (i >= leaves)
		return;
	lbvh_node_store(g.node, leaves - 1 + i, mine.box.lo, mine.box.hi, LBVH_LEAF | mine.begin,
			mine.end - mine.begin);
}

gb_status lbvh_gpu_leaf_nodes(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	leaves_kernel<<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- Karras' hierarchy -------------------------------------------------------------------- */

/* Common leading bits of the codes of leaves i and j; -1 if there is no leaf j. */
template <class T>
static __device__ __forceinline__ int delta(const T *code, int leaves, int i, int j)
{
	return j < 0 || j >= leaves ? -1 : lbvh_delta(code[i], code[j]);
}

/* The children of inner node i, in the steps and words of Karras' figure 4. */
static __device__ __forceinline__ uint2 karras_node(const uint32_t *code, int leaves, int i)
{
	/* 1. Leaf i is one end of the range; the other is on the side with more common bits. */
	const int direction =
		delta(code, leaves, i, i + 1) > delta(code, leaves, i, i - 1) ? 1 : -1;

	/* 2. An upper bound of the range's length, then the length by binary search: all leaves of
	 * the range share more than delta_min bits with leaf i. */
	const int delta_min = delta(code, leaves, i, i - direction);
	int length_max = 2, length = 0;

	while (delta(code, leaves, i, i + length_max * direction) > delta_min)
		length_max *= 2;
	for (int step = length_max / 2; step > 0; step /= 2)
		if (delta(code, leaves, i, i + (length + step) * direction) > delta_min)
			length += step;

	/* 3. The split by binary search: leaves on this side share more than delta_node bits. */
	const int delta_node = delta(code, leaves, i, i + length * direction);
	int offset = 0;

	for (int step = (length + 1) / 2;; step = (step + 1) / 2) {
		if (delta(code, leaves, i, i + (offset + step) * direction) > delta_node)
			offset += step;
		if (step <= 1)
			break;
	}

	/* 4. The children cover first .. split and split + 1 .. last. */
	const int first = direction > 0 ? i : i - length, last = direction > 0 ? i + length : i;
	const int split = direction > 0 ? i + offset : i - offset - 1;

	return make_uint2((uint32_t)(first == split ? leaves - 1 + split : split),
			  (uint32_t)(last == split + 1 ? leaves + split : split + 1));
}

/* One thread per inner node. */
static __global__ void karras_kernel(lbvh_gpu g)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	const int leaves = (int)g.counters->leaves;

	if ((int)i >= leaves - 1)
		return;

	const uint2 child = karras_node((const uint32_t *)g.code, leaves, (int)i);

	g.node[i].left = child.x;
	g.node[i].right = child.y;
	if (g.needs & LBVH_GPU_MARKS)
		g.mark[i] = (uint64_t)child.y << 32 | child.x;
	if (g.needs & LBVH_GPU_PARENTS) {
		g.parent[child.x] = i;
		g.parent[child.y] = i;
		g.arrived[i] = 0;
	}
}

gb_status lbvh_gpu_karras(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	gb_phase(timer, "hierarchy");
	karras_kernel<<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- boxes pass by pass ------------------------------------------------------------------- */

/* True if node i has its box: it is a leaf, or marked. */
static __device__ __forceinline__ bool is_done(const lbvh_gpu *g, uint32_t i, uint32_t inner)
{
	return i >= inner || gpu_ld_acquire(&g->mark[i]) == DONE;
}

/* Make the box of inner node i if both children have theirs.  Return true if it is made now. */
static __device__ __forceinline__ bool refit_node(const lbvh_gpu *g, uint32_t i, uint32_t inner)
{
	const uint64_t children = gpu_ld_relaxed(&g->mark[i]);
	const uint32_t left = (uint32_t)children, right = (uint32_t)(children >> 32);
	bounds b = {};

	if (children == DONE || !is_done(g, left, inner) || !is_done(g, right, inner))
		return false;
	widen_by_node(&b, g->node, left);
	widen_by_node(&b, g->node, right);
	lbvh_node_store(g->node, i, b.lo, b.hi, left, right);
	gpu_st_release(&g->mark[i], DONE);
	return true;
}

/* Grid-stride loop over the inner nodes.  counters->done ends later passes; a block of the pass
 * that sets it may see it early, but then has nothing to do either. */
static __global__ void refit_kernel(lbvh_gpu g, uint32_t pass)
{
	const uint32_t inner = (uint32_t)g.counters->leaves - 1;

	if (gpu_ld_relaxed(&g.counters->done))
		return;
	for (uint32_t i = blockIdx.x * BLOCK + threadIdx.x; i < inner; i += gridDim.x * BLOCK)
		if (refit_node(&g, i, inner) && i == 0) {
			g.counters->passes = pass;
			gpu_st_relaxed(&g.counters->done, 1u);
		}
}

gb_status lbvh_gpu_refit_passes(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	const unsigned nodes = gpu_blocks(g->count, BLOCK);
	const unsigned blocks = min(nodes, (unsigned)gpu_sm_count() * PASS_BLOCKS);

	gb_phase(timer, "refit");
	for (uint32_t pass = 1; pass <= PASSES; pass++)
		refit_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(*g, pass);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- boxes in one pass -------------------------------------------------------------------- */

/* One thread per leaf. */
static __global__ void climb_kernel(lbvh_gpu g)
{
	const uint32_t leaf = blockIdx.x * BLOCK + threadIdx.x;
	const uint32_t leaves = (uint32_t)g.counters->leaves;
	bounds b = {};
	uint32_t i = leaves - 1 + leaf;

	if (leaf >= leaves)
		return;
	widen_by_node(&b, g.node, i);
	while (i != 0) {
		const uint32_t from = i;

		i = g.parent[i];
		if (gpu_add(&g.arrived[i], 1u) == 0)
			return;

		const uint32_t left = g.node[i].left, right = g.node[i].right;

		widen_by_node(&b, g.node, left == from ? right : left);
		lbvh_node_store(g.node, i, b.lo, b.hi, left, right);
	}
}

gb_status lbvh_gpu_refit_once(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	gb_phase(timer, "refit");
	climb_kernel<<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- hierarchy and boxes in one pass (Apetrei 2014) --------------------------------------- */

/* A subtree over leaves first .. end - 1; delta() of leaves first - 1 and first, and of end - 1 and
 * end; the box. */
struct subtree {
	int first, end, delta_first, delta_end;
	bounds box;
};

static __device__ __forceinline__ bool is_root(const subtree *t)
{
	return t->delta_first < 0 && t->delta_end < 0;
}

/* The sibling is the neighbour with which more bits are common. */
static __device__ __forceinline__ bool is_left_child(const subtree *t)
{
	return t->delta_end > t->delta_first;
}

/* The parent's split: the first leaf of its right child.  Both children find the same one. */
static __device__ __forceinline__ int parent_split(const subtree *t)
{
	return is_left_child(t) ? t->end : t->first;
}

/* The bound of the parent's range that the sibling does not know. */
static __device__ __forceinline__ int other_bound(const subtree *t)
{
	return is_left_child(t) ? t->first : t->end;
}

/* The number of the subtree's root in Karras' order, if it is an inner node. */
static __device__ __forceinline__ int node_number(const subtree *t)
{
	return is_left_child(t) ? t->end - 1 : t->first;
}

/* Extend the range to that of the parent.  bound: the sibling's other_bound(), with its delta. */
static __device__ __forceinline__ void extend(subtree *t, bool left, int bound, int delta)
{
	t->end = left ? bound : t->end;
	t->delta_end = left ? delta : t->delta_end;
	t->first = left ? t->first : bound;
	t->delta_first = left ? t->delta_first : delta;
}

enum {
	SPACING = BLOCK - WARP, /* leaves per block, give or take half a warp */
	NONE = -1,              /* neither child has arrived at a split */
	BOTH = -2,
	PITCH = 2 * BLOCK + 4, /* puts the high halves in other banks */
};

static_assert(BLOCK <= 256, "two numbers of leaves in 16 bits");

/* The first leaf of a block: of WARP candidates, the split whose neighbours share the fewest bits,
 * so that few and large subtrees meet there.  All lanes call together. */
template <class T>
static __device__ __forceinline__ int first_leaf_of(const T *code, int leaves, int block)
{
	const int lane = (int)(threadIdx.x % WARP), candidate = block * SPACING - WARP / 2;

	if (block == 0)
		return 0;

	int best = (delta(code, leaves, candidate + lane - 1, candidate + lane) + 1) * WARP + lane;

	for (int step = WARP / 2; step > 0; step /= 2)
		best = min(best, __shfl_xor_sync(ALL_LANES, best, step));
	return min(candidate + best % WARP, leaves);
}

/* Nodes in shared memory: low halves, then high halves. */
static __device__ __forceinline__ void store_slot(uint4 *half, int slot, const bounds *b,
						  uint32_t left, uint32_t right)
{
	half[slot] = make_uint4(__float_as_uint(b->lo[0]), __float_as_uint(b->lo[1]),
				__float_as_uint(b->lo[2]), left);
	half[PITCH + slot] = make_uint4(__float_as_uint(b->hi[0]), __float_as_uint(b->hi[1]),
					__float_as_uint(b->hi[2]), right);
}

static __device__ __forceinline__ void widen_by_slot(bounds *b, const uint4 *half, int slot)
{
	const uint4 lo = half[slot], hi = half[PITCH + slot];

	widen(b,
	      make_float4(__uint_as_float(lo.x), __uint_as_float(lo.y), __uint_as_float(lo.z), 0),
	      make_float4(__uint_as_float(hi.x), __uint_as_float(hi.y), __uint_as_float(hi.z), 0));
}

/* One thread per leaf of the block, which may have fewer leaves or none.  In shared memory, leaves
 * count from the block's first one; the slot of an inner node is its number, that of leaf i is
 * BLOCK + i. */
template <class T> static __global__ void fused_kernel(lbvh_gpu g)
{
	__shared__ uint4 half[2 * PITCH];      /* nodes by slot; their children are slots, too */
	__shared__ int32_t arrived[BLOCK + 1]; /* by split: NONE, BOTH, or who came first */
	__shared__ int8_t delta_at[BLOCK + 1]; /* delta() of leaves i - 1 and i */
	__shared__ uint16_t waiting[BLOCK];    /* subtrees whose siblings are in other blocks */
	__shared__ int waiting_count, block_first[2];

	const int i = (int)threadIdx.x, leaves = (int)g.counters->leaves;
	const T *const code = (const T *)g.code;

	/* 1. The leaves of this block end where those of the next begin. */
	if (i < 2 * WARP) {
		const int leaf = first_leaf_of(code, leaves, (int)blockIdx.x + i / WARP);

		if (i % WARP == 0)
			block_first[i / WARP] = leaf;
	}
	__syncthreads(); /* block_first */

	const int first = block_first[0], count = block_first[1] - first;
	const bool has_leaf = i < count;

	/* 2. One thread per leaf: its box and node, and the bits shared with the leaf before. */
	const leaf mine = bound_leaf(&g, (uint32_t)(first + i), has_leaf);
	subtree t = { i, i + 1, -1, -1, mine.box };
	int slot = BLOCK + i;

	if (i == 0) {
		waiting_count = 0;
		arrived[BLOCK] = NONE;
	}
	arrived[i] = NONE;
	half[i] = half[PITCH + i] = make_uint4(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	if (has_leaf) {
		store_slot(half, slot, &mine.box, LBVH_LEAF | mine.begin, mine.end - mine.begin);
		delta_at[i] = (int8_t)delta(code, leaves, first + i, first + i - 1);
		if (i == count - 1)
			delta_at[i + 1] = (int8_t)delta(code, leaves, first + i, first + i + 1);
	}
	__syncthreads(); /* leaves, delta_at, arrived */

	/* 3. Climb in shared memory.  The first child at its parent's split leaves its slot and
	 * bound there, and ends.  The second makes the parent and continues with it. */
	if (has_leaf) {
		t.delta_first = delta_at[i];
		t.delta_end = delta_at[i + 1];
		for (;;) {
			const bool left = is_left_child(&t);
			int32_t *const at = arrived + parent_split(&t);
			const int other = gpu_cas_shared(at, NONE, slot << 16 | other_bound(&t));
			const int sibling = other >> 16, bound = other & 0xffff;

			if (other == NONE)
				break;
			*at = BOTH;
			widen_by_slot(&t.box, half, sibling);
			extend(&t, left, bound, delta_at[bound]);

			const uint32_t left_child = (uint32_t)(left ? slot : sibling);
			const uint32_t right_child = (uint32_t)(left ? sibling : slot);

			slot = node_number(&t);
			store_slot(half, slot, &t.box, left_child, right_child);
		}
	}
	__syncthreads(); /* nodes */

	/* 4. Write the nodes to memory, half a node per thread, with numbers instead of slots.  An
	 * inner node that is not there belongs to another block. */
	const int first_leaf = leaves - 1 + first;
	const uint4 *const my_half = half + i % 2 * PITCH + i / 2;
	uint4 *const inner_to = (uint4 *)(void *)(g.node + first) + i;
	uint4 *const leaf_to = (uint4 *)(void *)(g.node + first_leaf) + i;

#pragma unroll
	for (int k = 0; k < 2; k++) {
		uint4 v = my_half[k * BLOCK / 2];

		if (v.w != UINT32_MAX) {
			v.w += (uint32_t)(v.w < BLOCK ? first : first_leaf - BLOCK);
			inner_to[k * BLOCK] = v;
		}
	}
#pragma unroll
	for (int k = 0; k < 2; k++)
		if (i / 2 + k * BLOCK / 2 < count)
			leaf_to[k * BLOCK] = my_half[BLOCK + k * BLOCK / 2];

	/* 5. Subtrees that still wait go to the first threads. */
	if (has_leaf && !is_root(&t) && arrived[parent_split(&t)] != BOTH)
		waiting[atomicAdd(&waiting_count, 1)] = (uint16_t)(t.first << 8 | (t.end - 1));
	__syncthreads(); /* waiting; nodes in memory */
	if (i >= waiting_count)
		return;
	t.first = waiting[i] >> 8;
	t.end = (waiting[i] & 0xff) + 1;
	t.delta_first = delta_at[t.first];
	t.delta_end = delta_at[t.end];
	t.box = {};
	widen_by_slot(&t.box, half, t.end - t.first == 1 ? BLOCK + t.first : node_number(&t));
	t.first += first;
	t.end += first;

	/* 6. Climb in global memory, as in step 3, until the root is made. */
	while (!is_root(&t)) {
		const bool left = is_left_child(&t);
		const int split = parent_split(&t);
		const uint32_t other =
			gpu_cas(&g.arrived[split], UINT32_MAX, (uint32_t)other_bound(&t));
		const int bound = (int)other;

		if (other == UINT32_MAX)
			return;
		extend(&t, left, bound, delta(code, leaves, bound - left, bound - !left));

		const int left_child = t.first == split - 1 ? leaves + split - 2 : split - 1;
		const int right_child = t.end == split + 1 ? leaves - 1 + split : split;

		widen_by_node(&t.box, g.node, (uint32_t)(left ? right_child : left_child));
		lbvh_node_store(g.node, (uint32_t)node_number(&t), t.box.lo, t.box.hi,
				(uint32_t)left_child, (uint32_t)right_child);
	}
}

gb_status lbvh_gpu_fused(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	const auto kernel =
		g->needs & LBVH_GPU_CODES_63 ? fused_kernel<uint64_t> : fused_kernel<uint32_t>;

	gb_phase(timer, "hierarchy");
	kernel<<<gpu_blocks(g->count, SPACING), BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}
