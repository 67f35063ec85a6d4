/* @NAME@.cu -- breadth-first search, a kernel per level, a vertex of the frontier per thread. */
#include <gpubench/plugin.h>

#define STREAM ((cudaStream_t)gb_device_stream()) /* all work goes there */

enum { BLOCK = 256 };

struct state {
	const struct bfs_params *params;
	const struct bfs_input *input; /* its contents change between runs; its sizes do not */
	uint32_t *sources;             /* as upload() found them */
	uint32_t source;
	/* On the device. */
	uint64_t *row;
	uint32_t *column;
	int32_t *dist, *parent;
	uint32_t *frontier[2], *count;
};

static enum gb_status need(cudaError_t error, struct gb_error *err)
{
	return error ? gb_fail(err, GB_ERUNTIME, "%s", cudaGetErrorString(error)) : GB_OK;
}

static unsigned blocks(size_t threads)
{
	return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

static __global__ void start(uint32_t source, int32_t *dist, int32_t *parent, uint32_t *frontier)
{
	dist[source] = 0;
	parent[source] = (int32_t)source;
	frontier[0] = source;
}

/* Give the vertices that the frontier reaches first their distance `level`, and list them. */
static __global__ void expand(const uint64_t *row, const uint32_t *column, const uint32_t *frontier,
			      uint32_t size, int32_t level, int32_t *dist, int32_t *parent,
			      uint32_t *next, uint32_t *count)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= size)
		return;
	for (uint64_t e = row[frontier[i]]; e < row[frontier[i] + 1]; e++) {
		const uint32_t v = column[e];

		if (atomicCAS(&dist[v], BFS_UNREACHED, level) == BFS_UNREACHED) {
			parent[v] = (int32_t)frontier[i];
			next[atomicAdd(count, 1)] = v;
		}
	}
}

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	s->params = (const struct bfs_params *)params;
	s->input = (const struct bfs_input *)input;
	if (bfs_need_one_source(s->params, err))
		return err->code;
	s->sources = (uint32_t *)gb_host_alloc(s->input->source_count, sizeof *s->sources, err);
	s->row = (uint64_t *)gb_device_alloc((size_t)s->input->n + 1, sizeof *s->row, err);
	s->column = (uint32_t *)gb_device_alloc(s->input->m, sizeof *s->column, err);
	s->dist = (int32_t *)gb_device_alloc(s->input->n, sizeof *s->dist, err);
	s->parent = (int32_t *)gb_device_alloc(s->input->n, sizeof *s->parent, err);
	for (int k = 0; k < 2; k++)
		s->frontier[k] = (uint32_t *)gb_device_alloc(s->input->n, 4, err);
	s->count = (uint32_t *)gb_device_alloc(1, sizeof *s->count, err);
	gb_memory_result(s->dist, GB_WHOLE, GB_POISON); /* read by download() */
	gb_memory_result(s->parent, GB_WHOLE, GB_POISON);
	return err->code;
}

/* Copy the input; called again whenever it has changed.  The host's input may change after that,
 * while the device works on the copy. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct bfs_csr *graph = &s->input->out;

	memcpy(s->sources, s->input->source, s->input->source_count * sizeof *s->sources);
	(void)need(cudaMemcpyAsync(s->row, graph->row, ((size_t)s->input->n + 1) * sizeof *s->row,
				   cudaMemcpyHostToDevice, STREAM),
		   err);
	return need(cudaMemcpyAsync(s->column, graph->column, s->input->m * sizeof *s->column,
				    cudaMemcpyHostToDevice, STREAM),
		    err);
}

/* Before each run, not timed: a sample has its own source. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)err;
	s->source = s->sources[(size_t)sample % s->input->source_count];
	return GB_OK;
}

/* The timed part.  The host waits for the size of each frontier (GB_HOST_DECISIONS). */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t bytes = s->input->n * sizeof *s->dist;
	uint32_t size = 1;

	(void)timer;
	(void)need(cudaMemsetAsync(s->dist, 0xff, bytes, STREAM), err); /* BFS_UNREACHED */
	(void)need(cudaMemsetAsync(s->parent, 0xff, bytes, STREAM), err);
	start<<<1, 1, 0, STREAM>>>(s->source, s->dist, s->parent, s->frontier[0]);
	for (int32_t level = 1; size > 0 && !err->code; level++) {
		(void)need(cudaMemsetAsync(s->count, 0, sizeof *s->count, STREAM), err);
		expand<<<blocks(size), BLOCK, 0, STREAM>>>(
			s->row, s->column, s->frontier[1 - level % 2], size, level, s->dist,
			s->parent, s->frontier[level % 2], s->count);
		(void)need(cudaGetLastError(), err);
		(void)need(cudaMemcpyAsync(&size, s->count, sizeof size, cudaMemcpyDeviceToHost,
					   STREAM),
			   err);
		(void)need(cudaStreamSynchronize(STREAM), err);
	}
	return err->code;
}

/* Copy the distances, the parents or both to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t bytes = s->input->n * sizeof *s->dist;
	int32_t *dist = bfs_output_dist(s->params, output);
	int32_t *parent = bfs_output_parent(s->params, s->input, output);

	if (dist)
		(void)need(cudaMemcpyAsync(dist, s->dist, bytes, cudaMemcpyDeviceToHost, STREAM),
			   err);
	if (parent)
		(void)need(
			cudaMemcpyAsync(parent, s->parent, bytes, cudaMemcpyDeviceToHost, STREAM),
			err);
	return need(cudaStreamSynchronize(STREAM), err);
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.flags = GB_REPEATABLE | GB_HOST_DECISIONS,
};

GB_PLUGIN("@NAME@", "1", { "bfs", "@NAME@", GB_CUDA, "a kernel per level", &ops });
