/* @NAME@.c -- a concurrent binary tree, one element at a time, one thread; no updates. */
#include <gpubench/plugin.h>

#include <string.h>

struct state {
	const struct cbt_input *input; /* its tree changes between runs; its sizes do not */
	struct cbt_output *output;
};

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct cbt_input *)input;
	if (s->input->op == CBT_UPDATE)
		return gb_fail(err, GB_EUNAVAILABLE, "does no updates");
	s->output = (struct cbt_output *)gb_host_alloc(cbt_output_size(s->input), 1, err);
	gb_memory_result(s->output, GB_WHOLE, GB_POISON); /* read by download() */
	return err->code;
}

/* Compute the sums of the whole tree, level by level from the field up. */
static void reduce(const struct cbt_input *in, uint64_t *heap)
{
	const unsigned depth = in->depth;

	memset(heap, 0, in->heap_words * sizeof *heap);
	cbt_put_field(heap, depth, in->field);
	for (uint32_t k = (UINT32_C(1) << depth) - 1; k > 0; k--)
		cbt_set(heap, depth, k,
			cbt_get(heap, depth, 2 * k) + cbt_get(heap, depth, 2 * k + 1));
	heap[0] |= UINT64_C(1) << depth; /* the depth marker */
}

static void add_leaf(const struct cbt_input *in, struct cbt_output *out, uint32_t leaf)
{
	if (in->ids == CBT_STORE)
		cbt_output_ids(in, out)[out->leaves] = leaf;
	else
		out->id_sum += leaf;
	out->leaves++;
}

/* Find the leaves from the field alone: each starts at a set bit and ends before the next. */
static void find_leaves(const struct cbt_input *in, struct cbt_output *out)
{
	const uint64_t end = UINT64_C(1) << in->depth;
	uint64_t start = 0;

	for (uint64_t x = 1; x <= end; x++)
		if (x == end || in->field[x / 64] >> x % 64 & 1) {
			add_leaf(in, out,
				 cbt_leaf(in->depth, (uint32_t)start, (uint32_t)(x - start)));
			start = x;
		}
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct cbt_input *in = s->input;
	struct cbt_output *out = s->output;

	(void)err;
	memset(out, 0, sizeof *out);
	out->last_level = (int64_t)in->depth - 1;
	if (cbt_has_heap(in)) {
		gb_phase(timer, "reduce");
		reduce(in, cbt_output_heap(in, out));
	}
	gb_phase(timer, "decode");
	if (in->op == CBT_REDUCE)
		out->leaves = cbt_get(cbt_output_heap(in, out), in->depth, 1);
	else
		find_leaves(in, out);
	return GB_OK;
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;

	(void)err;
	memcpy(output, s->output, cbt_output_size(s->input));
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "cbt", "@NAME@", GB_CPU, "bit after bit, one thread", &ops });
