/* refine.c -- a clustered tree made cheaper: treelets are rearranged, then leaves enlarged (Karras,
 * Aila 2013: "Fast parallel construction of high-quality bounding volume hierarchies", sections 3
 * and 4).
 *
 * From the leaves up, each node is the root of a treelet: of its two children, the one with the
 * largest box is opened, and so on until there are TREELET subtrees.  Dynamic programming over
 * their subsets finds the binary tree of least cost over them, which replaces the treelet's inner
 * nodes.  The cost of a node is that of `sah_cost`: for a leaf its surface times its primitives,
 * else its surface plus the cost of its children; a subtree of up to LEAF primitives may be either.
 * A treelet changes only its own subtree, so the tree does not depend on the order of threads.
 *
 * Then the tree is written anew, depth first.  Subtrees that are cheapest as one leaf become one,
 * with all their primitives in a row.
 *
 * The cost never rises, because the old arrangement is one of those compared.  Bound: arithmetic,
 * 3^TREELET / 2 sums a node.
 */
#include "cpu/lbvh/parts/frame.h"

#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/lanes.h"

enum {
	TREELET = 6, /* subtrees; (3^6 - 2^7 + 1) / 2 = 301 ways to split their subsets */
	SETS = 1 << TREELET,
	LEAF = 8,              /* primitives of a leaf that is made here, at most */
	SHARES = 64,           /* subtrees that are written in parallel, or a few more */
	WAITING = SHARES + 64, /* room in the queue that finds them */
};

/* Totals of the subtree below an inner node.  leaves == 1: it will be a leaf. */
struct lbvh_sum {
	float cost;
	uint32_t primitives;
	uint32_t leaves; /* in the new tree */
};

/* A subtree and its destination: the new number of its root, the new place of its first
 * primitive. */
struct lbvh_move {
	uint32_t node, to, first;
};

void lbvh_cpu_alloc_refine(struct lbvh_cpu *cpu, struct gb_error *err)
{
	cpu->sum = gb_host_alloc(cpu->count, sizeof *cpu->sum, err);
	cpu->moves = gb_host_alloc(WAITING, sizeof *cpu->moves, err);
}

static bool is_leaf(const struct lbvh_node *node)
{
	return node->left & LBVH_LEAF;
}

static struct lbvh_sum sum_of(const struct lbvh_cpu *cpu, uint32_t i)
{
	const struct lbvh_node *n = cpu->node + i;

	if (is_leaf(n))
		return (struct lbvh_sum){ lanes_area(n->lo, n->hi) * (float)n->right, n->right, 1 };
	return cpu->sum[i];
}

/* ---- treelets ----------------------------------------------------------------------------- */

struct treelet {
	int count;               /* subtrees */
	uint32_t leaf[TREELET];  /* their roots */
	uint32_t inner[TREELET]; /* the count - 1 nodes above them, the treelet's root first */
	int used;                /* number of inner nodes reused so far */
	/* For each subset of the subtrees. */
	struct lbvh_box box[SETS];
	float cost[SETS];
	uint32_t primitives[SETS];
	bool one_leaf[SETS];
	unsigned char part[SETS]; /* the left child's subset */
};

/* Make `node` the root of subtree i.  Return half its surface, or -1 if it cannot be opened. */
static float place(const struct lbvh_cpu *cpu, struct treelet *t, int i, uint32_t node)
{
	const struct lbvh_node *n = cpu->node + node;

	t->leaf[i] = node;
	return is_leaf(n) ? -1 : lanes_area(n->lo, n->hi);
}

/* Find the subtrees: open the largest box until there are enough. */
static void grow(const struct lbvh_cpu *cpu, uint32_t root, struct treelet *t)
{
	float size[TREELET]; /* half surfaces of boxes that can be opened, else -1 */

	size[0] = place(cpu, t, 0, root);
	for (t->count = 1; t->count < TREELET; t->count++) {
		int largest = 0;

		for (int i = 1; i < t->count; i++)
			if (size[i] > size[largest])
				largest = i;
		if (size[largest] < 0)
			return;
		t->inner[t->count - 1] = root = t->leaf[largest];
		size[largest] = place(cpu, t, largest, cpu->node[root].left);
		size[t->count] = place(cpu, t, t->count, cpu->node[root].right);
	}
}

