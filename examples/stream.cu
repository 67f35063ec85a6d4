/* @NAME@.cu -- copy an array, one byte per thread. */
#include <gpubench/plugin.h>

#define STREAM ((cudaStream_t)gb_device_stream()) /* all work goes there */

enum { BLOCK = 256 };

struct state {
	const struct stream_input *input; /* its words change between runs; its size does not */
	unsigned char *from, *to;         /* on the device */
};

static enum gb_status need(cudaError_t error, struct gb_error *err)
{
	return error ? gb_fail(err, GB_ERUNTIME, "%s", cudaGetErrorString(error)) : GB_OK;
}

static unsigned blocks(size_t threads)
{
	return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

static __global__ void copy(unsigned char *to, const unsigned char *from, size_t count)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i < count)
		to[i] = from[i];
}

/* Allocate everything. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct stream_input *)input;
	s->from = (unsigned char *)gb_device_alloc(s->input->count, 1, err);
	s->to = (unsigned char *)gb_device_alloc(s->input->count, 1, err);
	gb_memory_result(s->to, GB_WHOLE, GB_POISON); /* read by download() */
	return err->code;
}

/* Copy the input to the device; called again whenever it has changed. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	return need(cudaMemcpyAsync(s->from, s->input->words, s->input->count,
				    cudaMemcpyHostToDevice, STREAM),
		    err);
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)timer;
	if (s->input->count == 0)
		return GB_OK;
	copy<<<blocks(s->input->count), BLOCK, 0, STREAM>>>(s->to, s->from, s->input->count);
	return need(cudaGetLastError(), err);
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)need(cudaMemcpyAsync(output, s->to, s->input->count, cudaMemcpyDeviceToHost, STREAM),
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

GB_PLUGIN("@NAME@", "1", { "stream", "@NAME@", GB_CUDA, "one byte per thread", &ops });
