/* basic.c -- cpu/basic-queue, cpu/basic, cpu/basic-early: the paper's CPU_BASIC and GPU_BASIC, on
 * the plain matrix.
 *
 * The matrix has one byte per ordered pair, row by row, expanded from the input's bits.
 *
 * basic-queue: take a vertex from the queue, read its whole row and append neighbours not seen
 * before.  Each reached vertex costs n bytes of reading, whatever its degree: the bound is one
 * thread's memory bandwidth over n^2 bytes.
 *
 * basic: go through all vertices level by level; each one whose distance is the level reads its
 * row.  Against basic-queue, it reads n more distances per level and can use all threads.
 *
 * basic-early: the same, but the search ends once all vertices are reached.  In a dense graph the
 * last level has most of the vertices, whose rows basic reads in vain.
 */
#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/bfs/shared/search.h"

struct state {
	struct bfs_cpu cpu; /* first member: search.h casts a state to it */
	uint8_t *bytes;     /* n * n */
	uint32_t *queue;    /* n; basic-queue */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;
	const struct bfs_input *in = input;

	(void)bfs_cpu_init(&s->cpu, params, input, BFS_WANTS_DIST | BFS_WANTS_MATRIX, err);
	s->bytes = gb_host_alloc(in->n, in->n, err);
	return err->code;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;

	bfs_expand_bytes(s->cpu.in, s->bytes);
	return GB_OK;
}

static const char *excluded(const void *params)
{
	return "expansion of bits to bytes";
}

/* ---- cpu/basic-queue ---------------------------------------------------------------------- */

static enum gb_status create_queue(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	struct state *s = state;

	s->queue = gb_host_alloc(((const struct bfs_input *)input)->n, sizeof *s->queue, err);
	return create(state, params, input, err);
}

/* Append u's neighbours that were not reached before; return the new end of the queue. */
static size_t append_row(struct state *s, uint32_t u, size_t end)
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

static enum gb_status run_queue(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	size_t head = 0, end = 1;

	bfs_cpu_clear(&s->cpu);
	s->queue[0] = s->cpu.source;
	while (head < end)
		end = append_row(s, s->queue[head++], end);
	s->cpu.touched = (uint64_t)end * s->cpu.in->n;
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_basic_queue = {
	.state_size = sizeof(struct state),
	.create = create_queue,
	.upload = upload,
	.reset = bfs_cpu_reset,
	.run = run_queue,
	.download = bfs_cpu_download,
	.excluded = excluded,
	.metrics = bfs_cpu_metrics,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

/* ---- cpu/basic, cpu/basic-early ------------------------------------------------------------ */

static uint64_t scan_row(const struct bfs_cpu *cpu, uint32_t u, int32_t next)
{
	const struct state *s = (const struct state *)(const void *)cpu;
	const uint32_t n = cpu->in->n;
	const uint8_t *row = s->bytes + (size_t)u * n;
	uint64_t found = 0;

	for (uint32_t v = 0; v < n; v++)
		found += row[v] && bfs_cpu_reach(cpu, v, u, next);
	return found;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	bfs_cpu_by_levels(&s->cpu, scan_row, s->cpu.in->n, false);
	return GB_OK;
}

static enum gb_status run_early(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	bfs_cpu_by_levels(&s->cpu, scan_row, s->cpu.in->n, true);
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_basic = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.excluded = excluded,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};

const struct gb_variant_ops bfs_cpu_basic_early = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = bfs_cpu_reset,
	.run = run_early,
	.download = bfs_cpu_download,
	.excluded = excluded,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
