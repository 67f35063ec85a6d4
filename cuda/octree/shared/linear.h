/* linear.h -- the nodes of a tree, from sorted keys.
 *
 * Bodies are in the order of their keys, so a cell is a range of them.  A node of level l is a cell
 * with more than `bucket` bodies.  It belongs to the first of them, i, and exists if
 *	common_before(i) < l    the body before i is in another cell of that level
 *	l <= common_bucket(i)   i and the body `bucket` places after it share that many digits
 * So body i starts the nodes of levels common_before(i) + 1 .. common_bucket(i).  The exclusive
 * sum of these counts (`base`) numbers the nodes depth first; the root is 0.  With bucket = 1:
 *
 *	body             a      b      c      d      e
 *	key              012    017    021    300    302     octal digits, the topmost first
 *	common_before    -1     2      1      0      2
 *	common_bucket    2      1      0      2      -1
 *	starts levels    0..2   -      -      1..2   -
 *	nodes            0 1 2                3 4
 *
 *	node 0  -0->  node 1  -1->  node 2  -2->  a      every node has its first child from the
 *	   |             |             +----7->  b       body that starts it; b, c, node 3 and e
 *	   |             +----2->  c                     are entered into a node that another body
 *	   +----3->  node 3  -0->  node 4  -0->  d       started, the first one with the same
 *	                              +----2->  e        digits up to that level
 */
#ifndef GPUBENCH_CUDA_OCTREE_SHARED_LINEAR_H
#define GPUBENCH_CUDA_OCTREE_SHARED_LINEAR_H

#include "cuda/octree/shared/builder.h"

struct octree_linear {
	const uint64_t *keys; /* sorted, at least by the digits 0 .. deepest */
	uint32_t *base;       /* nodes that the bodies before body i start */
	size_t count;
	size_t bucket;
	int deepest; /* deepest level of nodes */
	/* Do nothing unless these have a long run in disorder; NULL: always work. */
	const gpu_runs *again;
};

/* common_before(i), no deeper than nodes; -1 for the first body. */
static __device__ __forceinline__ int linear_common_before(const octree_linear *l, size_t i)
{
	return i == 0 ? -1 : min(octree_shared_digits(l->keys[i - 1], l->keys[i]), (int)l->deepest);
}

/* common_bucket(i); -1 if no body is so far behind i.  The first body always starts the root. */
static __device__ __forceinline__ int linear_common_bucket(const octree_linear *l, size_t i)
{
	if (i + l->bucket < l->count)
		return min(octree_shared_digits(l->keys[i], l->keys[i + l->bucket]), l->deepest);
	return i == 0 ? 0 : -1;
}

/* The node of that level whose first body is i. */
static __device__ __forceinline__ uint32_t linear_node(const octree_linear *l, size_t i, int level)
{
	return l->base[i] + (uint32_t)(level - linear_common_before(l, i) - 1);
}

/* The first body that shares `level` digits with body i. */
static __device__ __forceinline__ uint32_t linear_first(const uint64_t *keys, uint32_t i, int level)
{
	const uint64_t key = keys[i], size = (uint64_t)1 << 3 * (OCTREE_LEVELS - level);
	uint32_t inside = i, step = 1;

	while (step <= inside && (keys[inside - step] ^ key) < size) {
		inside -= step;
		step *= 2;
	}
	for (; step > 0; step /= 2) {
		if (step <= inside && (keys[inside - step] ^ key) < size)
			inside -= step;
	}
	return inside;
}

/* The level of the deepest node that holds a body, which is the leaf's: the most digits shared by
 * any bucket + 1 consecutive bodies that include it.  common_bucket[k]: that of the body bucket - k
 * places before it. */
static __device__ __forceinline__ int linear_leaf_level(const signed char *common_bucket,
							unsigned bucket)
{
	int level = 0;

	for (uint32_t k = 0; k <= bucket; k++)
		level = max(level, (int)common_bucket[k]);
	return level;
}

/* Allocate a->temp: that of a sort first, then that of linear_number(). */
static inline enum gb_status linear_create(octree_arrays *a, size_t sort_bytes,
					   struct gb_error *err)
{
	const size_t words = gpu_chain_words(a->count);

	a->temps = (sort_bytes + words * sizeof(uint64_t)) / sizeof *a->temp;
	return gpu_alloc(&a->temp, a->temps, err);
}

/* One block per tile of bodies: count the nodes that each body starts, and sum up.  A block clears
 * the nodes of its bodies if `clear`, and `next` if l.again; the last tile counts all nodes, and
 * flags the pool as exhausted if it has no room for them. */
template <int ITEMS>
static __global__ void linear_kernel(octree_linear l, octree_tree tree, uint64_t *temp, bool clear)
{
	constexpr int WARPS = (int)GPU_CHAIN_BLOCK / WARP;
	__shared__ uint64_t part[WARPS + 1];
	__shared__ uint32_t tile_number;

	if (l.again && !l.again->disorder)
		return;

	const uint32_t tile = next_tile((uint32_t *)temp, &tile_number);
	const unsigned warp = threadIdx.x / WARP;
	const size_t first = ((size_t)tile * WARPS + warp) * (WARP * ITEMS) + threadIdx.x % WARP;
	uint32_t base[ITEMS], sum = 0;

#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		const size_t i = first + (size_t)(k * WARP);
		const int levels =
			i < l.count ? linear_common_bucket(&l, i) - linear_common_before(&l, i) : 0;
		const uint32_t started = (uint32_t)max(levels, 0);
		const uint32_t inclusive = warp_scan(started);

		if (l.again && i < l.count)
			tree.next[i] = -1;
		base[k] = sum + inclusive - started;
		sum += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	}
	chain_block<WARPS>(part, temp + 1, tile, sum);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		if (first + (size_t)(k * WARP) < l.count)
			l.base[first + (size_t)(k * WARP)] = (uint32_t)part[warp] + base[k];

	const uint64_t end = min(part[WARPS], (uint64_t)tree.pool);

#pragma unroll 1
	for (uint64_t n = part[0] + threadIdx.x; clear && n < end; n += GPU_CHAIN_BLOCK)
		octree_clear_node(tree.child[n]);
	if (threadIdx.x == 0 && tile == gridDim.x - 1) {
		tree.counters->taken = part[WARPS];
		tree.counters->exhausted = part[WARPS] > tree.pool;
	}
}

/* Fill base and count the nodes in counters->taken.  clear: also clear them. */
static inline enum gb_status linear_number(const octree_linear *l, const octree_arrays *a,
					   bool clear, struct gb_error *err)
{
	uint64_t *const end = (uint64_t *)(void *)(a->temp + a->temps);

	auto *const kernel = gpu_chain_items(l->count) == GPU_CHAIN_FEW
				     ? linear_kernel<GPU_CHAIN_FEW>
				     : linear_kernel<GPU_CHAIN_MANY>;

	kernel<<<gpu_chain_blocks(l->count), GPU_CHAIN_BLOCK, 0, gpu_stream()>>>(
		*l, a->tree, end - gpu_chain_words(l->count), clear);
	return CUDA_TRY(err, cudaGetLastError());
}

#endif
