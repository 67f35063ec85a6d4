/* search.c -- arrays, start and output of the CPU searches. */
#include "cpu/bfs/shared/search.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

/* Clearing at least this many bytes is shared among threads. */
#define SHARED_CLEAR ((size_t)4 << 20)

enum gb_status bfs_cpu_init(struct bfs_cpu *cpu, const void *params, const void *input,
			    unsigned wants, struct gb_error *err)
{
	const struct bfs_params *p = params;
	const size_t room = bfs_cpu_room(((const struct bfs_input *)input)->n) * bfs_batch(p);

	if (wants & BFS_WANTS_BATCH)
		(void)bfs_need_no_parents(p, err);
	else
		(void)bfs_need_one_source(p, err);
	cpu->batch = bfs_batch(p);
	cpu->in = input;
	cpu->output = (enum bfs_output)p->output;
	cpu->threads = p->threads > 0 ? (int)p->threads : omp_get_num_procs();
	if (wants & BFS_WANTS_DIST || cpu->output != BFS_PARENT)
		cpu->dist = gb_host_alloc(room, sizeof *cpu->dist, err);
	if (cpu->output != BFS_DIST)
		cpu->parent = gb_host_alloc(room, sizeof *cpu->parent, err);
	gb_memory_result(cpu->dist, GB_WHOLE, GB_POISON);
	gb_memory_result(cpu->parent, GB_WHOLE, GB_POISON);
	cpu->mark = cpu->dist ? cpu->dist : cpu->parent;
	cpu->other = cpu->dist ? cpu->parent : NULL;
	if (wants & BFS_WANTS_MATRIX && !cpu->in->matrix)
		return gb_fail(err, GB_EUNAVAILABLE, "%s", cpu->in->no_matrix);
	return err->code;
}

enum gb_status bfs_cpu_reset(void *state, int64_t sample, struct gb_error *err)
{
	struct bfs_cpu *cpu = state;

	cpu->first = sample * (int64_t)cpu->batch;
	cpu->source = bfs_source(cpu->in, cpu->first);
	return GB_OK;
}

static void clear(int32_t *array, size_t n, int threads)
{
	const size_t bytes = n * sizeof *array, share = ((size_t)1 << 20) / sizeof *array;

	if (threads == 1 || bytes < SHARED_CLEAR) {
		memset(array, 0xff, bytes);
		return;
	}
#pragma omp parallel for num_threads(threads) schedule(static)
	for (size_t i = 0; i < n; i += share)
		memset(array + i, 0xff, (n - i < share ? n - i : share) * sizeof *array);
}

void bfs_cpu_start(struct bfs_cpu *cpu)
{
	if (cpu->dist)
		cpu->dist[cpu->source] = 0;
	if (cpu->parent)
		cpu->parent[cpu->source] = (int32_t)cpu->source;
	cpu->touched = 0;
}

void bfs_cpu_clear(struct bfs_cpu *cpu)
{
	if (cpu->dist)
		clear(cpu->dist, cpu->in->n, cpu->threads);
	if (cpu->parent)
		clear(cpu->parent, cpu->in->n, cpu->threads);
	bfs_cpu_start(cpu);
}

void bfs_cpu_by_levels(struct bfs_cpu *cpu, bfs_scan_fn *scan, size_t row_bytes, bool early)
{
	uint64_t found, rows = 0, reached = 1;
	int32_t level = 0;

	bfs_cpu_clear(cpu);
	do {
		found = 0;
#pragma omp parallel for num_threads(cpu->threads) schedule(dynamic, 32) \
	reduction(+ : found, rows) if (cpu->threads > 1)
		for (uint32_t u = 0; u < cpu->in->n; u++)
			if (__atomic_load_n(&cpu->dist[u], __ATOMIC_RELAXED) == level) {
				found += scan(cpu, u, level + 1);
				rows++;
			}
		reached += found;
		level++;
	} while (found && !(early && reached == cpu->in->n));
	cpu->touched = rows * row_bytes;
}

enum gb_status bfs_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct bfs_cpu *cpu = state;
	const size_t n = cpu->in->n;
	int32_t *out = output;

	if (cpu->output != BFS_PARENT) {
		for (size_t i = 0; i < cpu->batch; i++)
			memcpy(out + i * n, cpu->dist + i * bfs_cpu_room(cpu->in->n),
			       n * sizeof *out);
		out += n;
	}
	if (cpu->output != BFS_DIST)
		memcpy(out, cpu->parent, n * sizeof *out);
	return GB_OK;
}

void bfs_cpu_metrics(void *state, struct gb_metrics *metrics)
{
	const struct bfs_cpu *cpu = state;

	gb_metric(metrics, "touched_bytes", (double)cpu->touched);
}
