/* topdown.c -- see topdown.h. */
#include "cpu/bfs/parts/topdown.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

enum {
	LOCAL = 1024,         /* vertices in a thread's buffer */
	SHARED_EDGES = 32768, /* frontiers of fewer edges are not worth waking threads for */
	AHEAD = 8,            /* vertices whose edges are prefetched; twice that: whose rows */
};

enum gb_status bfs_topdown_init(struct bfs_topdown *td, const struct bfs_cpu *cpu,
				struct gb_error *err)
{
	const size_t n = cpu->in->n;

	td->list = gb_host_alloc(n, sizeof *td->list, err);
	td->next = gb_host_alloc(n, sizeof *td->next, err);
	td->local = gb_host_alloc((size_t)cpu->threads * LOCAL, sizeof *td->local, err);
	return err->code;
}

void bfs_topdown_start(struct bfs_topdown *td, const struct bfs_cpu *cpu)
{
	td->list[0] = cpu->source;
	td->count = 1;
	td->looked = 0;
}

uint64_t bfs_topdown_edges(const struct bfs_topdown *td, const struct bfs_cpu *cpu)
{
	const uint64_t *row = cpu->in->out.row;
	uint64_t edges = 0;

	for (uint64_t i = 0; i < td->count; i++)
		edges += row[td->list[i] + 1] - row[td->list[i]];
	return edges;
}

/* Fetch what the vertices behind number i of the list will need.  Always inline: GCC leaves out calls of
 * functions that do nothing but prefetch. */
static inline __attribute__((always_inline)) void look_ahead(const struct bfs_topdown *td,
							     const struct bfs_csr *out, uint64_t i)
{
	if (i + (uint64_t)2 * AHEAD < td->count)
		__builtin_prefetch(&out->row[td->list[i + (uint64_t)2 * AHEAD]]);
	if (i + AHEAD < td->count)
		__builtin_prefetch(&out->column[out->row[td->list[i + AHEAD]]]);
}

/* One thread. */
static void step_alone(struct bfs_topdown *td, const struct bfs_cpu *cpu, int32_t level)
{
	const uint64_t *const row = cpu->in->out.row;
	const uint32_t *const column = cpu->in->out.column;
	int32_t *const mark = cpu->mark, *const other = cpu->other;
	uint32_t *const next = td->next;
	uint64_t count = 0, looked = 0;

	for (uint64_t i = 0; i < td->count; i++) {
		const uint32_t u = td->list[i];
		const uint64_t begin = row[u], end = row[u + 1];
		const int32_t value = bfs_cpu_value(cpu, u, level);

		look_ahead(td, &cpu->in->out, i);
		looked += end - begin;
		for (uint64_t e = begin; e < end; e++) {
			const uint32_t v = column[e];

			if (mark[v] != BFS_UNREACHED)
				continue;
			mark[v] = value;
			if (other)
				other[v] = (int32_t)u;
			next[count++] = v;
		}
	}
	td->count = count;
	td->looked = looked;
}

/* A thread's buffer to the end of the new frontier. */
static void append(struct bfs_topdown *td, const uint32_t *local, size_t count)
{
	const uint64_t place = __atomic_fetch_add(&td->end, count, __ATOMIC_RELAXED);

	memcpy(td->next + place, local, count * sizeof *local);
}

/* Whether v was unreached, and is reached from now on. */
static bool claim(const struct bfs_cpu *cpu, uint32_t v, int32_t value)
{
	int32_t *mark = &cpu->mark[v], none = BFS_UNREACHED;

	return __atomic_load_n(mark, __ATOMIC_RELAXED) == none &&
	       __atomic_compare_exchange_n(mark, &none, value, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

static void step_shared(struct bfs_topdown *td, const struct bfs_cpu *cpu, int32_t level)
{
	const struct bfs_csr *out = &cpu->in->out;
	uint64_t looked = 0;

	td->end = 0;
#pragma omp parallel num_threads(cpu->threads) reduction(+ : looked)
	{
		uint32_t *local = td->local + (size_t)omp_get_thread_num() * LOCAL;
		size_t count = 0;

#pragma omp for schedule(dynamic, 64) nowait
		for (uint64_t i = 0; i < td->count; i++) {
			const uint32_t u = td->list[i];
			const int32_t value = bfs_cpu_value(cpu, u, level);

			look_ahead(td, out, i);
			looked += out->row[u + 1] - out->row[u];
			for (uint64_t e = out->row[u]; e < out->row[u + 1]; e++) {
				const uint32_t v = out->column[e];

				if (!claim(cpu, v, value))
					continue;
				if (cpu->other)
					cpu->other[v] = (int32_t)u;
				if (count == LOCAL) {
					append(td, local, count);
					count = 0;
				}
				local[count++] = v;
			}
		}
		append(td, local, count);
	}
	td->count = td->end;
	td->looked = looked;
}

void bfs_topdown_step(struct bfs_topdown *td, struct bfs_cpu *cpu, int32_t level)
{
	const double edges = (double)td->count * (double)cpu->in->m / cpu->in->n;
	const uint64_t rows = td->count * 2 * sizeof(uint64_t);
	uint32_t *swap = td->list;

	if (cpu->threads > 1 && edges >= SHARED_EDGES)
		step_shared(td, cpu, level);
	else
		step_alone(td, cpu, level);
	cpu->touched += td->looked * sizeof(uint32_t) + rows;
	td->list = td->next;
	td->next = swap;
}
