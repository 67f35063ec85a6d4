/* csr.c -- cpu/csr, cpu/csr-do: level by level over compressed rows, OpenMP.
 *
 * csr: along the out-edges, a list of the frontier.  Against basic it reads only the edges there are:
 * 4 bytes each, all m of the reached part.  In a dense graph nearly all of them lead to vertices long
 * reached; the bound is m probes of `mark`.
 *
 * Large frontiers are shared among threads: a vertex belongs to the thread whose compare-exchange
 * reaches it, and is appended by way of the thread's own buffer.  Marks that others set move from
 * core to core, a cache line at a time.  So a thread asks for the mark of a vertex once, and a while
 * before it needs it; before, two threads were slower than one.  What remains of that is the bound
 * of small graphs.  Small frontiers, and those of a single thread, go without all that.
 *
 * csr-do: direction-optimising search (Beamer, Asanovic, Patterson, "Direction-optimizing
 * breadth-first search", SC 2012).
 * Against csr: when the frontier has more edges than a fraction of those not yet looked at, each
 * unreached vertex looks backwards, along its in-edges, for a member of the frontier, and stops at
 * the first one.  In the large middle levels that reads a few edges per vertex instead of all.  The
 * frontier is a bitmap then, which stays in cache, and so are the vertices that are still looking,
 * so that the reached and the isolated ones cost nothing; once the frontier has become small again
 * the search goes on forwards.  Beamer's rule takes it for granted that a look back finds something; in
 * a chain of blocks or a grid most unreached vertices are far from the frontier, and look in vain.  So
 * a few of them try first.  The bound is one look at each vertex per level and random reads
 * of a bitmap.
 */
#include <omp.h>
#include <string.h>

#include "common/memory.h"
#include "common/workload.h"
#include "cpu/bfs/parts/search.h"

/* ---- along the edges ---------------------------------------------------------------------- */

struct topdown {
	uint32_t *list;  /* the frontier: n */
	uint32_t *next;  /* the one to come: n */
	uint64_t count;  /* of the frontier */
	uint64_t looked; /* edges that the last step looked at */
	uint64_t end;    /* of `next` while threads append to it */
	uint32_t *local; /* a buffer for each thread */
	uint64_t *seen;  /* for each thread a bit per vertex, of those it knows to be reached */
	size_t words;    /* of a thread's bits */
	bool *begun;     /* for each thread, whether its bits are of this search */
};

enum {
	LOCAL = 1024,         /* vertices in a thread's buffer */
	SHARED_EDGES = 32768, /* frontiers of fewer edges are not worth waking threads for */
	CHUNK = 256,     /* vertices that a thread takes at a time: many more than are prefetched */
	CANDIDATES = 32, /* edges whose marks are fetched at a time */
	AHEAD = 8,       /* vertices whose edges are prefetched; twice that: whose rows */
};

/* Allocate the lists. */
static enum gb_status topdown_init(struct topdown *td, const struct bfs_cpu *cpu,
				   struct gb_error *err)
{
	const size_t n = cpu->in->n;

	td->list = gb_host_alloc(n, sizeof *td->list, err);
	td->next = gb_host_alloc(n, sizeof *td->next, err);
	td->local = gb_host_alloc((size_t)cpu->threads * LOCAL, sizeof *td->local, err);
	if (cpu->threads == 1)
		return err->code;
	/* Whole cache lines for each. */
	td->words = (n + 511) / 512 * 8;
	td->seen = gb_host_alloc((size_t)cpu->threads * td->words, sizeof *td->seen, err);
	td->begun = gb_host_alloc((size_t)cpu->threads, sizeof *td->begun, err);
	return err->code;
}

/* The frontier is the source alone. */
static void topdown_start(struct topdown *td, const struct bfs_cpu *cpu)
{
	td->list[0] = cpu->source;
	td->count = 1;
	td->looked = 0;
	for (int t = 0; td->begun && t < cpu->threads; t++)
		td->begun[t] = false;
}

/* Out-edges of the frontier. */
static uint64_t topdown_edges(const struct topdown *td, const struct bfs_cpu *cpu)
{
	const uint64_t *row = cpu->in->out.row;
	uint64_t edges = 0;

	for (uint64_t i = 0; i < td->count; i++)
		edges += row[td->list[i] + 1] - row[td->list[i]];
	return edges;
}

/* Fetch what the vertices behind number i of the list will need.  Always inline: GCC leaves out calls of
 * functions that do nothing but prefetch. */
static inline __attribute__((always_inline)) void look_ahead(const struct topdown *td,
							     const struct bfs_csr *out, uint64_t i)
{
	if (i + (uint64_t)2 * AHEAD < td->count)
		__builtin_prefetch(&out->row[td->list[i + (uint64_t)2 * AHEAD]]);
	if (i + AHEAD < td->count)
		__builtin_prefetch(&out->column[out->row[td->list[i + AHEAD]]]);
}

/* One thread. */
static void step_alone(struct topdown *td, const struct bfs_cpu *cpu, int32_t level)
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
static void append(struct topdown *td, const uint32_t *local, size_t count)
{
	const uint64_t place = __atomic_fetch_add(&td->end, count, __ATOMIC_RELAXED);

	memcpy(td->next + place, local, count * sizeof *local);
}

