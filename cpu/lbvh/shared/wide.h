/* wide.h -- the tree that the CPU traverses fastest: eight children a node, triangles in blocks of
 * eight, both laid out so that one vector instruction handles all eight.
 *
 * A child is a node's number, or LBVH_LEAF | the number of a leaf's first block.  An empty slot has
 * a box that no ray enters.  Neighbouring leaves may share a block: a ray that enters one of them
 * tests all lanes, which is correct and costs nothing extra.  A leaf of more than eight triangles
 * continues in the next block as long as LBVH_MORE is set.  Lanes without a triangle have NaN
 * edges, which no ray hits.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_WIDE_H
#define GPUBENCH_CPU_LBVH_SHARED_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh_types.h"
#include "common/status.h"

enum { LBVH_WIDTH = 8 };

struct lbvh_wide_node {
	_Alignas(64) float bound[3][2][LBVH_WIDTH]; /* axis, lower or upper, child */
	uint32_t child[LBVH_WIDTH];
};

/* Set in primitive[0] of every block of a leaf but the last. */
#define LBVH_MORE (UINT32_C(1) << 31)

/* A corner, and the edges from it to the second and third one, as in lbvh_intersect(). */
struct lbvh_block {
	_Alignas(64) float corner[3][LBVH_WIDTH]; /* axis, triangle */
	float edge1[3][LBVH_WIDTH];
	float edge2[3][LBVH_WIDTH];
	uint32_t primitive[LBVH_WIDTH];
};

/* How a binary subtree becomes wide.  If it may give up to s > 1 children to the node above, left[s]
 * of them come from its left child; 0: it stays one child.  If it is one, left[1] of the node's
 * children come from its left child; 0: it is a leaf. */
struct lbvh_plan {
	bool child; /* it is a child */
	uint8_t left[LBVH_WIDTH + 1];
};

/* Make the plan, an entry for each binary node; return how many wide nodes it takes. */
size_t lbvh_plan_make(const struct lbvh_node *node, struct lbvh_plan *plan);

/* The part of the arrays that one thread fills without synchronising. */
struct lbvh_arena;

struct lbvh_wide {
	struct lbvh_wide_node *node; /* the root is node 0 */
	struct lbvh_block *block;
	size_t node_room, block_room;
	size_t node_limit; /* so many nodes fit, however threads share them */
	int threads;
	struct lbvh_arena *arena; /* one per thread */
	struct lbvh_top *top;     /* subtrees left to the threads */
	size_t top_room;
	size_t node_count, block_count; /* taken, including what the arenas leave unused */
	unsigned depth;                 /* levels of nodes; 1 if the root has only leaves */
};

/* Allocate for a tree over so many primitives, made by `threads` threads from any binary tree without
 * a plan. */
enum gb_status lbvh_wide_init(struct lbvh_wide *wide, size_t primitives, int threads,
			      struct gb_error *err);

/* Collapse the binary tree of sah.c or one with Karras' numbering.  The plan marks the children of
 * wide nodes, at most node_limit of them nodes.  Without one (NULL), the largest box is opened
 * first, and subtrees of up to LBVH_WIDTH primitives become leaves. */
struct lbvh_cpu;
void lbvh_wide_collapse(struct lbvh_wide *wide, const struct lbvh_cpu *cpu,
			const struct lbvh_plan *plan);

#endif
