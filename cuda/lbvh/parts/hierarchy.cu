/* hierarchy.cu -- leaf nodes, inner nodes and their boxes on the device, three ways.
 *
 *	karras + passes	the paper's (section 4.1, steps 5 and 6): a thread per inner node finds its
 *			range and split by binary search; then a kernel per level joins the boxes
 *			of those whose children have theirs, and a mark (-1, -1) says so
 *	karras + once	boxes by one kernel from the leaves up
 *	fused		one kernel from the leaves up finds the nodes, too (Apetrei 2014)
 *
 * From the leaves up: a thread per leaf.  Of two threads that meet at a node the first leaves its
 * mark and ends, the second goes on with the joint box.  The mark is a compare-and-swap or an
 * addition that releases the first one's node and lets the second one read it.
 *
 * Fused: a subtree over leaves a .. b joins its neighbour on the side where the codes share more
 * bits, and the place where both meet, the split, is known to both: b of the left one.  What is
 * left there is the far end of the range; the children's numbers follow from split and range as in
 * common/lbvh.h.  No parent is stored, no node is read before its box is there.
 *
 * Bound: memory; of it most is the boxes of primitives, gathered in the order of the curve, one
 * sector of 32 bytes each.
 */
#include "cuda/lbvh/parts/hierarchy.h"

#include <float.h>

enum {
	BLOCK = GPU_BLOCK(256),
	FEW = 32,    /* primitives of a leaf that one thread takes alone */
	PASSES = 32, /* of refit; a tree over 30-bit codes has at most 30 levels of inner nodes */
};

#define DONE UINT64_MAX

struct bounds {
	float lo[3], hi[3];
};

/* ---- nodes -------------------------------------------------------------------------------- */

static __device__ __forceinline__ void widen(struct bounds *b, float4 lo, float4 hi)
{
	b->lo[0] = lbvh_min(b->lo[0], lo.x);
	b->lo[1] = lbvh_min(b->lo[1], lo.y);
	b->lo[2] = lbvh_min(b->lo[2], lo.z);
	b->hi[0] = lbvh_max(b->hi[0], hi.x);
	b->hi[1] = lbvh_max(b->hi[1], hi.y);
	b->hi[2] = lbvh_max(b->hi[2], hi.z);
}

/* The box of node i, too. */
static __device__ __forceinline__ void widen_by_node(struct bounds *b, const struct lbvh_node *node,
						     uint32_t i)
{
	const float4 *const from = (const float4 *)(const void *)(node + i);

	widen(b, from[0], from[1]);
}

static __device__ __forceinline__ void write_node(struct lbvh_node *node, uint32_t i,
						  const struct bounds *b, uint32_t left,
						  uint32_t right)
{
	uint4 *const to = (uint4 *)(void *)(node + i);

	to[0] = make_uint4(__float_as_uint(b->lo[0]), __float_as_uint(b->lo[1]),
			   __float_as_uint(b->lo[2]), left);
	to[1] = make_uint4(__float_as_uint(b->hi[0]), __float_as_uint(b->hi[1]),
			   __float_as_uint(b->hi[2]), right);
}

/* ---- leaves ------------------------------------------------------------------------------- */

/* The box of the primitives at places begin, begin + step, ... before end. */
static __device__ __forceinline__ struct bounds bound_places(const struct lbvh_gpu *g,
							     uint32_t begin, uint32_t end,
							     uint32_t step)
{
	struct bounds b = { { FLT_MAX, FLT_MAX, FLT_MAX }, { -FLT_MAX, -FLT_MAX, -FLT_MAX } };

	for (uint32_t i = begin; i < end; i += step) {
		const float4 *const box = (const float4 *)(const void *)(g->box + g->index[i]);

		widen(&b, box[0], box[1]);
	}
	return b;
}

