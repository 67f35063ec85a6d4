/* basic.c -- cpu/basic: the paper's GPU_BASIC on threads, the plain matrix without a queue.
 *
 * Level by level all vertices are looked at, and each one whose distance is the level reads its
 * row of n bytes.  No queue and no atomic operation that could fail: two threads that reach one
 * vertex write the same distance, and either parent is right.  Against basic-queue it looks at
 * n more distances per level and can use all threads; the bound is memory bandwidth over n^2
 * bytes.
 */
#include "common/memory.h"
#include "common/workload.h"
#include "cpu/bfs/parts/search.h"

struct state {
	struct bfs_cpu cpu; /* first: search.h takes a state as one of these */
	uint8_t *bytes;     /* n * n */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;
	const struct bfs_input *in = input;

	(void)bfs_cpu_init(&s->cpu, params, input, BFS_WANTS_DIST | BFS_WANTS_MATRIX, err);
	s->bytes = gb_host_alloc(in->n, in->n, err);
	if (!err->code && !gb_memory_is_dry())
		bfs_expand_bytes(in, s->bytes);
	return err->code;
}

/* Reach u's neighbours at distance `next`; returns how many seemed new. */
static uint64_t scan_row(const struct state *s, uint32_t u, int32_t next)
{
	const uint32_t n = s->cpu.in->n;
	const uint8_t *row = s->bytes + (size_t)u * n;
	int32_t *dist = s->cpu.dist, *parent = s->cpu.parent;
	uint64_t found = 0;

	for (uint32_t v = 0; v < n; v++) {
		if (!row[v] || __atomic_load_n(&dist[v], __ATOMIC_RELAXED) != BFS_UNREACHED)
			continue;
		if (parent)
			__atomic_store_n(&parent[v], (int32_t)u, __ATOMIC_RELAXED);
		__atomic_store_n(&dist[v], next, __ATOMIC_RELAXED);
		found++;
	}
	return found;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	const uint32_t n = s->cpu.in->n;
	int32_t *dist = s->cpu.dist;
	uint64_t found, rows = 0;
	int32_t level = 0;

	bfs_cpu_clear(&s->cpu);
	do {
		found = 0;
#pragma omp parallel for num_threads(s->cpu.threads) schedule(dynamic, 32) \
	reduction(+ : found, rows) if (s->cpu.threads > 1)
		for (uint32_t u = 0; u < n; u++)
			if (__atomic_load_n(&dist[u], __ATOMIC_RELAXED) == level) {
				found += scan_row(s, u, level + 1);
				rows++;
			}
		level++;
	} while (found);
	s->cpu.touched = rows * n;
	s->cpu.levels = (uint32_t)level - 1;
	return GB_OK;
}

/* The bytes are made of the input's bits. */
static const char *excluded(const void *params)
{
	return "expansion of bits to bytes";
}

const struct gb_variant_ops bfs_cpu_basic = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.excluded = excluded,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
