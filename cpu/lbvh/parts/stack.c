/* stack.c -- memory and tree of the traversals of a binary tree. */
#include "cpu/lbvh/parts/stack.h"

#include "common/memory.h"

enum gb_status lbvh_stack_init(struct lbvh_stack *s, const void *params, const void *input,
			       struct lbvh_ways ways, size_t extra, struct gb_error *err)
{
	unsigned depth;

	if (lbvh_wants_trace(params, err) ||
	    lbvh_tracer_init(&s->tracer, params, input, ways, err) ||
	    lbvh_tracer_tree(&s->cpu, params, input, &depth, err))
		return err->code;
	s->room = depth + extra;
	s->entry = gb_host_alloc(s->room * (size_t)s->tracer.threads, sizeof *s->entry, err);
	return err->code;
}
