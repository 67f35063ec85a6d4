/* wide_state.c -- memory and tree of the variants over wide trees. */
#include "cpu/lbvh/parts/wide_state.h"

#include "common/memory.h"

/* A tree over Morton codes is no deeper than they have bits: the traversals of a build's probe. */
enum { CODE_LEVELS = 64 };

enum gb_status lbvh_wide_state_init(struct lbvh_wide_state *s, const void *params,
				    const void *input, struct gb_error *err)
{
	const struct lbvh_input *in = input;
	unsigned depth;

	s->op = (enum lbvh_op)((const struct lbvh_params *)params)->op;
	if (lbvh_tracer_init(&s->tracer, params, input, err) ||
	    lbvh_wide_init(&s->wide, in->count, s->tracer.threads, err))
		return err->code;
	if (s->op == LBVH_BUILD) {
		if (lbvh_cpu_init(&s->cpu, params, input, LBVH_CPU_BEST, err))
			return err->code;
		s->wide.depth = CODE_LEVELS;
	} else {
		if (lbvh_tracer_tree(&s->cpu, params, input, &depth, err))
			return err->code;
		s->wide.depth = depth;
		if (!gb_memory_is_dry())
			lbvh_wide_collapse(&s->wide, in, s->cpu.node, s->cpu.index, 0, LBVH_WIDTH);
		lbvh_cpu_release(&s->cpu);
		s->cpu = (struct lbvh_cpu){ 0 };
	}
	s->stack_room = lbvh_stack_room(&s->wide);
	s->stack = gb_host_alloc(s->stack_room * (size_t)s->tracer.threads, sizeof *s->stack, err);
	return s->stack ? GB_OK : err->code;
}

void lbvh_wide_state_release(struct lbvh_wide_state *s)
{
	if (!s)
		return;
	gb_host_free(s->stack);
	lbvh_wide_release(&s->wide);
	lbvh_cpu_release(&s->cpu);
	lbvh_tracer_release(&s->tracer);
}

void lbvh_wide_state_metrics(void *state, struct gb_metrics *metrics)
{
	const struct lbvh_wide_state *s = state;

	if (s->op == LBVH_TRACE)
		lbvh_tracer_metrics(&s->tracer, metrics);
	gb_metric(metrics, "wide_nodes", (double)s->wide.node_count);
	gb_metric(metrics, "wide_depth", s->wide.depth);
}
