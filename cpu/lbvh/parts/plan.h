/* plan.h -- which nodes of a binary tree become children of wide ones, for the least cost. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_PLAN_H
#define GPUBENCH_CPU_LBVH_PARTS_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "cpu/lbvh/parts/wide.h"

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

#endif
