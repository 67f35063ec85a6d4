/* hierarchy.cu -- leaf nodes, inner nodes and their boxes on the device, three ways.
 *
 *	karras + passes	the paper's method (section 4.1, steps 5 and 6): one thread per inner node
 *			finds its range and split by binary search; then one kernel per level joins
 *			the boxes of nodes whose children have theirs, and marks them with (-1, -1)
 *	karras + once	boxes by one kernel from the leaves up
 *	fused		one kernel from the leaves up also finds the nodes (Apetrei 2014)
 *
 * "From the leaves up": one thread per leaf.  The first of two threads that meet at a node leaves a
 * mark and ends; the second continues with the joint box.  The mark is a compare-and-swap or an
 * addition that releases the first thread's node and lets the second read it.
 *
 * Fused: a subtree joins its neighbour on the side where the codes share more bits.  They meet at
 * the seam between them, where the first to arrive leaves its far end.  This gives the range of the
 * node above; the children's numbers follow from seam and range as in common/lbvh.h.  No parent is
 * stored, and no node is read before its box is complete.
 *
 * A block joins the subtrees among its leaves in shared memory, where two meet by a
 * compare-and-swap within the block.  When no more can be joined, the nodes are written out in
 * rows.  The remaining subtrees wait for subtrees of other blocks, and one or two warps continue
 * with them in global memory.  To leave few of these, a block ends at that one of 32 seams whose
 * codes share the fewest bits.
 *
 * Bound: memory, mostly for the boxes of primitives, gathered in the order of the curve, one sector
 * of 32 bytes each.
 */
#include "cuda/lbvh/parts/builder.h"

#include <float.h>

enum {
	BLOCK = 256,
	FEW = 32,        /* most primitives of a leaf that one thread takes alone */
	PASSES = 32,     /* refit passes: 30-bit codes give at most 30 inner levels */
	PASS_BLOCKS = 8, /* most blocks of a pass per SM: as many as run at once */
};

#define DONE UINT64_MAX

struct bounds {
	float lo[3], hi[3];
};

#define NO_BOUNDS                                    \
	{                                            \
		{ FLT_MAX, FLT_MAX, FLT_MAX },       \
		{                                    \
			-FLT_MAX, -FLT_MAX, -FLT_MAX \
		}                                    \
	}

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

