/* packet.c -- cpu/packet: the wide tree, traversed by packets of 64 coherent primary rays, or by
 * groups of 16 rays of a stream.
 *
 * Against wide: a node or a triangle is fetched and decided on once for 64 rays, which form a
 * pyramid of neighbouring pixels; where boxes and edges are in the pyramid rules out most of them
 * for sixteen rays at once (parts/kernels_packet.h).  The bound is arithmetic.  Rays that do not
 * start from one point, as after the first reflection, cannot be traced like this.  Of a stream, 16
 * neighbours are tested together against each box (parts/kernels_group.h), as long as any hit will
 * do: shadow and ambient rays.
 */
#include "cpu/lbvh/parts/wide_state.h"

static void trace(const void *state, int thread, struct lbvh_packet *packet,
		  struct lbvh_counts *counts)
{
	const struct lbvh_wide_state *s = state;

	s->tracer.kernels->packet(&s->wide, s->tracer.input->camera.eye, packet,
				  s->stack + (size_t)thread * s->stack_room, counts);
}

static void trace_batch(const void *state, int thread, struct lbvh_batch *batch,
			struct lbvh_counts *counts)
{
	const struct lbvh_wide_state *s = state;

	s->tracer.kernels->groups(&s->wide, batch, s->stack + (size_t)thread * s->stack_room,
				  counts);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const bool occlusion = ((const struct lbvh_input *)input)->occlusion;
	const struct lbvh_ways ways = { trace, occlusion ? trace_batch : NULL };

	if (((const struct lbvh_params *)params)->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "packet is a way to trace: --op=trace");
	return lbvh_wide_state_create(state, params, input, ways, LBVH_CPU_FASTEST, err);
}

const struct gb_variant_ops lbvh_cpu_packet = {
	.state_size = sizeof(struct lbvh_wide_state),
	.create = create,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
