/* collapse.cu -- collapse a binary tree into one with eight children per node, in one launch.
 *
 * A cooperative grid makes the wide tree level by level, one thread per node.  The thread opens the
 * child with the largest surface until there are eight children or only leaves, writes the node,
 * and takes consecutive numbers for its inner children, whose binary roots it leaves for the next
 * level.  The numbers of a level begin where those of the level before end, and each level has its
 * own counter, so one barrier per level is enough.
 *
 * One launch per level would need the number of levels on the host.  By Karras' numbering, a
 * child's range of primitives follows from its number, so nothing is counted below it.
 *
 * Bound on the nodes for n primitives: a node that is not full has only leaves, and more than
 * LBVH_WIDE_LEAF primitives, else it would be a leaf.  So at most n / (LBVH_WIDE_LEAF + 1) nodes
 * have no inner children, fewer have two or more, and at most n / 7 have one, beside which there
 * are seven leaves.
 *
 * The triangles of a node's leaves get consecutive places; the kernel that writes them uses those
 * places.  The collapse does not read which primitives a leaf has, so nothing waits for a store.
 *
 * Bound: latency near the root, 7 dependent fetches and a barrier per level; then memory: 32 bytes
 * of each binary node read twice, 80 and 12 bytes per wide node, 48 per triangle.
 */
#include <float.h>

#include "cuda/lbvh/parts/wide.h"

enum {
	BLOCK = 128,
	PER_SM = 4, /* blocks, all resident at once */
	PLANES = 256,
};

static_assert(sizeof(struct lbvh_wide_node) == 80, "five vectors of 16 bytes");

/* A candidate child.  The eight are in registers, so loops over them are unrolled. */
struct kid {
	uint32_t node, first, count;
	uint32_t left, right; /* as in the binary node */
	float area;           /* negative if it must not be opened */
};

