/* karras_bitonic.c -- cpu/karras-bitonic: the paper's build, phase by phase (section 4):
 * bounds, 30-bit codes, a bitonic sort over the next power of two, leaves by flags and a scan,
 * Karras' hierarchy, boxes pass by pass until the root has one.
 *
 * Differences from the listings: the scene's box starts at +-FLT_MAX instead of +-10000, and refit
 * stops when the root is done however many passes that takes; the paper launches 32.  A record of
 * the sort is a code with its primitive below it, so that equal codes come out in order, too.
 */
#include "cpu/lbvh/parts/builder.h"

/* Compare and exchange all pairs (i, i + step) of one stage; blocks of `size` alternate between
 * ascending and descending.  Pair number k is found from its index, as a GPU's thread would. */
static void stage(struct lbvh_cpu *cpu, size_t pairs, size_t size, size_t step)
{
	uint64_t *pair = cpu->pair;

#pragma omp for schedule(static)
	for (size_t k = 0; k < pairs; k++) {
		const size_t i = 2 * k - (k & (step - 1)), j = i + step;
		const uint64_t a = pair[i], b = pair[j];
		const bool swap = (a > b) == ((i & size) == 0);

		pair[i] = swap ? b : a;
		pair[j] = swap ? a : b;
	}
}

static void sort(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	size_t power = 1;

	lbvh_cpu_phase(timer, "sort");
	while (power < cpu->count)
		power *= 2;
#pragma omp for schedule(static)
	for (size_t i = cpu->count; i < power; i++)
		cpu->pair[i] = UINT64_MAX;
	for (size_t size = 2; size <= power; size *= 2)
		for (size_t step = size / 2; step > 0; step /= 2)
			stage(cpu, power / 2, size, step);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input,
				   LBVH_CPU_LEAVES | LBVH_CPU_MARKS | LBVH_CPU_POWER, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_cpu *cpu = state;

#pragma omp parallel num_threads(cpu->threads)
	{
		lbvh_cpu_bounds(cpu, timer);
		lbvh_cpu_codes(cpu, timer);
		sort(cpu, timer);
		lbvh_cpu_leaves(cpu, timer);
		lbvh_cpu_karras(cpu, timer);
		lbvh_cpu_refit_passes(cpu, timer);
	}
	return GB_OK;
}

/* Bytes that the sort moves: k (k + 1) / 2 passes over 2^k >= count records of 8 bytes. */
static double sort_bytes(const void *input)
{
	const double count = (double)((const struct lbvh_input *)input)->count;
	double passes = 0, power = 1;

	for (int k = 1; power < count; k++) {
		power *= 2;
		passes += k;
	}
	return passes * power * 2 * sizeof(uint64_t);
}

/* As karras-radix, with k (k + 1) / 2 passes over 2^k >= count pairs for the sort. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 2 * sizeof(uint64_t) +
					       5 * sizeof(struct lbvh_node) +
					       6 * sizeof(uint64_t)) +
	       sort_bytes(input);
}

const struct gb_variant_ops lbvh_cpu_karras_bitonic = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create,
	.run = run,
	.download = lbvh_builder_download,
	.bytes = bytes,
	.metrics = lbvh_builder_metrics,
	.flags = GB_REPEATABLE,
};
