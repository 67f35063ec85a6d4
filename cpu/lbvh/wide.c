/* wide.c -- cpu/wide: build and traverse a tree of eight children a node, single rays.
 *
 * Build: the binary tree of apetrei, then its collapse by all threads into a tree ready for
 * traversal, triangles included: what a library's scene build does.  The bound is memory.
 *
 * Trace: against stack, one vector instruction a step tests eight boxes or eight triangles
 * (cpu/lbvh/parts/kernels_body.h), in a third of the steps.  The bound is latency: each step waits for
 * the node that the one before has chosen.
 */
#include <stdlib.h>

#include "common/variants.h"
#include "cpu/lbvh/parts/wide_state.h"

static void trace(void *state, int thread, struct lbvh_packet *packet, struct lbvh_counts *counts)
{
	const struct lbvh_wide_state *s = state;

	s->tracer.kernels->single(&s->wide, s->tracer.input->camera.eye, packet,
				  s->stack + (size_t)thread * s->stack_room, counts);
}

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct lbvh_wide_state *s = calloc(1, sizeof *s);

	*state = s;
	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	return lbvh_wide_state_init(s, params, input, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	(void)err;
	if (s->op == LBVH_TRACE) {
		lbvh_tracer_run(&s->tracer, trace, s);
		return GB_OK;
	}
	lbvh_cpu_best(&s->cpu, timer);
	gb_phase(timer, "collapse");
	lbvh_wide_collapse(&s->wide, s->tracer.input, s->cpu.node, s->cpu.index, s->cpu.leaves,
			   LBVH_WIDTH);
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	(void)err;
	if (s->op == LBVH_TRACE) {
		lbvh_tracer_download(&s->tracer, output);
		return GB_OK;
	}
	lbvh_tracer_probe(&s->tracer, trace, s, s->wide.node_count, output);
	return GB_OK;
}

static void destroy(void *state)
{
	lbvh_wide_state_release(state);
	free(state);
}

const struct gb_variant_ops lbvh_cpu_wide = {
	.create_old = create,
	.run = run,
	.download = download,
	.destroy = destroy,
	.metrics = lbvh_wide_state_metrics,
	.flags = GB_REPEATABLE,
};
