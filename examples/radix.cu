/* radix.cu -- a plug-in for CUDA: sorts u32 keys with a bitonic network, one kernel per step, one key
 * per thread.
 *
 *	nvcc -std=c++20 -O3 -Xcompiler -fPIC -shared -I. -Ibuild/release/generated \
 *		examples/radix.cu -o mine.so
 *	./gpubench check radix cuda/mine --plugin=mine.so
 */
#include "common/plugin.h"

#define STREAM ((cudaStream_t)gb_device_stream()) /* all work goes there */

enum { BLOCK = 256 };

struct state {
	const struct radix_input *input;
	size_t padded;         /* count, rounded up to a power of two */
	uint32_t *from, *keys; /* on the device: count, padded */
};

static enum gb_status need(cudaError_t error, struct gb_error *err)
{
	return error ? gb_fail(err, GB_ERUNTIME, "%s", cudaGetErrorString(error)) : GB_OK;
}

static unsigned blocks(size_t threads)
{
	return (unsigned)((threads + BLOCK - 1) / BLOCK);
}

static __global__ void step(uint32_t *key, size_t count, size_t run, size_t distance)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	const size_t other = i ^ distance;

	if (i < count && i < other && (key[i] > key[other]) == ((i & run) == 0)) {
		const uint32_t held = key[i];

		key[i] = key[other];
		key[other] = held;
	}
}

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct radix_input *)input;
	if (s->input->type != RADIX_U32 || s->input->value_size || !radix_is_basic(s->input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts u32 keys only");
	for (s->padded = 1; s->padded < s->input->count;)
		s->padded *= 2;
	s->from = (uint32_t *)gb_device_alloc(s->input->count, sizeof *s->from, err);
	s->keys = (uint32_t *)gb_device_alloc(s->padded, sizeof *s->keys, err);
	gb_memory_result(s->keys, GB_WHOLE, GB_POISON); /* read by download() */
	return err->code;
}

/* Copy the input to the device. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	return need(cudaMemcpyAsync(s->from, s->input->keys, s->input->count * sizeof *s->from,
				    cudaMemcpyHostToDevice, STREAM),
		    err);
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t count = s->input->count;

	(void)timer;
	(void)need(cudaMemcpyAsync(s->keys, s->from, count * sizeof *s->keys,
				   cudaMemcpyDeviceToDevice, STREAM),
		   err);
	(void)need(cudaMemsetAsync(s->keys + count, 0xff, (s->padded - count) * sizeof *s->keys,
				   STREAM),
		   err);
	for (size_t run = 2; run <= s->padded; run *= 2)
		for (size_t distance = run / 2; distance > 0; distance /= 2)
			step<<<blocks(s->padded), BLOCK, 0, STREAM>>>(s->keys, s->padded, run,
								      distance);
	return need(cudaGetLastError(), err);
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)need(cudaMemcpyAsync(output, s->keys, s->input->count * sizeof *s->keys,
				   cudaMemcpyDeviceToHost, STREAM),
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

GB_PLUGIN("mine", "1", { "radix", "mine", GB_CUDA, "bitonic network", &ops });
