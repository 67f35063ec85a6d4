/* @NAME@.c -- breadth-first search with a queue, one thread. */
#include <gpubench/plugin.h>

#include <string.h>

struct state {
	const struct bfs_params *params;
	const struct bfs_input *input; /* its edges change between runs; its sizes do not */
	uint32_t *queue;
	int32_t *dist, *parent; /* the output's layout: n of each search after those of another */
	uint32_t first;         /* number of the first search */
};

/* Allocate everything. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;
	size_t count;

	s->params = (const struct bfs_params *)params;
	s->input = (const struct bfs_input *)input;
	count = bfs_output_count(s->params, s->input);
	s->queue = (uint32_t *)gb_host_alloc(s->input->n, sizeof *s->queue, err);
	s->dist = (int32_t *)gb_host_alloc(count, sizeof *s->dist, err);
	s->parent = (int32_t *)gb_host_alloc(count, sizeof *s->parent, err);
	gb_memory_result(s->dist, GB_WHOLE, GB_POISON); /* read by download() */
	gb_memory_result(s->parent, GB_WHOLE, GB_POISON);
	return err->code;
}

/* Before each run, not timed: a sample has its own sources. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)err;
	s->first = (uint32_t)((size_t)sample * bfs_batch(s->params) % s->input->source_count);
	return GB_OK;
}

static void search(const struct bfs_csr *graph, uint32_t source, uint32_t *queue, int32_t *dist,
		   int32_t *parent)
{
	size_t head = 0, tail = 0;

	queue[tail++] = source;
	dist[source] = 0;
	parent[source] = (int32_t)source;
	while (head < tail) {
		const uint32_t u = queue[head++];

		for (uint64_t e = graph->row[u]; e < graph->row[u + 1]; e++) {
			const uint32_t v = graph->column[e];

			if (dist[v] != BFS_UNREACHED)
				continue;
			dist[v] = dist[u] + 1;
			parent[v] = (int32_t)u;
			queue[tail++] = v;
		}
	}
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t n = s->input->n;

	(void)timer;
	(void)err;
	for (size_t i = 0; i < bfs_batch(s->params); i++) {
		for (size_t v = i * n; v < (i + 1) * n; v++)
			s->dist[v] = s->parent[v] = BFS_UNREACHED;
		search(&s->input->out, bfs_source(s->input, (int64_t)(s->first + i)), s->queue,
		       s->dist + i * n, s->parent + i * n);
	}
	return GB_OK;
}

/* Copy the distances, the parents or both to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;
	const size_t bytes = bfs_output_count(s->params, s->input) * sizeof *s->dist;
	int32_t *dist = bfs_output_dist(s->params, output);
	int32_t *parent = bfs_output_parent(s->params, s->input, output);

	(void)err;
	if (dist)
		memcpy(dist, s->dist, bytes);
	if (parent)
		memcpy(parent, s->parent, bytes);
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "bfs", "@NAME@", GB_CPU, "a queue, one thread", &ops });