/* The box of the primitives at places begin, begin + step, ... before end. */
static __device__ __forceinline__ bounds bound_places(const lbvh_gpu *g, uint32_t begin,
						      uint32_t end, uint32_t step)
{
	bounds b = NO_BOUNDS;

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
	bounds b = bound_places(g, begin + threadIdx.x % WARP, end, WARP);

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

/* A leaf's primitives: their places, and their box. */
struct leaf {
	uint32_t begin, end;
	bounds box;
};

/* This thread's leaf if `mine`, else an empty one.  All lanes of the warp call together. */
static __device__ __forceinline__ leaf bound_leaf(const lbvh_gpu *g, uint32_t number, bool mine)
{
	const uint32_t begin = mine ? g->first[number] : 0, end = mine ? g->first[number + 1] : 0;
	const bool few = end - begin <= FEW;
	bounds b = bound_places(g, begin, few ? end : begin, 1);

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
	const leaf leaf = bound_leaf(&g, i, i < leaves);

	if (i >= leaves)
		return;
	lbvh_node_store(g.node, leaves - 1 + i, leaf.box.lo, leaf.box.hi, LBVH_LEAF | leaf.begin,
			leaf.end - leaf.begin);
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

/* The children of inner node i.  One end of its range is leaf i; binary searches find the other end
 * and the split. */
template <class T>
static __device__ __forceinline__ uint2 karras_node(const T *code, int leaves, int i)
{
	const int way = delta(code, leaves, i, i + 1) > delta(code, leaves, i, i - 1) ? 1 : -1;
	const int least = delta(code, leaves, i, i - way);
	int most = 2, length = 0, split = 0;

	while (delta(code, leaves, i, i + most * way) > least)
		most *= 2;
	for (int step = most / 2; step > 0; step /= 2)
		if (delta(code, leaves, i, i + (length + step) * way) > least)
			length += step;

	const int shared = delta(code, leaves, i, i + length * way);

	for (int step = (length + 1) / 2;; step = (step + 1) / 2) {
		if (delta(code, leaves, i, i + (split + step) * way) > shared)
			split += step;
		if (step <= 1)
			break;
	}

	const int from = way > 0 ? i : i - length, to = way > 0 ? i + length : i;
	const int at = way > 0 ? i + split : i - split - 1;

	return make_uint2((uint32_t)(from == at ? leaves - 1 + at : at),
			  (uint32_t)(to == at + 1 ? leaves + at : at + 1));
}

/* One thread per inner node. */
template <class T> static __global__ void karras_kernel(lbvh_gpu g)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	const int leaves = (int)g.counters->leaves;

	if ((int)i >= leaves - 1)
		return;

	const uint2 child = karras_node((const T *)g.code, leaves, (int)i);

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
	karras_kernel<uint32_t><<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g);
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
	bounds b = NO_BOUNDS;

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
	bounds b = NO_BOUNDS;
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

/* ---- hierarchy and boxes in one pass ------------------------------------------------------ */

/* Leaves first .. end - 1, the code bits shared with the leaf before and with the leaf at end (-1
 * if there is none), and their box. */
struct subtree {
	int first, end, before, after;
	bounds box;
};

static __device__ __forceinline__ bool is_left(const subtree *t)
{
	return t->after > t->before;
}

static __device__ __forceinline__ bool is_root(const subtree *t)
{
	return t->before < 0 && t->after < 0;
}

/* The seam where the subtree meets its neighbour: the first leaf of the right one of the two. */
static __device__ __forceinline__ int seam_of(const subtree *t)
{
	return is_left(t) ? t->end : t->first;
}

/* The end that the neighbour needs to know. */
static __device__ __forceinline__ int far_end_of(const subtree *t)
{
	return is_left(t) ? t->first : t->end;
}

/* The subtree's number as an inner node. */
static __device__ __forceinline__ int number_of(const subtree *t)
{
	return is_left(t) ? t->end - 1 : t->first;
}

/* Add the subtree across the seam to this one.  shared: bits shared across its far end. */
static __device__ __forceinline__ void join(subtree *t, bool left, int far_end, int shared)
{
	t->end = left ? far_end : t->end;
	t->after = left ? shared : t->after;
	t->first = left ? t->first : far_end;
	t->before = left ? t->before : shared;
}

enum {
	SPACING = BLOCK - WARP, /* leaves per block, give or take half a warp */
	NONE = -1,
	BOTH = -2,
	PITCH = 2 * BLOCK + 4, /* puts the high halves in other banks */
};

/* The first leaf of a block: the one of WARP seams whose codes share the fewest bits, so that few
 * and large subtrees meet there.  All lanes call together. */
template <class T>
static __device__ __forceinline__ int border_of(const T *code, int leaves, int block)
{
	const int lane = (int)(threadIdx.x % WARP), seam = block * SPACING - WARP / 2;

	if (block == 0)
		return 0;

	int best = (delta(code, leaves, seam + lane - 1, seam + lane) + 1) * WARP + lane;

	for (int step = WARP / 2; step > 0; step /= 2)
		best = min(best, __shfl_xor_sync(ALL_LANES, best, step));
	return min(seam + best % WARP, leaves);
}

/* A block's leaves and inner nodes in shared memory, counted from its first leaf.  An inner node's
 * place is its number; a leaf's place is its number plus BLOCK. */
struct part {
	uint4 half[2 * PITCH];      /* nodes by place, low halves, then high; children are places */
	int32_t arrived[BLOCK + 1]; /* per seam: the first one's place and far end, or BOTH */
	int8_t shares[BLOCK + 1];   /* bits that the codes of leaves i - 1 and i share */
	uint16_t rest[BLOCK];       /* subtrees that the block cannot join */
	int rests;
	int border[2];
};

static_assert(BLOCK <= 256, "two numbers of leaves in 16 bits");

static __device__ __forceinline__ void write_place(part *p, int place, const bounds *b,
						   uint32_t left, uint32_t right)
{
	p->half[place] = make_uint4(__float_as_uint(b->lo[0]), __float_as_uint(b->lo[1]),
				    __float_as_uint(b->lo[2]), left);
	p->half[PITCH + place] = make_uint4(__float_as_uint(b->hi[0]), __float_as_uint(b->hi[1]),
					    __float_as_uint(b->hi[2]), right);
}

static __device__ __forceinline__ void widen_by_place(bounds *b, const part *p, int place)
{
	const uint4 lo = p->half[place], hi = p->half[PITCH + place];

	widen(b,
	      make_float4(__uint_as_float(lo.x), __uint_as_float(lo.y), __uint_as_float(lo.z), 0),
	      make_float4(__uint_as_float(hi.x), __uint_as_float(hi.y), __uint_as_float(hi.z), 0));
}

/* Join this subtree with its neighbours until it is the first to arrive at a seam, as it always is
 * at the ends of the block.  place: that of the subtree. */
static __device__ __forceinline__ void climb_part(part *p, subtree *t, int place)
{
	for (;;) {
		const bool left = is_left(t);
		int32_t *const arrived = p->arrived + seam_of(t);
		const int other = gpu_cas_shared(arrived, NONE, place << 16 | far_end_of(t));
		const int sibling = other >> 16;

		if (other == NONE)
			return;
		*arrived = BOTH;
		widen_by_place(&t->box, p, sibling);
		join(t, left, other & 0xffff, p->shares[other & 0xffff]);

		const uint32_t on_left = (uint32_t)(left ? place : sibling);
		const uint32_t on_right = (uint32_t)(left ? sibling : place);

		place = number_of(t);
		write_place(p, place, &t->box, on_left, on_right);
	}
}

/* Write the block's nodes to memory, half a node per thread.  leaves, first: the block's; all:
 * leaves of the tree. */
static __device__ __forceinline__ void write_part(const part *p, const lbvh_gpu *g, int all,
						  int first, int leaves)
{
	const int first_leaf = all - 1 + first, i = (int)threadIdx.x;
	const uint4 *const half = p->half + i % 2 * PITCH + i / 2;
	uint4 *const inner = (uint4 *)(void *)(g->node + first) + i;
	uint4 *const leaf = (uint4 *)(void *)(g->node + first_leaf) + i;

#pragma unroll
	for (int k = 0; k < 2; k++) {
		uint4 v = half[k * BLOCK / 2];

		if (v.w != UINT32_MAX) {
			v.w += (uint32_t)(v.w < BLOCK ? first : first_leaf - BLOCK);
			inner[k * BLOCK] = v;
		}
	}
#pragma unroll
	for (int k = 0; k < 2; k++)
		if (i / 2 + k * BLOCK / 2 < leaves)
			leaf[k * BLOCK] = half[BLOCK + k * BLOCK / 2];
}

/* Join the subtree with those of other blocks, in global memory. */
template <class T>
static __device__ __forceinline__ void climb_on(const lbvh_gpu *g, int leaves, subtree t)
{
	const T *const code = (const T *)g->code;

	while (!is_root(&t)) {
		const bool left = is_left(&t);
		const int seam = seam_of(&t);
		const uint32_t far_end =
			gpu_cas(&g->arrived[seam], UINT32_MAX, (uint32_t)far_end_of(&t));

		if (far_end == UINT32_MAX)
			return;
		join(&t, left, (int)far_end,
		     delta(code, leaves, (int)far_end - left, (int)far_end - !left));

		const int on_left = t.first == seam - 1 ? leaves + seam - 2 : seam - 1;
		const int on_right = t.end == seam + 1 ? leaves - 1 + seam : seam;

		widen_by_node(&t.box, g->node, (uint32_t)(left ? on_right : on_left));
		lbvh_node_store(g->node, (uint32_t)number_of(&t), t.box.lo, t.box.hi,
				(uint32_t)on_left, (uint32_t)on_right);
	}
}

/* Store this thread's leaf, if it has one, and mark its seam as free.  A barrier must follow.
 * leaves, first: the block's; all: leaves of the tree. */
template <class T>
static __device__ __forceinline__ void start_part(part *p, const T *code, int all, int first,
						  int leaves, const leaf *leaf)
{
	const int i = (int)threadIdx.x;

	if (i == 0) {
		p->rests = 0;
		p->arrived[BLOCK] = NONE;
	}
	p->arrived[i] = NONE;
	p->half[i] = p->half[PITCH + i] =
		make_uint4(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	if (i >= leaves)
		return;
	write_place(p, BLOCK + i, &leaf->box, LBVH_LEAF | leaf->begin, leaf->end - leaf->begin);
	p->shares[i] = (int8_t)delta(code, all, first + i, first + i - 1);
	if (i == leaves - 1)
		p->shares[i + 1] = (int8_t)delta(code, all, first + i, first + i + 1);
}

/* Record this subtree if it still waits, for a neighbour that is not entirely in this block. */
static __device__ __forceinline__ void leave_rest(part *p, const subtree *t)
{
	if (!is_root(t) && p->arrived[seam_of(t)] != BOTH)
		p->rest[atomicAdd(&p->rests, 1)] = (uint16_t)(t->first << 8 | (t->end - 1));
}

/* Recorded subtree i.  first: the block's first leaf. */
static __device__ __forceinline__ subtree take_rest(const part *p, int i, int first)
{
	const int from = p->rest[i] >> 8, to = (p->rest[i] & 0xff) + 1;
	subtree t = { from, to, p->shares[from], p->shares[to], NO_BOUNDS };

	widen_by_place(&t.box, p, to - from == 1 ? BLOCK + from : number_of(&t));
	t.first += first;
	t.end += first;
	return t;
}

/* One thread per leaf of the block, which may have fewer leaves or none. */
template <class T> static __global__ void fused_kernel(lbvh_gpu g)
{
	__shared__ part p;
	const int i = (int)threadIdx.x, all = (int)g.counters->leaves;
	const T *const code = (const T *)g.code;

	if (i < 2 * WARP) {
		const int border = border_of(code, all, (int)blockIdx.x + i / WARP);

		if (i % WARP == 0)
			p.border[i / WARP] = border;
	}
	__syncthreads();

	const int first = p.border[0], leaves = p.border[1] - first;
	const bool mine = i < leaves;
	const leaf leaf = bound_leaf(&g, (uint32_t)(first + i), mine);
	subtree t = { i, i + 1, -1, -1, leaf.box };

	start_part(&p, code, all, first, leaves, &leaf);
	__syncthreads();
	if (mine) {
		t.before = p.shares[i];
		t.after = p.shares[i + 1];
		climb_part(&p, &t, BLOCK + i);
	}
	__syncthreads();
	write_part(&p, &g, all, first, leaves);
	if (mine)
		leave_rest(&p, &t);
	__syncthreads();
	if (i < p.rests)
		climb_on<T>(&g, all, take_rest(&p, i, first));
}

gb_status lbvh_gpu_fused(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	const auto kernel =
		g->needs & LBVH_GPU_CODES_63 ? fused_kernel<uint64_t> : fused_kernel<uint32_t>;

	gb_phase(timer, "hierarchy");
	kernel<<<gpu_blocks(g->count, SPACING), BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}
