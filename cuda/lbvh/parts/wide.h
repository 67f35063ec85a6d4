/* wide.h -- a tree of eight children a node on the device, and how it is made of a binary one.
 *
 * A node is 80 bytes, as that of Ylitie, Karras, Laine 2017: what eight binary nodes say in 256.  The
 * boxes of the children lie on a grid of 256 planes an axis over the box of their parent.  A plane is
 * at origin + q * 2^exponent, rounded once; q is chosen so that this very number is no larger than
 * the true lower bound and no smaller than the true upper one, whatever was rounded: a ray that
 * enters the box enters that of the node.
 *
 * The children that are nodes have numbers in a row, and the triangles of all leaves of a node lie in
 * a row: a byte says where in it a child is.  A leaf is up to LBVH_WIDE_LEAF neighbours on the curve.
 * A leaf of the binary tree may have more, of one code: they become leaves with its box.
 */
#ifndef GPUBENCH_CUDA_LBVH_PARTS_WIDE_H
#define GPUBENCH_CUDA_LBVH_PARTS_WIDE_H

#include "cuda/lbvh/parts/trace.h"

enum {
	LBVH_WIDE = 8,
	LBVH_WIDE_LEAF = 4,
	LBVH_WIDE_LEVELS = 64, /* that are made: no traversal takes more */
};

/* The children that there are come first. */
struct alignas(16) lbvh_wide_node {
	float origin[3];
	uint8_t exponent[3]; /* biased as a float's */
	uint8_t unused;
	uint32_t first_node, first_triangle; /* of its children */
	uint8_t child[LBVH_WIDE];            /* lbvh_wide_inner(), lbvh_wide_leaf(), or 0 */
	uint8_t bound[3][2][LBVH_WIDE];      /* axis, lower or upper, child */
};

/* The child that is the node's inner one number `before`. */
static __device__ __forceinline__ uint32_t lbvh_wide_inner(uint32_t before)
{
	return before << 3 | 1;
}

/* The leaf of so many triangles after `before` others. */
static __device__ __forceinline__ uint32_t lbvh_wide_leaf(uint32_t before, uint32_t triangles)
{
	return (before + 1) << 3 | (triangles - 1) << 1;
}

struct lbvh_wide_counters {
	uint32_t made[LBVH_WIDE_LEVELS]; /* nodes of the level below this one */
	uint32_t barrier;                /* of gpu_grid_sync() */
	uint32_t triangles;              /* placed */
	uint32_t nodes, levels;
};

/* A binary subtree to be made into a wide node: its primitives are index[first .. first + count).
 */
struct lbvh_wide_root {
	uint32_t node, first, count;
};

/* All on the device. */
struct lbvh_gpu_wide {
	struct lbvh_wide_node *node;
	struct lbvh_wide_root *root; /* of each node */
	struct lbvh_corners *triangle;
	uint32_t *place; /* in `triangle`, of each place of the binary tree's index */
	struct lbvh_wide_counters *counters;
};

/* Memory for a tree over `count` triangles, whatever they are. */
enum gb_status lbvh_gpu_wide_init(struct lbvh_gpu_wide *wide, size_t count, struct gb_error *err);
/* Queue the collapse of the tree over Morton codes that lbvh_gpu_fastest() makes, and its triangles.
 */
enum gb_status lbvh_gpu_wide_collapse(const struct lbvh_gpu_wide *wide, const struct lbvh_gpu *g,
				      struct gb_error *err);

#endif
