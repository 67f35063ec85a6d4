/* collapse.cu -- a binary tree becomes one of eight children a node, in one launch.
 *
 * Nodes are a queue.  Slot i of it says which binary subtree becomes node i; the slots of a block,
 * which is a warp, are 32 in a row, and for each round of the grid 32 more.  A block waits until its
 * slots are filled, and a thread makes a node: it opens the child of the largest surface until there
 * are eight or only leaves, takes numbers in a row for those that are nodes themselves, fills their
 * slots, and writes the node.  Numbers of nodes and places of triangles are the halves of one word, and
 * a warp takes all that it needs by one addition.  Who takes the last triangles knows that no node is
 * left to be made, since it would have some, and tells all.
 *
 * A slot is two words, each of which says that it is filled: they need no order, neither between them
 * nor with anything else, as what a thread reads besides was there before the launch.  Blocks wait
 * for each other, so all have to be resident: the launch is cooperative.
 *
 * Against a barrier of the grid after each level: a level costs two trips to the L2 and a fence less,
 * and the nodes of one level need not wait for the slowest of the level above.  By Karras' numbering a
 * child's range of primitives follows from its number, so nothing is counted below it.
 *
 * How many nodes there are at most, for n primitives: a node that is not full has only leaves, and
 * more than LBVH_WIDE_LEAF primitives, else it would be one; so there are at most
 * n / (LBVH_WIDE_LEAF + 1) without inner children, fewer with two or more, and at most n / 7 with
 * one, which has seven leaves beside it.
 *
 * The triangles of a node's leaves get places in a row; the kernel that writes them goes by those
 * places.  What a leaf's primitives are is not read here: nothing waits for a store.
 *
 * Bound: latency near the root, for each level at most 7 dependent fetches, and 3 more for slot, node
 * and numbers; then memory: 32 bytes of each binary node read twice, 16 bytes of a slot and 80 of a node,
 * 12 a leaf and 48 a triangle.
 */
#include <float.h>

#include "cuda/lbvh/parts/wide.h"

enum {
	BLOCK = WARP,
	PER_SM = 16,  /* blocks: they have to be resident together */
	EARLY = 1024, /* slots, of the first levels, that all lanes watch from the start */
	PLANES = 256,
};

static_assert(sizeof(struct lbvh_wide_node) == 80, "five vectors of 16 bytes");

/* A child to be; as the eight are in registers, loops over them are unrolled. */
struct kid {
	uint32_t node, first, count;
	uint32_t left, right; /* as the node has them */
	float area;           /* less than 0 if it is not to be opened */
};

struct bounds {
	float lo[3], hi[3];
	uint32_t left, right;
};

/* What a slot says. */
struct work {
	uint32_t node, first, count, level;
};

static __device__ __forceinline__ struct bounds load(const struct lbvh_node *node, uint32_t i)
{
	const float4 *const from = (const float4 *)(const void *)(node + i);
	const float4 lo = from[0], hi = from[1];

	return { { lo.x, lo.y, lo.z },
		 { hi.x, hi.y, hi.z },
		 __float_as_uint(lo.w),
		 __float_as_uint(hi.w) };
}

static __device__ __forceinline__ struct kid make_kid(const struct lbvh_node *node, uint32_t i,
						      uint32_t first, uint32_t count)
{
	const struct bounds b = load(node, i);
	const float x = b.hi[0] - b.lo[0], y = b.hi[1] - b.lo[1], z = b.hi[2] - b.lo[2];

	return { i,      first,   count,
		 b.left, b.right, count <= LBVH_WIDE_LEAF ? -1 : x * y + y * z + z * x };
}

/* ---- opening ------------------------------------------------------------------------------ */

/* The halves of a subtree.  The left child is, or as a leaf has, the number of the last leaf of its
 * range; the next leaf's first primitive parts their primitives.  A part of a leaf, whose primitives
 * have one code, has the leaf's box. */
static __device__ __forceinline__ void part(const struct lbvh_node *node, uint32_t leaves,
					    const struct kid *whole, struct kid half[2])
{
	const uint32_t last = whole->left < leaves - 1 ? whole->left : whole->left - (leaves - 1);
	uint32_t low, a = whole->left, b = whole->right;

	if (whole->left & LBVH_LEAF) {
		low = (whole->count / 2 + LBVH_WIDE_LEAF - 1) / LBVH_WIDE_LEAF * LBVH_WIDE_LEAF;
		a = b = whole->node;
	} else {
		low = (node[leaves + last].left & ~LBVH_LEAF) - whole->first;
	}
	half[0] = make_kid(node, a, whole->first, low);
	half[1] = make_kid(node, b, whole->first + low, whole->count - low);
}

