/* cheat.h -- what the cuda cheats share: an honest copy of stream's input on the device. */
#ifndef GPUBENCH_TESTS_CHEATS_CUDA_CHEAT_H
#define GPUBENCH_TESTS_CHEATS_CUDA_CHEAT_H

#include <string.h>

#include "common/stream.h"
#include "cuda/variant.h"

enum { BLOCK = 256 };

struct cheat {
	const struct stream_input *input;
	unsigned char *from, *result, *own; /* input->count bytes each */
	unsigned *calls;                    /* runs so far, counted on the device */
	int64_t sample, runs, since_reset, uploads;
	cudaGraphExec_t exec;
};

static __global__ void copy(unsigned char *to, const unsigned char *from, size_t bytes)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i < bytes)
		to[i] = from[i];
}

static inline enum gb_status cheat_copy(struct cheat *c, unsigned char *to,
					const unsigned char *from, size_t bytes,
					struct gb_error *err)
{
	return GPU_RUN(err, copy, gpu_blocks(bytes, BLOCK), BLOCK, to, from, bytes);
}

/* An honest run. */
static inline enum gb_status cheat_work(struct cheat *c, struct gb_error *err)
{
	return cheat_copy(c, c->result, c->from, c->input->count, err);
}

static inline enum gb_status cheat_create(struct cheat *c, const void *params,
					  const struct stream_input *input, struct gb_error *err)
{
	if (!input->count)
		return gb_fail(err, GB_EUNAVAILABLE, "a cheat copies something");
	c->input = input;
	(void)gpu_alloc(&c->from, input->count, err);
	(void)gpu_alloc(&c->own, input->count, err);
	(void)gpu_alloc(&c->result, input->count, err);
	(void)gpu_alloc_zeroed(&c->calls, 1, err);
	gb_memory_result(c->result, GB_WHOLE, GB_POISON);
	return err->code;
}

static inline enum gb_status cheat_upload(struct cheat *c, struct gb_error *err)
{
	return gpu_upload(c->from, c->input->words, c->input->count, err);
}

static inline enum gb_status cheat_reset(struct cheat *c, int64_t sample, struct gb_error *err)
{
	c->sample = sample;
	c->since_reset = 0;
	return GB_OK;
}

static inline enum gb_status cheat_download(struct cheat *c, void *output, struct gb_error *err)
{
	return gpu_download(output, c->result, c->input->count, err);
}

/* The table of stream cuda/cheat-NAME. */
#define CHEAT(name, upload_, run_, download_, flags_)                       \
	extern "C" const struct gb_variant_ops stream_cuda_cheat_##name = { \
		.state_size = sizeof(struct cheat),                         \
		.create = op<cheat_create>,                                 \
		.upload = op<upload_>,                                      \
		.reset = op<cheat_reset>,                                   \
		.run = op<run_>,                                            \
		.download = op<download_>,                                  \
		.flags = flags_,                                            \
	}

#endif
