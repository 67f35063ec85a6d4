/* bfs_ccam.c -- cpu/ccam: whole rows of the frontier ORed together, slab by slab of columns; what
 * is left over is pulled.  AVX-512 if there is, OpenMP.
 *
 * Against ccam-pull rows are read in full vectors, one OR for 512 neighbours, and a slab is left
 * as soon as all its vertices are visited.  In G(n, p) row after row takes the share p of what is
 * left, so that ln(8192) / p rows of 1 KiB saturate a slab, however large the frontier; the last
 * few vertices of a slab are cheaper to pull, and where vertices without in-edges would keep a
 * slab from ever being saturated, that is what saves the search (see bfs_bits.h).  The bound is
 * about n ln(8192) / (8 p) bytes of reading: 0.35 MB of the 32 MB at n = 16384, p = 0.05.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/variants.h"
#include "cpu/bfs_bits.h"
#include "cpu/bfs_common.h"

enum {
	AHEAD = 8,              /* vertices whose rows are prefetched before they are pulled */
	SHARED_BYTES = 1 << 20, /* levels that read less are not worth waking threads for */
	USEFUL_ROWS = 512,      /* of a frontier: about as many a slab of a dense graph takes */
};

struct state {
	struct bfs_cpu cpu; /* first: see bfs_common.h */
	const struct bfs_bits_ops *ops;
	size_t words;       /* of a bitmap */
	uint64_t *visited;  /* bits from n on are set */
	uint64_t *frontier; /* of the last level */
	uint64_t *found;    /* of this one */
	uint32_t *list;     /* the frontier: n, and room for a vector */
	uint32_t count;
};

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = calloc(1, sizeof *s);

	*state = s;
	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	if (bfs_cpu_init(&s->cpu, params, input, false, err) || bfs_cpu_need_matrix(&s->cpu, err))
		return err->code;
	s->ops = bfs_bits_choose();
	s->words = s->cpu.in->pitch / 2;
	s->visited = gb_host_alloc(s->words, sizeof *s->visited, err);
	if (!s->visited)
		return err->code;
	s->frontier = gb_host_alloc(s->words, sizeof *s->frontier, err);
	if (!s->frontier)
		return err->code;
	s->found = gb_host_alloc(s->words, sizeof *s->found, err);
	if (!s->found)
		return err->code;
	s->list = gb_host_alloc(bfs_cpu_room(s->cpu.in->n), sizeof *s->list, err);
	return s->list ? GB_OK : err->code;
}

/* Pull what a slab has left: `words` words from word `first` on.  Returns how many were reached. */
static uint64_t pull_slab(const struct state *s, size_t first, size_t words, uint64_t *read)
{
	const struct bfs_input *in = s->cpu.in;
	uint32_t left[BFS_SLAB_WORDS * 64];
	uint64_t open[BFS_SLAB_WORDS], reached = 0;
	uint32_t count;

	for (size_t j = 0; j < words; j++)
		open[j] = ~s->visited[first + j];
	count = s->ops->list(left, open, words);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t v = (uint32_t)(64 * first) + left[i];
		int64_t u;

		if (i + AHEAD < count)
			__builtin_prefetch(in->matrix_in +
					   (64 * first + left[i + AHEAD]) * in->pitch);
		u = s->ops->pull(in->matrix_in + v * in->pitch, s->frontier, s->words, read);
		if (u < 0)
			continue;
		s->found[v / 64] |= UINT64_C(1) << v % 64;
		s->visited[v / 64] |= UINT64_C(1) << v % 64;
		if (s->cpu.parent)
			s->cpu.parent[v] = (int32_t)u;
		reached++;
	}
	return reached;
}

/* One slab of one level, from word `first` on; returns how many vertices of it are left. */
static uint64_t search_slab(const struct state *s, size_t first, int32_t level, uint64_t *read)
{
	const size_t words = s->words - first < BFS_SLAB_WORDS ? s->words - first : BFS_SLAB_WORDS;
	struct bfs_push p = {
		.matrix = s->cpu.in->matrix + 2 * first,
		.pitch = s->cpu.in->pitch,
		.list = s->list,
		.count = s->count,
		.words = words,
		.visited = s->visited + first,
		.found = s->found + first,
		.parent = s->cpu.parent ? s->cpu.parent + 64 * first : NULL,
	};

	s->ops->push(&p);
	*read += p.rows * words;
	if (p.left && p.rows < p.count)
		p.left -= pull_slab(s, first, words, read);
	if (s->cpu.dist)
		s->ops->set(s->cpu.dist + 64 * first, s->found + first, words, level);
	return p.left;
}

/* One level; returns how many vertices are left unvisited. */
static uint64_t search_level(struct state *s, int32_t level)
{
	const uint64_t rows = s->count < USEFUL_ROWS ? s->count : USEFUL_ROWS;
	const bool shared = s->cpu.threads > 1 && s->words > BFS_SLAB_WORDS &&
			    rows * s->words * sizeof(uint64_t) >= SHARED_BYTES;
	uint64_t left = 0, read = 0;

#pragma omp parallel for num_threads(s->cpu.threads) schedule(dynamic, 1) \
	reduction(+ : left, read) if (shared)
	for (size_t first = 0; first < s->words; first += BFS_SLAB_WORDS)
		left += search_slab(s, first, level, &read);
	s->cpu.touched += read * sizeof(uint64_t);
	return left;
}

static void start(struct state *s)
{
	const uint32_t source = s->cpu.source;

	bfs_cpu_start(&s->cpu);
	bfs_bits_fence(s->visited, s->cpu.in->n, s->words);
	memset(s->frontier, 0, s->words * sizeof *s->frontier);
	s->visited[source / 64] |= UINT64_C(1) << source % 64;
	s->frontier[source / 64] = UINT64_C(1) << source % 64;
	s->list[0] = source;
	s->count = 1;
}

/* Nothing was cleared at the start: in a dense graph all would have been written twice. */
static void mark_unreached(struct state *s)
{
	uint64_t *open = s->found;

	for (size_t j = 0; j < s->words; j++)
		open[j] = ~s->visited[j];
	if (s->cpu.dist)
		s->ops->set(s->cpu.dist, open, s->words, BFS_UNREACHED);
	if (s->cpu.parent)
		s->ops->set(s->cpu.parent, open, s->words, BFS_UNREACHED);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	uint64_t unvisited = s->cpu.in->n - 1;
	int32_t level = 1;

	(void)timer;
	(void)err;
	start(s);
	while (unvisited) {
		const uint64_t left = search_level(s, level);
		uint64_t *swap = s->frontier;

		if (left == unvisited)
			break;
		unvisited = left;
		s->cpu.levels = (uint32_t)level++;
		s->frontier = s->found;
		s->found = swap;
		if (unvisited)
			s->count = s->ops->list(s->list, s->frontier, s->words);
	}
	if (unvisited)
		mark_unreached(s);
	return GB_OK;
}

static void destroy(void *state)
{
	struct state *s = state;

	if (!s)
		return;
	gb_host_free(s->list);
	gb_host_free(s->found);
	gb_host_free(s->frontier);
	gb_host_free(s->visited);
	bfs_cpu_release(&s->cpu);
	free(s);
}

const struct gb_variant_ops bfs_cpu_ccam = {
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.destroy = destroy,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
