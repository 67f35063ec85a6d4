/* buffers.h -- the code that the CUDA variants of radix share: the arrays on the device, their
 * transfers, and the choice of a kernel by the type of key.
 *
 * run() does not change keys_in and values_in: the first pass reads them, and later passes
 * alternate between two arrays so that the last one writes *_out (radix_pass_of()).
 */
#ifndef GPUBENCH_CUDA_RADIX_SHARED_BUFFERS_H
#define GPUBENCH_CUDA_RADIX_SHARED_BUFFERS_H

#include "common/radix_types.h"
#include "cuda/primitives/keys.h"
#include "cuda/runtime/variant.h"

/* All pointers except input are to device memory.  The values are NULL if there are none. */
struct radix_arrays {
	const radix_input *input;
	size_t count;
	void *keys_in, *keys_out, *keys_spare;
	uint32_t *values_in, *values_out, *values_spare;
};

/* The arrays that one pass reads and writes. */
struct radix_pass {
	const void *keys_in;
	void *keys_out;
	const uint32_t *values_in;
	uint32_t *values_out;
};

/* spare: also allocate the third array. */
static inline gb_status radix_arrays_create(radix_arrays *a, const radix_input *input, bool spare,
					    gb_error *err)
{
	const size_t n = input->count, size = input->key_size;

	if (!radix_is_basic(input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts " RADIX_BASIC);
	a->input = input;
	a->count = n;
	(void)gpu_alloc(&a->keys_in, n, size, err);
	(void)gpu_alloc(&a->keys_out, n, size, err);
	gb_memory_result(a->keys_out, GB_WHOLE, GB_POISON);
	if (spare)
		(void)gpu_alloc(&a->keys_spare, n, size, err);
	if (!input->value_size)
		return err->code;
	(void)gpu_alloc(&a->values_in, n, err);
	(void)gpu_alloc(&a->values_out, n, err);
	gb_memory_result(a->values_out, GB_WHOLE, GB_POISON);
	if (spare)
		(void)gpu_alloc(&a->values_spare, n, err);
	return err->code;
}

/* The operations shared by variants whose state begins with struct radix_arrays. */

static inline gb_status radix_upload(const radix_arrays *a, gb_error *err)
{
	const radix_input *const input = a->input;

	(void)gpu_upload(a->keys_in, input->keys, a->count * input->key_size, err);
	return gpu_upload(a->values_in, input->values, a->count * input->value_size, err);
}

static inline gb_status radix_download(const radix_arrays *a, void *output, gb_error *err)
{
	const radix_input *const input = a->input;

	(void)gpu_download(output, a->keys_out, a->count * input->key_size, err);
	return gpu_download(radix_output_values(input, output), a->values_out,
			    a->count * input->value_size, err);
}

/* Pass `number` of `passes`: the first reads in, the last writes out. */
static inline radix_pass radix_pass_of(const radix_arrays *a, int number, int passes)
{
	const bool to_out = (passes - 1 - number) % 2 == 0;
	const radix_pass pass = {
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

/* Bytes of a sort by 8-bit digits: one read for the histogram, a read and a write per pass. */
static inline double radix_sweep_bytes(const void *params, const radix_input *input)
{
	const size_t item = input->key_size + input->value_size;

	return (double)input->count * (double)(input->key_size + input->key_size * 2 * item);
}

/* The operations of a variant whose state begins with struct radix_arrays. */
template <class STATE, auto CREATE, auto RUN, auto BYTES>
static constexpr gb_variant_ops radix_ops(void)
{
	return {
		.state_size = sizeof(STATE),
		.create = op<CREATE>,
		.upload = op<radix_upload>,
		.run = op<RUN>,
		.download = op<radix_download>,
		.bytes = op<BYTES>,
		.flags = GB_REPEATABLE,
	};
}

/* Call sort<KEY, VALUES>(arguments) for the type of the input. */
#define RADIX_DISPATCH(input, sort, ...)                                  \
	((input)->type == RADIX_U64   ? sort<key_u64, false>(__VA_ARGS__) \
	 : (input)->type == RADIX_F32 ? sort<key_f32, false>(__VA_ARGS__) \
	 : (input)->value_size        ? sort<key_u32, true>(__VA_ARGS__)  \
				      : sort<key_u32, false>(__VA_ARGS__))

#endif
