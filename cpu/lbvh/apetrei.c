/* apetrei.c -- cpu/apetrei: 30-bit codes, radix sort, then leaves, hierarchy and boxes in one
 * bottom-up sweep (shared/fused.c; Apetrei 2014).
 *
 * Unlike karras-radix, it needs no binary searches, no passes over all nodes for each level and no
 * arrays between the phases: a node is written once, with its box.  The phase "hierarchy" includes
 * the leaves' boxes.  The bound is memory, mostly the boxes gathered along the curve.
 */
#include "cpu/lbvh/shared/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_FASTEST, err);
}

const struct gb_variant_ops lbvh_cpu_apetrei = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.flags = GB_REPEATABLE,
};
