/* topdown.c -- see topdown.h. */
#include "cpu/bfs/shared/topdown.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

enum {
	LOCAL = 1024,         /* vertices in a thread's buffer */
	SHARED_EDGES = 32768, /* frontiers with fewer edges are not worth waking threads for */
	CHUNK = 256,          /* vertices that a thread takes at a time; many more than AHEAD */
	CANDIDATES = 32,      /* edges whose marks are prefetched together */
	AHEAD = 8,            /* vertices ahead to prefetch edges; twice that for rows */
};

enum gb_status bfs_topdown_init(struct bfs_topdown *td, const struct bfs_cpu *cpu,
				struct gb_error *err)
{
	const size_t n = cpu->in->n;

	td->list = gb_host_alloc(n, sizeof *td->list, err);
	td->next = gb_host_alloc(n, sizeof *td->next, err);
	td->local = gb_host_alloc((size_t)cpu->threads * LOCAL, sizeof *td->local, err);
	if (cpu->threads == 1)
		return err->code;
	/* Whole cache lines for each thread. */
	td->words = (n + 511) / 512 * 8;
	td->seen = gb_host_alloc((size_t)cpu->threads * td->words, sizeof *td->seen, err);
	td->begun = gb_host_alloc((size_t)cpu->threads, sizeof *td->begun, err);
	return err->code;
}

void bfs_topdown_start(struct bfs_topdown *td, const struct bfs_cpu *cpu)
{
	td->list[0] = cpu->source;
	td->count = 1;
	td->looked = 0;
	for (int t = 0; td->begun && t < cpu->threads; t++)
		td->begun[t] = false;
}

uint64_t bfs_topdown_edges(const struct bfs_topdown *td, const struct bfs_cpu *cpu)
{
	const uint64_t *row = cpu->in->out.row;
	uint64_t edges = 0;

	for (uint64_t i = 0; i < td->count; i++)
		edges += row[td->list[i] + 1] - row[td->list[i]];
	return edges;
}

/* Prefetch for the vertices that follow entry i of the list.  Always inline: GCC drops calls of
 * functions that only prefetch. */
static inline __attribute__((always_inline)) void look_ahead(const struct bfs_topdown *td,
							     const struct bfs_csr *out, uint64_t i)
{
	if (i + (uint64_t)2 * AHEAD < td->count)
		__builtin_prefetch(&out->row[td->list[i + (uint64_t)2 * AHEAD]]);
	if (i + AHEAD < td->count)
		__builtin_prefetch(&out->column[out->row[td->list[i + AHEAD]]]);
}

/* A step by one thread. */
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

/* Append a thread's buffer to the new frontier. */
static void append(struct bfs_topdown *td, const uint32_t *local, size_t count)
{
	const uint64_t place = __atomic_fetch_add(&td->end, count, __ATOMIC_RELAXED);

	memcpy(td->next + place, local, count * sizeof *local);
}

/* Return a thread's bits, cleared at its first use in a search. */
static uint64_t *bits_of(struct bfs_topdown *td, int thread)
{
	uint64_t *seen = td->seen + (size_t)thread * td->words;

	if (!td->begun[thread])
		memset(seen, 0, td->words * sizeof *seen);
	td->begun[thread] = true;
	return seen;
}

/* Mark v as seen by this thread; true if it was not seen before. */
static bool is_new(uint64_t *seen, uint32_t v)
{
	const uint64_t bit = UINT64_C(1) << v % 64;

	if (seen[v / 64] & bit)
		return false;
	seen[v / 64] |= bit;
	return true;
}

/* Try to reach v; true if this call reached it. */
static bool claim(const struct bfs_cpu *cpu, uint32_t v, int32_t value)
{
	int32_t *mark = &cpu->mark[v], none = BFS_UNREACHED;

	return __atomic_load_n(mark, __ATOMIC_RELAXED) == none &&
	       __atomic_compare_exchange_n(mark, &none, value, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* An edge to a vertex that its thread has not seen before. */
struct candidate {
	uint32_t from, to;
};

/* State of one thread during a step. */
struct part {
	struct bfs_topdown *td;
	const struct bfs_cpu *cpu;
	int32_t level;
	uint32_t *local; /* vertices reached; LOCAL entries */
	size_t count;
	struct candidate waiting[CANDIDATES]; /* edges whose marks are being prefetched */
	unsigned candidates;
};

static void reach(struct part *p, uint32_t v)
{
	if (p->count == LOCAL) {
		append(p->td, p->local, p->count);
		p->count = 0;
	}
	p->local[p->count++] = v;
}

static void claim_all(struct part *p)
{
	const struct bfs_cpu *cpu = p->cpu;

	for (unsigned i = 0; i < p->candidates; i++) {
		const struct candidate c = p->waiting[i];

		if (!claim(cpu, c.to, bfs_cpu_value(cpu, c.from, p->level)))
			continue;
		if (cpu->other)
			cpu->other[c.to] = (int32_t)c.from;
		reach(p, c.to);
	}
	p->candidates = 0;
}

static void wait_for_mark(struct part *p, uint32_t u, uint32_t v)
{
	__builtin_prefetch(&p->cpu->mark[v], 1);
	p->waiting[p->candidates++] = (struct candidate){ u, v };
	if (p->candidates == CANDIDATES)
		claim_all(p);
}

static void step_shared(struct bfs_topdown *td, const struct bfs_cpu *cpu, int32_t level)
{
	const struct bfs_csr *out = &cpu->in->out;
	uint64_t looked = 0;

	td->end = 0;
#pragma omp parallel num_threads(cpu->threads) reduction(+ : looked)
	{
		const int thread = omp_get_thread_num();
		uint64_t *const seen = bits_of(td, thread);
		struct part part = { .td = td,
				     .cpu = cpu,
				     .level = level,
				     .local = td->local + (size_t)thread * LOCAL };

#pragma omp for schedule(dynamic, CHUNK) nowait
		for (uint64_t i = 0; i < td->count; i++) {
			const uint32_t u = td->list[i];
			const uint64_t begin = out->row[u], end = out->row[u + 1];
			const uint32_t *column = out->column;

			look_ahead(td, out, i);
			looked += end - begin;
			for (uint64_t e = begin; e < end; e++)
				if (is_new(seen, column[e]))
					wait_for_mark(&part, u, column[e]);
		}
		claim_all(&part);
		append(td, part.local, part.count);
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
