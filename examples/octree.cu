/* @NAME@.cu -- an octree level by level: count the bodies of each child, make nodes of those with
 * too many, hand the bodies down.  One body or child per thread. */
#include <gpubench/plugin.h>

#define STREAM ((cudaStream_t)gb_device_stream()) /* all work goes there */

enum { BLOCK = 256, DONE = -1 /* the node of a body that is in a leaf */ };

struct frame {
	uint32_t low[3], high[3]; /* the bodies' bounds as ordered numbers */
	struct octree_box box;
	int32_t rows;
};

struct state {
	const struct octree_input *input; /* its bodies change between runs; its sizes do not */
	size_t rows;                      /* in the last tree */
	/* On the device. */
	float *axis[3];
	uint64_t *key;
	struct frame *frame;
	int32_t *child, *size; /* 8 per node: the tree, the bodies in each child */
	int32_t *next, *node;  /* per body: the list, its node */
};

static enum gb_status need(cudaError_t error, struct gb_error *err)
{
	return error ? gb_fail(err, GB_ERUNTIME, "%s", cudaGetErrorString(error)) : GB_OK;
}

static unsigned blocks(size_t threads)
{
	return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

static __device__ size_t thread_number(void)
{
	return (size_t)blockIdx.x * BLOCK + threadIdx.x;
}

static __global__ void start(struct frame *frame)
{
	for (int d = 0; d < 3; d++) {
		frame->low[d] = UINT32_MAX;
		frame->high[d] = 0;
	}
	frame->rows = 1;
}

static __global__ void find_bounds(const float *axis, size_t count, int d, struct frame *frame)
{
	const size_t i = thread_number();
	uint32_t bits;

	if (i >= count)
		return;
	bits = __float_as_uint(axis[i]);
	bits ^= bits >> 31 ? UINT32_MAX : 1U << 31; /* unsigned order is the order of floats */
	atomicMin(&frame->low[d], bits);
	atomicMax(&frame->high[d], bits);
}

static __device__ float float_of(uint32_t order)
{
	return __uint_as_float(order ^ (order >> 31 ? 1U << 31 : UINT32_MAX));
}

static __global__ void make_box(struct frame *frame)
{
	float low[3], high[3];

	for (int d = 0; d < 3; d++) {
		const bool any = frame->low[d] <= frame->high[d]; /* bodies */

		low[d] = any ? float_of(frame->low[d]) : 0;
		high[d] = any ? float_of(frame->high[d]) : 0;
	}
	frame->box = octree_box_of(low, high);
}

static __global__ void make_keys(const float *x, const float *y, const float *z, size_t count,
				 const struct frame *frame, uint64_t *key, int32_t *node)
{
	const size_t i = thread_number();

	if (i >= count)
		return;
	key[i] = octree_key(&frame->box, x[i], y[i], z[i]);
	node[i] = 0;
}

static __global__ void count_bodies(const uint64_t *key, const int32_t *node, size_t count,
				    int level, int32_t *size)
{
	const size_t i = thread_number();

	if (i < count && node[i] != DONE)
		atomicAdd(&size[8 * node[i] + octree_digit(key[i], level)], 1);
}

static __device__ bool is_node(int32_t size, int bucket, int level)
{
	return size > bucket && level < OCTREE_DEEPEST;
}

/* Children from `first` on, those of this level: new nodes and empty leaves. */
static __global__ void make_children(const int32_t *size, size_t first, size_t end, int bucket,
				     int level, int32_t *child, struct frame *frame)
{
	const size_t i = first + thread_number();

	if (i < end)
		child[i] =
			is_node(size[i], bucket, level) ? atomicAdd(&frame->rows, 1) : OCTREE_FREE;
}

/* Move each body to its node of the next level, or put it into a leaf. */
static __global__ void hand_down(const uint64_t *key, size_t count, const int32_t *size, int bucket,
				 int level, int32_t *child, int32_t *next, int32_t *node)
{
	const size_t i = thread_number();
	size_t at;

	if (i >= count || node[i] == DONE)
		return;
	at = 8 * (size_t)node[i] + (size_t)octree_digit(key[i], level);
	if (is_node(size[at], bucket, level)) {
		node[i] = child[at];
	} else {
		next[i] = octree_body(atomicExch(&child[at], octree_body((int32_t)i)));
		node[i] = DONE;
	}
}

/* Allocate everything. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct octree_input *in = (const struct octree_input *)input;

	(void)params;
	s->input = in;
	for (int d = 0; d < 3; d++)
		s->axis[d] = (float *)gb_device_alloc(in->count, sizeof *s->axis[d], err);
	s->key = (uint64_t *)gb_device_alloc(in->count, sizeof *s->key, err);
	s->frame = (struct frame *)gb_device_alloc(1, sizeof *s->frame, err);
	s->child = (int32_t *)gb_device_alloc(in->pool, 8 * sizeof *s->child, err);
	s->size = (int32_t *)gb_device_alloc(in->pool, 8 * sizeof *s->size, err);
	s->next = (int32_t *)gb_device_alloc(in->count, sizeof *s->next, err);
	s->node = (int32_t *)gb_device_alloc(in->count, sizeof *s->node, err);
	gb_memory_result(s->child, GB_WHOLE, GB_POISON); /* read by download() */
	gb_memory_result(s->next, GB_WHOLE, GB_POISON);
	return err->code;
}

