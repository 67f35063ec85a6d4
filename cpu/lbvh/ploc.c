/* ploc.c -- cpu/ploc: the tree by clustering instead of by codes alone (parts/cluster.c;
 * Benthin, Meister, Barczak, Mehalwal, Tsakok, Kensler 2024: "H-PLOC").
 *
 * Against karras64: the same codes and leaves, but a node joins the two clusters whose common box
 * is smallest among near ones, not those that the curve happens to part; then treelets are
 * rearranged and leaves made as large as they should be (parts/refine.c).  The best of our trees,
 * at ten times the cost of apetrei; the bound is arithmetic.
 */
#include "cpu/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_CLUSTERED, err);
}

/* Mesh, boxes three times; the sort as in karras64; arrays of the leaves; nodes written, read,
 * written again; read, rearranged and written anew. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 6 * (size_t)32 +
					       9 * sizeof(struct lbvh_node) + 6 * sizeof(uint64_t));
}

const struct gb_variant_ops lbvh_cpu_ploc = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