/* A thread's bits, none set before its first part in a search. */
static uint64_t *bits_of(struct topdown *td, int thread)
{
	uint64_t *seen = td->seen + (size_t)thread * td->words;

	if (!td->begun[thread])
		memset(seen, 0, td->words * sizeof *seen);
	td->begun[thread] = true;
	return seen;
}

/* Whether this thread has not seen v before. */
static bool is_new(uint64_t *seen, uint32_t v)
{
	const uint64_t bit = UINT64_C(1) << v % 64;

	if (seen[v / 64] & bit)
		return false;
	seen[v / 64] |= bit;
	return true;
}

/* Whether v was unreached, and is reached from now on. */
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

/* What a thread does in a step. */
struct part {
	struct topdown *td;
	const struct bfs_cpu *cpu;
	int32_t level;
	uint32_t *local; /* LOCAL: reached */
	size_t count;
	struct candidate waiting[CANDIDATES]; /* for their marks */
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

static void step_shared(struct topdown *td, const struct bfs_cpu *cpu, int32_t level)
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

/* From the frontier to the vertices at distance `level`, which become the frontier. */
static void topdown_step(struct topdown *td, struct bfs_cpu *cpu, int32_t level)
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

/* ---- cpu/csr ------------------------------------------------------------------------------ */

struct state {
	struct bfs_cpu cpu; /* first: search.h takes a state as one of these */
	struct topdown td;
	/* Of csr-do only: */
	uint64_t *frontier; /* one bit per vertex */
	uint64_t *next;
	uint64_t *open; /* unreached, with in-edges */
	size_t words;
	uint64_t most; /* out-edges of one vertex */
};

static enum gb_status create_csr(void *state, const void *params, const void *input,
				 struct gb_error *err)
{
	struct state *s = state;