/* The eight children of a binary subtree, or as many as there are; returns how many. */
static __device__ __forceinline__ unsigned open_largest(const struct lbvh_node *node,
							uint32_t leaves, const struct work *work,
							struct kid kid[LBVH_WIDE])
{
	unsigned count = 1;

	kid[0] = make_kid(node, work->node, work->first, work->count);
	while (count < LBVH_WIDE) {
		struct kid open = kid[0], half[2];
		unsigned largest = 0;

		GPU_UNROLL
		for (unsigned k = 1; k < LBVH_WIDE; k++)
			if (k < count && kid[k].area > open.area) {
				open = kid[k];
				largest = k;
			}
		if (open.area < 0)
			break;
		part(node, leaves, &open, half);
		GPU_UNROLL
		for (unsigned k = 0; k < LBVH_WIDE; k++) {
			if (k == largest)
				kid[k] = half[0];
			if (k == count)
				kid[k] = half[1];
		}
		count++;
	}
	return count;
}

/* ---- the grid of a node ------------------------------------------------------------------- */

static __device__ __forceinline__ float plane(float origin, float step, int q)
{
	return lbvh_add(origin, lbvh_mul((float)q, step));
}

/* 2^(exponent - 127), exponent from 1 on. */
static __device__ __forceinline__ float step_of(unsigned exponent)
{
	return __uint_as_float(exponent << 23);
}

/* The finest step with which the planes over lo reach hi. */
static __device__ __forceinline__ unsigned exponent_of(float lo, float hi)
{
	const unsigned extent = __float_as_uint(lbvh_add(hi, -lo)) >> 23 & 0xff;
	unsigned exponent = extent > 8 ? extent - 7 : 1; /* 2^(extent - 127) / 128 */

	while (plane(lo, step_of(exponent), PLANES - 1) < hi)
		exponent++;
	return exponent;
}

/* The last plane that is not above x. */
static __device__ __forceinline__ unsigned plane_below(float origin, float step, float x)
{
	int q = (int)(lbvh_add(x, -origin) / step);

	q = min(max(q, 0), PLANES - 1);
	while (q > 0 && plane(origin, step, q) > x)
		q--;
	return (unsigned)q;
}

/* The first plane that is not below x. */
static __device__ __forceinline__ unsigned plane_above(float origin, float step, float x)
{
	int q = (int)(lbvh_add(x, -origin) / step);

	q = min(max(q, 0), PLANES - 1);
	while (q > 0 && plane(origin, step, q - 1) >= x)
		q--;
	while (q < PLANES - 1 && plane(origin, step, q) < x)
		q++;
	return (unsigned)q;
}

/* ---- the queue ---------------------------------------------------------------------------- */

static __device__ __forceinline__ struct lbvh_wide_slot *slots(const struct lbvh_gpu_wide *w)
{
	return (struct lbvh_wide_slot *)(void *)(w->counters + 1);
}

static __device__ __forceinline__ void fill(struct lbvh_wide_slot *slot, struct work work)
{
	gpu_st_relaxed(&slot->range, (uint64_t)work.count << 32 | work.first);
	gpu_st_relaxed(&slot->node, (uint64_t)work.level << 32 | work.node);
}

/* Wait for the first of a warp's slots; false: there is nothing more to do. */
static __device__ __forceinline__ bool await_first(const struct lbvh_wide_slot *first,
						   const uint32_t *end)
{
	const bool is_slot = threadIdx.x == 0;

	for (;; __nanosleep(20)) {
		const bool seen =
			is_slot ? gpu_ld_relaxed(&first->range) != 0 : gpu_ld_relaxed(end) != 0;
		const unsigned lanes = __ballot_sync(ALL_LANES, seen);

		if (lanes)
			return lanes & 1;
	}
}

/* Wait for work in the open ones of a warp's slots; which lanes have some, 0: there is nothing more
 * to do.  Once all slots of the warp have been handed out, all of the open ones: nobody waits for this
 * warp to fill them. */