static __device__ __forceinline__ struct kid make_kid(const struct lbvh_node *node, uint32_t i,
						      uint32_t first, uint32_t count)
{
	const struct lbvh_node b = lbvh_node_load(node, i);
	const float x = b.hi[0] - b.lo[0], y = b.hi[1] - b.lo[1], z = b.hi[2] - b.lo[2];

	return { i,      first,   count,
		 b.left, b.right, count <= LBVH_WIDE_LEAF ? -1 : x * y + y * z + z * x };
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Split a subtree in two.  The number of the left child gives the last leaf of its range; the right
 * child's primitives begin with the next leaf's.  Both halves of a leaf, whose primitives have one
 * code, get the leaf's box. */
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

/* Find the eight children of a binary subtree, or as many as there are; return their number. */
static __device__ __forceinline__ unsigned open_largest(const struct lbvh_node *node,
							uint32_t leaves, struct lbvh_wide_root root,
							struct kid kid[LBVH_WIDE])
{
	unsigned count = 1;

	kid[0] = make_kid(node, root.node, root.first, root.count);
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

/* 2^(exponent - 127), exponent >= 1. */
static __device__ __forceinline__ float step_of(unsigned exponent)
{
	return __uint_as_float(exponent << 23);
}

/* The exponent of the finest step whose planes from lo on reach hi. */
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

/* ---- nodes -------------------------------------------------------------------------------- */

/* Take `wanted` consecutive numbers for each lane, counted from 0; return the first.  All lanes
 * call together. */
static __device__ __forceinline__ uint32_t take(uint32_t *counter, uint32_t wanted)
{
	const uint32_t upto = warp_scan(wanted);
	const uint32_t all = __shfl_sync(ALL_LANES, upto, WARP - 1);
	uint32_t first = 0;

	if (threadIdx.x % WARP == 0 && all)
		first = atomicAdd(counter, all);
	return __shfl_sync(ALL_LANES, first, 0) + upto - wanted;
}

/* One byte per kid, four in a word. */
struct bytes {
	uint32_t word[LBVH_WIDE / 4];
};

static __device__ __forceinline__ void put(struct bytes *bytes, unsigned kid, uint32_t byte)
{
	bytes->word[kid / 4] |= byte << (8 * (kid % 4));
}

/* Write node i over the kids.  Inner children have numbers from first_node on, and the leaves'
 * triangles have places from first_triangle on. */
static __device__ __forceinline__ void make_node(const struct lbvh_gpu_wide *w,
						 const struct lbvh_node *node, uint32_t i,
						 const struct kid kid[LBVH_WIDE], unsigned count,
						 uint32_t first_node, uint32_t first_triangle)
{
	const struct lbvh_node all = lbvh_node_load(node, w->root[i].node);
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

		const struct lbvh_node b = lbvh_node_load(node, kid[k].node);

		if (kid[k].area >= 0) {
			w->root[first_node + nodes] = { kid[k].node, kid[k].first, kid[k].count };
			put(&child, k, lbvh_wide_inner(nodes++));
		} else {
			put(&child, k, lbvh_wide_leaf(triangles, kid[k].count));
			GPU_UNROLL
			for (uint32_t p = 0; p < LBVH_WIDE_LEAF; p++)
				if (p < kid[k].count)
					w->place[kid[k].first + p] = first_triangle + triangles + p;
			triangles += kid[k].count;
		}
		for (int d = 0; d < 3; d++) {
			put(&bound[d][0], k, plane_below(all.lo[d], step[d], b.lo[d]));
			put(&bound[d][1], k, plane_above(all.lo[d], step[d], b.hi[d]));
		}
	}
	out[0] = make_uint4(__float_as_uint(all.lo[0]), __float_as_uint(all.lo[1]),
			    __float_as_uint(all.lo[2]), exponents);
	out[1] = make_uint4(first_node, first_triangle, child.word[0], child.word[1]);
	for (int d = 0; d < 3; d++)
		out[2 + d] = make_uint4(bound[d][0].word[0], bound[d][0].word[1],
					bound[d][1].word[0], bound[d][1].word[1]);
}

static __global__ void __launch_bounds__(BLOCK, PER_SM)
	collapse_kernel(struct lbvh_gpu_wide w, const struct lbvh_node *node,
			const struct lbvh_gpu_counters *binary, uint32_t primitives)
{
	const uint32_t leaves = (uint32_t)binary->leaves, threads = gridDim.x * BLOCK;
	uint32_t begin = 0, end = 1, level = 0;

	if (blockIdx.x == 0 && threadIdx.x == 0)
		w.root[0] = { 0, 0, primitives };
	gpu_grid_sync(&w.counters->barrier);
	for (; begin < end && level < LBVH_WIDE_LEVELS; level++) {
		for (uint32_t base = begin + blockIdx.x * BLOCK; base < end; base += threads) {
			const uint32_t i = base + threadIdx.x;
			struct kid kid[LBVH_WIDE] = {};
			uint32_t nodes = 0, triangles = 0;
			unsigned count = 0;

			if (i < end)
				count = open_largest(node, leaves, w.root[i], kid);
			GPU_UNROLL
			for (unsigned k = 0; k < LBVH_WIDE; k++)
				if (k < count && kid[k].area >= 0)
					nodes++;
				else if (k < count)
					triangles += kid[k].count;

			const uint32_t first_node = end + take(&w.counters->made[level], nodes);
			const uint32_t first_triangle = take(&w.counters->triangles, triangles);

			if (i < end)
				make_node(&w, node, i, kid, count, first_node, first_triangle);
		}
		gpu_grid_sync(&w.counters->barrier);
		begin = end;
		end += gpu_ld_relaxed(&w.counters->made[level]);
	}
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		w.counters->nodes = end;
		w.counters->levels = level;
	}
}

/* ---- host --------------------------------------------------------------------------------- */

enum gb_status lbvh_gpu_wide_init(struct lbvh_gpu_wide *wide, size_t count, struct gb_error *err)
{
	const size_t nodes = 1 + 2 * count / (LBVH_WIDE_LEAF + 1) + count / 7;

	gpu_alloc(&wide->node, nodes, err);
	gpu_alloc(&wide->root, nodes, err);
	gpu_alloc(&wide->place, count, err);
	gpu_alloc(&wide->triangle, count, err);
	return gpu_alloc(&wide->counters, 1, err);
}

enum gb_status lbvh_gpu_wide_collapse(const struct lbvh_gpu_wide *wide, const struct lbvh_gpu *g,
				      struct gb_error *err)
{
	const size_t resident = (size_t)gpu_sm_count() * PER_SM;
	const size_t wanted = gpu_blocks(g->count, (size_t)LBVH_WIDE_LEAF * BLOCK);

	if (gpu_zero(wide->counters, 1, err) ||
	    GPU_RUN_COOPERATIVE(err, collapse_kernel, min(wanted, resident), BLOCK, *wide,
				(const struct lbvh_node *)g->node,
				(const struct lbvh_gpu_counters *)g->counters, (uint32_t)g->count))
		return err->code;
	return lbvh_gpu_corners(g, wide->place, wide->triangle, err);
}