/* Find the cheapest split of a set; return the cost of its parts. */
static float best_part(struct treelet *t, unsigned set)
{
	const unsigned lowest = set & -set, rest = set ^ lowest;
	float best = INFINITY;

	t->part[set] = (unsigned char)lowest;
	/* The lowest element with each proper subset of the rest. */
	for (unsigned s = rest; s;) {
		float cost;

		s = (s - 1) & rest;
		cost = t->cost[s | lowest] + t->cost[rest ^ s];
		if (cost < best) {
			best = cost;
			t->part[set] = (unsigned char)(s | lowest);
		}
	}
	return best;
}

/* The cost of a node whose children cost `below`; *one_leaf: true if it is cheaper as one leaf. */
static float node_cost(float surface, float below, uint32_t primitives, bool *one_leaf)
{
	const float as_leaf = surface * (float)primitives;

	*one_leaf = primitives <= LEAF && as_leaf < surface + below;
	return *one_leaf ? as_leaf : surface + below;
}

/* Find the best tree over each subset.  A set follows its subsets, which are smaller numbers. */
static void solve(const struct lbvh_cpu *cpu, struct treelet *t)
{
	for (int i = 0; i < t->count; i++) {
		const struct lbvh_node *n = cpu->node + t->leaf[i];
		const struct lbvh_sum sum = sum_of(cpu, t->leaf[i]);

		lanes_store(t->box[1U << i].lo, lanes_load(n->lo));
		lanes_store(t->box[1U << i].hi, lanes_load(n->hi));
		t->cost[1U << i] = sum.cost;
		t->primitives[1U << i] = sum.primitives;
	}
	for (unsigned set = 3; set < 1U << t->count; set++) {
		const unsigned lowest = set & -set, rest = set ^ lowest;
		const struct lbvh_box *a = &t->box[lowest], *b = &t->box[rest];

		if (!rest)
			continue;
		lanes_store(t->box[set].lo, lanes_min(lanes_load(a->lo), lanes_load(b->lo)));
		lanes_store(t->box[set].hi, lanes_max(lanes_load(a->hi), lanes_load(b->hi)));
		t->primitives[set] = t->primitives[lowest] + t->primitives[rest];
		t->cost[set] = node_cost(lanes_area(t->box[set].lo, t->box[set].hi),
					 best_part(t, set), t->primitives[set], &t->one_leaf[set]);
	}
}

static void set_sum(struct lbvh_cpu *cpu, uint32_t node, float cost, bool one_leaf)
{
	const struct lbvh_sum left = sum_of(cpu, cpu->node[node].left);
	const struct lbvh_sum right = sum_of(cpu, cpu->node[node].right);

	cpu->sum[node] = (struct lbvh_sum){ cost, left.primitives + right.primitives,
					    one_leaf ? 1 : left.leaves + right.leaves };
}

/* Write the tree over a subset, with `to` as its root. */
static void rebuild(struct lbvh_cpu *cpu, struct treelet *t, unsigned set, uint32_t to)
{
	const unsigned side[2] = { t->part[set], set ^ t->part[set] };
	uint32_t child[2];

	for (int i = 0; i < 2; i++) {
		if (side[i] & (side[i] - 1)) {
			child[i] = t->inner[++t->used];
			rebuild(cpu, t, side[i], child[i]);
		} else {
			child[i] = t->leaf[__builtin_ctz(side[i])];
		}
	}
	lanes_store_node(&cpu->node[to], lanes_load(t->box[set].lo), lanes_load(t->box[set].hi),
			 child[0], child[1]);
	set_sum(cpu, to, t->cost[set], t->one_leaf[set]);
}

/* Rearrange the treelet below a node if that is cheaper. */
static void refine_node(struct lbvh_cpu *cpu, uint32_t root)
{
	const struct lbvh_node *n = cpu->node + root;
	const struct lbvh_sum left = sum_of(cpu, n->left), right = sum_of(cpu, n->right);
	struct treelet t;
	bool one_leaf;
	const float cost = node_cost(lanes_area(n->lo, n->hi), left.cost + right.cost,
				     left.primitives + right.primitives, &one_leaf);
	unsigned all;

	grow(cpu, root, &t);
	solve(cpu, &t);
	all = (1U << t.count) - 1;
	if (t.count > 2 && t.cost[all] < cost) {
		t.used = 0;
		rebuild(cpu, &t, all, root);
	} else {
		set_sum(cpu, root, cost, one_leaf);
	}
}

