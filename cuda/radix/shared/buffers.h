/* buffers.h -- the code that the CUDA variants of radix share: the arrays on the device, their
 * transfers, and the choice of a kernel by the type of key.
 *
 * run() does not change keys_in and values_in: the first pass reads them, and later passes
 * alternate between two arrays so that the last one writes *_out (radix_pass_of()).
 */
#ifndef GPUBENCH_CUDA_RADIX_SHARED_BUFFERS_H
#define GPUBENCH_CUDA_RADIX_SHARED_BUFFERS_H

#include "common/radix_types.h"
#include "cuda/primitives/primitives.h"
#include "cuda/runtime/variant.h"

/* All pointers except input are to device memory. */
struct radix_arrays {
	const radix_input *input;
	size_t count;
	void *keys_in, *values_in;
	void *out, *spare; /* keys, then values as in an output of radix */
	uint64_t *offsets; /* of segments, for variants that sort them; else NULL */
};

/* The arrays that one pass reads and writes. */
struct radix_pass {
	const void *keys_in, *values_in;
	void *keys_out, *values_out;
	size_t value_size;
};

/* Allocate all but the spare array, and offsets for more than one segment. */
static inline gb_status radix_segments_create(radix_arrays *a, const radix_input *input,
					      gb_error *err)
{
	const size_t n = input->count;

	a->input = input;
	a->count = n;
	(void)gpu_alloc(&a->keys_in, n, input->key_size, err);
	(void)gpu_alloc(&a->out, radix_output_size(input), 1, err);
	gb_memory_result(a->out, GB_WHOLE, GB_POISON);
	if (input->value_size)
		(void)gpu_alloc(&a->values_in, n, input->value_size, err);
	if (input->segments > 1)
		(void)gpu_alloc(&a->offsets, input->segments + 1, err);
	return err->code;
}

/* For variants that sort one segment.  spare: also allocate that array. */
static inline gb_status radix_arrays_create(radix_arrays *a, const radix_input *input, bool spare,
					    gb_error *err)
{
	if (input->segments > 1)
		return gb_fail(err, GB_EUNAVAILABLE, "sorts one segment");
	if (!radix_segments_create(a, input, err) && spare)
		(void)gpu_alloc(&a->spare, radix_output_size(input), 1, err);
	return err->code;
}

/* The order of the input's keys. */
static inline gpu_order radix_gpu_order(const radix_input *input)
{
	return input->type < RADIX_I32   ? GPU_UNSIGNED
	       : input->type < RADIX_F32 ? GPU_SIGNED
					 : GPU_FLOAT;
}

static inline key_order radix_key_order(const radix_input *input)
{
	return key_order_of(radix_gpu_order(input), input->key_size, 0);
}

/* The operations shared by variants whose state begins with struct radix_arrays. */

static inline gb_status radix_upload(const radix_arrays *a, gb_error *err)
{
	const radix_input *const input = a->input;

	if (a->offsets)
		(void)gpu_upload(a->offsets, input->offsets,
				 (input->segments + 1) * sizeof *a->offsets, err);
	(void)gpu_upload(a->keys_in, input->keys, a->count * input->key_size, err);
	return gpu_upload(a->values_in, input->values, a->count * input->value_size, err);
}

static inline gb_status radix_download(const radix_arrays *a, void *output, gb_error *err)
{
	return gpu_download(output, a->out, radix_output_size(a->input), err);
}

/* Pass `number` of `passes`: the first reads in, the last writes out. */
static inline radix_pass radix_pass_of(const radix_arrays *a, int number, int passes)
{
	const bool to_out = (passes - 1 - number) % 2 == 0;
	void *const from = to_out ? a->spare : a->out, *const to = to_out ? a->out : a->spare;

	return {
		.keys_in = number == 0 ? a->keys_in : from,
		.values_in = number == 0 ? a->values_in : radix_output_values(a->input, from),
		.keys_out = to,
		.values_out = radix_output_values(a->input, to),
		.value_size = a->input->value_size,
	};
}

/* Move the value of key `from` to place `to`. */
static __device__ __forceinline__ void radix_move_value(const radix_pass &pass, size_t from,
							size_t to)
{
	if (pass.value_size == 4)
		((uint32_t *)pass.values_out)[to] = ((const uint32_t *)pass.values_in)[from];
	else if (pass.value_size == 8)
		((uint64_t *)pass.values_out)[to] = ((const uint64_t *)pass.values_in)[from];
}

/* The bits to sort by. */
static inline size_t radix_bit_count(const radix_input *input)
{
	return (size_t)(input->end_bit - input->begin_bit);
}

/* Bytes of a sort by 8-bit digits: one read for the histogram, a read and a write per pass. */
static inline double radix_sweep_bytes(const void *params, const radix_input *input)
{
	const size_t item = input->key_size + input->value_size,
		     passes = (radix_bit_count(input) + 7) / 8;

	return (double)input->count * (double)(input->key_size + passes * 2 * item);
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

#endif
