/* @NAME@.c -- a complete binary tree over the triangles in the order of their Morton codes, one
 * thread; no traversal. */
#include <gpubench/plugin.h>

#include <stdlib.h>
#include <string.h>

struct state {
	const struct lbvh_input *input; /* its triangles change between runs; its sizes do not */
	uint64_t *key;                  /* code and triangle */
	void *tree;
};

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	s->input = (const struct lbvh_input *)input;
	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE, "builds only");
	s->key = (uint64_t *)gb_host_alloc(s->input->count, sizeof *s->key, err);
	s->tree = gb_host_alloc(lbvh_build_size(s->input), 1, err);
	gb_memory_result(s->tree, GB_WHOLE, GB_POISON); /* read by download() */
	return err->code;
}

static void grow(float lo[3], float hi[3], const float *more_lo, const float *more_hi)
{
	for (int k = 0; k < 3; k++) {
		lo[k] = lbvh_min(lo[k], more_lo[k]);
		hi[k] = lbvh_max(hi[k], more_hi[k]);
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort_by_code(const struct lbvh_input *in, uint64_t *key)
{
	float lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
	struct lbvh_grid grid;

	for (size_t p = 0; p < in->count; p++) {
		const struct lbvh_box box = lbvh_primitive_box(in->vertex, in->triangle, p);

		grow(lo, hi, box.lo, box.hi);
	}
	grid = lbvh_grid_over(lo, hi, LBVH_BITS_30);
	for (size_t p = 0; p < in->count; p++) {
		const struct lbvh_box box = lbvh_primitive_box(in->vertex, in->triangle, p);

		key[p] = (uint64_t)lbvh_code_30(&grid, &box) << 32 | p;
	}
	qsort(key, in->count, sizeof *key, by_value);
}

/* Children of node k are 2 k + 1 and 2 k + 2.  The last `count` nodes are the leaves. */
static void make_nodes(const struct lbvh_input *in, struct lbvh_node *node, const uint32_t *index)
{
	for (size_t k = 2 * in->count - 1; k-- > 0;) {
		struct lbvh_node *n = &node[k];

		if (k >= in->count - 1) {
			const size_t i = k - (in->count - 1);
			const struct lbvh_box box =
				lbvh_primitive_box(in->vertex, in->triangle, index[i]);

			memcpy(n->lo, box.lo, sizeof n->lo);
			memcpy(n->hi, box.hi, sizeof n->hi);
			n->left = LBVH_LEAF | (uint32_t)i;
			n->right = 1;
			continue;
		}
		n->left = (uint32_t)(2 * k + 1);
		n->right = n->left + 1;
		memcpy(n->lo, node[n->left].lo, sizeof n->lo);
		memcpy(n->hi, node[n->left].hi, sizeof n->hi);
		grow(n->lo, n->hi, node[n->right].lo, node[n->right].hi);
	}
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	struct lbvh_tree_header *header = (struct lbvh_tree_header *)s->tree;
	uint32_t *index = lbvh_build_index(s->input, s->tree);

	(void)err;
	gb_phase(timer, "sort");
	sort_by_code(s->input, s->key);
	gb_phase(timer, "hierarchy");
	for (size_t i = 0; i < s->input->count; i++)
		index[i] = (uint32_t)s->key[i];
	make_nodes(s->input, lbvh_build_nodes(s->tree), index);
	header->kind = LBVH_BINARY;
	header->leaves = (uint32_t)s->input->count;
	header->nodes = 2 * header->leaves - 1;
	return GB_OK;
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;

	(void)err;
	memcpy(output, s->tree, lbvh_build_size(s->input));
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "lbvh", "@NAME@", GB_CPU, "complete tree, one thread", &ops });
