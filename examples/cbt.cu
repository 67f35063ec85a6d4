/* @NAME@.cu -- a concurrent binary tree: sums of 64 nodes per thread, a leaf per thread; neither
 * updates nor searches of the bare field. */
#include <gpubench/plugin.h>

#define STREAM ((cudaStream_t)gb_device_stream()) /* all work goes there */

enum { BLOCK = 256, TOP = 6 /* from this level on, 64 nodes fill whole words */ };

/* Results of a run. */
struct found {
	unsigned long long leaves, id_sum;
};

struct state {
	const struct cbt_input *input; /* its tree changes between runs; its sizes do not */
	/* On the device. */
	uint64_t *field, *heap;
	uint32_t *ids; /* NULL: only their sum is wanted */
	struct found *found;
};

static enum gb_status need(cudaError_t error, struct gb_error *err)
{
	return error ? gb_fail(err, GB_ERUNTIME, "%s", cudaGetErrorString(error)) : GB_OK;
}

static unsigned blocks(size_t threads)
{
	return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

static __device__ void add_children(uint64_t *heap, unsigned depth, uint32_t k)
{
	cbt_set(heap, depth, k, cbt_get(heap, depth, 2 * k) + cbt_get(heap, depth, 2 * k + 1));
}

/* The sums of a level from TOP on. */
static __global__ void sum_level(uint64_t *heap, unsigned depth, unsigned level)
{
	const uint32_t first = (blockIdx.x * BLOCK + threadIdx.x) * 64;

	if (first < 1U << level)
		for (uint32_t k = 0; k < 64; k++)
			add_children(heap, depth, (1U << level) + first + k);
}

/* The sums of the levels below TOP, by one thread.  A field of less than a word is copied, too. */
static __global__ void sum_top(uint64_t *heap, unsigned depth, const uint64_t *field,
			       struct found *found)
{
	if (depth < TOP)
		cbt_put_field(heap, depth, field);
	for (uint32_t k = (1U << (depth < TOP ? depth : TOP)) - 1; k > 0; k--)
		add_children(heap, depth, k);
	heap[0] |= UINT64_C(1) << depth; /* the depth marker */
	found->leaves = cbt_get(heap, depth, 1);
}

/* Descend to the leaf of this thread's number. */
static __global__ void decode(const uint64_t *heap, unsigned depth, uint32_t *ids,
			      struct found *found)
{
	const uint64_t thread = (uint64_t)blockIdx.x * BLOCK + threadIdx.x;
	const uint64_t leaves = cbt_get(heap, depth, 1);
	uint64_t sum = leaves, leaf = thread;
	uint32_t k = 1;

	if (thread >= leaves)
		return;
	while (sum > 1) {
		const uint64_t left = cbt_get(heap, depth, 2 * k);

		k = 2 * k + (leaf >= left);
		sum = leaf >= left ? sum - left : left;
		leaf -= leaf >= left ? left : 0;
	}
	if (ids)
		ids[thread] = k;
	else
		atomicAdd(&found->id_sum, k);
	if (thread == 0)
		found->leaves = leaves;
}

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct cbt_input *in = (const struct cbt_input *)input;

	(void)params;
	s->input = in;
	if (in->op == CBT_UPDATE || in->op == CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE, "does reduce, decode and cycle only");
	s->field = (uint64_t *)gb_device_alloc(in->field_words, sizeof *s->field, err);
	s->heap = (uint64_t *)gb_device_alloc(in->heap_words, sizeof *s->heap, err);
	if (cbt_has_ids(in))
		s->ids = (uint32_t *)gb_device_alloc(in->leaves, sizeof *s->ids, err);
	s->found = (struct found *)gb_device_alloc(1, sizeof *s->found, err);
	if (cbt_has_heap(in)) /* read by download() */
		gb_memory_result(s->heap, GB_WHOLE, GB_POISON);
	gb_memory_result(s->ids, GB_WHOLE, GB_POISON);
	gb_memory_result(s->found, GB_WHOLE, GB_POISON);
	return err->code;
}

/* Copy the input to the device; called again whenever it has changed. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct cbt_input *in = s->input;

	if (in->op == CBT_DECODE)
		return need(cudaMemcpyAsync(s->heap, in->heap, in->heap_words * sizeof *s->heap,
					    cudaMemcpyHostToDevice, STREAM),
			    err);
	return need(cudaMemcpyAsync(s->field, in->field, in->field_words * sizeof *s->field,
				    cudaMemcpyHostToDevice, STREAM),
		    err);
}

static void reduce(struct state *s, struct gb_error *err)
{
	const struct cbt_input *in = s->input;
	const unsigned depth = in->depth;

	(void)need(cudaMemsetAsync(s->heap, 0, in->heap_words * sizeof *s->heap, STREAM), err);
	if (depth >= TOP)
		(void)need(cudaMemcpyAsync(s->heap + cbt_field_at(depth), s->field,
					   in->field_words * sizeof *s->field,
					   cudaMemcpyDeviceToDevice, STREAM),
			   err);
	for (unsigned level = depth; level-- > TOP;)
		sum_level<<<blocks((size_t)1 << level >> 6), BLOCK, 0, STREAM>>>(s->heap, depth,
										 level);
	sum_top<<<1, 1, 0, STREAM>>>(s->heap, depth, s->field, s->found);
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct cbt_input *in = s->input;

	(void)need(cudaMemsetAsync(s->found, 0, sizeof *s->found, STREAM), err);
	if (in->op != CBT_DECODE) {
		gb_phase(timer, "reduce");
		reduce(s, err);
	}
	if (in->op != CBT_REDUCE) {
		gb_phase(timer, "decode");
		decode<<<blocks(in->leaves), BLOCK, 0, STREAM>>>(s->heap, in->depth, s->ids,
								 s->found);
	}
	return need(cudaGetLastError(), err);
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct cbt_input *in = s->input;
	struct cbt_output *out = (struct cbt_output *)output;
	struct found found = {};

	(void)need(cudaMemcpyAsync(&found, s->found, sizeof found, cudaMemcpyDeviceToHost, STREAM),
		   err);
	if (s->ids)
		(void)need(cudaMemcpyAsync(cbt_output_ids(in, out), s->ids,
					   in->leaves * sizeof *s->ids, cudaMemcpyDeviceToHost,
					   STREAM),
			   err);
	if (cbt_has_heap(in))
		(void)need(cudaMemcpyAsync(cbt_output_heap(in, out), s->heap,
					   in->heap_words * sizeof *s->heap, cudaMemcpyDeviceToHost,
					   STREAM),
			   err);
	(void)need(cudaStreamSynchronize(STREAM), err);
	out->leaves = found.leaves;
	out->id_sum = found.id_sum;
	out->last_level = (int64_t)in->depth - 1;
	return err->code;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.flags = GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "cbt", "@NAME@", GB_CUDA, "a leaf per thread", &ops });
