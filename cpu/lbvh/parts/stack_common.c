/* stack_common.c -- memory and tree of the traversals of a binary tree. */
#include "common/memory.h"
#include "cpu/lbvh/parts/stack.h"

enum gb_status lbvh_stack_init(struct lbvh_stack *s, const void *params, const void *input,
			       size_t extra, struct gb_error *err)
{
	unsigned depth;

	if (((const struct lbvh_params *)params)->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "this is a way to trace: --op=trace");
	if (lbvh_tracer_init(&s->tracer, params, input, err) ||
	    lbvh_tracer_tree(&s->cpu, params, input, &depth, err))
		return err->code;
	s->room = depth + extra;
	s->entry = gb_host_alloc(s->room * (size_t)s->tracer.threads, sizeof *s->entry, err);
	return s->entry ? GB_OK : err->code;
}

void lbvh_stack_release(struct lbvh_stack *s)
{
	gb_host_free(s->entry);
	lbvh_cpu_release(&s->cpu);
	lbvh_tracer_release(&s->tracer);
}

enum gb_status lbvh_stack_download(void *state, void *output, struct gb_error *err)
{
	const struct lbvh_stack *s = state;

	(void)err;
	lbvh_tracer_download(&s->tracer, output);
	return GB_OK;
}

void lbvh_stack_metrics(void *state, struct gb_metrics *metrics)
{
	const struct lbvh_stack *s = state;

	lbvh_tracer_metrics(&s->tracer, metrics);
}
