/* bfs_csr_do.c -- cpu/csr-do: direction-optimising search over CSR (Beamer, Asanovic, Patterson,
 * "Direction-optimizing breadth-first search", SC 2012), OpenMP.
 *
 * Against csr: when the frontier has more edges than a fraction of those not yet looked at, each
 * unreached vertex looks backwards, along its in-edges, for a member of the frontier, and stops at
 * the first one.  In the large middle levels that reads a few edges per vertex instead of all.  The
 * frontier is a bitmap then, which stays in cache; once it has become small again the search goes
 * on forwards.  The bound is a look at each vertex a level and random reads of a bitmap.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/variants.h"
#include "cpu/bfs_common.h"
#include "cpu/bfs_topdown.h"

/* Beamer's: backwards once edges of the frontier > edges not looked at / ALPHA; forwards again
 * once the frontier shrinks and has fewer than n / BETA vertices. */
enum { ALPHA = 15, BETA = 18, SHARED_WORDS = 1024 };

struct state {
	struct bfs_cpu cpu; /* first: see bfs_common.h */
	struct bfs_topdown td;
	uint64_t *frontier; /* one bit per vertex */
	uint64_t *next;
	size_t words;
};

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = calloc(1, sizeof *s);

	*state = s;
	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	if (bfs_cpu_init(&s->cpu, params, input, false, err) ||
	    bfs_topdown_init(&s->td, &s->cpu, err))
		return err->code;
	s->words = bfs_cpu_room(s->cpu.in->n) / 64;
	s->frontier = gb_host_alloc(s->words, sizeof *s->frontier, err);
	if (!s->frontier)
		return err->code;
	s->next = gb_host_alloc(s->words, sizeof *s->next, err);
	return s->next ? GB_OK : err->code;
}

static void list_to_bits(struct state *s)
{
	memset(s->frontier, 0, s->words * sizeof *s->frontier);
	for (uint64_t i = 0; i < s->td.count; i++)
		s->frontier[s->td.list[i] / 64] |= UINT64_C(1) << s->td.list[i] % 64;
}

/* The frontier as a list again, with its out-edges counted. */
static void bits_to_list(struct state *s)
{
	const uint64_t *row = s->cpu.in->out.row;
	uint64_t count = 0, edges = 0;

	for (size_t j = 0; j < s->words; j++)
		for (uint64_t w = s->frontier[j]; w; w &= w - 1) {
			const uint32_t v = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(w);

			s->td.list[count++] = v;
			edges += row[v + 1] - row[v];
		}
	s->td.count = count;
	s->td.edges = edges;
}

/* Look for a frontier vertex among v's in-edges; returns whether there is one.  *looked counts
 * edges. */
static inline bool look_back(const struct state *s, uint32_t v, int32_t level, uint64_t *looked)
{
	const struct bfs_csr *in = &s->cpu.in->in;
	const uint64_t begin = in->row[v], end = in->row[v + 1];

	for (uint64_t e = begin; e < end; e++) {
		const uint32_t u = in->column[e];

		if (!(s->frontier[u / 64] >> u % 64 & 1))
			continue;
		s->cpu.mark[v] = bfs_cpu_value(&s->cpu, u, level);
		if (s->cpu.other)
			s->cpu.other[v] = (int32_t)u;
		*looked += e - begin + 1;
		return true;
	}
	*looked += end - begin;
	return false;
}

/* Reach what can be reached at `level` from the bits of the frontier, which are replaced by those
 * of the new one; returns how many. */
static uint64_t step_back(struct state *s, int32_t level)
{
	const uint32_t n = s->cpu.in->n;
	const int32_t *mark = s->cpu.mark;
	const bool shared = s->cpu.threads > 1 && s->words >= SHARED_WORDS;
	uint64_t found = 0, looked = 0;
	uint64_t *swap = s->frontier;

#pragma omp parallel for num_threads(s->cpu.threads) schedule(dynamic, 64) \
	reduction(+ : found, looked) if (shared)
	for (size_t j = 0; j < s->words; j++) {
		const uint32_t first = (uint32_t)(64 * j), last = n - first < 64 ? n : first + 64;
		uint64_t word = 0;

		for (uint32_t v = first; v < last; v++)
			if (mark[v] == BFS_UNREACHED && look_back(s, v, level, &looked))
				word |= UINT64_C(1) << (v - first);
		s->next[j] = word;
		found += (unsigned)__builtin_popcountll(word);
	}
	s->frontier = s->next;
	s->next = swap;
	s->cpu.touched += looked * sizeof(uint32_t);
	return found;
}

/* Backward steps for as long as they are worth it; returns the last level. */
static int32_t search_back(struct state *s, int32_t level)
{
	const uint64_t n = s->cpu.in->n;
	uint64_t before, count = s->td.count;

	list_to_bits(s);
	do {
		before = count;
		count = step_back(s, ++level);
	} while (count && (count >= before || count > n / BETA));
	bits_to_list(s);
	return level;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	uint64_t left = s->cpu.in->m;
	int32_t level = 0;

	(void)timer;
	(void)err;
	bfs_cpu_clear(&s->cpu);
	bfs_topdown_start(&s->td, &s->cpu);
	while (s->td.count) {
		if (s->td.edges > left / ALPHA)
			level = search_back(s, level);
		if (!s->td.count)
			break;
		left -= s->td.edges < left ? s->td.edges : left;
		bfs_topdown_step(&s->td, &s->cpu, ++level);
	}
	s->cpu.levels = (uint32_t)level - 1;
	return GB_OK;
}

static void destroy(void *state)
{
	struct state *s = state;

	if (!s)
		return;
	gb_host_free(s->next);
	gb_host_free(s->frontier);
	bfs_topdown_release(&s->td);
	bfs_cpu_release(&s->cpu);
	free(s);
}

const struct gb_variant_ops bfs_cpu_csr_do = {
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.destroy = destroy,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