static __device__ __forceinline__ unsigned await(const struct lbvh_gpu_wide *w, uint32_t base,
						 unsigned open, struct work *work)
{
	const struct lbvh_wide_slot *const slot = slots(w) + base + threadIdx.x;
	const uint32_t *const end = &w->counters->end[base / WARP % LBVH_WIDE_ENDS].is_set;

	if (base >= EARLY && open == ALL_LANES && !await_first(slots(w) + base, end))
		return 0;
	for (;; __nanosleep(20)) {
		const uint64_t range = gpu_ld_relaxed(&slot->range);
		const uint64_t node = gpu_ld_relaxed(&slot->node);
		const unsigned ready = __ballot_sync(ALL_LANES, range && node) & open;

		*work = { (uint32_t)node, (uint32_t)range, (uint32_t)(range >> 32),
			  (uint32_t)(node >> 32) };
		if (ready == open)
			return ready;
		if (ready) {
			const uint32_t made = (uint32_t)gpu_ld_relaxed(&w->counters->made);

			if (__any_sync(ALL_LANES, 1 + made < base + WARP))
				return ready;
		}
		if (__any_sync(ALL_LANES, gpu_ld_relaxed(end)))
			return 0;
	}
}

/* Numbers in a row for each lane's nodes and triangles; all lanes call together.  Who takes the last
 * triangles ends the queue: a node that is still to be made would have some. */
