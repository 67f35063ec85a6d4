/* wide.c -- cpu/wide: build and traverse a tree of eight children a node, rays by turns.
 *
 * Build: the binary tree of apetrei, then its collapse by all threads into a tree ready for
 * traversal, triangles included: what a library's scene build does.  The bound is memory.
 *
 * Trace: against stack, one vector instruction a step tests eight boxes or eight triangles
 * (parts/kernels_single.h), in a third of the steps; and rays take turns, each with a step of its
 * own way, so that none waits for memory or for a branch (parts/kernels_turns.h).  The bound is
 * instructions.
 */
#include "cpu/lbvh/parts/wide_state.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_ways ways = { NULL, lbvh_wide_state_turns };

	return lbvh_wide_state_create(state, params, input, ways, LBVH_CPU_FASTEST, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		return lbvh_tracer_run(state, timer, err);
	lbvh_cpu_build(&s->cpu, LBVH_CPU_FASTEST, timer);
	lbvh_wide_state_collapse(s, s->cpu.leaves, timer);
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_wide = {
	.state_size = sizeof(struct lbvh_wide_state),
	.create = create,
	.reset = lbvh_wide_state_reset,
	.run = run,
	.download = lbvh_wide_state_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
