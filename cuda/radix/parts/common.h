/* common.h -- what the CUDA variants of radix share: the arrays on the device, their way
 * there and back, and the choice of a kernel by the type of key.
 *
 * run() leaves keys_in and values_in as upload() left them: the first pass reads them, then
 * passes alternate between two arrays so that the last one writes *_out (radix_pass_of()).
 */
#ifndef GPUBENCH_CUDA_RADIX_PARTS_COMMON_H
#define GPUBENCH_CUDA_RADIX_PARTS_COMMON_H

#include <stdlib.h>

#include "common/radix.h"
#include "common/variants.h"
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/gpu.h"

/* All on the device but input; values are NULL unless the type is pairs. */
struct radix_arrays {
	const struct radix_input *input;
	size_t count;
	void *keys_in, *keys_out, *keys_spare;
	uint32_t *values_in, *values_out, *values_spare;
};

/* What one pass reads and writes. */
struct radix_pass {
	const void *keys_in;
	void *keys_out;
	const uint32_t *values_in;
	uint32_t *values_out;
};

/* Accepts arrays that were never created, but zeroed. */
static inline void radix_arrays_release(struct radix_arrays *a)
{
	gpu_free(a->keys_in);
	gpu_free(a->keys_out);
	gpu_free(a->keys_spare);
	gpu_free(a->values_in);
	gpu_free(a->values_out);
	gpu_free(a->values_spare);
}

/* spare: the variant needs the third array.  On failure release() frees what there is. */
static inline enum gb_status radix_arrays_create(struct radix_arrays *a,
						 const struct radix_input *input, bool spare,
						 struct gb_error *err)
{
	const size_t n = input->count, size = input->key_size;

	a->input = input;
	a->count = n;
	if (gpu_alloc(&a->keys_in, n, size, err) != GB_OK ||
	    gpu_alloc(&a->keys_out, n, size, err) != GB_OK ||
	    (spare && gpu_alloc(&a->keys_spare, n, size, err) != GB_OK))
		return err->code;
	if (!input->values)
		return GB_OK;
	if (gpu_alloc(&a->values_in, n, sizeof *a->values_in, err) != GB_OK ||
	    gpu_alloc(&a->values_out, n, sizeof *a->values_out, err) != GB_OK ||
	    (spare && gpu_alloc(&a->values_spare, n, sizeof *a->values_spare, err) != GB_OK))
		return err->code;
	return GB_OK;
}

/* For a variant whose state begins with its struct radix_arrays: what its ops share. */

/* A zeroed state of `size` bytes with its arrays; NULL, with err set, if that fails: then *state is
 * NULL or for the variant's destroy(). */
static inline void *radix_create(void **state, size_t size, const struct radix_input *input,
				 bool spare, struct gb_error *err)
{
	*state = calloc(1, size);
	if (!*state)
		gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	else if (radix_arrays_create((struct radix_arrays *)*state, input, spare, err) == GB_OK)
		return *state;
	return NULL;
}

static inline enum gb_status radix_upload(void *state, struct gb_error *err)
{
	const struct radix_arrays *const a = (const struct radix_arrays *)state;
	const struct radix_input *const input = a->input;

	if (a->count == 0)
		return GB_OK;
	if (!CUDA_OK(err, cudaMemcpyAsync(a->keys_in, input->keys, a->count * input->key_size,
					  cudaMemcpyHostToDevice, gpu_stream())))
		return err->code;
	if (input->values && !CUDA_OK(err, cudaMemcpyAsync(a->values_in, input->values,
							   a->count * sizeof *a->values_in,
							   cudaMemcpyHostToDevice, gpu_stream())))
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

static inline enum gb_status radix_download(void *state, void *output, struct gb_error *err)
{
	const struct radix_arrays *const a = (const struct radix_arrays *)state;
	const struct radix_input *const input = a->input;

	if (a->count == 0)
		return GB_OK;
	if (!CUDA_OK(err, cudaMemcpyAsync(output, a->keys_out, a->count * input->key_size,
					  cudaMemcpyDeviceToHost, gpu_stream())))
		return err->code;
	if (input->values &&
	    !CUDA_OK(err, cudaMemcpyAsync(radix_output_values(input, output), a->values_out,
					  a->count * sizeof *a->values_out, cudaMemcpyDeviceToHost,
					  gpu_stream())))
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

/* Pass `number` of `passes`: the first reads in, the last writes out. */
static inline struct radix_pass radix_pass_of(const struct radix_arrays *a, int number, int passes)
{
	const bool to_out = (passes - 1 - number) % 2 == 0;
	const struct radix_pass pass = {
		.keys_in = number == 0 ? a->keys_in
			   : to_out    ? a->keys_spare
				       : a->keys_out,
		.keys_out = to_out ? a->keys_out : a->keys_spare,
		.values_in = number == 0 ? a->values_in
			     : to_out    ? a->values_spare
					 : a->values_out,
		.values_out = to_out ? a->values_out : a->values_spare,
	};

	return pass;
}

static inline size_t radix_tiles(size_t count, size_t tile)
{
	return count / tile + (count % tile != 0);
}

/* Bytes of one key's value: 4 for pairs, else 0. */
static inline size_t radix_value_size(const struct radix_input *input)
{
	return input->values ? sizeof *input->values : 0;
}

/* Of a sort by 8-bit digits: one read for the histogram, a read and a write a pass. */
static inline double radix_sweep_bytes(const void *params, const void *input_)
{
	const struct radix_input *input = (const struct radix_input *)input_;
	const size_t item = input->key_size + radix_value_size(input);

	(void)params;
	return (double)input->count * (double)(input->key_size + input->key_size * 2 * item);
}

/* sort<KEY, VALUES>(arguments) for the type of the input. */
#define RADIX_DISPATCH(type, sort, ...)                              \
	((type) == RADIX_U64     ? sort<key_u64, false>(__VA_ARGS__) \
	 : (type) == RADIX_F32   ? sort<key_f32, false>(__VA_ARGS__) \
	 : (type) == RADIX_PAIRS ? sort<key_u32, true>(__VA_ARGS__)  \
				 : sort<key_u32, false>(__VA_ARGS__))

#endif
