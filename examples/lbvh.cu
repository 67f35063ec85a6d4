/* @NAME@.cu -- a complete binary tree over the triangles in the order of their Morton codes, which
 * a bitonic network sorts; no traversal. */
#include <gpubench/plugin.h>

#define STREAM ((cudaStream_t)gb_device_stream()) /* all work goes there */

enum { BLOCK = 256 };

/* The scene's bounds as numbers in the order of the floats. */
struct bounds {
	uint32_t low[3], high[3];
};

struct state {
	const struct lbvh_input *input; /* its triangles change between runs; its sizes do not */
	size_t padded;                  /* count, rounded up to a power of two */
	/* On the device. */
	float *vertex;
	uint32_t *triangle, *index;
	struct bounds *bounds;
	uint64_t *key; /* padded: code and triangle */
	struct lbvh_node *node;
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

static __device__ uint32_t order_of(float value)
{
	const uint32_t bits = __float_as_uint(value);

	return bits ^ (bits >> 31 ? UINT32_MAX : 1U << 31);
}

static __device__ float float_of(uint32_t order)
{
	return __uint_as_float(order ^ (order >> 31 ? 1U << 31 : UINT32_MAX));
}

static __global__ void find_bounds(const float *vertex, const uint32_t *triangle, size_t count,
				   struct bounds *bounds)
{
	const size_t p = thread_number();
	struct lbvh_box box;

	if (p >= count)
		return;
	box = lbvh_primitive_box(vertex, triangle, p);
	for (int k = 0; k < 3; k++) {
		atomicMin(&bounds->low[k], order_of(box.lo[k]));
		atomicMax(&bounds->high[k], order_of(box.hi[k]));
	}
}

static __global__ void make_keys(const float *vertex, const uint32_t *triangle, size_t count,
				 size_t padded, const struct bounds *bounds, uint64_t *key)
{
	const size_t p = thread_number();
	float low[3], high[3];
	struct lbvh_grid grid;
	struct lbvh_box box;

	if (p >= padded)
		return;
	key[p] = UINT64_MAX;
	if (p >= count)
		return;
	for (int k = 0; k < 3; k++) {
		low[k] = float_of(bounds->low[k]);
		high[k] = float_of(bounds->high[k]);
	}
	grid = lbvh_grid_over(low, high, LBVH_BITS_30);
	box = lbvh_primitive_box(vertex, triangle, p);
	key[p] = (uint64_t)lbvh_code_30(&grid, &box) << 32 | p;
}

static __global__ void sort_step(uint64_t *key, size_t count, size_t run, size_t distance)
{
	const size_t i = thread_number();
	const size_t other = i ^ distance;

	if (i < count && i < other && (key[i] > key[other]) == ((i & run) == 0)) {
		const uint64_t held = key[i];

		key[i] = key[other];
		key[other] = held;
	}
}

/* The last `count` nodes are the leaves, in the order of the keys. */
static __global__ void make_leaves(const float *vertex, const uint32_t *triangle, size_t count,
				   const uint64_t *key, uint32_t *index, struct lbvh_node *node)
{
	const size_t i = thread_number();
	struct lbvh_box box;
	struct lbvh_node n;

	if (i >= count)
		return;
	index[i] = (uint32_t)key[i];
	box = lbvh_primitive_box(vertex, triangle, index[i]);
	for (int k = 0; k < 3; k++) {
		n.lo[k] = box.lo[k];
		n.hi[k] = box.hi[k];
	}
	n.left = LBVH_LEAF | (uint32_t)i;
	n.right = 1;
	node[count - 1 + i] = n;
}

/* Nodes first .. end - 1, one level.  Children of node k are 2 k + 1 and 2 k + 2. */
static __global__ void make_level(struct lbvh_node *node, size_t first, size_t end)
{
	const size_t k = first + thread_number();
	struct lbvh_node n;

	if (k >= end)
		return;
	n.left = (uint32_t)(2 * k + 1);
	n.right = n.left + 1;
	for (int d = 0; d < 3; d++) {
		n.lo[d] = lbvh_min(node[n.left].lo[d], node[n.right].lo[d]);
		n.hi[d] = lbvh_max(node[n.left].hi[d], node[n.right].hi[d]);
	}
	node[k] = n;
}

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct lbvh_input *in = (const struct lbvh_input *)input;

