/* lbvh_verify.c -- verification of trees (hits.h). */
#include "cli/benchmarks/lbvh/hits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/benchmarks/lbvh/lbvh_reference.h"

/* The most that a tree may cost, as a multiple of the reference's: else one leaf of all primitives
 * would be a tree.  Builders cost up to 1.5 times as much, in scenes of equal triangles. */
static const double WORST = 3;

/* The parts of a build's output. */
struct tree {
	const struct lbvh_tree_header *header;
	const struct lbvh_node *node;
	const uint32_t *index;
	size_t count, leaves, nodes;
};

static struct tree tree_of(const struct lbvh_input *in, const void *output)
{
	struct tree t = { .header = output, .count = in->count };
	const unsigned char *bytes = output;

	t.node = (const struct lbvh_node *)(const void *)(bytes + sizeof *t.header);
	t.index = (const uint32_t *)(const void *)(t.node + 2 * t.count - 1);
	t.leaves = t.header->leaves;
	t.nodes = t.header->nodes;
	return t;
}

static bool is_leaf(const struct lbvh_node *n)
{
	return n->left & LBVH_LEAF;
}

static size_t leaf_first(const struct lbvh_node *n)
{
	return n->left & ~LBVH_LEAF;
}

/* True if the children or primitives that node i refers to exist. */
static bool refers_well(const struct tree *t, size_t i)
{
	const struct lbvh_node *n = &t->node[i];

	if (!is_leaf(n))
		return n->left < t->nodes && n->right < t->nodes;
	if (n->right == 0 || leaf_first(n) + n->right > t->count)
		return false;
	for (size_t k = leaf_first(n); k < leaf_first(n) + n->right; k++)
		if (t->index[k] >= t->count)
			return false;
	return true;
}

static enum gb_status report_reference(const struct tree *t, size_t i, struct gb_error *err)
{
	const struct lbvh_node *n = &t->node[i];

	if (!is_leaf(n))
		return gb_fail(err, GB_EVERIFY,
			       "node %zu has the children %" PRIu32 " and %" PRIu32 " of %zu nodes",
			       i, n->left, n->right, t->nodes);
	if (n->right == 0 || leaf_first(n) + n->right > t->count)
		return gb_fail(err, GB_EVERIFY,
			       "leaf %zu holds %" PRIu32 " primitives from %zu of %zu", i, n->right,
			       leaf_first(n), t->count);
	return gb_fail(err, GB_EVERIFY, "leaf %zu holds a primitive that is none of %zu", i,
		       t->count);
}

/* The box that node i should have. */
static void right_box(const struct lbvh_input *in, const struct tree *t, size_t i,
		      struct lbvh_box *box)
{
	const struct lbvh_node *n = &t->node[i];

	*box = lbvh_no_box();
	if (!is_leaf(n)) {
		const struct lbvh_node *a = &t->node[n->left], *b = &t->node[n->right];

		lbvh_grow(box, a->lo, a->hi);
		lbvh_grow(box, b->lo, b->hi);
		return;
	}
	for (size_t j = 0; j < n->right; j++) {
		const uint32_t p = t->index[leaf_first(n) + j];
		const struct lbvh_box more = lbvh_primitive_box(in->vertex, in->triangle, p);

		lbvh_grow(box, more.lo, more.hi);
	}
}

/* The axis on which the box of node i is wrong; 3 if it is right. */
static int wrong_axis(const struct lbvh_input *in, const struct tree *t, size_t i)
{
	const struct lbvh_node *n = &t->node[i];
	struct lbvh_box box;

	right_box(in, t, i, &box);
	for (int k = 0; k < 3; k++)
		/* Not `!=`: NaN is wrong, too. */
		if (!(n->lo[k] == box.lo[k] && n->hi[k] == box.hi[k]))
			return k;
	return 3;
}

