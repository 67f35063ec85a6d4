/* basic_queue.c -- cpu/basic-queue: the paper's CPU_BASIC, a queue and the plain matrix.
 *
 * One byte per ordered pair, row by row.  A vertex is taken from the queue, its whole row is read,
 * and neighbours not seen before are appended.  Each reached vertex costs n bytes of reading,
 * whatever its degree: the bound is memory bandwidth of one thread over n^2 bytes.
 */
#include "common/memory.h"
#include "common/workload.h"
#include "cpu/bfs/parts/search.h"

struct state {
	struct bfs_cpu cpu; /* first: search.h takes a state as one of these */
	uint8_t *bytes;     /* n * n */
	uint32_t *queue;    /* n */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;
	const struct bfs_input *in = input;

	(void)bfs_cpu_init(&s->cpu, params, input, BFS_WANTS_DIST | BFS_WANTS_MATRIX, err);
	s->queue = gb_host_alloc(in->n, sizeof *s->queue, err);
	s->bytes = gb_host_alloc(in->n, in->n, err);
	if (!err->code && !gb_memory_is_dry())
		bfs_expand_bytes(in, s->bytes);
	return err->code;
}

/* Append u's neighbours that were not reached before; returns the new end of the queue. */
static size_t scan_row(struct state *s, uint32_t u, size_t end)
{
	const uint32_t n = s->cpu.in->n;
	const uint8_t *row = s->bytes + (size_t)u * n;
	const int32_t next = s->cpu.dist[u] + 1;

	for (uint32_t v = 0; v < n; v++) {
		if (!row[v] || s->cpu.dist[v] != BFS_UNREACHED)
			continue;
		s->cpu.dist[v] = next;
		if (s->cpu.parent)
			s->cpu.parent[v] = (int32_t)u;
		s->queue[end++] = v;
	}
	return end;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	size_t head = 0, end = 1;

	bfs_cpu_clear(&s->cpu);
	s->queue[0] = s->cpu.source;
	while (head < end)
		end = scan_row(s, s->queue[head++], end);
	s->cpu.touched = (uint64_t)end * s->cpu.in->n;
	s->cpu.levels = (uint32_t)s->cpu.dist[s->queue[end - 1]];
	return GB_OK;
}

/* The bytes are made of the input's bits. */
static const char *excluded(const void *params)
{
	return "expansion of bits to bytes";
}

const struct gb_variant_ops bfs_cpu_basic_queue = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.excluded = excluded,
	.metrics = bfs_cpu_metrics,
	.flags = GB_SERIAL | GB_REPEATABLE,
};