/* The same by a whole warp; every lane gets it. */
static __device__ __forceinline__ struct bounds bound_by_warp(const struct lbvh_gpu *g,
							      uint32_t begin, uint32_t end)
{
	struct bounds b = bound_places(g, begin + threadIdx.x % WARP, end, WARP);

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

/* Write this thread's leaf, if there is one; its box.  All lanes of the warp call together. */
static __device__ __forceinline__ struct bounds make_leaf(const struct lbvh_gpu *g, uint32_t leaf,
							  uint32_t leaves)
{
	const bool mine = leaf < leaves;
	const uint32_t begin = mine ? g->first[leaf] : 0, end = mine ? g->first[leaf + 1] : 0;
	const bool few = end - begin <= FEW;
	struct bounds b = bound_places(g, begin, few ? end : begin, 1);

	for (unsigned many = __ballot_sync(ALL_LANES, !few); many; many &= many - 1) {
		const int lane = __ffs((int)many) - 1;
		const struct bounds all = bound_by_warp(g, __shfl_sync(ALL_LANES, begin, lane),
							__shfl_sync(ALL_LANES, end, lane));

		if ((int)(threadIdx.x % WARP) == lane)
			b = all;
	}
	if (mine)
		write_node(g->node, leaves - 1 + leaf, &b, LBVH_LEAF | begin, end - begin);
	return b;
}

/* One thread per leaf, and per leaf that there is not. */
static __global__ void leaves_kernel(struct lbvh_gpu g)
{
	(void)make_leaf(&g, blockIdx.x * BLOCK + threadIdx.x, (uint32_t)g.counters->leaves);
}

enum gb_status lbvh_gpu_leaf_nodes(struct lbvh_gpu *g, struct gb_error *err)
{
	GPU_LAUNCH(leaves_kernel, lbvh_gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream(), *g);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

/* ---- Karras' hierarchy -------------------------------------------------------------------- */

/* Common leading bits of the codes of leaves i and j; -1 if there is no leaf j. */
template <class T>
static __device__ __forceinline__ int delta(const T *code, int leaves, int i, int j)
{
	return j < 0 || j >= leaves ? -1 : lbvh_delta(code[i], code[j]);
}

/* Inner node i: one end of its range is leaf i; the other end and the split by binary search. */
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
template <class T> static __global__ void karras_kernel(struct lbvh_gpu g)
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

enum gb_status lbvh_gpu_karras(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err)
{
	const unsigned blocks = lbvh_gpu_blocks(g->count, BLOCK);

	lbvh_gpu_phase(timer, "hierarchy");
	if (g->needs & LBVH_GPU_CODES_63)
		GPU_LAUNCH(karras_kernel<uint64_t>, blocks, BLOCK, 0, gpu_stream(), *g);
	else
		GPU_LAUNCH(karras_kernel<uint32_t>, blocks, BLOCK, 0, gpu_stream(), *g);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

/* ---- boxes pass by pass ------------------------------------------------------------------- */

/* Whether node i has its box: a leaf, or marked. */
static __device__ __forceinline__ bool is_done(const struct lbvh_gpu *g, uint32_t i, uint32_t inner)
{
	return i >= inner || gpu_ld_acquire(&g->mark[i]) == DONE;
}

/* One thread per inner node.  The word that ends later passes is one of its own: a block of this
 * pass that sees it early finds nothing to do either. */
static __global__ void refit_kernel(struct lbvh_gpu g, uint32_t pass)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	const uint32_t inner = (uint32_t)g.counters->leaves - 1;

	if (i >= inner || gpu_ld_relaxed(&g.counters->done))
		return;

	const uint64_t children = gpu_ld_relaxed(&g.mark[i]);
	const uint32_t left = (uint32_t)children, right = (uint32_t)(children >> 32);

	if (children == DONE || !is_done(&g, left, inner) || !is_done(&g, right, inner))
		return;

	struct bounds b = { { FLT_MAX, FLT_MAX, FLT_MAX }, { -FLT_MAX, -FLT_MAX, -FLT_MAX } };

	widen_by_node(&b, g.node, left);
	widen_by_node(&b, g.node, right);
	write_node(g.node, i, &b, left, right);
	gpu_st_release(&g.mark[i], DONE);
	if (i == 0) {
		g.counters->passes = pass;
		gpu_st_relaxed(&g.counters->done, 1u);
	}
}

enum gb_status lbvh_gpu_refit_passes(struct lbvh_gpu *g, struct gb_timer *timer,
				     struct gb_error *err)
{
	lbvh_gpu_phase(timer, "refit");
	for (uint32_t pass = 1; pass <= PASSES; pass++) {
		GPU_LAUNCH(refit_kernel, lbvh_gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream(),
			   *g, pass);
		if (!CUDA_OK(err, cudaGetLastError()))
			return err->code;
	}
	return GB_OK;
}

/* ---- boxes in one pass -------------------------------------------------------------------- */

/* One thread per leaf. */
static __global__ void climb_kernel(struct lbvh_gpu g)
{
	const uint32_t leaf = blockIdx.x * BLOCK + threadIdx.x;
	const uint32_t leaves = (uint32_t)g.counters->leaves;
	struct bounds b = { { FLT_MAX, FLT_MAX, FLT_MAX }, { -FLT_MAX, -FLT_MAX, -FLT_MAX } };
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
		write_node(g.node, i, &b, left, right);
	}
}

enum gb_status lbvh_gpu_refit_once(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err)
{
	lbvh_gpu_phase(timer, "refit");
	GPU_LAUNCH(climb_kernel, lbvh_gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream(), *g);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

/* ---- hierarchy and boxes in one pass ------------------------------------------------------ */

/* One thread per leaf, and per leaf that there is not. */
template <class T> static __global__ void fused_kernel(struct lbvh_gpu g)
{
	const int leaf = (int)(blockIdx.x * BLOCK + threadIdx.x);
	const int leaves = (int)g.counters->leaves;
	const T *const code = (const T *)g.code;
	struct bounds box = make_leaf(&g, (uint32_t)leaf, (uint32_t)leaves);
	int a = leaf, b = leaf;

	if (leaf >= leaves)
		return;

	int before = delta(code, leaves, a, a - 1), after = delta(code, leaves, b, b + 1);

	while (before >= 0 || after >= 0) {
		const bool is_left = after > before; /* of the node above */
		const int split = is_left ? b : a - 1;
		const uint32_t other =
			gpu_cas(&g.arrived[split], UINT32_MAX, (uint32_t)(is_left ? a : b));

		if (other == UINT32_MAX)
			return;
		if (is_left)
			b = (int)other;
		else
			a = (int)other;

		const int left = a == split ? leaves - 1 + split : split;
		const int right = b == split + 1 ? leaves + split : split + 1;

		widen_by_node(&box, g.node, (uint32_t)(is_left ? right : left));
		if (is_left)
			after = delta(code, leaves, b, b + 1);
		else
			before = delta(code, leaves, a, a - 1);

		const int number = before < 0 && after < 0 ? 0 : after > before ? b : a;

		write_node(g.node, (uint32_t)number, &box, (uint32_t)left, (uint32_t)right);
	}
}

enum gb_status lbvh_gpu_fused(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err)
{
	const unsigned blocks = lbvh_gpu_blocks(g->count, BLOCK);

	lbvh_gpu_phase(timer, "hierarchy");
	if (g->needs & LBVH_GPU_CODES_63)
		GPU_LAUNCH(fused_kernel<uint64_t>, blocks, BLOCK, 0, gpu_stream(), *g);
	else
		GPU_LAUNCH(fused_kernel<uint32_t>, blocks, BLOCK, 0, gpu_stream(), *g);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}
