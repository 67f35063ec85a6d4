/* sah.c -- cpu/sah: a tree of eight children a node, ready for traversal, from the top down by the
 * surface area heuristic (parts/split.c).
 *
 * Against wide: planes that are chosen by what they cost a ray, not by the bits of codes, for three
 * or four times the time.  Against ploc: the cheaper tree in half the time, but where long thin
 * triangles lie across each other.  The binary tree is there, too, and is what `sah_cost` is of.
 * The bound is arithmetic.
 */
#include "cpu/lbvh/parts/wide_state.h"

static void trace(const void *state, int thread, struct lbvh_packet *packet,
		  struct lbvh_counts *counts)
{
	const struct lbvh_wide_state *s = state;

	s->tracer.kernels->single(&s->wide, s->tracer.input->camera.eye, packet,
				  s->stack + (size_t)thread * s->stack_room, counts);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "builds trees; wide traces rays through this one, or a better one");
	return lbvh_wide_state_create(state, params, input, (struct lbvh_ways){ trace, NULL },
				      LBVH_CPU_PARTED, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	lbvh_cpu_parted(&s->cpu, timer);
	lbvh_wide_state_collapse(s, 0, timer);
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_sah = {
	.state_size = sizeof(struct lbvh_wide_state),
	.create = create,
	.reset = lbvh_wide_state_reset,
	.run = run,
	.download = lbvh_wide_state_download,
	.metrics = lbvh_wide_state_metrics,
	.flags = GB_REPEATABLE,
};
