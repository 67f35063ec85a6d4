/* builder.c -- arrays and whole builds of the CPU builders. */
#include "cpu/lbvh/shared/builder.h"

#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "common/memory.h"
#include "common/text.h"

/* ---- arrays ------------------------------------------------------------------------------- */

static void allocate_extras(struct lbvh_cpu *cpu, struct gb_error *err)
{
	const size_t n = cpu->count;

	if (cpu->needs & LBVH_CPU_CODES_63)
		cpu->index_spare = gb_host_alloc(n, sizeof *cpu->index_spare, err);
	if (cpu->needs & LBVH_CPU_LEAVES) {
		cpu->code = gb_host_alloc(n, sizeof *cpu->code, err);
		cpu->first = gb_host_alloc(n + 1, sizeof *cpu->first, err);
	}
	if (cpu->needs & LBVH_CPU_MARKS)
		cpu->mark = gb_host_alloc(n, sizeof *cpu->mark, err);
	if (cpu->needs & LBVH_CPU_PARENTS) {
		cpu->parent = gb_host_alloc(2 * n, sizeof *cpu->parent, err);
		cpu->arrived = gb_host_alloc(n, sizeof *cpu->arrived, err);
	}
	if (cpu->needs & LBVH_CPU_CLUSTERS) {
		cpu->spare = gb_host_alloc(n, sizeof *cpu->spare, err);
		lbvh_cpu_alloc_cluster(cpu, err);
	}
}

enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err)
{
	const struct lbvh_input *in = input;
	const size_t n = in->count, threads = (size_t)lbvh_cpu_threads(params);
	size_t power = 1;

	cpu->input = in;
	cpu->count = n;
	cpu->threads = (int)threads;
	cpu->simd = cpu_simd();
	cpu->needs = needs;
	while (power < n)
		power *= 2;
	cpu->box = gb_host_alloc(n, sizeof *cpu->box, err);
	cpu->node = gb_host_alloc(2 * n - 1, sizeof *cpu->node, err);
	cpu->pair = gb_host_alloc(needs & LBVH_CPU_POWER ? power : n, sizeof *cpu->pair, err);
	cpu->index = gb_host_alloc(n, sizeof *cpu->index, err);
	cpu->histogram = gb_host_alloc(threads + 1, sizeof *cpu->histogram, err);
	cpu->share = gb_host_alloc(threads + 1, sizeof *cpu->share, err);
	lbvh_cpu_alloc_fused(cpu, err);
	if (!(needs & LBVH_CPU_POWER))
		cpu->pair_spare = gb_host_alloc(n, sizeof *cpu->pair_spare, err);
	allocate_extras(cpu, err);
	return err->code;
}

void lbvh_cpu_drop(struct lbvh_cpu *cpu)
{
	void *const scratch[] = { cpu->box,   cpu->pair,   cpu->pair_spare, cpu->index_spare,
				  cpu->code,  cpu->first,  cpu->spare,      cpu->runs,
				  cpu->mark,  cpu->parent, cpu->arrived,    cpu->histogram,
				  cpu->share, cpu->stacks };

	for (size_t i = 0; i < GB_COUNT(scratch); i++)
		gb_host_free(scratch[i]);
#ifdef __GLIBC__
	(void)malloc_trim(0); /* free() keeps pages for later allocations */
#endif
	*cpu = (struct lbvh_cpu){ .input = cpu->input,
				  .count = cpu->count,
				  .needs = cpu->needs,
				  .threads = cpu->threads,
				  .node = cpu->node,
				  .leaves = cpu->leaves,
				  .index = cpu->index };
}

/* ---- whole builds ------------------------------------------------------------------------- */

/* The phases after the sort. */
static void build_sorted(struct lbvh_cpu *cpu, unsigned build, struct gb_timer *timer)
{
	if (!(build & LBVH_CPU_LEAVES)) {
		lbvh_cpu_count_leaves(cpu, timer);
		lbvh_cpu_fused(cpu, timer);
		return;
	}
	lbvh_cpu_leaves(cpu, timer);
	if (build & LBVH_CPU_CLUSTERS) {
		lbvh_cpu_cluster(cpu, timer);
	} else {
		lbvh_cpu_karras(cpu, timer);
		lbvh_cpu_refit(cpu, timer);
	}
}

void lbvh_cpu_build(struct lbvh_cpu *cpu, unsigned build, struct gb_timer *timer)
{
#pragma omp parallel num_threads(cpu->threads)
	{
		lbvh_cpu_bounds(cpu, timer);
		if (build & LBVH_CPU_SAH) {
			lbvh_cpu_sah(cpu, timer);
		} else {
			lbvh_cpu_codes(cpu, timer);
			lbvh_cpu_sort(cpu, timer);
			build_sorted(cpu, build, timer);
		}
	}
}

/* ---- the variants' operations ------------------------------------------------------------- */

enum gb_status lbvh_builder_create(void *state, const void *params, const void *input,
				   unsigned needs, struct gb_error *err)
{
	struct lbvh_cpu *cpu = state;

	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "this variant only builds trees: use --op=build");
	(void)lbvh_cpu_init(cpu, params, input, needs, err);
	lbvh_builder_results(cpu);
	return err->code;
}

void lbvh_builder_results(const struct lbvh_cpu *cpu)
{
	gb_memory_result(cpu->node, GB_WHOLE, GB_POISON);
	gb_memory_result(cpu->index, GB_WHOLE, GB_POISON);
	gb_memory_result(cpu->index_spare, GB_WHOLE, GB_POISON);
}

enum gb_status lbvh_builder_run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_cpu *cpu = state;

	lbvh_cpu_build(cpu, cpu->needs, timer);
	return GB_OK;
}

static void copy(void *to, const void *from, size_t bytes, int threads)
{
	const size_t block = (size_t)1 << 20;

#pragma omp parallel for num_threads(threads) schedule(static)
	for (size_t at = 0; at < bytes; at += block)
		memcpy((char *)to + at, (const char *)from + at,
		       bytes - at < block ? bytes - at : block);
}

enum gb_status lbvh_builder_download(void *state, void *output, struct gb_error *err)
{
	const struct lbvh_cpu *cpu = state;
	const size_t nodes = 2 * cpu->leaves - 1;
	struct lbvh_tree_header *header = output;

	if (!cpu->leaves) /* nothing was built */
		return GB_OK;
	*header = (struct lbvh_tree_header){ .kind = LBVH_BINARY,
					     .leaves = (uint32_t)cpu->leaves,
					     .nodes = (uint32_t)nodes };
	copy(lbvh_build_nodes(output), cpu->node, nodes * sizeof *cpu->node, cpu->threads);
	copy(lbvh_build_index(cpu->input, output), cpu->index, cpu->count * sizeof *cpu->index,
	     cpu->threads);
	return GB_OK;
}