	(void)bfs_cpu_init(&s->cpu, params, input, 0, err);
	return topdown_init(&s->td, &s->cpu, err);
}

static enum gb_status run_csr(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	int32_t level = 0;

	bfs_cpu_clear(&s->cpu);
	topdown_start(&s->td, &s->cpu);
	while (s->td.count)
		topdown_step(&s->td, &s->cpu, ++level);
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_csr = {
	.state_size = sizeof(struct state),
	.create = create_csr,
	.reset = bfs_cpu_reset,
	.run = run_csr,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};

/* ---- cpu/csr-do --------------------------------------------------------------------------- */

/* Beamer's: backwards once edges of the frontier > edges not looked at / ALPHA; forwards again
 * once the frontier shrinks and has fewer than n / BETA vertices. */
enum {
	ALPHA = 15,
	BETA = 18,
	CHEAPER = 2, /* an edge looked at backwards, if its bit is in the cache and marks are not */
	CACHED = 1 << 17,    /* vertices whose marks are in a core's cache */
	SAMPLES = 64,        /* vertices that show what a backward step would cost */
	VERTICES = 4,        /* that are looked at in the time of an edge */
	SHARED_WORDS = 1024, /* smaller graphs are not worth waking threads for */
};

static uint64_t most_edges(const struct bfs_cpu *cpu)
{
	const uint64_t *row = cpu->in->out.row;
	uint64_t most = 0;

	for (uint32_t v = 0; v < cpu->in->n; v++)
		most = row[v + 1] - row[v] > most ? row[v + 1] - row[v] : most;
	return most;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	(void)bfs_cpu_init(&s->cpu, params, input, 0, err);
	(void)topdown_init(&s->td, &s->cpu, err);
	s->most = most_edges(&s->cpu);
	s->words = bfs_cpu_room(s->cpu.in->n) / 64;
	s->frontier = gb_host_alloc(s->words, sizeof *s->frontier, err);
	s->next = gb_host_alloc(s->words, sizeof *s->next, err);
	s->open = gb_host_alloc(s->words, sizeof *s->open, err);
	return err->code;
}

static void list_to_bits(struct state *s)
{
	memset(s->frontier, 0, s->words * sizeof *s->frontier);
	for (uint64_t i = 0; i < s->td.count; i++)
		s->frontier[s->td.list[i] / 64] |= UINT64_C(1) << s->td.list[i] % 64;
}

/* The frontier as a list again. */
static void bits_to_list(struct state *s)
{
	uint64_t count = 0;

	for (size_t j = 0; j < s->words; j++)
		for (uint64_t w = s->frontier[j]; w; w &= w - 1)
			s->td.list[count++] = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(w);
	s->td.count = count;
}

/* The arrays that looking back needs, out of reach of what it writes. */
struct view {
	const uint64_t *row;
	const uint32_t *column;
	const uint64_t *frontier;
	int32_t *mark, *other;
	bool levels; /* mark holds distances */
	int32_t level;
};

/* Look for a frontier vertex among v's in-edges; returns whether there is one.  *looked counts
 * edges. */
static inline bool look_back(const struct view *w, uint32_t v, uint64_t *looked)
{
	const uint64_t begin = w->row[v], end = w->row[v + 1];

	for (uint64_t e = begin; e < end; e++) {
		const uint32_t u = w->column[e];

		if (!(w->frontier[u / 64] >> u % 64 & 1))
			continue;
		w->mark[v] = w->levels ? w->level : (int32_t)u;
		if (w->other)
			w->other[v] = (int32_t)u;
		*looked += e - begin + 1;
		return true;
	}
	*looked += end - begin;
	return false;
}

/* Those of the vertices of word j, whose bits are in `open`, that can be reached. */
static inline uint64_t look_back_64(const struct view *w, size_t j, uint64_t open, uint64_t *looked)
{
	uint64_t found = 0;

	for (; open; open &= open - 1) {
		const uint32_t v = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(open);

		if (look_back(w, v, looked))
			found |= open & -open;
	}
	return found;
}

/* The bits of word j whose vertices are unreached and have in-edges. */
static uint64_t open_64(const struct state *s, size_t j)
{
	const uint32_t n = s->cpu.in->n, first = (uint32_t)(64 * j);
	const unsigned count = n - first < 64 ? n - first : 64;
	const uint64_t *row = s->cpu.in->in.row + first;
	const int32_t *mark = s->cpu.mark + first;
	uint64_t open = 0;

	for (unsigned k = 0; k < count; k++)
		open |= (uint64_t)(mark[k] == BFS_UNREACHED && row[k] < row[k + 1]) << k;
	return open;
}

/* Reach what can be reached at `level` from the bits of the frontier, which are replaced by those
 * of the new one; returns how many. */
static uint64_t step_back(struct state *s, int32_t level)
{
	const struct view view = {
		.row = s->cpu.in->in.row,
		.column = s->cpu.in->in.column,
		.frontier = s->frontier,
		.mark = s->cpu.mark,
		.other = s->cpu.other,
		.levels = s->cpu.dist != NULL,
		.level = level,
	};
	const bool shared = s->cpu.threads > 1 && s->words >= SHARED_WORDS;
	uint64_t found = 0, looked = 0;
	uint64_t *const next = s->next;

#pragma omp parallel for num_threads(s->cpu.threads) schedule(dynamic, 64) \
	reduction(+ : found, looked) if (shared)
	for (size_t j = 0; j < s->words; j++) {
		const struct view own = view;

		next[j] = look_back_64(&own, j, s->open[j], &looked);
		s->open[j] &= ~next[j];
		found += (unsigned)__builtin_popcountll(next[j]);
	}
	s->next = s->frontier;
	s->frontier = next;
	s->cpu.touched += looked * sizeof(uint32_t);
	return found;
}

/* Backward steps for as long as they are worth it; returns the last level. */
static int32_t search_back(struct state *s, int32_t level)
{
	const uint64_t n = s->cpu.in->n;
	uint64_t before, count = s->td.count;

	list_to_bits(s);
#pragma omp parallel for num_threads(s->cpu.threads) \
	schedule(static) if (s->cpu.threads > 1 && s->words >= SHARED_WORDS)
	for (size_t j = 0; j < s->words; j++)
		s->open[j] = open_64(s, j);
	do {
		before = count;
		count = step_back(s, ++level);
	} while (count && (count >= before || count > n / BETA));
	bits_to_list(s);
	return level;
}

/* What a backward step would cost, in edges: those up to the first that comes from a reached vertex, or all,
 * by a look at some of the unreached vertices; and a look at each vertex. */
static uint64_t edges_back(const struct bfs_cpu *cpu)
{
	const struct bfs_csr *in = &cpu->in->in;
	const uint32_t n = cpu->in->n, step = n / SAMPLES + 1;
	uint64_t looked = 0;

	for (uint32_t v = 0; v < n; v += step)
		for (uint64_t e = in->row[v]; cpu->mark[v] == BFS_UNREACHED && e < in->row[v + 1];
		     e++) {
			looked++;
			if (cpu->mark[in->column[e]] != BFS_UNREACHED)
				break;
		}
	return looked * step + n / VERTICES;
}

/* Whether the next step is better made backwards.  The edges of the frontier are counted, and vertices
 * looked at, only if there could be enough of them. */
static bool pays_back(const struct state *s, uint64_t left)
{
	const uint64_t cheaper = s->cpu.in->n <= CACHED ? 1 : CHEAPER;
	const uint64_t vertices = s->cpu.in->n / VERTICES / cheaper;
	const uint64_t least = left / ALPHA > vertices ? left / ALPHA : vertices;
	uint64_t edges;

	if (s->td.count * s->most <= least)
		return false;
	edges = topdown_edges(&s->td, &s->cpu);
	return edges > least && edges_back(&s->cpu) < cheaper * edges;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	uint64_t left = s->cpu.in->m;
	int32_t level = 0;

	bfs_cpu_clear(&s->cpu);
	topdown_start(&s->td, &s->cpu);
	while (s->td.count) {
		if (pays_back(s, left))
			level = search_back(s, level);
		if (!s->td.count)
			break;
		topdown_step(&s->td, &s->cpu, ++level);
		left -= s->td.looked < left ? s->td.looked : left;
	}
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_csr_do = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
