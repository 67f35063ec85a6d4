/* wide.c -- cpu/wide, cpu/packet, cpu/sah: trees of eight children a node, ready for traversal.
 *
 * wide builds one and traces rays by turns:
 *
 * Build: the binary tree of apetrei, then its collapse by all threads into a tree ready for
 * traversal, triangles included: what a library's scene build does.  The bound is memory.
 *
 * Trace: against stack, one vector instruction a step tests eight boxes or eight triangles
 * (parts/kernels_single.h), in a third of the steps; and rays take turns, each with a step of its
 * own way, so that none waits for memory or for a branch (parts/kernels_turns.h).  The bound is
 * instructions.
 *
 * packet traces packets of 64 coherent primary rays, or groups of 16 rays of a stream:
 *
 * Against wide: a node or a triangle is fetched and decided on once for 64 rays, which form a
 * pyramid of neighbouring pixels; where boxes and edges are in the pyramid rules out most of them
 * for sixteen rays at once (parts/kernels_packet.h).  The bound is arithmetic.  Rays that do not
 * start from one point, as after the first reflection, cannot be traced like this.  Of a stream, 16
 * neighbours are tested together against each box (parts/kernels_group.h), as long as any hit will
 * do: shadow and ambient rays.
 *
 * sah builds a tree from the top down by the surface area heuristic (parts/split.c):
 *
 * Against wide: planes that are chosen by what they cost a ray, not by the bits of codes, for three times
 * the time.  Against ploc: the cheaper tree in a third of the time, but where long thin triangles lie
 * across each other.  The binary tree is there, too, and is what `sah_cost` is of.
 * The bound is arithmetic.
 */
#include "cpu/lbvh/parts/wide.h"
#include "common/memory.h"
#include "cpu/lbvh/parts/trace.h"

struct state {
	struct lbvh_tracer tracer; /* first: its operations take a state as one of these */
	struct lbvh_cpu cpu;       /* the binary tree */
	struct lbvh_wide wide;
	struct lbvh_entry *stack; /* threads * stack_room */
	size_t stack_room;
};

/* No tree that is built is deeper, by bits of codes or by halves in the end: for the traversals of a
 * build's probe. */
enum { LEVELS = 96 };

/* The wide tree from a binary one of its own, whose memory is given back at once.  The best one is
 * planned for rays that go their own ways.  A packet of an image enters the more leaves the more
 * they are: with a plan it was 9 % slower on soup, 6 % faster on teapot, and the same, to 4 %, on
 * terrain, city and knot. */
static void make_tree(struct state *s, const struct lbvh_params *params,
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

/* Memory, for the operation build that of a builder with such needs; for trace also the tree. */
static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct lbvh_ways ways, unsigned needs, struct gb_error *err)
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

static void trace_by_turns(const void *state, int thread, struct lbvh_batch *batch,
			   struct lbvh_counts *counts)
{
	const struct state *s = state;

	s->tracer.kernels->batch(&s->wide, batch, s->stack + (size_t)thread * s->stack_room,
				 counts);
}

/* ---- of the operation build --------------------------------------------------------------- */

/* Before it: there is no tree. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD)
		s->wide.node_count = 0;
	return GB_OK;
}

/* The wide tree from s->cpu, the phase "collapse"; leaves: as lbvh_wide_collapse() takes them. */
static void collapse(struct state *s, size_t leaves, struct gb_timer *timer)
{
	gb_phase(timer, "collapse");
	lbvh_wide_collapse(&s->wide, s->tracer.input, s->cpu.node, s->cpu.index, leaves, NULL);
}

/* Both trees; after the operation trace its answers. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_TRACE)
		return lbvh_tracer_download(state, output, err);
	if (!s->wide.node_count) /* nothing was built, or only one of the two */
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
		return gb_fail(err, GB_EUNAVAILABLE, "packet is a way to trace: --op=trace");
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

/* ---- cpu/sah ------------------------------------------------------------------------------ */

static enum gb_status create_sah(void *state, const void *params, const void *input,
				 struct gb_error *err)
{
	const struct lbvh_ways probe = { NULL, trace_by_turns };

	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "builds trees; wide traces rays through this one where it is best");
	return create(state, params, input, probe, LBVH_CPU_PARTED, err);
}

static enum gb_status run_sah(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	lbvh_cpu_build(&s->cpu, LBVH_CPU_PARTED, timer);
	collapse(s, LBVH_DEPTH_FIRST, timer);
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_sah = {
	.state_size = sizeof(struct state),
	.create = create_sah,
	.reset = reset,
	.run = run_sah,
	.download = download,
	.flags = GB_REPEATABLE,
};
