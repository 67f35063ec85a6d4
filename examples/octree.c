/* @NAME@.c -- an octree by inserting one body after the other, one thread. */
#include <gpubench/plugin.h>

#include <string.h>

struct state {
	const struct octree_input *input; /* its bodies change between runs; its sizes do not */
	uint64_t *key;
	struct octree_output *tree;
	int32_t *next;
};

/* Allocate everything. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct octree_input *)input;
	s->key = (uint64_t *)gb_host_alloc(s->input->count, sizeof *s->key, err);
	s->tree = (struct octree_output *)gb_host_alloc(octree_output_size(s->input), 1, err);
	gb_memory_result(s->tree, GB_WHOLE, GB_POISON); /* read by download() */
	if (!err->code)
		s->next = octree_output_next(s->input, s->tree);
	return err->code;
}

static void make_keys(const struct octree_input *in, uint64_t *key)
{
	const float *axis[3] = { in->x, in->y, in->z };
	struct octree_box box;
	float low[3], high[3];

	for (int d = 0; d < 3 && in->count; d++) {
		low[d] = high[d] = axis[d][0];
		for (size_t i = 1; i < in->count; i++) {
			low[d] = axis[d][i] < low[d] ? axis[d][i] : low[d];
			high[d] = axis[d][i] > high[d] ? axis[d][i] : high[d];
		}
	}
	if (in->count)
		box = octree_box_of(low, high);
	for (size_t i = 0; i < in->count; i++)
		key[i] = octree_key(&box, in->x[i], in->y[i], in->z[i]);
}

/* Put a body in front of the list of a leaf, which may be OCTREE_FREE. */
static void push(struct state *s, int32_t *leaf, int32_t body)
{
	s->next[body] = octree_body(*leaf);
	*leaf = octree_body(body);
}

/* The number of a new node without children. */
static int32_t add_node(struct state *s, struct gb_error *err)
{
	if ((size_t)s->tree->rows == s->input->pool) {
		gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, s->input->pool, s->input->count);
		return 0;
	}
	for (int d = 0; d < 8; d++)
		s->tree->child[s->tree->rows][d] = OCTREE_FREE;
	return (int32_t)s->tree->rows++;
}

static bool is_full(const struct state *s, int32_t leaf)
{
	int bodies = 0;

	for (int32_t body = octree_body(leaf); body >= 0 && bodies < s->input->bucket;
	     body = s->next[body])
		bodies++;
	return bodies == s->input->bucket;
}

static void insert(struct state *s, int32_t body, struct gb_error *err)
{
	int32_t node = 0;

	for (int level = 0; !err->code; level++) {
		int32_t *child = &s->tree->child[node][octree_digit(s->key[body], level)];

		if (*child <= 0 && (level == OCTREE_DEEPEST || !is_full(s, *child))) {
			push(s, child, body);
			return;
		}
		if (*child > 0) {
			node = *child;
			continue;
		}
		/* Replace the full leaf by a node that has its bodies. */
		node = add_node(s, err);
		for (int32_t b = octree_body(*child), then; b >= 0 && !err->code; b = then) {
			then = s->next[b];
			push(s, &s->tree->child[node][octree_digit(s->key[b], level + 1)], b);
		}
		*child = node;
	}
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	gb_phase(timer, "keys");
	make_keys(s->input, s->key);
	gb_phase(timer, "insert");
	s->tree->rows = 0;
	(void)add_node(s, err);
	for (size_t i = 0; i < s->input->count && !err->code; i++)
		insert(s, (int32_t)i, err);
	return err->code;
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;

	(void)err;
	memcpy(output, s->tree, octree_output_size(s->input));
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "octree", "@NAME@", GB_CPU, "insertion, one thread", &ops });
