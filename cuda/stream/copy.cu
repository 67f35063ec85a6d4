/* copy.cu -- copy an array as fast as the device's memory allows.
 *
 * Each thread issues four loads of 16 bytes before its first store: with 2048 threads per SM that
 * is 128 KiB in flight, several times what Little's law asks for.  A block copies one tile and
 * exits, so that the hardware balances the tiles among the SMs.  The bound is the
 * memory's bandwidth; cudaMemcpyAsync() from device to device is the same kind of kernel.
 */
#include "common/stream_types.h"
#include "cuda/runtime/variant.h"

enum {
	BLOCK = 256,         /* threads */
	EACH = 4,            /* vectors per thread */
	TILE = BLOCK * EACH, /* vectors per block */
};

struct state {
	const stream_input *input;
	unsigned char *from, *to; /* input->count bytes each */
};

/* One tile per block, four vectors per thread; block 0 copies the bytes beyond the last vector. */
static __global__ void __launch_bounds__(BLOCK)
	copy(uint4 *__restrict__ to, const uint4 *__restrict__ from, size_t bytes)
{
	const size_t vectors = bytes / sizeof(uint4);
	const size_t first = (size_t)blockIdx.x * TILE + threadIdx.x;
	uint4 vector[EACH];

	if (first + (EACH - 1) * BLOCK < vectors) {
		for (int k = 0; k < EACH; k++)
			vector[k] = from[first + (size_t)k * BLOCK];
		for (int k = 0; k < EACH; k++)
			to[first + (size_t)k * BLOCK] = vector[k];
	} else {
		for (size_t i = first; i < vectors && i < first + TILE; i += BLOCK)
			to[i] = from[i];
	}
	if (blockIdx.x == 0 && threadIdx.x < bytes % sizeof(uint4)) {
		const size_t at = vectors * sizeof(uint4) + threadIdx.x;

		((unsigned char *)to)[at] = ((const unsigned char *)from)[at];
	}
}

static gb_status create(state *s, const stream_params *params, const stream_input *input,
			gb_error *err)
{
	s->input = input;
	(void)gpu_alloc(&s->from, input->count, err);
	(void)gpu_alloc(&s->to, input->count, err);
	gb_memory_result(s->to, GB_WHOLE, GB_POISON);
	return err->code;
}

static gb_status upload(state *s, gb_error *err)
{
	return gpu_upload(s->from, s->input->words, s->input->count, err);
}

static gb_status run(state *s, gb_timer *timer, gb_error *err)
{
	const size_t count = s->input->count;

	if (count == 0)
		return GB_OK;
	copy<<<gpu_blocks(count, TILE * sizeof(uint4)), BLOCK, 0, gpu_stream()>>>(
		(uint4 *)s->to, (const uint4 *)s->from, count);
	return CUDA_TRY(err, cudaGetLastError());
}

static gb_status download(state *s, void *output, gb_error *err)
{
	return gpu_download(output, s->to, s->input->count, err);
}

extern "C" const gb_variant_ops stream_cuda_copy = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<upload>,
	.run = op<run>,
	.download = op<download>,
	.flags = GB_REPEATABLE,
};
