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

/* The mesh once, boxes three times; six passes over 12-byte records whose codes are read twice;
 * arrays of the leaves; leaf nodes written and read, inner ones written, read and written again. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 6 * (size_t)32 +
					       5 * sizeof(struct lbvh_node) + 6 * sizeof(uint64_t));
}

const struct gb_variant_ops lbvh_cpu_ploc = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
