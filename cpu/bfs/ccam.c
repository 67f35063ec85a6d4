/* ccam.c -- cpu/ccam: ORs whole rows of the frontier, slab by slab of columns, and pulls the
 * vertices left over.  OpenMP, and AVX-512 where the processor has it.
 *
 * Against ccam-paper, no single bit is probed: one OR takes 512 neighbours, and a slab is left as
 * soon as all its vertices are visited.  In G(n, p) each row takes a share p of the vertices left,
 * so ln(8192) / p rows of 1 KiB saturate a slab, however large the frontier.  The last few vertices
 * of a slab are cheaper to pull.  Pulling also ends the search where vertices without in-edges
 * would keep a slab from ever being saturated (see shared/bits.h).  The bound is reading
 * about n ln(8192) / (8 p) bytes: 0.35 MiB of the 32 MiB at n = 16384, p = 0.05.
 *
 * With cold caches, reading is bound by the number of cache lines that one core can have in flight,
 * and everything else counts too.  The code itself comes from memory, so counting is a small loop,
 * and one thread does not enter OpenMP.  Pulled vertices are read from where pushing stopped, not
 * from the front.
 */
#include <string.h>

#include "common/benchmark.h"
#include "cpu/bfs/shared/dense.h"

enum {
	AHEAD = 8,              /* vertices whose rows are prefetched before pulling */
	SHARED_BYTES = 1 << 20, /* levels that read less are not worth waking threads for */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return bfs_dense_init(state, params, input, BFS_WANTS_LIST, err);
}

/* Pull the vertices that a slab, `words` words from word `first` on, has left after `rows` rows
 * were pushed; return how many were reached.  The frontier is in ascending order, and no remaining
 * vertex has an edge from those that were pushed, so rows of the transpose are read from the next
 * frontier vertex on. */
static uint64_t pull_slab(const struct bfs_dense *s, size_t first, size_t words, uint32_t rows,
			  uint64_t *read)
{
	const struct bfs_input *in = s->cpu.in;
	const size_t begin = (size_t)s->list[rows] / 64 / BFS_LINE_WORDS * BFS_LINE_WORDS;
	const uint32_t *from = in->matrix_in + 64 * first * in->pitch + 2 * begin;
	uint32_t *left = s->left + 64 * first;
	uint64_t open[BFS_SLAB_WORDS], reached = 0;
	uint32_t count;

	for (size_t j = 0; j < words; j++)
		open[j] = ~s->visited[first + j];
	count = s->ops->list(left, open, words);
	for (uint32_t i = 0; i < count && i < AHEAD; i++)
		__builtin_prefetch(from + left[i] * in->pitch);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t v = (uint32_t)(64 * first) + left[i];
		int64_t u;

		if (i + AHEAD < count)
			__builtin_prefetch(from + left[i + AHEAD] * in->pitch);
		u = s->ops->pull(from + left[i] * in->pitch, s->frontier + begin, s->words - begin,
				 read);
		if (u < 0)
			continue;
		s->found[v / 64] |= UINT64_C(1) << v % 64;
		s->visited[v / 64] |= UINT64_C(1) << v % 64;
		if (s->cpu.parent)
			s->cpu.parent[v] = (int32_t)(64 * begin) + (int32_t)u;
		reached++;
	}
	return reached;
}

/* Search one slab of one level, from word `first` on; return how many of its vertices are left. */
static uint64_t search_slab(const struct bfs_dense *s, size_t first, int32_t level, uint64_t *read)
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
		p.left -= pull_slab(s, first, words, p.rows, read);
	if (s->cpu.dist)
		s->ops->set(s->cpu.dist + 64 * first, s->found + first, words, level);
	return p.left;
}

/* Search one level by all threads; return how many vertices are left unvisited. */
static uint64_t search_shared(const struct bfs_dense *s, int32_t level, uint64_t *read)
{
	uint64_t left = 0, words = 0;

#pragma omp parallel for num_threads(s->cpu.threads) schedule(dynamic, 1) reduction(+ : left, words)
	for (size_t first = 0; first < s->words; first += BFS_SLAB_WORDS)
		left += search_slab(s, first, level, &words);
	*read += words;
	return left;
}

/* Number of frontier rows that a slab will take.  Each row takes a share m / n^2 of the vertices
 * left, so ln 600 / share rows leave 14 of 8192 vertices, which are pulled. */
static uint64_t useful_rows(const struct bfs_dense *s)
{
	const double n = s->cpu.in->n, share = (double)s->cpu.in->m / (n * n);
	const double rows = 6.4 / share;

	return rows < s->count ? (uint64_t)rows : s->count;
}

/* Search one level; return how many vertices are left unvisited.  One thread does not enter OpenMP,
 * which costs microseconds when the caches are cold. */
static uint64_t search_level(struct bfs_dense *s, int32_t level)
{
	const bool shared = s->cpu.threads > 1 && s->words > BFS_SLAB_WORDS &&
			    useful_rows(s) * s->words * sizeof(uint64_t) >= SHARED_BYTES;
	uint64_t left = 0, read = 0;

	if (shared)
		left = search_shared(s, level, &read);
	else
		for (size_t first = 0; first < s->words; first += BFS_SLAB_WORDS)
			left += search_slab(s, first, level, &read);
	s->cpu.touched += read * sizeof(uint64_t);
	return left;
}

static void start(struct bfs_dense *s)
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

/* Mark the vertices left at the end: clearing all of them at the start would write most of them
 * twice in a dense graph. */
static void mark_unreached(struct bfs_dense *s)
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
	struct bfs_dense *s = state;
	uint64_t unvisited = s->cpu.in->n - 1;
	int32_t level = 1;

	start(s);
	while (unvisited) {
		const uint64_t left = search_level(s, level);
		uint64_t *swap = s->frontier;

		if (left == unvisited)
			break;
		unvisited = left;
		level++;
		s->frontier = s->found;
		s->found = swap;
		if (unvisited)
			s->count = s->ops->list(s->list, s->frontier, s->words);
	}
	if (unvisited)
		mark_unreached(s);
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_ccam = {
	.state_size = sizeof(struct bfs_dense),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
