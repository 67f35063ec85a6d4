/* wide.h -- the tree that the CPU traverses fastest: eight children a node, triangles in blocks of
 * eight, both laid out so that one vector instruction handles all eight.
 *
 * A child is a node's number, or LBVH_LEAF | the number of a leaf's first block.  An empty slot has
 * a box that no ray enters.  Neighbouring leaves may share a block: a ray that enters one of them
 * tests all lanes, which is correct and costs nothing extra.  A leaf of more than eight triangles
 * continues in the next block as long as LBVH_MORE is set.  Lanes without a triangle have NaN
 * edges, which no ray hits.
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

/* Set in primitive[0] of every block of a leaf but the last. */
#define LBVH_MORE (UINT32_C(1) << 31)

/* A corner, and the edges from it to the second and third one, as in lbvh_intersect(). */
struct lbvh_block {
	_Alignas(64) float corner[3][LBVH_WIDTH]; /* axis, triangle */
	float edge1[3][LBVH_WIDTH];
	float edge2[3][LBVH_WIDTH];
	uint32_t primitive[LBVH_WIDTH];
};

/* The part of the arrays that one thread fills without synchronising. */
struct lbvh_arena;

struct lbvh_wide {
	struct lbvh_wide_node *node; /* the root is node 0 */
	struct lbvh_block *block;
	size_t node_room, block_room;
	int threads;
	struct lbvh_arena *arena; /* one per thread */
	struct lbvh_top *top;     /* subtrees left to the threads */
	size_t top_room;
	size_t node_count, block_count; /* taken, including what the arenas leave unused */
	unsigned depth;                 /* levels of nodes; 1 if the root has only leaves */
};

/* Allocate for a tree over so many primitives, made by `threads` threads from any
 * binary tree. */
enum gb_status lbvh_wide_init(struct lbvh_wide *wide, size_t primitives, int threads,
			      struct gb_error *err);

/* Collapse the binary tree of sah.c or one with Karras' numbering.  A node's children are found by
 * opening the largest box first, and subtrees of up to LBVH_WIDTH primitives become leaves. */
struct lbvh_cpu;
void lbvh_wide_collapse(struct lbvh_wide *wide, const struct lbvh_cpu *cpu);

#endif
