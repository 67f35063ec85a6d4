/* plan.c -- the wide tree of least cost within a binary one, by dynamic programming (Ylitie,
 * Karras, Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017,
 * section 4.1).
 *
 * Opening the largest box first fills each node without regard to the subtrees.  Here, from the
 * leaves up, the cost of a binary node is found for each number of children that it may give to the
 * wide node above: the minimum over the ways to divide that number between its two children.  The
 * cost of a tree is the sum of the surfaces of its nodes and leaves: a ray enters each with a
 * probability proportional to its surface, and either takes one step.  Single rays enter fewer
 * nodes and leaves than with the largest box first.
 */
#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/wide.h"

/* Costs of a subtree.  least[s - 1]: if it may give up to s children.  primitives: LBVH_WIDTH + 1
 * if it has more than a leaf. */
struct cost {
	float least[LBVH_WIDTH];
	uint32_t primitives;
};

static struct cost cost_of_leaf(const struct lbvh_node *n, struct lbvh_plan *plan)
{
	const uint32_t blocks = (n->right + LBVH_WIDTH - 1) / LBVH_WIDTH;
	struct cost c = { .primitives = n->right <= LBVH_WIDTH ? n->right : LBVH_WIDTH + 1 };

	for (int i = 0; i < LBVH_WIDTH; i++) {
		c.least[i] = lanes_area(n->lo, n->hi) * (float)blocks;
		plan->left[i] = i ? 0 : LBVH_PLAN_LEAF;
	}
	return c;
}

/* The least cost of `slots` children from two subtrees; *share: how many come from the left one. */
static float part(const struct cost *left, const struct cost *right, unsigned slots, uint8_t *share)
{
	float least = INFINITY;

	for (unsigned k = 1; k < slots; k++) {
		const float cost = left->least[k - 1] + right->least[slots - k - 1];

		if (cost < least || k == 1) {
			least = cost;
			*share = (uint8_t)k;
		}
	}
	return least;
}

static struct cost plan_below(const struct lbvh_node *node, uint32_t root, struct lbvh_plan *plan)
{
	const struct lbvh_node *n = node + root;
	struct cost left, right, c;
	uint8_t *share = plan[root].left;

	if (n->left & LBVH_LEAF)
		return cost_of_leaf(n, plan + root);
	left = plan_below(node, n->left, plan);
	right = plan_below(node, n->right, plan);
	c.primitives = left.primitives + right.primitives;
	c.least[0] = lanes_area(n->lo, n->hi);
	share[0] = LBVH_PLAN_LEAF;
	if (c.primitives > LBVH_WIDTH) {
		c.primitives = LBVH_WIDTH + 1;
		c.least[0] = lanes_area(n->lo, n->hi) + part(&left, &right, LBVH_WIDTH, &share[0]);
	}
	for (unsigned slots = 2; slots <= LBVH_WIDTH; slots++) {
		c.least[slots - 1] = part(&left, &right, slots, &share[slots - 1]);
		if (c.least[0] < c.least[slots - 1]) {
			c.least[slots - 1] = c.least[0];
			share[slots - 1] = 0;
		}
	}
	return c;
}

/* The number of wide nodes in a subtree that gives up to `slots` children. */
static size_t count_nodes(const struct lbvh_node *node, uint32_t root, unsigned slots,
			  const struct lbvh_plan *plan)
{
	const struct lbvh_node *n = node + root;
	unsigned share = plan[root].left[slots - 1];
	size_t nodes = 0;

	if (slots > 1 && !share) {
		slots = 1;
		share = plan[root].left[0];
	}
	if (slots == 1) {
		if (share == LBVH_PLAN_LEAF)
			return 0;
		nodes = 1;
		slots = LBVH_WIDTH;
	}
	return nodes + count_nodes(node, n->left, share, plan) +
	       count_nodes(node, n->right, slots - share, plan);
}

size_t lbvh_plan_make(const struct lbvh_node *node, struct lbvh_plan *plan)
{
	(void)plan_below(node, 0, plan);
	return count_nodes(node, 0, 1, plan);
}
