/* wide.c -- cpu/wide, wide1, packet: trees of eight children a node, for traversal.
 *
 * wide builds apetrei's binary tree and collapses it in parallel into a wide tree that includes the
 * triangles, as a library's scene build does.  The bound is memory.
 *
 * wide traces rays with one vector instruction for eight boxes or eight triangles
 * (parts/kernels_single.h), so that a ray takes fewer steps than in stack.  Rays are interleaved,
 * so that none waits for memory or a mispredicted branch (parts/kernels_turns.h).  The bound is
 * instructions.
 *
 * wide1 traces one ray per call, for a program that has no other ray at hand.  The bound is the
 * latency of a step.
 *
 * packet traces packets of 64 coherent primary rays, or groups of 16 rays of a stream.  A node or
 * triangle is fetched and decided on once for 64 rays of neighbouring pixels.  They form a pyramid,
 * and the positions of boxes and edges in it rule out most of them for sixteen rays at once
 * (parts/kernels_packet.h).  The bound is arithmetic.  Rays without a common origin, as after the
 * first reflection, cannot be traced like this.  In a stream, 16 neighbours are tested together
 * against each box (parts/kernels_group.h) if any hit will do: shadow and ambient rays.
 */
#include "cpu/lbvh/parts/wide.h"
#include "common/memory.h"
#include "cpu/lbvh/parts/trace.h"

struct state {
	struct lbvh_tracer tracer; /* must be first: a state is passed as a tracer */
	struct lbvh_cpu cpu;       /* the binary tree */
	struct lbvh_wide wide;
	struct lbvh_entry *stack; /* threads * stack_room */
	size_t stack_room;
};

/* No tree of a build is deeper: code bits limit it.  For the probe's traversal. */
enum { LEVELS = 64 };

/* Make the wide tree from a temporary binary tree.  The best tree gets a plan unless packets trace
 * an image: a plan makes more leaves, a packet enters more of them, and only some scenes gain. */
static void make_tree(struct state *s, const struct lbvh_params *params,
		      const struct lbvh_input *input, struct gb_error *err)
{
	const bool packets = !input->ray && s->tracer.ways.trace;
	const bool planned = params->tree == LBVH_BEST_TREE && !packets;
	struct lbvh_plan *plan = NULL;

	gb_memory_own(&s->cpu);
	(void)lbvh_tracer_tree(&s->cpu, params, input, &s->wide.depth, err);
	if (planned)
		plan = gb_host_alloc(2 * s->cpu.count, sizeof *plan, err);
	if (!err->code && !gb_memory_is_dry()) {
		if (plan && !lbvh_wide_has_room(&s->wide, lbvh_plan_make(s->cpu.node, plan)))
			plan = NULL;
		lbvh_wide_collapse(&s->wide, &s->cpu, 0, plan);
	}
	gb_memory_free_owned(&s->cpu);
	gb_memory_own(s);
}

/* Allocate; for --op=build also the arrays of a builder with these needs, for --op=trace the
 * tree. */
static enum gb_status create(struct state *s, const void *params_, const void *input,
			     struct lbvh_ways ways, unsigned needs, struct gb_error *err)
{
	const struct lbvh_params *params = params_;
	const size_t primitives = ((const struct lbvh_input *)input)->count;

	if (lbvh_tracer_init(&s->tracer, params, input, ways, err) ||
	    lbvh_wide_init(&s->wide, primitives, s->tracer.threads, err))
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

static void trace_by_turns(const void *state, int thread, struct lbvh_batch *batch,
			   struct lbvh_counts *counts)
{
	const struct state *s = state;

	s->tracer.kernels->batch(&s->wide, batch, s->stack + (size_t)thread * s->stack_room,
				 counts);
}

/* ---- the operation build ------------------------------------------------------------------ */

/* Before a build there is no tree. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD)
		s->wide.node_count = 0;
	return GB_OK;
}

/* The phase "collapse": make the wide tree from s->cpu.  leaves: see lbvh_wide_collapse(). */
static void collapse(struct state *s, size_t leaves, struct gb_timer *timer)
{
	gb_phase(timer, "collapse");
	lbvh_wide_collapse(&s->wide, &s->cpu, leaves, NULL);
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

/* ---- cpu/wide ----------------------------------------------------------------------------- */

static enum gb_status create_wide(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	const struct lbvh_ways ways = { NULL, trace_by_turns };

	return create(state, params, input, ways, LBVH_CPU_FASTEST, err);
}

static enum gb_status run_wide(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		return lbvh_tracer_run(state, timer, err);
	lbvh_cpu_build(&s->cpu, LBVH_CPU_FASTEST, timer);
	collapse(s, s->cpu.leaves, timer);
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_wide = {
	.state_size = sizeof(struct state),
	.create = create_wide,
	.reset = reset,
	.run = run_wide,
	.download = download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};

/* ---- cpu/wide1 ---------------------------------------------------------------------------- */

static void trace_alone(const void *state, int thread, struct lbvh_batch *batch,
			struct lbvh_counts *counts)
{
	const struct state *s = state;
	struct lbvh_entry *stack = s->stack + (size_t)thread * s->stack_room;

	for (uint32_t i = 0; i < batch->count; i++)
		s->tracer.kernels->ray(&s->wide, batch, i, stack, counts);
}

static enum gb_status create_wide1(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	const struct lbvh_ways ways = { NULL, trace_alone };

	if (lbvh_wants_trace(params, err))
		return err->code;
	return create(state, params, input, ways, LBVH_CPU_FASTEST, err);
}

const struct gb_variant_ops lbvh_cpu_wide1 = {
	.state_size = sizeof(struct state),
	.create = create_wide1,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};

/* ---- cpu/packet --------------------------------------------------------------------------- */

static void trace_packet(const void *state, int thread, struct lbvh_packet *packet,
			 struct lbvh_counts *counts)
{
	const struct state *s = state;

	s->tracer.kernels->packet(&s->wide, s->tracer.input->camera.eye, packet,
				  s->stack + (size_t)thread * s->stack_room, counts);
}

static void trace_groups(const void *state, int thread, struct lbvh_batch *batch,
			 struct lbvh_counts *counts)
{
	const struct state *s = state;

	s->tracer.kernels->groups(&s->wide, batch, s->stack + (size_t)thread * s->stack_room,
				  counts);
}

static enum gb_status create_packet(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	const bool occlusion = ((const struct lbvh_input *)input)->occlusion;
	const struct lbvh_ways ways = { trace_packet, occlusion ? trace_groups : NULL };

	if (((const struct lbvh_params *)params)->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "packet only traces rays: use --op=trace");
	return create(state, params, input, ways, LBVH_CPU_FASTEST, err);
}

const struct gb_variant_ops lbvh_cpu_packet = {
	.state_size = sizeof(struct state),
	.create = create_packet,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
