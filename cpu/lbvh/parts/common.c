/* common.c -- arrays, the first phase (boxes), and the way out of the CPU builders
 * (lbvh_common.h). */
#include "cpu/lbvh/parts/common.h"

#include <float.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/lanes.h"

int lbvh_cpu_threads(const struct lbvh_params *params)
{
	return params->threads > 0 ? (int)params->threads : omp_get_num_procs();
}

/* ---- instruction sets --------------------------------------------------------------------- */

static bool limited;

void lbvh_cpu_limit_builders(bool plain)
{
	limited = plain;
}

bool lbvh_cpu_has_avx2(void)
{
#if defined(__x86_64__)
	return !limited && __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

/* ---- arrays ------------------------------------------------------------------------------- */

static enum gb_status allocate_extras(struct lbvh_cpu *cpu, struct gb_error *err)
{
	const size_t n = cpu->count;

	if ((cpu->needs & LBVH_CPU_CODES_63) &&
	    !(cpu->index_spare = gb_host_alloc(n, sizeof *cpu->index_spare, err)))
		return err->code;
	if ((cpu->needs & LBVH_CPU_LEAVES) &&
	    (!(cpu->code = gb_host_alloc(n, sizeof *cpu->code, err)) ||
	     !(cpu->first = gb_host_alloc(n + 1, sizeof *cpu->first, err))))
		return err->code;
	if ((cpu->needs & LBVH_CPU_MARKS) &&
	    !(cpu->mark = gb_host_alloc(n, sizeof *cpu->mark, err)))
		return err->code;
	if ((cpu->needs & LBVH_CPU_PARENTS) &&
	    (!(cpu->parent = gb_host_alloc(2 * n, sizeof *cpu->parent, err)) ||
	     !(cpu->arrived = gb_host_alloc(n, sizeof *cpu->arrived, err))))
		return err->code;
	if ((cpu->needs & LBVH_CPU_CLUSTERS) &&
	    (!(cpu->spare = gb_host_alloc(2 * n - 1, sizeof *cpu->spare, err)) ||
	     !(cpu->runs =
		       gb_host_alloc(lbvh_cpu_cluster_runs(n), lbvh_cpu_cluster_bytes(), err)) ||
	     !(cpu->run_first =
		       gb_host_alloc(lbvh_cpu_cluster_runs(n) + 1, sizeof *cpu->run_first, err)) ||
	     !(cpu->sum = gb_host_alloc(n, lbvh_cpu_sum_bytes(), err)) ||
	     !(cpu->moves = gb_host_alloc(1, lbvh_cpu_moves_bytes(), err))))
		return err->code;
	return GB_OK;
}

enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err)
{
	const struct lbvh_input *in = input;
	size_t n = in->count, power = 1;

	cpu->input = in;
	cpu->count = n;
	cpu->threads = lbvh_cpu_threads(params);
	cpu->needs = needs;
	while (power < n)
		power *= 2;
	if (!(cpu->box = gb_host_alloc(n, sizeof *cpu->box, err)) ||
	    !(cpu->pair =
		      gb_host_alloc(needs & LBVH_CPU_POWER ? power : n, sizeof *cpu->pair, err)) ||
	    !(cpu->index = gb_host_alloc(n, sizeof *cpu->index, err)) ||
	    !(cpu->node = gb_host_alloc(2 * n - 1, sizeof *cpu->node, err)) ||
	    !(cpu->histogram =
		      gb_host_alloc((size_t)cpu->threads + 1, sizeof *cpu->histogram, err)) ||
	    !(cpu->share = gb_host_alloc((size_t)cpu->threads + 1, sizeof *cpu->share, err)) ||
	    !(cpu->stacks = gb_host_alloc((size_t)cpu->threads, lbvh_cpu_stack_bytes(), err)))
		return err->code;
	if (!(needs & LBVH_CPU_POWER) &&
	    !(cpu->pair_spare = gb_host_alloc(n, sizeof *cpu->pair_spare, err)))
		return err->code;
	return allocate_extras(cpu, err);
}

void lbvh_cpu_release(struct lbvh_cpu *cpu)
{
	gb_host_free(cpu->box);
	gb_host_free(cpu->pair);
	gb_host_free(cpu->pair_spare);
	gb_host_free(cpu->index);
	gb_host_free(cpu->index_spare);
	gb_host_free(cpu->code);
	gb_host_free(cpu->first);
	gb_host_free(cpu->node);
	gb_host_free(cpu->spare);
	gb_host_free(cpu->mark);
	gb_host_free(cpu->parent);
	gb_host_free(cpu->arrived);
	gb_host_free(cpu->histogram);
	gb_host_free(cpu->share);
	gb_host_free(cpu->stacks);
	gb_host_free(cpu->runs);
	gb_host_free(cpu->run_first);
	gb_host_free(cpu->sum);
	gb_host_free(cpu->moves);
}

