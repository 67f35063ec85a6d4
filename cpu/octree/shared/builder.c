/* builder.c -- memory, pool and output of the CPU octree builders; box and keys are in keys.c. */
#include "cpu/octree/shared/builder.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

/* Rows that a thread takes at a time, at most. */
enum { CHUNK = 64 };

/* ---- memory ------------------------------------------------------------------------------ */

/* Each thread wastes less than a chunk; together they must not waste more than the pool has beyond
 * the tree. */
static size_t chunk_for(const struct octree_input *in, int threads)
{
	const size_t spare = in->pool > in->tree.nodes ? in->pool - in->tree.nodes : 0;
	const size_t chunk = spare / (size_t)threads;

	return chunk < 1 ? 1 : chunk > CHUNK ? CHUNK : chunk;
}

enum gb_status octree_cpu_init(void *state, const void *params_, const void *input, unsigned wants,
			       struct gb_error *err)
{
	const struct octree_params *params = params_;
	const struct octree_input *in = input;
	struct octree_cpu *cpu = state;

	cpu->input = in;
	cpu->count = in->count;
	cpu->bucket = in->bucket;
	cpu->threads = wants & OCTREE_ONE_THREAD ? 1
		       : params->threads > 0     ? (int)params->threads
						 : omp_get_num_procs();
	cpu->simd = cpu_simd();
	cpu->pool = in->pool;
	cpu->chunk = chunk_for(in, cpu->threads);
	cpu->child = gb_host_alloc(cpu->pool, sizeof *cpu->child, err);
	cpu->next = gb_host_alloc(cpu->count, sizeof *cpu->next, err);
	gb_memory_result(cpu->child, GB_WHOLE, GB_POISON);
	gb_memory_result(cpu->next, GB_WHOLE, GB_POISON);
	if (wants & OCTREE_WANTS_KEYS)
		cpu->key = gb_host_alloc(cpu->count, sizeof *cpu->key, err);
	if (wants & OCTREE_WANTS_RANKS && cpu->bucket > 1)
		cpu->rank = gb_host_alloc(cpu->count, sizeof *cpu->rank, err);
	return err->code;
}

/* ---- pool ---------------------------------------------------------------------------------- */

static void clear(struct octree_cpu *cpu, size_t first, size_t last)
{
	memset(cpu->child[first], 0xff, (last - first) * sizeof *cpu->child); /* OCTREE_FREE */
}

bool octree_cpu_refill(struct octree_cpu *cpu, struct octree_rows *rows)
{
	const size_t first = __atomic_fetch_add(&cpu->taken, cpu->chunk, __ATOMIC_RELAXED);
	const size_t last = first + cpu->chunk < cpu->pool ? first + cpu->chunk : cpu->pool;

	if (first >= cpu->pool) {
		__atomic_store_n(&cpu->exhausted, true, __ATOMIC_RELAXED);
		return false;
	}
	clear(cpu, first, last);
	rows->row = (int32_t)first;
	rows->end = (int32_t)last;
	return true;
}

size_t octree_cpu_rows(const struct octree_cpu *cpu)
{
	return cpu->taken < cpu->pool ? cpu->taken : cpu->pool;
}

/* ---- insertion ----------------------------------------------------------------------------- */

double octree_cpu_begin(struct octree_cpu *cpu, struct gb_timer *timer, const char *name)
{
	gb_phase(timer, name);
	cpu->taken = 1;
	cpu->exhausted = false;
	clear(cpu, 0, 1);
	return gb_now_ns();
}

enum gb_status octree_cpu_end(struct octree_cpu *cpu, double start_ns, struct gb_error *err)
{
	if (cpu->exhausted)
		return gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, cpu->pool, cpu->count);
	if (cpu->insert_runs++ == 1)
		cpu->insert_ns = 0;
	cpu->insert_ns += gb_now_ns() - start_ns;
	return GB_OK;
}

void octree_cpu_metrics(void *state, struct gb_metrics *metrics)
{
	const struct octree_cpu *cpu = state;
	const double runs = cpu->insert_runs > 1 ? (double)cpu->insert_runs - 1 : 1;

	if (cpu->insert_ns > 0)
		gb_metric(metrics, "insert_g_per_s", (double)cpu->count * runs / cpu->insert_ns);
}

enum gb_status octree_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct octree_cpu *cpu = state;
	struct octree_output *out = output;
	const size_t rows = octree_cpu_rows(cpu);

	out->rows = (int64_t)rows;
	memcpy(out->child, cpu->child, rows * sizeof *cpu->child);
	if (cpu->count)
		memcpy(octree_output_next(cpu->input, out), cpu->next,
		       cpu->count * sizeof *cpu->next);
	return GB_OK;
}