/* Copy the input to the device; called again whenever it has changed. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const float *axis[3] = { s->input->x, s->input->y, s->input->z };

	for (int d = 0; d < 3; d++)
		(void)need(cudaMemcpyAsync(s->axis[d], axis[d], s->input->count * sizeof *axis[d],
					   cudaMemcpyHostToDevice, STREAM),
			   err);
	return err->code;
}

static void find_keys(struct state *s, unsigned grid)
{
	const size_t count = s->input->count;

	start<<<1, 1, 0, STREAM>>>(s->frame);
	for (int d = 0; d < 3; d++)
		find_bounds<<<grid, BLOCK, 0, STREAM>>>(s->axis[d], count, d, s->frame);
	make_box<<<1, 1, 0, STREAM>>>(s->frame);
	make_keys<<<grid, BLOCK, 0, STREAM>>>(s->axis[0], s->axis[1], s->axis[2], count, s->frame,
					      s->key, s->node);
}

/* The timed part.  The host waits for the nodes of each level (GB_HOST_DECISIONS). */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t count = s->input->count, pool = s->input->pool;
	const int bucket = s->input->bucket;
	const unsigned grid = blocks(count ? count : 1);
	int32_t first = 0, rows = 1;

	gb_phase(timer, "keys");
	find_keys(s, grid);
	gb_phase(timer, "levels");
	(void)need(cudaMemsetAsync(s->size, 0, pool * 8 * sizeof *s->size, STREAM), err);
	for (int level = 0; first < rows && !err->code; level++) {
		const size_t from = 8 * (size_t)first, to = 8 * (size_t)rows;

		count_bodies<<<grid, BLOCK, 0, STREAM>>>(s->key, s->node, count, level, s->size);
		make_children<<<blocks(to - from), BLOCK, 0, STREAM>>>(s->size, from, to, bucket,
								       level, s->child, s->frame);
		hand_down<<<grid, BLOCK, 0, STREAM>>>(s->key, count, s->size, bucket, level,
						      s->child, s->next, s->node);
		(void)need(cudaGetLastError(), err);
		first = rows;
		(void)need(cudaMemcpyAsync(&rows, &s->frame->rows, sizeof rows,
					   cudaMemcpyDeviceToHost, STREAM),
			   err);
		(void)need(cudaStreamSynchronize(STREAM), err);
		if ((size_t)rows > pool)
			gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, pool, count);
	}
	s->rows = (size_t)rows;
	return err->code;
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	struct octree_output *out = (struct octree_output *)output;

	out->rows = (int64_t)s->rows;
	(void)need(cudaMemcpyAsync(out->child, s->child, s->rows * 8 * sizeof *s->child,
				   cudaMemcpyDeviceToHost, STREAM),
		   err);
	(void)need(cudaMemcpyAsync(octree_output_next(s->input, out), s->next,
				   s->input->count * sizeof *s->next, cudaMemcpyDeviceToHost,
				   STREAM),
		   err);
	return need(cudaStreamSynchronize(STREAM), err);
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.flags = GB_REPEATABLE | GB_HOST_DECISIONS,
};

GB_PLUGIN("@NAME@", "1", { "octree", "@NAME@", GB_CUDA, "level by level", &ops });
