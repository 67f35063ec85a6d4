/* octree_verify.c -- verification of a tree.
 *
 * The fast walk is parallel.  It stays within the arrays whatever they hold, fails if it meets a
 * node or a body twice, and computes the structural hash, with the numbers that the bodies have in
 * the original of a varied input.  The tree is right if the hash equals the reference's.  If not, a
 * sequential walk checks the definition of the tree (every body is in the cell of its key, every
 * node has more bodies than a leaf may hold) and reports the first fault.
 */
#include "cli/benchmarks/octree/octree_reference.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

enum {
	PARTS = 4096,              /* maximum number of subtrees distributed to threads */
	ENOUGH = 512,              /* subtrees at which cutting stops */
	DEPTH = 8 * OCTREE_LEVELS, /* stack size of a walk, in nodes */
};

struct tree {
	const struct octree_input *in;
	const struct octree_output *out;
	const int32_t *next;
	size_t rows;
};

/* A node to visit. */
struct visit {
	int32_t node;
	int level;
	uint64_t cell;
};

struct tally {
	size_t nodes, leaves, bodies, depths;
	int deepest;
	uint64_t hash;
};

/* Mark a bit; false if it was marked before. */
/* NOLINTNEXTLINE(readability-non-const-parameter): the check misses the atomic write */
static bool mark(uint64_t *seen, size_t i)
{
	const uint64_t bit = UINT64_C(1) << i % 64;

	return !(__atomic_fetch_or(&seen[i / 64], bit, __ATOMIC_RELAXED) & bit);
}

static bool marked(const uint64_t *seen, size_t i)
{
	return seen[i / 64] >> i % 64 & 1;
}

/* Format a cell below the root for a message: "level 3, octants 0 7 2".  Returns text. */
static char *cell_text(char text[96], uint64_t cell)
{
	const int level = (63 - __builtin_clzll(cell)) / 3;

	(void)snprintf(text, 96, "level %d, octants", level);
	for (int d = level - 1; d >= 0; d--)
		gb_text_append(text, 96, " %d", (int)(cell >> 3 * d) & 7);
	return text;
}

/* ---- the fast walk ------------------------------------------------------------------------ */

/* Visit the bodies of a leaf. */
static enum gb_status walk_leaf(const struct tree *t, int32_t body, uint64_t cell, int level,
				struct tally *sum, struct gb_error *err)
{
	const size_t bucket = (size_t)t->in->bucket;
	const size_t before = sum->bodies;
	char text[96];

	for (; body != -1; body = t->next[body]) {
		if (body < 0 || (size_t)body >= t->in->count)
			return gb_fail(err, GB_EVERIFY,
				       "the leaf at %s has a body %" PRId32 ", of %zu bodies",
				       cell_text(text, cell), body, t->in->count);
		if (!mark(t->in->verifier->body_seen, (size_t)body))
			return gb_fail(err, GB_EVERIFY,
				       "body %" PRId32 " is in the tree twice, here at %s", body,
				       cell_text(text, cell));
		sum->hash += octree_hash_body(cell, (uint32_t)body);
		sum->bodies++;
	}
	if (level <= OCTREE_DEEPEST && sum->bodies - before > bucket)
		return gb_fail(err, GB_EVERIFY,
			       "the leaf at %s has %zu bodies, more than the bucket's %zu",
			       cell_text(text, cell), sum->bodies - before, bucket);
	sum->leaves++;
	sum->depths += (size_t)level * (sum->bodies - before);
	sum->deepest = level > sum->deepest ? level : sum->deepest;
	return GB_OK;
}

/* Visit a node: count its leaves, push its child nodes on the stack. */
static enum gb_status walk_node(const struct tree *t, struct visit v, struct visit *stack,
				size_t *top, struct tally *sum, struct gb_error *err)
{
	char text[96];

	sum->nodes++;
	sum->hash += octree_hash_node(v.cell);
	for (int d = 0; d < 8; d++) {
		const int32_t value = t->out->child[v.node][d];
		const uint64_t cell = v.cell << 3 | (uint64_t)d;

		if (value == OCTREE_FREE)
			continue;
		if (value < 0) {
			if (walk_leaf(t, octree_body(value), cell, v.level + 1, sum, err))
				return err->code;
			continue;
		}
		if (value == 0 || (size_t)value >= t->rows)
			return gb_fail(err, GB_EVERIFY,
				       "the node at %s is number %" PRId32
				       ", which is not among 1 .. %zu",
				       cell_text(text, cell), value, t->rows - 1);
		if (v.level == OCTREE_DEEPEST)
			return gb_fail(err, GB_EVERIFY, "there is a node at %s, where keys end",
				       cell_text(text, cell));
		if (!mark(t->in->verifier->node_seen, (size_t)value))
			return gb_fail(err, GB_EVERIFY,
				       "node %" PRId32 " is in the tree twice, here at %s", value,
				       cell_text(text, cell));
		stack[(*top)++] = (struct visit){ value, v.level + 1, cell };
	}
	return GB_OK;
}

