/* ploc.c -- cpu/ploc: a tree by clustering (shared/cluster.c; Benthin, Meister, Barczak, Mehalwal,
 * Tsakok, Kensler 2024: "H-PLOC").
 *
 * Codes have 63 bits, which separate close primitives: few share a leaf.  A node joins the two nearby
 * clusters with the smallest common box instead of those that the curve separates.  The tree is
 * better than apetrei's, and takes longer to build.  The bound is arithmetic.
 */
#include "cpu/lbvh/shared/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_CLUSTERED, err);
}

const struct gb_variant_ops lbvh_cpu_ploc = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.flags = GB_REPEATABLE,
};