void lbvh_cpu_refine(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "refine");
#pragma omp for schedule(dynamic, 1)
	for (size_t run = 0; run < cpu->runs_used; run++)
		for (uint32_t i = cpu->run_first[run]; i < cpu->run_first[run + 1]; i++)
			refine_node(cpu, i);
#pragma omp single
	for (uint32_t i = cpu->run_first[0]; i-- > 0;)
		refine_node(cpu, i);
}

/* ---- the new tree ------------------------------------------------------------------------- */

/* Append the primitives below a node at *to. */
static void gather(const struct lbvh_cpu *cpu, uint32_t i, uint32_t **to)
{
	const struct lbvh_node *n = cpu->node + i;

	if (is_leaf(n)) {
		memcpy(*to, cpu->index + (n->left & ~LBVH_LEAF), n->right * sizeof **to);
		*to += n->right;
		return;
	}
	gather(cpu, n->left, to);
	gather(cpu, n->right, to);
}

/* Sort a few numbers in ascending order. */
static void sort_few(uint32_t *from, const uint32_t *end)
{
	for (uint32_t *i = from + 1; i < end; i++) {
		const uint32_t p = *i;
		uint32_t *k = i;

		for (; k > from && k[-1] > p; k--)
			*k = k[-1];
		*k = p;
	}
}

static void write_leaf(struct lbvh_cpu *cpu, const struct lbvh_move *m, uint32_t count)
{
	const struct lbvh_node *from = cpu->node + m->node;
	uint32_t *const first = cpu->index_spare + m->first, *end = first;
	struct lbvh_node *to = cpu->spare + m->to;

	gather(cpu, m->node, &end);
	if (!is_leaf(from))
		sort_few(first, end);
	*to = *from;
	to->left = LBVH_LEAF | m->first;
	to->right = count;
}

/* Write one node.  If it is an inner one, return true and the moves of its children. */
static bool write_node(struct lbvh_cpu *cpu, const struct lbvh_move *m, struct lbvh_move child[2])
{
	const struct lbvh_node *from = cpu->node + m->node;
	const struct lbvh_sum sum = sum_of(cpu, m->node);
	struct lbvh_node *to = cpu->spare + m->to;
	struct lbvh_sum left;

	if (sum.leaves == 1) {
		write_leaf(cpu, m, sum.primitives);
		return false;
	}
	left = sum_of(cpu, from->left);
	child[0] = (struct lbvh_move){ from->left, m->to + 1, m->first };
	child[1] = (struct lbvh_move){ from->right, m->to + 2 * left.leaves,
				       m->first + left.primitives };
	*to = *from;
	to->left = child[0].to;
	to->right = child[1].to;
	return true;
}

/* Write a whole subtree. */
static void write_subtree(struct lbvh_cpu *cpu, struct lbvh_move m)
{
	struct lbvh_move child[2];

	while (write_node(cpu, &m, child)) {
		write_subtree(cpu, child[0]);
		m = child[1];
	}
}

/* Write the nodes above the subtrees that threads share; return how many of these are in
 * cpu->moves. */
static size_t write_top(struct lbvh_cpu *cpu)
{
	struct lbvh_move *queue = cpu->moves;
	size_t waiting = 1;

	queue[0] = (struct lbvh_move){ 0, 0, 0 };
	for (size_t tries = 0; waiting && waiting < SHARES && tries < (size_t)2 * SHARES; tries++) {
		struct lbvh_move child[2];
		size_t largest = 0;

		for (size_t i = 1; i < waiting; i++)
			if (sum_of(cpu, queue[i].node).leaves >
			    sum_of(cpu, queue[largest].node).leaves)
				largest = i;
		if (write_node(cpu, &queue[largest], child)) {
			queue[largest] = child[0];
			queue[waiting++] = child[1];
		} else {
			queue[largest] = queue[--waiting];
		}
	}
	return waiting;
}

void lbvh_cpu_rewrite(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "rewrite");
#pragma omp single
	cpu->moves_used = write_top(cpu);
#pragma omp for schedule(dynamic, 1)
	for (size_t i = 0; i < cpu->moves_used; i++)
		write_subtree(cpu, cpu->moves[i]);
#pragma omp single
	{
		struct lbvh_node *node = cpu->node;
		uint32_t *index = cpu->index;

		cpu->leaves = sum_of(cpu, 0).leaves;
		cpu->node = cpu->spare;
		cpu->spare = node;
		cpu->index = cpu->index_spare;
		cpu->index_spare = index;
	}
}
