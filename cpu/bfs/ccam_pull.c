/* ccam_pull.c -- cpu/ccam-pull: each unvisited vertex ANDs its row of the transposed matrix with
 * the frontier and stops at the first common bit.  OpenMP, and AVX-512 where the processor has it.
 *
 * Against ccam-paper, no single bit is probed: a vertex is examined once per level.  In a dense
 * graph the frontier soon holds a large part of the vertices, so the first words decide.  Level 1
 * is the source's own row.  The bound is one or two cache lines per vertex, at addresses a row
 * apart.
 */
#include "common/workload.h"
#include "cpu/bfs/parts/dense.h"

enum {
	AHEAD = 12,             /* vertices to prefetch ahead */
	SHARED_VERTICES = 8192, /* fewer unvisited ones are not worth waking threads for */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return bfs_dense_init(state, params, input, 0, err);
}

/* Level 1: the source's row holds its out-edges.  Returns how many vertices are reached. */
static uint64_t first_level(struct bfs_dense *s)
{
	const struct bfs_input *in = s->cpu.in;
	const uint32_t *row = in->matrix + s->cpu.source * in->pitch;
	uint64_t count = 0;

	bfs_bits_fence(s->visited, in->n, s->words);
	s->visited[s->cpu.source / 64] |= UINT64_C(1) << s->cpu.source % 64;
	for (size_t j = 0; j < s->words; j++) {
		s->found[j] = bfs_load64(row + 2 * j) & ~s->visited[j];
		s->visited[j] |= s->found[j];
		count += (unsigned)__builtin_popcountll(s->found[j]);
		for (uint64_t w = s->cpu.parent ? s->found[j] : 0; w; w &= w - 1)
			s->cpu.parent[64 * j + (unsigned)__builtin_ctzll(w)] =
				(int32_t)s->cpu.source;
	}
	s->cpu.touched += s->words * sizeof(uint64_t);
	return count;
}

static void prefetch(const struct bfs_input *in, uint32_t v)
{
	if (v + AHEAD < in->n)
		__builtin_prefetch(in->matrix_in + (v + AHEAD) * in->pitch);
}

/* Return the bits of those of word j's 64 vertices that the frontier reaches. */
static uint64_t pull_word(const struct bfs_dense *s, size_t j, uint64_t *read)
{
	const struct bfs_input *in = s->cpu.in;
	uint64_t found = 0;

	for (uint64_t w = ~s->visited[j]; w; w &= w - 1) {
		const uint32_t v = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(w);
		int64_t u;

		prefetch(in, v);
		u = s->ops->pull(in->matrix_in + v * in->pitch, s->frontier, s->words, read);
		if (u < 0)
			continue;
		found |= w & -w;
		if (s->cpu.parent)
			s->cpu.parent[v] = (int32_t)u;
	}
	return found;
}

/* Search one level; return how many vertices it reached. */
static uint64_t pull_level(struct bfs_dense *s, uint64_t unvisited)
{
	uint64_t count = 0, read = 0;

#pragma omp parallel for num_threads(s->cpu.threads) schedule(dynamic, 8) \
	reduction(+ : count, read) if (s->cpu.threads > 1 && unvisited >= SHARED_VERTICES)
	for (size_t j = 0; j < s->words; j++) {
		s->found[j] = ~s->visited[j] ? pull_word(s, j, &read) : 0;
		s->visited[j] |= s->found[j];
		count += (unsigned)__builtin_popcountll(s->found[j]);
	}
	s->cpu.touched += read * sizeof(uint64_t);
	return count;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct bfs_dense *s = state;
	uint64_t unvisited = s->cpu.in->n - 1, count;
	int32_t level = 1;

	bfs_cpu_clear(&s->cpu);
	count = first_level(s);
	while (count) {
		uint64_t *swap = s->frontier;

		if (s->cpu.dist)
			s->ops->set(s->cpu.dist, s->found, s->words, level);
		unvisited -= count;
		if (!unvisited)
			break;
		s->frontier = s->found;
		s->found = swap;
		count = pull_level(s, unvisited);
		level++;
	}
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_ccam_pull = {
	.state_size = sizeof(struct bfs_dense),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
