/* collapse.cu -- a binary tree becomes one of eight children a node, in one launch.
 *
 * A cooperative grid makes the wide tree level by level, a thread per node: it opens the child of
 * the largest surface until there are eight or only leaves, writes the node, and takes numbers in a
 * row for those that are nodes themselves, whose binary roots it leaves for the next level.  The
 * numbers of a level begin where those of the level before end, and how many they are is counted in
 * a word of that level: one barrier a level is enough.
 *
 * Against a launch per level, of which the host does not know how many there are, and against a
 * queue that idle threads watch: nothing waits but at barriers.  By Karras' numbering a child's
 * range of primitives follows from its number, so nothing is counted below it.
 *
 * How many nodes there are at most, for n primitives: a node that is not full has only leaves, and
 * more than LBVH_WIDE_LEAF primitives, else it would be one; so there are at most
 * n / (LBVH_WIDE_LEAF + 1) without inner children, fewer with two or more, and at most n / 7 with
 * one, which has seven leaves beside it.
 *
 * Bound: latency near the root, 8 dependent fetches and a barrier a level, some 8 us for 10 levels
 * of few nodes; then memory: 32 bytes of each binary node read twice, 96 and 12 bytes a wide
 * node, 48 a triangle.
 */
#include <float.h>

#include "cuda/lbvh/parts/wide.h"

enum {
	BLOCK = GPU_BLOCK(128),
	PER_SM = 4, /* blocks: they have to be resident together */
	PLANES = 256,
};

static_assert(sizeof(struct lbvh_wide_node) == 96, "three sectors");

/* A child to be; as the eight are in registers, loops over them are unrolled. */
struct kid {
	uint32_t node, first, count;
	float area; /* less than 0 if it is not to be opened */
};

struct bounds {
	float lo[3], hi[3];
	uint32_t left, right;
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
	const bool leaf = count <= LBVH_WIDE_LEAF || (b.left & LBVH_LEAF);

	return { i, first, count, leaf ? -1 : x * y + y * z + z * x };
}

/* ---- opening ------------------------------------------------------------------------------ */

/* The eight children of a binary subtree, or as many as there are; returns how many.  The left
 * child is, or as a leaf has, the number of the last leaf of its range; the next leaf's first
 * primitive parts their primitives. */
static __device__ __forceinline__ unsigned open_largest(const struct lbvh_node *node,
							uint32_t leaves, struct lbvh_wide_root root,
							struct kid kid[LBVH_WIDE])
{
	unsigned count = 1;