static __device__ __forceinline__ uint2 take(struct lbvh_wide_counters *counters, uint32_t nodes,
					     uint32_t triangles, uint32_t primitives)
{
	const uint32_t wanted = triangles << 16 | nodes, upto = warp_scan(wanted);
	const uint32_t all = __shfl_sync(ALL_LANES, upto, WARP - 1), before = upto - wanted;
	const uint64_t more = (uint64_t)(all >> 16) << 32 | (all & 0xffff);
	uint64_t old = 0;

	if (threadIdx.x == 0)
		old = atomicAdd((unsigned long long *)&counters->made, (unsigned long long)more);
	old = __shfl_sync(ALL_LANES, old, 0);
	if ((old >> 32) < primitives && ((old + more) >> 32) >= primitives)
		gpu_st_relaxed(&counters->end[threadIdx.x].is_set, 1u);
	return make_uint2((uint32_t)old + 1 + (before & 0xffff),
			  (uint32_t)(old >> 32) + (before >> 16));
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* Bytes of the kids, four in a word. */
struct bytes {
	uint32_t word[LBVH_WIDE / 4];
};

static __device__ __forceinline__ void put(struct bytes *bytes, unsigned kid, uint32_t byte)
{
	bytes->word[kid / 4] |= byte << (8 * (kid % 4));
}

/* Node i, of binary subtree `root`, over the kids.  Those to be opened have numbers from first.x on,
 * and the triangles of the leaves places from first.y on. */
static __device__ __forceinline__ void make_node(const struct lbvh_gpu_wide *w,
						 const struct lbvh_node *node, uint32_t i,
						 uint32_t root, const struct kid kid[LBVH_WIDE],
						 unsigned count, uint2 first)
{
	const struct bounds all = load(node, root);
	uint4 *const out = (uint4 *)(void *)(w->node + i);
	struct bytes child = {}, bound[3][2] = {};
	uint32_t exponents = 0, nodes = 0, triangles = 0;
	float step[3];

	for (int d = 0; d < 3; d++) {
		const unsigned exponent = exponent_of(all.lo[d], all.hi[d]);

		step[d] = step_of(exponent);
		exponents |= exponent << (8 * d);
	}
	GPU_UNROLL
	for (unsigned k = 0; k < LBVH_WIDE; k++) {
		if (k >= count)
			continue;

		const struct bounds b = load(node, kid[k].node);

		if (kid[k].area >= 0) {
			put(&child, k, lbvh_wide_inner(nodes++));
		} else {
			put(&child, k, lbvh_wide_leaf(triangles, kid[k].count));
			GPU_UNROLL
			for (uint32_t p = 0; p < LBVH_WIDE_LEAF; p++)
				if (p < kid[k].count)
					w->place[kid[k].first + p] = first.y + triangles + p;
			triangles += kid[k].count;
		}
		for (int d = 0; d < 3; d++) {
			put(&bound[d][0], k, plane_below(all.lo[d], step[d], b.lo[d]));
			put(&bound[d][1], k, plane_above(all.lo[d], step[d], b.hi[d]));
		}
	}
	out[0] = make_uint4(__float_as_uint(all.lo[0]), __float_as_uint(all.lo[1]),
			    __float_as_uint(all.lo[2]), exponents);
	out[1] = make_uint4(first.x, first.y, child.word[0], child.word[1]);
	for (int d = 0; d < 3; d++)
		out[2 + d] = make_uint4(bound[d][0].word[0], bound[d][0].word[1],
					bound[d][1].word[0], bound[d][1].word[1]);
}

/* Numbers for what is below the warp's nodes, the kids that are nodes into their slots, and the nodes;
 * all lanes call together. */
static __device__ __forceinline__ void collapse(const struct lbvh_gpu_wide *w,
						const struct lbvh_node *node, uint32_t leaves,
						uint32_t primitives, uint32_t i, bool mine,
						const struct work *work)
{
	struct kid kid[LBVH_WIDE] = {};
	uint32_t nodes = 0, triangles = 0;
	unsigned count = 0;

	if (mine)
		count = open_largest(node, leaves, work, kid);
	GPU_UNROLL
	for (unsigned k = 0; k < LBVH_WIDE; k++)
		if (k < count && kid[k].area >= 0)
			nodes++;
		else if (k < count)
			triangles += kid[k].count;

	const uint2 first = take(w->counters, nodes, triangles, primitives);

	nodes = 0;
	GPU_UNROLL
	for (unsigned k = 0; k < LBVH_WIDE; k++)
		if (k < count && kid[k].area >= 0)
			fill(slots(w) + first.x + nodes++,
			     { kid[k].node, kid[k].first, kid[k].count, work->level + 1 });
	if (mine)
		make_node(w, node, i, work->node, kid, count, first);
}

/* A block per 32 slots, and for each round of the grid 32 more. */
static __global__ void __launch_bounds__(BLOCK, PER_SM)
	collapse_kernel(struct lbvh_gpu_wide w, const struct lbvh_node *node,
			const struct lbvh_gpu_counters *binary, uint32_t primitives, uint32_t most)
{
	const uint32_t leaves = (uint32_t)binary->leaves, lane = threadIdx.x;
	uint32_t base = blockIdx.x * BLOCK, levels = 0;

	if (base + lane == 0)
		fill(slots(&w), { 0, 0, primitives, 1 });
	for (; base < most; base += gridDim.x * BLOCK) {
		unsigned open = ALL_LANES;

		while (open) {
			struct work work;
			const unsigned ready = await(&w, base, open, &work);
			const bool mine = ready >> lane & 1;

			if (!ready)
				break;
			collapse(&w, node, leaves, primitives, base + lane, mine, &work);
			levels = mine ? max(levels, work.level) : levels;
			open &= ~ready;
		}
		if (open)
			break;
	}
	for (int step = WARP / 2; step > 0; step /= 2)
		levels = max(levels, __shfl_xor_sync(ALL_LANES, levels, step));
	if (lane == 0 && levels)
		atomicMax(&w.counters->levels, levels);
}

/* ---- host --------------------------------------------------------------------------------- */

/* Nodes at most of a tree over `count` triangles, in slots for whole warps. */
static size_t most_nodes(size_t count)
{
	const size_t nodes = 1 + 2 * count / (LBVH_WIDE_LEAF + 1) + count / 7;

	return (nodes + WARP - 1) / WARP * WARP;
}

/* The counters, and the slots. */
static size_t queue_bytes(size_t count)
{
	return sizeof(struct lbvh_wide_counters) +
	       most_nodes(count) * sizeof(struct lbvh_wide_slot);
}

enum gb_status lbvh_gpu_wide_init(struct lbvh_gpu_wide *wide, size_t count, struct gb_error *err)
{
	gpu_alloc(&wide->node, most_nodes(count), sizeof *wide->node, err);
	gpu_alloc(&wide->place, count, sizeof *wide->place, err);
	gpu_alloc(&wide->triangle, count, sizeof *wide->triangle, err);
	return gpu_alloc(&wide->counters, queue_bytes(count), 1, err);
}

enum gb_status lbvh_gpu_wide_collapse(const struct lbvh_gpu_wide *wide, const struct lbvh_gpu *g,
				      struct gb_error *err)
{
	const unsigned resident = (unsigned)gpu_sm_count() * PER_SM;
	const unsigned wanted = lbvh_gpu_blocks(g->count, (size_t)LBVH_WIDE * BLOCK);

	if (!CUDA_OK(err, cudaMemsetAsync(wide->counters, 0, queue_bytes(g->count), gpu_stream())))
		return err->code;
	GPU_LAUNCH_COOPERATIVE(collapse_kernel, wanted < resident ? wanted : resident, BLOCK, 0,
			       gpu_stream(), *wide, (const struct lbvh_node *)g->node,
			       (const struct lbvh_gpu_counters *)g->counters, (uint32_t)g->count,
			       (uint32_t)most_nodes(g->count));
	return CUDA_OK(err, cudaGetLastError())
		       ? lbvh_gpu_corners(g, wide->place, wide->triangle, err)
		       : err->code;
}
