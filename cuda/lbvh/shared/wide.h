/* wide.h -- a tree with eight children per node on the device, made from a binary tree.
 *
 * A node takes 80 bytes, like that of Ylitie, Karras, Laine 2017; eight binary nodes take 256.  The
 * children's boxes lie on a grid of 256 planes per axis over their parent's box.  Plane q is at
 * origin + q * 2^exponent, rounded once.  The rounded lower plane of a child is never above its
 * true bound, and the upper one never below, so a ray that enters the box also enters the node's
 * version of it.
 *
 * Inner children have consecutive numbers, and the triangles of all leaves of a node have
 * consecutive positions; a byte says where in its sequence a child is.  A leaf is up to
 * LBVH_WIDE_LEAF neighbours on the curve.  A leaf of the binary tree may have more, all of one
 * code: it becomes several leaves with its box.
 */
#ifndef GPUBENCH_CUDA_LBVH_SHARED_WIDE_H
#define GPUBENCH_CUDA_LBVH_SHARED_WIDE_H

#include "cuda/lbvh/shared/trace.h"

/* Children in use come first. */
struct alignas(16) lbvh_wide_node {
	float origin[3];
	uint8_t exponent[3]; /* biased like a float's */
	uint8_t unused;
	uint32_t first_node, first_triangle; /* start of its children's sequences */
	uint8_t child[LBVH_WIDE];            /* lbvh_wide_inner(), lbvh_wide_leaf(), or 0 */
	uint8_t bound[3][2][LBVH_WIDE];      /* axis, lower or upper, child */
};

/* The byte of the inner child that follows `before` others. */
static __device__ __forceinline__ uint32_t lbvh_wide_inner(uint32_t before)
{
	return before << 3 | 1;
}

/* The byte of a leaf with this many triangles that follow `before` others. */
static __device__ __forceinline__ uint32_t lbvh_wide_leaf(uint32_t before, uint32_t triangles)
{
	return (before + 1) << 3 | (triangles - 1) << 1;
}

/* A traversal holds the child that it visits and those that wait on its stack: at most one when it
 * visits the root, and n - 1 more below a node of n children.  Device memory after these counters
 * holds that number for each node; 0: its root is not there. */
struct lbvh_wide_counters {
	unsigned long long made; /* nodes without the root << 32 | triangles placed */
	uint32_t held, unused;   /* the largest of these numbers */

	uint32_t nodes(void) const
	{
		return 1 + (uint32_t)(made >> 32);
	}
	uint32_t triangles(void) const
	{
		return (uint32_t)made;
	}
};

/* A binary subtree that becomes a wide node.  Its primitives are index[first .. first + count). */
struct lbvh_wide_root {
	uint32_t node, first, count;
};

/* All arrays are on the device. */
struct lbvh_gpu_wide {
	lbvh_wide_node *node;
	lbvh_wide_root *root; /* one per node */
	lbvh_corners *triangle;
	uint32_t *position; /* in `triangle`, of each primitive of the binary tree's index */
	lbvh_wide_counters *counters;
};

static __device__ __forceinline__ uint32_t *lbvh_wide_held(const lbvh_gpu_wide *wide, uint32_t node)
{
	return (uint32_t *)(void *)(wide->counters + 1) + node;
}

/* Allocate for any tree over `count` triangles. */
gb_status lbvh_gpu_wide_init(lbvh_gpu_wide *wide, size_t count, bool planned, gb_error *err);
/* Queue the collapse of a tree in Karras' numbering, and the copy of its triangles.  plan: that of
 * lbvh_gpu_refine(), or NULL. */
gb_status lbvh_gpu_wide_collapse(const lbvh_gpu_wide *wide, const lbvh_gpu *g, const uint32_t *plan,
				 gb_error *err);

#endif
