/* cub_segments.cu -- yardstick (segments): the cub::DeviceSegmentedSort of the CUDA toolkit.
 *
 * It sorts the segments into classes by their length: parts of a warp and whole warps sort small
 * ones by merging, and blocks sort large ones by radix, a block for each.
 */
#include <cub/device/device_segmented_sort.cuh>

#include "cuda/radix/shared/buffers.h"
#include "cuda/radix/shared/cub.h"

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	void *temp;
	size_t temp_bytes;
};

/* Sort or, if temp is NULL, only store the size of the temporary storage in s->temp_bytes. */
template <class KEY> static cudaError_t sort(state *s, void *temp)
{
	const radix_arrays *const a = &s->arrays;
	const radix_input *const input = a->input;
	const KEY *const keys = (const KEY *)a->keys_in;
	const int64_t n = (int64_t)a->count, segments = (int64_t)input->segments;

	if (!input->value_size)
		return cub::DeviceSegmentedSort::SortKeys(temp, s->temp_bytes, keys, (KEY *)a->out,
							  n, segments, a->offsets, a->offsets + 1,
							  gpu_stream());
	return cub::DeviceSegmentedSort::StableSortPairs(
		temp, s->temp_bytes, keys, (KEY *)a->out, (const uint32_t *)a->values_in,
		(uint32_t *)radix_output_values(input, a->out), n, segments, a->offsets,
		a->offsets + 1, gpu_stream());
}

static gb_status create(state *s, const void *, const radix_input *input, gb_error *err)
{
	if (input->segments == 1 || input->type != RADIX_U32 || input->value_size > 4 ||
	    !radix_sorts_whole_keys(input))
		return gb_fail(err, GB_EUNAVAILABLE,
			       "sorts segments of u32 keys by all bits, with values of 4 bytes");
	if (radix_segments_create(&s->arrays, input, err) || CUDA_TRY(err, sort<uint32_t>(s, NULL)))
		return err->code;
	return gpu_alloc(&s->temp, s->temp_bytes ? s->temp_bytes : 1, 1, err);
}

static gb_status run(state *s, gb_timer *timer, gb_error *err)
{
	return CUDA_TRY(err, sort<uint32_t>(s, s->temp));
}

static double bytes(const void *, const radix_input *input)
{
	return (double)input->count * 2 * (double)(input->key_size + input->value_size);
}

extern "C" const gb_variant_ops radix_cuda_cub_segments = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<radix_upload>,
	.run = op<run>,
	.download = op<radix_download>,
	.bytes = op<bytes>,
	.library = radix_cub_library,
	.flags = GB_REPEATABLE,
};
