/* sah.c -- cpu/sah: a tree of eight children a node, ready for traversal, from the top down by the
 * surface area heuristic (parts/split.c).
 *
 * Against wide: planes that are chosen by what they cost a ray, not by the bits of codes, for three times
 * the time.  Against ploc: the cheaper tree in a third of the time, but where long thin triangles lie
 * across each other.  The binary tree is there, too, and is what `sah_cost` is of.
 * The bound is arithmetic.
 */
#include "cpu/lbvh/parts/wide_state.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_ways probe = { NULL, lbvh_wide_state_turns };

	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "builds trees; wide traces rays through this one where it is best");
	return lbvh_wide_state_create(state, params, input, probe, LBVH_CPU_PARTED, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_wide_state *s = state;

	lbvh_cpu_build(&s->cpu, LBVH_CPU_PARTED, timer);
	lbvh_wide_state_collapse(s, LBVH_DEPTH_FIRST, timer);
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_sah = {
	.state_size = sizeof(struct lbvh_wide_state),
	.create = create,
	.reset = lbvh_wide_state_reset,
	.run = run,
	.download = lbvh_wide_state_download,
	.flags = GB_REPEATABLE,
};