/* ---- boxes -------------------------------------------------------------------------------- */

/* The boxes of primitives begin .. end - 1, and around them all. */
static void bound_part(struct lbvh_cpu *cpu, size_t begin, size_t end, LANES *all_lo, LANES *all_hi)
{
	const uint32_t *corner = cpu->input->triangle + 3 * begin;
	const float *vertex = cpu->input->vertex;
	LANES lowest = lanes_all(FLT_MAX), highest = lanes_all(-FLT_MAX);

	for (size_t p = begin; p < end; p++, corner += 3) {
		const LANES a = lanes_load(vertex + 3 * (size_t)corner[0]);
		const LANES b = lanes_load(vertex + 3 * (size_t)corner[1]);
		const LANES c = lanes_load(vertex + 3 * (size_t)corner[2]);
		const LANES lo = lanes_min(lanes_min(a, b), c);
		const LANES hi = lanes_max(lanes_max(a, b), c);

		lanes_store(cpu->box[p].lo, lo);
		lanes_store(cpu->box[p].hi, hi);
		lowest = lanes_min(lowest, lo);
		highest = lanes_max(highest, hi);
	}
	*all_lo = lowest;
	*all_hi = highest;
}

void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	LANES lo, hi;

	lbvh_cpu_phase(timer, "bounds");
#pragma omp single
	{
		lanes_store(cpu->lo, lanes_all(FLT_MAX));
		lanes_store(cpu->hi, lanes_all(-FLT_MAX));
	}
	bound_part(cpu, cpu->count * t / threads, cpu->count * (t + 1) / threads, &lo, &hi);
#pragma omp critical(lbvh_cpu_bounds)
	{
		lanes_store(cpu->lo, lanes_min(lanes_load(cpu->lo), lo));
		lanes_store(cpu->hi, lanes_max(lanes_load(cpu->hi), hi));
	}
#pragma omp barrier
}

/* ---- the way out -------------------------------------------------------------------------- */

static void copy(void *to, const void *from, size_t bytes, int threads)
{
	const size_t block = (size_t)1 << 20;

#pragma omp parallel for num_threads(threads) schedule(static)
	for (size_t at = 0; at < bytes; at += block)
		memcpy((char *)to + at, (const char *)from + at,
		       bytes - at < block ? bytes - at : block);
}

void lbvh_cpu_download(const struct lbvh_cpu *cpu, void *output)
{
	struct lbvh_tree_header *header = output;

	*header = (struct lbvh_tree_header){ .kind = LBVH_BINARY,
					     .leaves = (uint32_t)cpu->leaves,
					     .nodes = (uint32_t)(2 * cpu->leaves - 1) };
	copy(lbvh_build_nodes(output), cpu->node, (2 * cpu->leaves - 1) * sizeof *cpu->node,
	     cpu->threads);
	copy(lbvh_build_index(cpu->input, output), cpu->index, cpu->count * sizeof *cpu->index,
	     cpu->threads);
}

void lbvh_cpu_best(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
#pragma omp parallel num_threads(cpu->threads)
	{
		lbvh_cpu_bounds(cpu, timer);
		lbvh_cpu_codes(cpu, timer);
		lbvh_cpu_sort_radix(cpu, timer);
		lbvh_cpu_count_leaves(cpu, timer);
		lbvh_cpu_fused(cpu, timer);
	}
}

void lbvh_cpu_clustered(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
#pragma omp parallel num_threads(cpu->threads)
	{
		lbvh_cpu_bounds(cpu, timer);
		lbvh_cpu_codes(cpu, timer);
		lbvh_cpu_sort_radix(cpu, timer);
		lbvh_cpu_leaves(cpu, timer);
		lbvh_cpu_cluster(cpu, timer);
		lbvh_cpu_refine(cpu, timer);
		lbvh_cpu_rewrite(cpu, timer);
	}
}

enum gb_status lbvh_builder_create(void **state, const void *params, const void *input,
				   unsigned needs, struct gb_error *err)
{
	const struct lbvh_params *p = params;
	struct lbvh_cpu *cpu;

	*state = NULL;
	if (p->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE, "builds trees and traces no rays");
	cpu = calloc(1, sizeof *cpu);
	*state = cpu;
	if (!cpu)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	return lbvh_cpu_init(cpu, params, input, needs, err);
}

enum gb_status lbvh_builder_download(void *state, void *output, struct gb_error *err)
{
	(void)err;
	lbvh_cpu_download(state, output);
	return GB_OK;
}

void lbvh_builder_destroy(void *state)
{
	struct lbvh_cpu *cpu = state;

	if (!cpu)
		return;
	lbvh_cpu_release(cpu);
	free(cpu);
}
