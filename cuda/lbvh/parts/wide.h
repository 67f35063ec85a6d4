/* wide.h -- a tree of eight children a node on the device, and how it is made of a binary one.
 *
 * The boxes of the children lie on a grid of 256 planes an axis over the box of their parent (after
 * Ylitie, Karras, Laine 2017), so that a node is three sectors of 32 bytes where eight binary nodes
 * are eight.  A plane is at origin + q * 2^exponent, rounded once; q is chosen so that this very
 * number is no larger than the true lower bound and no smaller than the true upper one, whatever
 * was rounded: a ray that enters the box enters that of the node.
 *
 * A leaf is up to LBVH_WIDE_LEAF neighbours on the curve, or a leaf of the binary tree, however
 * many primitives that has.  The last triangle of a leaf carries LBVH_LAST.
 */
#ifndef GPUBENCH_CUDA_LBVH_PARTS_WIDE_H
#define GPUBENCH_CUDA_LBVH_PARTS_WIDE_H

#include "cuda/lbvh/parts/trace.h"

enum {
	LBVH_WIDE = 8,
	LBVH_WIDE_LEAF = 4,
	LBVH_WIDE_LEVELS = 64, /* a wide level is at least a binary one */
};

/* With the primitive of a leaf's last triangle; primitives need 29 bits. */
#define LBVH_LAST (UINT32_C(1) << 31)

/* The children that there are come first.  child: the number of a node, or LBVH_LEAF | the place of
 * the first triangle, or 0 where there is no child: the root, which is node 0, is nobody's. */
struct alignas(32) lbvh_wide_node {
	float origin[3];
	uint8_t exponent[3]; /* biased as a float's */
	uint8_t unused;
	uint32_t child[LBVH_WIDE];
	uint8_t bound[3][2][LBVH_WIDE]; /* axis, lower or upper, child */
};

struct lbvh_wide_counters {
	uint32_t made[LBVH_WIDE_LEVELS]; /* nodes of the level below this one */
	uint32_t barrier;                /* of gpu_grid_sync() */
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
	struct lbvh_wide_counters *counters;
};

/* Memory for a tree over `count` triangles, whatever they are. */
enum gb_status lbvh_gpu_wide_init(struct lbvh_gpu_wide *wide, size_t count, struct gb_error *err);
/* Queue the collapse of the tree over Morton codes that lbvh_gpu_fastest() makes, and its triangles.
 */
enum gb_status lbvh_gpu_wide_collapse(const struct lbvh_gpu_wide *wide, const struct lbvh_gpu *g,
				      struct gb_error *err);

#endif
