/* karras64.c -- cpu/karras64: 63-bit codes, radix sort, Karras' hierarchy, and the boxes in
 * one pass over atomic flags instead of the paper's up to 32 passes.
 *
 * Against karras-radix: 21 instead of 10 bits an axis tell close primitives apart, so that fewer
 * share a leaf and the tree is better; the sort moves half as much again in twice the passes.
 */
#include "cpu/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input,
				   LBVH_CPU_CODES_63 | LBVH_CPU_LEAVES | LBVH_CPU_PARENTS, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_cpu *cpu = state;

#pragma omp parallel num_threads(cpu->threads)
	{
		lbvh_cpu_bounds(cpu, timer);
		lbvh_cpu_codes(cpu, timer);
		lbvh_cpu_sort_radix(cpu, timer);
		lbvh_cpu_leaves(cpu, timer);
		lbvh_cpu_karras(cpu, timer);
		lbvh_cpu_refit_once(cpu, timer);
	}
	return GB_OK;
}

/* Mesh, boxes three times; six passes over 12 bytes of which the code is read twice; arrays of the
 * leaves; parents and flags; nodes written twice and read once. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 6 * (size_t)32 +
					       5 * sizeof(struct lbvh_node) + 9 * sizeof(uint64_t));
}

const struct gb_variant_ops lbvh_cpu_karras64 = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = run,
	.download = lbvh_builder_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