static enum gb_status report_box(const struct lbvh_input *in, const struct tree *t, size_t i,
				 struct gb_error *err)
{
	const struct lbvh_node *n = &t->node[i];
	const int k = wrong_axis(in, t, i);
	struct lbvh_box box;

	right_box(in, t, i, &box);
	return gb_fail(err, GB_EVERIFY,
		       "the box of %s %zu is %.9g .. %.9g in %c, and the union of its %s is %.9g "
		       ".. %.9g",
		       is_leaf(n) ? "leaf" : "node", i, (double)n->lo[k], (double)n->hi[k],
		       (char)('x' + k), is_leaf(n) ? "primitives" : "children", (double)box.lo[k],
		       (double)box.hi[k]);
}

static bool take(uint64_t *bits, size_t i)
{
	const uint64_t bit = UINT64_C(1) << (i % 64);
	const bool taken = bits[i / 64] & bit;

	bits[i / 64] |= bit;
	return !taken;
}

/* Mark the primitives of leaf i as taken and count them. */
static enum gb_status take_leaf(const struct tree *t, size_t i, uint64_t *taken, size_t *primitives,
				struct gb_error *err)
{
	const struct lbvh_node *n = &t->node[i];
	const uint32_t *index = t->index + leaf_first(n);

	for (size_t k = 0; k < n->right; k++) {
		if (!take(taken, index[k]))
			return gb_fail(err, GB_EVERIFY,
				       "primitive %" PRIu32 " is in two places, one is leaf %zu",
				       index[k], i);
		if (k && index[k] < index[k - 1])
			return gb_fail(err, GB_EVERIFY,
				       "leaf %zu holds primitive %" PRIu32 " after %" PRIu32, i,
				       index[k], index[k - 1]);
	}
	*primitives += n->right;
	return GB_OK;
}

/* Walk the tree from the root and check that each node and each primitive is reached once.  *depth
 * is the largest depth; that of the root is 1. */
static enum gb_status walk(const struct lbvh_input *in, const struct tree *t, size_t *depth,
			   struct gb_error *err)
{
	const struct lbvh_reference *r = in->reference;
	size_t reached = 0, leaves = 0, primitives = 0, top = 0;

	memset(r->visited, 0, lbvh_mark_bytes(t->nodes));
	memset(r->taken, 0, lbvh_mark_bytes(t->count));
	*depth = 0;
	r->stack[top++] = UINT64_C(1) << 32;
	while (top > 0) {
		const uint64_t entry = r->stack[--top];
		const size_t i = (uint32_t)entry, level = entry >> 32;

		if (!take(r->visited, i))
			return gb_fail(err, GB_EVERIFY, "node %zu is reached twice", i);
		reached++;
		*depth = level > *depth ? level : *depth;
		if (is_leaf(&t->node[i])) {
			leaves++;
			if (take_leaf(t, i, r->taken, &primitives, err))
				return err->code;
			continue;
		}
		if (top + 2 > t->count)
			return gb_fail(err, GB_EVERIFY,
				       "node %zu has children, but every primitive has its leaf",
				       i);
		r->stack[top++] = (uint64_t)(level + 1) << 32 | t->node[i].right;
		r->stack[top++] = (uint64_t)(level + 1) << 32 | t->node[i].left;
	}
	if (reached != t->nodes || leaves != t->leaves)
		return gb_fail(err, GB_EVERIFY,
			       "%zu nodes and %zu leaves are reached from the root, of %zu and %zu",
			       reached, leaves, t->nodes, t->leaves);
	if (primitives != t->count)
		for (size_t p = 0; p < t->count; p++)
			if (take(r->taken, p))
				return gb_fail(err, GB_EVERIFY, "primitive %zu is in no leaf", p);
	return GB_OK;
}

/* The expected number of boxes and primitives that a random ray through the root is tested
 * against; 0 if the root has no area. */
