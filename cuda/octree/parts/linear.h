/* linear.h -- the nodes of a tree, from sorted keys.
 *
 * Bodies are in the order of their keys, so a cell is a range of them.  A node of level l is a cell
 * with more than `bucket` bodies.  It belongs to the first of them, i, and exists if
 *	before(i) < l   the body before i is in another cell of that level
 *	l <= reach(i)   i and the body `bucket` places after it share that many levels
 * So body i starts the nodes of levels before(i) + 1 .. reach(i).  The exclusive sum of these
 * counts (`base`) numbers the nodes depth first; the root is 0.
 */
#ifndef GPUBENCH_CUDA_OCTREE_PARTS_LINEAR_H
#define GPUBENCH_CUDA_OCTREE_PARTS_LINEAR_H

#include "cuda/octree/parts/builder.h"
#include "cuda/primitives/primitives.h"

struct octree_linear {
	const uint64_t *keys; /* sorted, at least by the digits 0 .. deepest */
	uint32_t *base;       /* nodes that the bodies before body i start */
	size_t count;
	size_t bucket;
	int deepest; /* deepest level of nodes */
};

/* before(i); -1 for the first body. */
static __device__ __forceinline__ int linear_before(const struct octree_linear *l, size_t i)
{
	return i == 0 ? -1 : min(octree_shared_digits(l->keys[i - 1], l->keys[i]), (int)l->deepest);
}

/* reach(i); -1 if body i starts no node.  The first body always starts the root. */
static __device__ __forceinline__ int linear_reach(const struct octree_linear *l, size_t i)
{
	if (i + l->bucket < l->count)
		return min(octree_shared_digits(l->keys[i], l->keys[i + l->bucket]), l->deepest);
	return i == 0 ? 0 : -1;
}

/* The node of that level whose first body is i. */
static __device__ __forceinline__ uint32_t linear_node(const struct octree_linear *l, size_t i,
						       int level)
{
	return l->base[i] + (uint32_t)(level - linear_before(l, i) - 1);
}

static constexpr unsigned LINEAR_BLOCK = 256;

/* One thread per body: count the nodes it starts, for the prefix sum. */
static __global__ void linear_count_kernel(struct octree_linear l)
{
	const size_t i = (size_t)blockIdx.x * LINEAR_BLOCK + threadIdx.x;

	if (i < l.count)
		l.base[i] = (uint32_t)max(linear_reach(&l, i) - linear_before(&l, i), 0);
}

/* One thread: flag the pool as exhausted if it has no room for all nodes. */
static __global__ void linear_check_kernel(struct octree_tree tree)
{
	if (tree.counters->taken > tree.pool)
		tree.counters->exhausted = 1;
}

/* Fill base and count the nodes in counters->taken.  temp: scratch memory of the prefix sum. */
static inline enum gb_status linear_number(const struct octree_linear *l, struct octree_tree tree,
					   void *temp, struct gb_error *err)
{
	if (GPU_RUN(err, linear_count_kernel, gpu_blocks(l->count, LINEAR_BLOCK), LINEAR_BLOCK,
		    *l) ||
	    gpu_scan(l->base, l->base, l->count, &tree.counters->taken, temp, err))
		return err->code;
	return GPU_RUN(err, linear_check_kernel, 1, 1, tree);
}

#endif
