/* stack.c -- cpu/stack: the binary tree with a stack, one level, vertices in place.
 *
 * What the paper says of Hippie (section 5.3): there is one tree, and the corners of a leaf's
 * triangles lie one behind the other in the order of the leaves, so that a leaf is one stretch of
 * memory.  The tree is the paper's, of 32-byte nodes; a step fetches both children to test their
 * boxes.  The bound is latency.
 */
#include "cpu/lbvh/parts/stack.h"

#include <string.h>

#include "common/memory.h"

struct corners {
	float a[3], b[3], c[3];
	uint32_t primitive;
};

struct state {
	struct lbvh_stack common;
	struct corners *triangle; /* count, in the order of the tree's index */
};

/* What the walk of a ray needs. */
struct walk {
	const struct state *state;
	struct lbvh_waiting *stack;
	struct lbvh_counts *counts;
};

static void test_leaf(void *context, const struct lbvh_node *leaf, struct lbvh_beam *beam)
{
	const struct walk *w = context;
	const struct corners *triangle = w->state->triangle + (leaf->left & ~LBVH_LEAF);

	w->counts->triangles += leaf->right;
	for (uint32_t i = 0; i < leaf->right; i++, triangle++)
		lbvh_beam_hit(beam,
			      lbvh_intersect(beam->origin, beam->direction, triangle->a,
					     triangle->b, triangle->c),
			      triangle->primitive);
}

static void trace_ray(void *context, struct lbvh_beam *beam)
{
	struct walk *w = context;

	lbvh_beam_walk(w->state->common.cpu.node, beam, w->stack, &w->counts->nodes, test_leaf, w);
}

static void trace_batch(const void *state, int thread, struct lbvh_batch *batch,
			struct lbvh_counts *counts)
{
	const struct state *s = state;
	struct walk walk = { s, s->common.entry + (size_t)thread * s->common.room, counts };

	lbvh_beam_batch(batch, trace_ray, &walk);
}

static void place_corners(struct state *s)
{
	const struct lbvh_input *in = s->common.tracer.input;

#pragma omp parallel for num_threads(s->common.tracer.threads) schedule(static)
	for (size_t i = 0; i < in->count; i++) {
		const uint32_t p = s->common.cpu.index[i], *v = in->triangle + 3 * (size_t)p;
		struct corners *to = s->triangle + i;

		memcpy(to->a, in->vertex + 3 * (size_t)v[0], sizeof to->a);
		memcpy(to->b, in->vertex + 3 * (size_t)v[1], sizeof to->b);
		memcpy(to->c, in->vertex + 3 * (size_t)v[2], sizeof to->c);
		to->primitive = p;
	}
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_ways ways = { NULL, trace_batch };
	struct state *s = state;

	if (lbvh_stack_init(&s->common, params, input, ways, 0, err))
		return err->code;
	s->triangle = gb_host_alloc(s->common.tracer.input->count, sizeof *s->triangle, err);
	if (s->triangle && !gb_memory_is_dry())
		place_corners(s);
	return err->code;
}

const struct gb_variant_ops lbvh_cpu_stack = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
