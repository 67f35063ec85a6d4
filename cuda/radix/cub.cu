/* cub.cu -- yardstick: the cub::DeviceRadixSort of the CUDA toolkit.
 *
 * Since CUDA 11.5 it has been a onesweep sort, so it differs from onesweep.cu only in tiles,
 * ranking and look-back.  The model of its bytes is the same: 36 per u32 key.  It orders f32 keys
 * like common/radix_types.h, except that it treats -0 and +0 as equal.
 */
#include <cub/device/device_radix_sort.cuh>
#include <cub/version.cuh>
#include <stdio.h>

#include "cuda/primitives/limits.h"
#include "cuda/radix/shared/buffers.h"

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	void *temp;
	size_t temp_bytes;
};

/* Sort or, if temp is NULL, only store the size of the temporary storage in *temp_bytes.  N: the
 * type of the number of items. */
template <class N> static cudaError_t sort_by(const radix_arrays *a, void *temp, size_t *temp_bytes)
{
	const cudaStream_t stream = gpu_stream();
	const N n = (N)a->count;

	switch (a->input->type) {
	case RADIX_U64:
		return cub::DeviceRadixSort::SortKeys(temp, *temp_bytes,
						      (const uint64_t *)a->keys_in,
						      (uint64_t *)a->keys_out, n, 0, 64, stream);
	case RADIX_F32:
		return cub::DeviceRadixSort::SortKeys(temp, *temp_bytes, (const float *)a->keys_in,
						      (float *)a->keys_out, n, 0, 32, stream);
	case RADIX_U32:
	default:
		if (!a->input->value_size)
			return cub::DeviceRadixSort::SortKeys(
				temp, *temp_bytes, (const uint32_t *)a->keys_in,
				(uint32_t *)a->keys_out, n, 0, 32, stream);
		return cub::DeviceRadixSort::SortPairs(
			temp, *temp_bytes, (const uint32_t *)a->keys_in, (uint32_t *)a->keys_out,
			(const uint32_t *)a->values_in, a->values_out, n, 0, 32, stream);
	}
}

/* CUB computes offsets in the type of the count.  With 64 bits, its tuning gives each thread fewer
 * items, so only arrays that need 64 bits use them. */
static cudaError_t sort(const radix_arrays *a, void *temp, size_t *temp_bytes)
{
	return a->count < gpu_sort_limits.offsets ? sort_by<int32_t>(a, temp, temp_bytes)
						  : sort_by<int64_t>(a, temp, temp_bytes);
}

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	if (radix_arrays_create(&s->arrays, input, false, err) ||
	    CUDA_TRY(err, sort(&s->arrays, NULL, &s->temp_bytes)))
		return err->code;
	return gpu_alloc(&s->temp, s->temp_bytes ? s->temp_bytes : 1, 1, err);
}

static gb_status run(state *s, gb_timer *timer, gb_error *err)
{
	if (s->arrays.count == 0)
		return GB_OK;
	return CUDA_TRY(err, sort(&s->arrays, s->temp, &s->temp_bytes));
}

static const char *library(void)
{
	static char text[32];

	(void)snprintf(text, sizeof text, "CUB %d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
		       CUB_SUBMINOR_VERSION);
	return text;
}

extern "C" const gb_variant_ops radix_cuda_cub = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<radix_upload>,
	.run = op<run>,
	.download = op<radix_download>,
	.bytes = op<radix_sweep_bytes>,
	.library = library,
	.flags = GB_REPEATABLE,
};
