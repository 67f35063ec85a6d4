/* csr_do.c -- cpu/csr-do: direction-optimising search over CSR (Beamer, Asanovic, Patterson,
 * "Direction-optimizing breadth-first search", SC 2012), OpenMP.
 *
 * Against csr: when the frontier has more edges than a fraction of those not yet examined, each
 * unreached vertex searches its in-edges for a frontier vertex and stops at the first one.  In the
 * large middle levels that reads a few edges per vertex instead of all.  Such backward steps hold
 * the frontier as a bitmap, which stays in cache, and also the unreached vertices that have
 * in-edges, so that reached and isolated ones cost nothing.  Once the frontier is small again, the
 * search continues forwards.
 *
 * Beamer's rule assumes that a backward search finds something.  In a chain of blocks or a grid,
 * most unreached vertices are far from the frontier and search in vain, so a sample of them first
 * estimates the cost.  The bound is one look at each vertex per level and random reads of a bitmap.
 */
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/bfs/shared/search.h"
#include "cpu/bfs/shared/topdown.h"

/* Beamer's rule: backwards once the frontier has more than 1 / ALPHA of the unexamined edges;
 * forwards again once the frontier shrinks and has at most n / BETA vertices. */
enum {
	ALPHA = 15,
	BETA = 18,
	CHEAPER = 2, /* backward edges per forward edge in the same time, if marks are not cached */
	CACHED = 1 << 17,    /* most vertices whose marks fit in a core's cache */
	SAMPLES = 64,        /* vertices sampled to estimate the cost of a backward step */
	VERTICES = 4,        /* vertices examined in the time of one edge */
	SHARED_WORDS = 1024, /* smaller graphs are not worth waking threads for */
};

struct state {
	struct bfs_cpu cpu; /* first: search.h takes a state as one of these */
	struct bfs_topdown td;
	uint64_t *frontier; /* one bit per vertex */
	uint64_t *next;
	uint64_t *open; /* unreached vertices with in-edges */
	size_t words;
	uint64_t most; /* largest out-degree */
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
	(void)bfs_topdown_init(&s->td, &s->cpu, err);
	s->words = bfs_cpu_room(s->cpu.in->n) / 64;
	s->frontier = gb_host_alloc(s->words, sizeof *s->frontier, err);
	s->next = gb_host_alloc(s->words, sizeof *s->next, err);
	s->open = gb_host_alloc(s->words, sizeof *s->open, err);
	return err->code;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;

	s->most = most_edges(&s->cpu);
	return GB_OK;
}

static void list_to_bits(struct state *s)
{
	memset(s->frontier, 0, s->words * sizeof *s->frontier);
	for (uint64_t i = 0; i < s->td.count; i++)
		s->frontier[s->td.list[i] / 64] |= UINT64_C(1) << s->td.list[i] % 64;
}

/* Turn the frontier back into a list. */
static void bits_to_list(struct state *s)
{
	uint64_t count = 0;

	for (size_t j = 0; j < s->words; j++)
		for (uint64_t w = s->frontier[j]; w; w &= w - 1)
			s->td.list[count++] = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(w);
	s->td.count = count;
}

/* Arrays of a backward step.  Threads copy it, so that their stores cannot alias it. */
struct view {
	const uint64_t *row;
	const uint32_t *column;
	const uint64_t *frontier;
	int32_t *mark, *other;
	bool levels; /* mark holds distances */
	int32_t level;
};

/* Search v's in-edges for a frontier vertex; true if there is one.  *looked counts edges. */
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

/* Return the bits of `open`, vertices of word j, that the frontier reaches. */
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

/* Return the bits of word j's vertices that are unreached and have in-edges. */
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

/* Replace the frontier's bits by those of the vertices it reaches at `level`; return how many. */
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

/* Take backward steps while they pay; return the last level. */
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

/* Estimate the cost of a backward step in edges.  A sample of the unreached vertices counts its
 * edges up to the first from a reached vertex, or all; one look at each vertex is added. */
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

/* True if the next step is cheaper backwards.  Counts the frontier's edges and takes the sample
 * only if the frontier could have enough edges. */
static bool pays_back(const struct state *s, uint64_t left)
{
	const uint64_t cheaper = s->cpu.in->n <= CACHED ? 1 : CHEAPER;
	const uint64_t vertices = s->cpu.in->n / VERTICES / cheaper;
	const uint64_t least = left / ALPHA > vertices ? left / ALPHA : vertices;
	uint64_t edges;

	if (s->td.count * s->most <= least)
		return false;
	edges = bfs_topdown_edges(&s->td, &s->cpu);
	return edges > least && edges_back(&s->cpu) < cheaper * edges;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	uint64_t left = s->cpu.in->m;
	int32_t level = 0;

	bfs_cpu_clear(&s->cpu);
	bfs_topdown_start(&s->td, &s->cpu);
	while (s->td.count) {
		if (pays_back(s, left))
			level = search_back(s, level);
		if (!s->td.count)
			break;
		bfs_topdown_step(&s->td, &s->cpu, ++level);
		left -= s->td.looked < left ? s->td.looked : left;
	}
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_csr_do = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
