/* wide_state.c -- memory and tree of the variants over wide trees. */
#include "cpu/lbvh/parts/wide_state.h"

#include "common/memory.h"

/* No tree that is built is deeper, by bits of codes or by halves in the end: for the traversals of a
 * build's probe. */
enum { LEVELS = 96 };

/* The wide tree from a binary one of its own, whose memory is given back at once.  The best one is
 * planned for rays that go their own ways.  A packet of an image enters the more leaves the more
 * they are: with a plan it was 9 % slower on soup, 6 % faster on teapot, and the same, to 4 %, on
 * terrain, city and knot. */
static void make_tree(struct lbvh_wide_state *s, const struct lbvh_params *params,
		      const struct lbvh_input *input, struct gb_error *err)
{
	const bool packets = !input->ray && s->tracer.ways.trace;
	const bool planned = params->tree == LBVH_BEST_TREE && !packets;
	struct lbvh_plan *plan = NULL;

	gb_memory_own(&s->cpu);
	(void)lbvh_tracer_tree(&s->cpu, params, input, &s->wide.depth, err);
	if (planned)
		plan = gb_host_alloc(2 * input->count, sizeof *plan, err);
	if (!err->code && !gb_memory_is_dry()) {
		if (plan && !lbvh_wide_has_room(&s->wide, lbvh_plan_make(s->cpu.node, plan)))
			plan = NULL;
		lbvh_wide_collapse(&s->wide, input, s->cpu.node, s->cpu.index, 0, plan);
	}
	gb_memory_free_owned(&s->cpu);
	gb_memory_own(s);
}

enum gb_status lbvh_wide_state_create(struct lbvh_wide_state *s, const void *params,
				      const void *input, struct lbvh_ways ways, unsigned needs,
				      struct gb_error *err)
{
	if (lbvh_tracer_init(&s->tracer, params, input, ways, err) ||
	    lbvh_wide_init(&s->wide, s->tracer.input->count, s->tracer.threads, err))
		return err->code;
	s->wide.depth = LEVELS;
	if (s->tracer.op == LBVH_BUILD) {
		(void)lbvh_cpu_init(&s->cpu, params, input, needs, err);
		lbvh_builder_results(&s->cpu);
	} else {
		make_tree(s, params, input, err);
	}
	s->stack_room = lbvh_stack_room(&s->wide);
	s->stack = gb_host_alloc(s->stack_room * (size_t)s->tracer.threads, sizeof *s->stack, err);
	return err->code;
}

void lbvh_wide_state_turns(const void *state, int thread, struct lbvh_batch *batch,
			   struct lbvh_counts *counts)
{
	const struct lbvh_wide_state *s = state;

	s->tracer.kernels->batch(&s->wide, batch, s->stack + (size_t)thread * s->stack_room,
				 counts);
}

/* ---- of the operation build --------------------------------------------------------------- */

enum gb_status lbvh_wide_state_reset(void *state, int64_t sample, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	if (s->tracer.op == LBVH_BUILD)
		s->wide.node_count = 0;
	return GB_OK;
}

void lbvh_wide_state_collapse(struct lbvh_wide_state *s, size_t leaves, struct gb_timer *timer)
{
	gb_phase(timer, "collapse");
	lbvh_wide_collapse(&s->wide, s->tracer.input, s->cpu.node, s->cpu.index, leaves, NULL);
}

enum gb_status lbvh_wide_state_download(void *state, void *output, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		return lbvh_tracer_download(state, output, err);
	if (!s->wide.node_count) /* nothing was built, or only one of the two */
		return GB_OK;
	(void)lbvh_builder_download(&s->cpu, output, err);
	lbvh_tracer_probe(&s->tracer, output);
	return GB_OK;
}
