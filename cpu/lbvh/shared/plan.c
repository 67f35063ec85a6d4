/* plan.c -- which nodes of a binary tree become children in the wide tree of least cost, by dynamic
 * programming (Ylitie, Karras, Laine 2017, "Efficient incoherent ray traversal on GPUs through
 * compressed wide BVHs", section 4.1).
 *
 * From the leaves up, the cost of a binary node is found for each number of children that it may
 * give to the wide node above: the minimum over the ways to share that number between its two
 * children.  The cost of a tree is the surface of its nodes and leaves: a ray enters each with a
 * probability proportional to it, and either takes one step.
 */
#include "cpu/lbvh/shared/lanes.h"
#include "cpu/lbvh/shared/wide.h"

/* least[s]: the cost of a subtree that may give up to s children. */
struct cost {
	float least[LBVH_WIDTH + 1];
	uint32_t primitives;
};

/* The least cost of `slots` children from two subtrees; *share: how many come from the left one. */
static float divide(const struct cost *left, const struct cost *right, unsigned slots,
		    uint8_t *share)
{
	float least = INFINITY;

	for (unsigned k = 1; k < slots; k++) {
		const float cost = left->least[k] + right->least[slots - k];

		if (cost < least) {
			least = cost;
			*share = (uint8_t)k;
		}
	}
	return least;
}

static struct cost cost_below(const struct lbvh_node *node, uint32_t root, struct lbvh_plan *plan)
{
	const struct lbvh_node *n = node + root;
	struct lbvh_plan *p = plan + root;
	struct cost left, right, c = { .primitives = n->right };

	*p = (struct lbvh_plan){ 0 };
	for (unsigned slots = 1; slots <= LBVH_WIDTH; slots++)
		c.least[slots] = lanes_area(n->lo, n->hi);
	if (n->left & LBVH_LEAF)
		return c;
	left = cost_below(node, n->left, plan);
	right = cost_below(node, n->right, plan);
	c.primitives = left.primitives + right.primitives;
	if (c.primitives > LBVH_WIDTH)
		c.least[1] += divide(&left, &right, LBVH_WIDTH, &p->left[1]);
	for (unsigned slots = 2; slots <= LBVH_WIDTH; slots++) {
		c.least[slots] = divide(&left, &right, slots, &p->left[slots]);
		if (c.least[1] < c.least[slots]) {
			c.least[slots] = c.least[1];
			p->left[slots] = 0;
		}
	}
	return c;
}

/* Mark the children in a subtree that gives up to `slots`; return how many wide nodes it has. */
static size_t mark(const struct lbvh_node *node, uint32_t root, unsigned slots,
		   struct lbvh_plan *plan)
{
	struct lbvh_plan *p = plan + root;
	unsigned share = p->left[slots];

	p->child = slots == 1 || !share;
	if (p->child) {
		share = p->left[1];
		slots = LBVH_WIDTH;
	}
	if (!share) /* a leaf */
		return 0;
	return p->child + mark(node, node[root].left, share, plan) +
	       mark(node, node[root].right, slots - share, plan);
}

size_t lbvh_plan_make(const struct lbvh_node *node, struct lbvh_plan *plan)
{
	(void)cost_below(node, 0, plan);
	return mark(node, 0, 1, plan);
}