	kid[0] = make_kid(node, root.node, root.first, root.count);
	while (count < LBVH_WIDE) {
		struct kid open = kid[0];
		unsigned largest = 0;

		GPU_UNROLL
		for (unsigned k = 1; k < LBVH_WIDE; k++)
			if (k < count && kid[k].area > open.area) {
				open = kid[k];
				largest = k;
			}
		if (open.area < 0)
			break;

		const uint32_t left = node[open.node].left, right = node[open.node].right;
		const uint32_t last = left < leaves - 1 ? left : left - (leaves - 1);
		const uint32_t middle = node[leaves + last].left & ~LBVH_LEAF;
		const struct kid low = make_kid(node, left, open.first, middle - open.first);
		const struct kid high =
			make_kid(node, right, middle, open.first + open.count - middle);

		GPU_UNROLL
		for (unsigned k = 0; k < LBVH_WIDE; k++) {
			if (k == largest)
				kid[k] = low;
			if (k == count)
				kid[k] = high;
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

/* ---- nodes -------------------------------------------------------------------------------- */

/* Bytes of the children's bounds, as they lie in a node: [axis][lower or upper][half]. */
struct planes {
	uint32_t word[3][2][2];
};

static __device__ __forceinline__ void write_node(struct lbvh_wide_node *to, const float *origin,
						  uint32_t exponents, const uint32_t *child,
						  const struct planes *p)
{
	uint4 *const out = (uint4 *)(void *)to;

	out[0] = make_uint4(__float_as_uint(origin[0]), __float_as_uint(origin[1]),
			    __float_as_uint(origin[2]), exponents);
	out[1] = make_uint4(child[0], child[1], child[2], child[3]);
	out[2] = make_uint4(child[4], child[5], child[6], child[7]);
	for (int d = 0; d < 3; d++)
		out[3 + d] = make_uint4(p->word[d][0][0], p->word[d][0][1], p->word[d][1][0],
					p->word[d][1][1]);
}

/* Node i over the kids, of which those to be opened get numbers from `next` on. */
static __device__ __forceinline__ void make_node(const struct lbvh_gpu_wide *w,
						 const struct lbvh_node *node, uint32_t i,
						 const struct kid kid[LBVH_WIDE], unsigned count,
						 uint32_t next)
{
	const struct bounds all = load(node, w->root[i].node);
	struct planes planes = {};
	uint32_t child[LBVH_WIDE], exponents = 0;
	float step[3];

	for (int d = 0; d < 3; d++) {
		const unsigned exponent = exponent_of(all.lo[d], all.hi[d]);

		step[d] = step_of(exponent);
		exponents |= exponent << (8 * d);
	}
	GPU_UNROLL
	for (unsigned k = 0; k < LBVH_WIDE; k++) {
		child[k] = 0;
		if (k >= count)
			continue;

		const struct bounds b = load(node, kid[k].node);

		if (kid[k].area >= 0) {
			w->root[next] = { kid[k].node, kid[k].first, kid[k].count };
			child[k] = next++;
		} else {
			w->triangle[kid[k].first + kid[k].count - 1].primitive |= LBVH_LAST;
			child[k] = LBVH_LEAF | kid[k].first;
		}
		for (int d = 0; d < 3; d++) {
			planes.word[d][0][k / 4] |= plane_below(all.lo[d], step[d], b.lo[d])
						    << (8 * (k % 4));
			planes.word[d][1][k / 4] |= plane_above(all.lo[d], step[d], b.hi[d])
						    << (8 * (k % 4));
		}
	}
	write_node(w->node + i, all.lo, exponents, child, &planes);
}

/* Numbers in a row for `wanted` nodes of each lane, counted from 0; all lanes call together. */
static __device__ __forceinline__ uint32_t take(uint32_t *counter, uint32_t wanted)
{
	const uint32_t upto = warp_scan(wanted);
	const uint32_t all = __shfl_sync(ALL_LANES, upto, WARP - 1);
	uint32_t first = 0;

	if (threadIdx.x % WARP == 0 && all)
		first = atomicAdd(counter, all);
	return __shfl_sync(ALL_LANES, first, 0) + upto - wanted;
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
			unsigned count = 0, inner = 0;

			if (i < end)
				count = open_largest(node, leaves, w.root[i], kid);
			GPU_UNROLL
			for (unsigned k = 0; k < LBVH_WIDE; k++)
				inner += k < count && kid[k].area >= 0;

			const uint32_t next = end + take(&w.counters->made[level], inner);

			if (i < end)
				make_node(&w, node, i, kid, count, next);
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

	gpu_alloc(&wide->node, nodes, sizeof *wide->node, err);
	gpu_alloc(&wide->root, nodes, sizeof *wide->root, err);
	gpu_alloc(&wide->triangle, count, sizeof *wide->triangle, err);
	return gpu_alloc(&wide->counters, 1, sizeof *wide->counters, err);
}

enum gb_status lbvh_gpu_wide_collapse(const struct lbvh_gpu_wide *wide, const struct lbvh_gpu *g,
				      struct gb_error *err)
{
	const unsigned resident = (unsigned)gpu_sm_count() * PER_SM;
	const unsigned wanted = lbvh_gpu_blocks(g->count, (size_t)LBVH_WIDE_LEAF * BLOCK);

	if (!CUDA_OK(err,
		     cudaMemsetAsync(wide->counters, 0, sizeof *wide->counters, gpu_stream())) ||
	    lbvh_gpu_corners(g, wide->triangle, err) != GB_OK)
		return err->code;
	GPU_LAUNCH_COOPERATIVE(collapse_kernel, wanted < resident ? wanted : resident, BLOCK, 0,
			       gpu_stream(), *wide, (const struct lbvh_node *)g->node,
			       (const struct lbvh_gpu_counters *)g->counters, (uint32_t)g->count);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}