/* Walk a subtree.  err belongs to the calling thread. */
static void walk_part(const struct tree *t, struct visit root, struct tally *sum,
		      struct gb_error *err)
{
	struct visit stack[DEPTH];
	size_t top = 0;

	stack[top++] = root;
	while (top && !err->code) {
		const struct visit v = stack[--top];

		(void)walk_node(t, v, stack, &top, sum, err);
	}
}

static void add(struct tally *sum, const struct tally *more)
{
	sum->nodes += more->nodes;
	sum->leaves += more->leaves;
	sum->bodies += more->bodies;
	sum->depths += more->depths;
	sum->deepest = more->deepest > sum->deepest ? more->deepest : sum->deepest;
	sum->hash += more->hash;
}

/* Walk the whole tree: breadth first until there are enough subtrees, then these in parallel. */
static enum gb_status walk(const struct tree *t, struct tally *sum, struct gb_error *err)
{
	static const struct visit root = { 0, 0, 1 };
	struct visit part[PARTS + 8];
	size_t first = 0, last = 1;

	part[0] = root;
	while (first < last && last - first < ENOUGH && last < PARTS)
		if (walk_node(t, part[first++], part, &last, sum, err))
			return err->code;
#pragma omp parallel for schedule(dynamic, 1) if (last - first >= ENOUGH)
	for (size_t i = first; i < last; i++) {
		struct tally own = { 0 };
		struct gb_error fault = { 0 };

		walk_part(t, part[i], &own, &fault);
#pragma omp critical(octree_verify)
		{
			add(sum, &own);
			if (fault.code)
				gb_fail(err, fault.code, "%s", fault.message);
		}
	}
	return err->code;
}

/* ---- locating a fault ---------------------------------------------------------------------- */

/* Check the subtree of a node and return its number of bodies; *err is set on a fault.  The fast
 * walk has found that the nodes form a tree. */
static size_t inspect(const struct tree *t, struct visit v, struct gb_error *err)
{
	const struct octree_input *in = t->in;
	size_t bodies = 0;
	char text[96];

	for (int d = 0; d < 8 && !err->code; d++) {
		const int32_t value = t->out->child[v.node][d];
		const uint64_t cell = v.cell << 3 | (uint64_t)d;

		if (value > 0)
			bodies += inspect(t, (struct visit){ value, v.level + 1, cell }, err);
		for (int32_t i = octree_body(value); value < OCTREE_FREE && i >= 0;
		     i = t->next[i], bodies++) {
			const uint64_t key =
				octree_key(&in->verifier->box, in->x[i], in->y[i], in->z[i]);

			if (octree_cell(key, v.level + 1) != cell)
				gb_fail(err, GB_EVERIFY,
					"body %" PRId32
					" at (%.9g, %.9g, %.9g) is in the leaf at %s, which is not "
					"where it belongs",
					i, (double)in->x[i], (double)in->y[i], (double)in->z[i],
					cell_text(text, cell));
		}
	}
	if (v.level && bodies <= (size_t)in->bucket)
		gb_fail(err, GB_EVERIFY, "the node at %s has %zu bodies, which one leaf could have",
			cell_text(text, v.cell), bodies);
	return bodies;
}

static enum gb_status explain(const struct tree *t, const struct octree_shape *found,
			      struct gb_error *err)
{
	const struct octree_input *in = t->in;

	for (size_t i = 0; i < in->count; i++)
		if (!marked(in->verifier->body_seen, i))
			return gb_fail(err, GB_EVERIFY, "body %zu of %zu is not in the tree", i,
				       in->count);
	(void)inspect(t, (struct visit){ 0, 0, 1 }, err);
	return gb_fail(err, GB_EVERIFY,
		       "%zu nodes and %zu leaves instead of %zu and %zu; the structural hash "
		       "differs",
		       found->nodes, found->leaves, in->tree.nodes, in->tree.leaves);
}

enum gb_status octree_verify(const struct octree_input *in, const struct octree_output *output,
			     struct octree_shape *found, struct gb_error *err)
{
	const struct tree t = {
		.in = in,
		.out = output,
		.next = &output->child[in->pool][0],
		.rows = (size_t)output->rows,
	};
	struct tally sum = { 0 };

	if (output->rows < 1 || t.rows > in->pool)
		return gb_fail(err, GB_EVERIFY, "the output has %" PRId64 " nodes, of %zu",
			       output->rows, in->pool);
	memset(in->verifier->node_seen, 0, octree_seen_bytes(in->pool));
	memset(in->verifier->body_seen, 0, octree_seen_bytes(in->count));
	if (walk(&t, &sum, err))
		return err->code;
	*found = (struct octree_shape){
		.nodes = sum.nodes,
		.leaves = sum.leaves,
		.max_depth = sum.deepest,
		.mean_depth = sum.bodies ? (double)sum.depths / (double)sum.bodies : 0,
		.hash = sum.hash,
	};
	if (sum.bodies != in->count || sum.hash != in->tree.hash)
		return explain(&t, found, err);
	return GB_OK;
}
