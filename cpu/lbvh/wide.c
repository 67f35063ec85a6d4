/* wide.c -- cpu/wide: a tree of eight children a node, for traversal.
 *
 * A build makes apetrei's binary tree and collapses it in parallel into a wide tree that includes
 * the triangles, as a library's scene build does (shared/collapse.c).  The bound is memory.
 *
 * A trace walks such a tree with one vector instruction for eight boxes or eight triangles
 * (shared/kernels_body.h), so that a ray takes fewer steps than in stack.  --rays-per-call says how
 * many rays a call of the traversal has, which decides what it can do while a step waits for memory
 * or a mispredicted branch.  All rays of a batch, the default, are interleaved.  A call with one
 * ray is for a program that has no other at hand.  A call with 16 rays traces them as a group if
 * they are neighbours with much in common: primary rays, and those for which any hit will do.
 * Others, as after a reflection, are interleaved.
 */
#include "cpu/lbvh/shared/wide.h"
#include "common/memory.h"
#include "cpu/lbvh/shared/kernels.h"
#include "cpu/lbvh/shared/trace.h"

struct state {
	struct lbvh_tracer tracer; /* must be first: a state is passed as a tracer */
	struct lbvh_cpu cpu;       /* the binary tree */
	struct lbvh_wide wide;
	lbvh_kernel_fn *kernel;
	uint32_t rays_per_call;
	struct lbvh_entry *stack; /* threads * stack_room */
	size_t stack_room;
};

/* No tree of a build is deeper: code bits limit it.  For the probe's traversal. */
enum { LEVELS = 64 };

static void choose_kernel(struct state *s, const struct lbvh_params *params)
{
	const struct lbvh_kernels *kernels = lbvh_cpu_kernels();
	const bool alike = params->rays_kind == LBVH_PRIMARY || s->tracer.input->occlusion;

	s->rays_per_call = UINT32_MAX;
	s->kernel = kernels->turns;
	if (params->rays_per_call == LBVH_ONE_RAY) {
		s->rays_per_call = 1;
		s->kernel = kernels->alone;
	} else if (params->rays_per_call == LBVH_16_RAYS) {
		s->rays_per_call = LBVH_GROUP;
		s->kernel = alike ? kernels->group : kernels->turns;
	}
}

static void trace(const void *state, int thread, struct lbvh_batch *batch,
		  struct lbvh_counts *counts)
{
	const struct state *s = state;
	struct lbvh_entry *stack = s->stack + (size_t)thread * s->stack_room;

	for (uint32_t first = 0; first < batch->count;) {
		const uint32_t left = batch->count - first;
		const uint32_t end = first + (left < s->rays_per_call ? left : s->rays_per_call);

		s->kernel(&s->wide, batch, first, end, stack, counts);
		first = end;
	}
}

/* Make the wide tree from a temporary binary tree.  The best tree gets a plan. */
static void make_tree(struct state *s, const struct lbvh_params *params,
		      const struct lbvh_input *input, struct gb_error *err)
{
	struct lbvh_plan *plan = NULL;

	gb_memory_own(&s->cpu);
	(void)lbvh_tracer_tree(&s->cpu, params, input, &s->wide.depth, err);
	if (params->tree == LBVH_BEST_TREE)
		plan = gb_host_alloc(2 * s->cpu.count, sizeof *plan, err);
	if (!err->code && !gb_memory_is_dry()) {
		if (plan && lbvh_plan_make(s->cpu.node, plan) > s->wide.node_limit)
			plan = NULL;
		lbvh_wide_collapse(&s->wide, &s->cpu, plan);
	}
	gb_memory_free_owned(&s->cpu);
	gb_memory_own(s);
}

/* Allocate; for --op=build also the builder's arrays, for --op=trace the tree. */
static enum gb_status create(void *state, const void *params_, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_params *params = params_;
	const size_t primitives = ((const struct lbvh_input *)input)->count;
	struct state *s = state;

	if (lbvh_tracer_init(&s->tracer, params, input, trace, err) ||
	    lbvh_wide_init(&s->wide, primitives, s->tracer.threads, err))
		return err->code;
	choose_kernel(s, params);
	s->wide.depth = LEVELS;
	if (s->tracer.op == LBVH_BUILD) {
		(void)lbvh_cpu_init(&s->cpu, params, input, LBVH_CPU_FASTEST, err);
		lbvh_builder_results(&s->cpu);
	} else {
		make_tree(s, params, input, err);
	}
	s->stack_room = lbvh_stack_room(&s->wide);
	s->stack = gb_host_alloc(s->stack_room * (size_t)s->tracer.threads, sizeof *s->stack, err);
	return err->code;
}

/* Before a build there is no tree. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD)
		s->wide.node_count = 0;
	return GB_OK;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		return lbvh_tracer_run(state, timer, err);
	lbvh_cpu_build(&s->cpu, LBVH_CPU_FASTEST, timer);
	gb_phase(timer, "collapse");
	lbvh_wide_collapse(&s->wide, &s->cpu, NULL);
	return GB_OK;
}

/* After a build, the binary tree and the probe's hits in the wide one; after a trace, its
 * answers. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		return lbvh_tracer_download(state, output, err);
	if (!s->wide.node_count) /* nothing was built, or only the binary tree */
		return GB_OK;
	(void)lbvh_builder_download(&s->cpu, output, err);
	lbvh_tracer_probe(&s->tracer, output);
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_wide = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
