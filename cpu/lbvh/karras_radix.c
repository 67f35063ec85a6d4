/* karras_radix.c -- cpu/karras-radix: the paper's phases, with a radix sort instead of the
 * bitonic one: the build that the paper compares itself with on CUDA (Hippie; section 5.2).
 *
 * Against karras-bitonic: three passes over n pairs instead of log2(n) (log2(n) + 1) / 2 over the
 * next power of two.
 */
#include "cpu/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_LEAVES | LBVH_CPU_MARKS, err);
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
		lbvh_cpu_refit_passes(cpu, timer);
	}
	return GB_OK;
}

/* As apetrei, and the arrays between the phases: index, first and code written and read, the
 * searched codes, one pass of refit over marks and nodes; further passes find few nodes to do. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 12 * sizeof(uint64_t) +
					       5 * sizeof(struct lbvh_node) + 6 * sizeof(uint64_t));
}

const struct gb_variant_ops lbvh_cpu_karras_radix = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = run,
	.download = lbvh_builder_download,
	.bytes = bytes,
	.metrics = lbvh_builder_metrics,
	.flags = GB_REPEATABLE,
};