	s->input = in;
	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE, "builds only");
	for (s->padded = 1; s->padded < in->count;)
		s->padded *= 2;
	s->vertex = (float *)gb_device_alloc(in->vertex_count, 3 * sizeof *s->vertex, err);
	s->triangle = (uint32_t *)gb_device_alloc(in->count, 3 * sizeof *s->triangle, err);
	s->bounds = (struct bounds *)gb_device_alloc(1, sizeof *s->bounds, err);
	s->key = (uint64_t *)gb_device_alloc(s->padded, sizeof *s->key, err);
	s->index = (uint32_t *)gb_device_alloc(in->count, sizeof *s->index, err);
	s->node = (struct lbvh_node *)gb_device_alloc(2 * in->count - 1, sizeof *s->node, err);
	gb_memory_result(s->index, GB_WHOLE, GB_POISON); /* read by download() */
	gb_memory_result(s->node, GB_WHOLE, GB_POISON);
	return err->code;
}

/* Copy the input to the device; called again whenever it has changed. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct lbvh_input *in = s->input;

	(void)need(cudaMemcpyAsync(s->vertex, in->vertex, in->vertex_count * 3 * sizeof *s->vertex,
				   cudaMemcpyHostToDevice, STREAM),
		   err);
	return need(cudaMemcpyAsync(s->triangle, in->triangle, in->count * 3 * sizeof *s->triangle,
				    cudaMemcpyHostToDevice, STREAM),
		    err);
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t count = s->input->count;
	const unsigned grid = blocks(count);
	size_t first = 0;

	gb_phase(timer, "codes");
	(void)need(cudaMemsetAsync(s->bounds->low, 0xff, sizeof s->bounds->low, STREAM), err);
	(void)need(cudaMemsetAsync(s->bounds->high, 0, sizeof s->bounds->high, STREAM), err);
	find_bounds<<<grid, BLOCK, 0, STREAM>>>(s->vertex, s->triangle, count, s->bounds);
	make_keys<<<blocks(s->padded), BLOCK, 0, STREAM>>>(s->vertex, s->triangle, count, s->padded,
							   s->bounds, s->key);
	gb_phase(timer, "sort");
	for (size_t run = 2; run <= s->padded; run *= 2)
		for (size_t distance = run / 2; distance > 0; distance /= 2)
			sort_step<<<blocks(s->padded), BLOCK, 0, STREAM>>>(s->key, s->padded, run,
									   distance);
	gb_phase(timer, "hierarchy");
	make_leaves<<<grid, BLOCK, 0, STREAM>>>(s->vertex, s->triangle, count, s->key, s->index,
						s->node);
	while (2 * first + 1 < count - 1) /* the first node of the deepest level */
		first = 2 * first + 1;
	for (size_t end = count - 1; end > 0; end = first, first = first / 2)
		make_level<<<blocks(end - first), BLOCK, 0, STREAM>>>(s->node, first, end);
	return need(cudaGetLastError(), err);
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	struct lbvh_tree_header *header = (struct lbvh_tree_header *)output;
	const size_t count = s->input->count;

	header->kind = LBVH_BINARY;
	header->leaves = (uint32_t)count;
	header->nodes = 2 * header->leaves - 1;
	(void)need(cudaMemcpyAsync(lbvh_build_nodes(output), s->node,
				   (2 * count - 1) * sizeof *s->node, cudaMemcpyDeviceToHost,
				   STREAM),
		   err);
	(void)need(cudaMemcpyAsync(lbvh_build_index(s->input, output), s->index,
				   count * sizeof *s->index, cudaMemcpyDeviceToHost, STREAM),
		   err);
	return need(cudaStreamSynchronize(STREAM), err);
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.flags = GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "lbvh", "@NAME@", GB_CUDA, "complete tree, bitonic sort", &ops });
