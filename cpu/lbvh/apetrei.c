/* apetrei.c -- cpu/apetrei: 30-bit codes, radix sort, and everything after the sort in one
 * sweep from the leaves up (parts/fused.c; Apetrei 2014).
 *
 * Against karras-radix: neither the hierarchy's binary searches nor passes over all nodes for each
 * level, and no array between the phases; a node is written once, with its box.  The leaves' boxes
 * are part of the phase "hierarchy".  The bound is memory, and of it the boxes gathered along the
 * curve.
 */
#include "cpu/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_FASTEST, err);
}

/* Mesh read, boxes written, read for the codes and gathered; three passes over the pairs, each
 * reading twice and writing once, and two more readings; nodes and index written. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 12 * sizeof(uint64_t) +
					       2 * sizeof(struct lbvh_node) + sizeof(uint32_t));
}

const struct gb_variant_ops lbvh_cpu_apetrei = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