static double sah_cost(const struct tree *t)
{
	const double whole = lbvh_area(t->node[0].lo, t->node[0].hi);
	double sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t i = 0; i < t->nodes; i++)
		sum += lbvh_area(t->node[i].lo, t->node[i].hi) *
		       (is_leaf(&t->node[i]) ? t->node[i].right : 1);
	return whole > 0 ? sum / whole : 0;
}

/* A sum over all words that depends on their positions. */
static uint64_t tree_hash(const struct tree *t)
{
	const uint32_t *word = (const uint32_t *)(const void *)t->node;
	const size_t words = t->nodes * sizeof *t->node / sizeof *word;
	uint64_t hash = 0;

#pragma omp parallel for schedule(static) reduction(+ : hash)
	for (size_t i = 0; i < words; i++)
		hash += lbvh_mix((uint64_t)i << 32 | word[i]);
#pragma omp parallel for schedule(static) reduction(+ : hash)
	for (size_t i = 0; i < t->count; i++)
		hash += lbvh_mix((uint64_t)(words + i) << 32 | t->index[i]);
	return hash;
}

static enum gb_status verify_binary(const struct lbvh_input *in, const struct tree *t,
				    struct gb_metrics *metrics, struct gb_error *err)
{
	size_t first = t->nodes, depth;
	double cost, least;

	if (t->leaves < 1 || t->leaves > t->count || t->nodes != 2 * t->leaves - 1)
		return gb_fail(
			err, GB_EVERIFY,
			"%zu leaves and %zu nodes over %zu primitives: L leaves have 2 L - 1 "
			"nodes",
			t->leaves, t->nodes, t->count);
#pragma omp parallel for schedule(static) reduction(min : first)
	for (size_t i = 0; i < t->nodes; i++)
		if (i < first && !refers_well(t, i))
			first = i;
	if (first < t->nodes)
		return report_reference(t, first, err);
	if (walk(in, t, &depth, err))
		return err->code;
#pragma omp parallel for schedule(static) reduction(min : first)
	for (size_t i = 0; i < t->nodes; i++)
		if (i < first && wrong_axis(in, t, i) < 3)
			first = i;
	if (first < t->nodes)
		return report_box(in, t, first, err);
	cost = sah_cost(t);
	least = lbvh_reference_cost(in);
	if (cost > WORST * least)
		return gb_fail(
			err, GB_EVERIFY,
			"the tree costs a ray %.3g tests of boxes and primitives, and one of "
			"sorted primitives %.3g: it hardly divides them",
			cost, least);
	gb_metric(metrics, "sah_cost", cost);
	gb_metric(metrics, "depth", (double)depth);
	gb_metric_hash(metrics, "tree_hash", tree_hash(t));
	return GB_OK;
}

enum gb_status lbvh_verify_build(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err)
{
	const struct tree t = tree_of(in, output);
	const float *distance = (const float *)(const void *)(t.index + t.count);
	struct lbvh_hits h = { .camera = &in->probe,
			       .edge = LBVH_PROBE_EDGE,
			       .rays = LBVH_PROBES,
			       .t = distance,
			       .primitive =
				       (const uint32_t *)(const void *)(distance + LBVH_PROBES) };

	lbvh_hits_arithmetic(&h, t.header->arithmetic);
	if (t.header->kind & LBVH_BINARY && verify_binary(in, &t, metrics, err))
		return err->code;
	if (t.header->kind & LBVH_PROBED && lbvh_verify_hits(in, &h, metrics, err))
		return err->code;
	if (!(t.header->kind & (LBVH_BINARY | LBVH_PROBED)) ||
	    t.header->kind > (LBVH_BINARY | LBVH_PROBED))
		return gb_fail(err, GB_EVERIFY, "the output is no tree: kind %" PRIu32,
			       t.header->kind);
	if (t.leaves)
		gb_metric(metrics, "leaves", (double)t.leaves);
	if (t.nodes)
		gb_metric(metrics, "nodes", (double)t.nodes);
	return GB_OK;
}
