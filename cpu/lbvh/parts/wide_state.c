/* wide_state.c -- memory and tree of the variants over wide trees. */
#include "cpu/lbvh/parts/wide_state.h"

#include "common/memory.h"

/* A tree over Morton codes is no deeper than they have bits: the traversals of a build's probe. */
enum { CODE_LEVELS = 64 };

/* The wide tree from a binary one of its own, whose memory is given back at once. */
static void make_tree(struct lbvh_wide_state *s, const void *params, const void *input,
		      struct gb_error *err)
{
	gb_memory_own(&s->cpu);
	if (!lbvh_tracer_tree(&s->cpu, params, input, &s->wide.depth, err) && !gb_memory_is_dry())
		lbvh_wide_collapse(&s->wide, input, s->cpu.node, s->cpu.index, 0, LBVH_WIDTH);
	gb_memory_free_owned(&s->cpu);
	gb_memory_own(s);
}

enum gb_status lbvh_wide_state_create(struct lbvh_wide_state *s, const void *params,
				      const void *input, struct lbvh_ways ways,
				      struct gb_error *err)
{
	if (lbvh_tracer_init(&s->tracer, params, input, ways, err) ||
	    lbvh_wide_init(&s->wide, s->tracer.input->count, s->tracer.threads, err))
		return err->code;
	s->wide.depth = CODE_LEVELS;
	if (s->tracer.op == LBVH_BUILD)
		(void)lbvh_cpu_init(&s->cpu, params, input, LBVH_CPU_FASTEST, err);
	else
		make_tree(s, params, input, err);
	s->stack_room = lbvh_stack_room(&s->wide);
	s->stack = gb_host_alloc(s->stack_room * (size_t)s->tracer.threads, sizeof *s->stack, err);
	return err->code;
}

void lbvh_wide_state_metrics(void *state, struct gb_metrics *metrics)
{
	const struct lbvh_wide_state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		lbvh_tracer_metrics(state, metrics);
	gb_metric(metrics, "wide_nodes", (double)s->wide.node_count);
	gb_metric(metrics, "wide_depth", s->wide.depth);
}
