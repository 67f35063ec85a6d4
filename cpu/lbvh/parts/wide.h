/* wide.h -- the tree that the CPU traverses fastest: eight children a node, triangles in
 * blocks of eight, both laid out so that one vector instruction handles all eight.
 *
 * A child is the number of a node, or LBVH_LEAF | the number of the first block of a leaf, or the
 * slot is empty and has a box that no ray enters.  The leaves of neighbours may share a block: a
 * ray that enters one of them tests all lanes, which costs nothing and is no mistake.  A leaf of
 * more than eight triangles goes on in the next block as long as LBVH_MORE is set.  Lanes without a
 * triangle have edges of NaN, which nothing hits.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WIDE_H
#define GPUBENCH_CPU_LBVH_PARTS_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"

enum { LBVH_WIDTH = 8 };

struct lbvh_wide_node {
	_Alignas(64) float bound[3][2][LBVH_WIDTH]; /* axis, lower or upper, child */
	uint32_t child[LBVH_WIDTH];
};

/* In primitive[0] of every block of a leaf but the last. */
#define LBVH_MORE (UINT32_C(1) << 31)

/* Corner, and edges from it to the second and the third, as lbvh_intersect() takes them. */
struct lbvh_block {
	_Alignas(64) float corner[3][LBVH_WIDTH]; /* axis, triangle */
	float edge1[3][LBVH_WIDTH];
	float edge2[3][LBVH_WIDTH];
	uint32_t primitive[LBVH_WIDTH];
};

/* A part of the arrays that one thread fills without asking the others. */
struct lbvh_arena;

/* What becomes of a binary node and its subtree.  As one child it is a leaf, or a node whose left
 * child gives so many of its children: left[0], or LBVH_PLAN_LEAF.  Where it may give up to s
 * children to the node above, s > 1, left[s - 1] come from its left child and the others from its
 * right one, or it is one child: 0. */
enum { LBVH_PLAN_LEAF = LBVH_WIDTH };
struct lbvh_plan {
	uint8_t left[LBVH_WIDTH];
};

/* Make the plan, an entry for each node, and return how many wide nodes it takes. */
size_t lbvh_plan_make(const struct lbvh_node *node, struct lbvh_plan *plan);

struct lbvh_wide {
	struct lbvh_wide_node *node; /* the root is node 0 */
	struct lbvh_block *block;
	size_t node_room, block_room;
	int threads;
	struct lbvh_arena *arena; /* threads */
	struct lbvh_top *top;     /* what is left to the threads */
	size_t top_room;
	size_t node_count, block_count; /* in use, what the arenas leave over included */
	unsigned depth;                 /* levels of nodes; 1 if the root has only leaves */
};

/* Memory for a tree over `count` triangles, however its binary tree looks, by `threads` threads. */
enum gb_status lbvh_wide_init(struct lbvh_wide *wide, size_t count, int threads,
			      struct gb_error *err);

/* Whether a tree of so many nodes fits, however the threads share them.  One that is made without a
 * plan does. */
bool lbvh_wide_has_room(const struct lbvh_wide *wide, size_t nodes);

/* Collapse a binary tree: the children of a node are found by opening the largest box first, and
 * subtrees of up to LBVH_WIDTH primitives become leaves.  leaves: how many the binary
 * tree has, if it is numbered as Karras does, or LBVH_DEPTH_FIRST, if a left child is the next node
 * and the primitives lie in the order of the leaves, both of which are faster; else 0.  plan: NULL
 * or, if leaves is 0, the children. */
#define LBVH_DEPTH_FIRST ((size_t)-1)
void lbvh_wide_collapse(struct lbvh_wide *wide, const struct lbvh_input *input,
			const struct lbvh_node *node, const uint32_t *index, size_t leaves,
			const struct lbvh_plan *plan);

#endif
