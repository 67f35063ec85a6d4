/* cub.cu -- yardstick: the cub::DeviceRadixSort of the CUDA toolkit.
 *
 * Since CUDA 11.5 it has been a onesweep sort, so it differs from onesweep.cu only in tiles,
 * ranking and look-back.  The model of its bytes is the same: 36 per u32 key.  It orders float
 * keys like common/radix_types.h, except that it treats -0 and +0 as equal.
 */
#include <cub/device/device_radix_sort.cuh>

#include "cuda/primitives/limits.h"
#include "cuda/radix/shared/buffers.h"
#include "cuda/radix/shared/cub.h"

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	void *temp;
	size_t temp_bytes;
};

/* Sort or, if temp is NULL, only store the size of the temporary storage in *temp_bytes.  V: the
 * type of values, void without.  N: the type of the number of items. */
template <class K, class V, class N>
static cudaError_t sort_as(const radix_arrays *a, void *temp, size_t *temp_bytes)
{
	const radix_input *const input = a->input;
	const K *const in = (const K *)a->keys_in;
	K *const out = (K *)a->out;

	if constexpr (std::is_void_v<V>)
		return cub::DeviceRadixSort::SortKeys(temp, *temp_bytes, in, out, (N)a->count,
						      input->begin_bit, input->end_bit,
						      gpu_stream());
	else
		return cub::DeviceRadixSort::SortPairs(
			temp, *temp_bytes, in, out, (const V *)a->values_in,
			(V *)radix_output_values(input, a->out), (N)a->count, input->begin_bit,
			input->end_bit, gpu_stream());
}

template <class K, class N>
static cudaError_t sort_with_values(const radix_arrays *a, void *temp, size_t *temp_bytes)
{
	return a->input->value_size == 4   ? sort_as<K, uint32_t, N>(a, temp, temp_bytes)
	       : a->input->value_size == 8 ? sort_as<K, uint64_t, N>(a, temp, temp_bytes)
					   : sort_as<K, void, N>(a, temp, temp_bytes);
}

/* CUB computes offsets in the type of the count.  With 64 bits, its tuning gives each thread fewer
 * items, so only arrays that need 64 bits use them. */
static cudaError_t sort(const radix_arrays *a, void *temp, size_t *temp_bytes)
{
	const bool wide = a->count >= gpu_sort_limits.offsets;

	switch (a->input->type) {
	case RADIX_U8:
		return sort_as<uint8_t, void, int32_t>(a, temp, temp_bytes);
	case RADIX_U16:
		return sort_as<uint16_t, void, int32_t>(a, temp, temp_bytes);
	case RADIX_I32:
		return sort_as<int32_t, void, int32_t>(a, temp, temp_bytes);
	case RADIX_I64:
		return sort_as<int64_t, void, int32_t>(a, temp, temp_bytes);
	case RADIX_F32:
		return wide ? sort_as<float, void, int64_t>(a, temp, temp_bytes)
			    : sort_as<float, void, int32_t>(a, temp, temp_bytes);
	case RADIX_F64:
		return sort_as<double, void, int32_t>(a, temp, temp_bytes);
	case RADIX_U64:
		return wide ? sort_as<uint64_t, void, int64_t>(a, temp, temp_bytes)
			    : sort_with_values<uint64_t, int32_t>(a, temp, temp_bytes);
	case RADIX_U32:
	default:
		if (!wide)
			return sort_with_values<uint32_t, int32_t>(a, temp, temp_bytes);
		return a->input->value_size
			       ? sort_as<uint32_t, uint32_t, int64_t>(a, temp, temp_bytes)
			       : sort_as<uint32_t, void, int64_t>(a, temp, temp_bytes);
	}
}

/* Each type of keys and values takes seconds to compile, so some are left out. */
static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	if (input->value_size && input->type != RADIX_U32 && input->type != RADIX_U64)
		return gb_fail(err, GB_EUNAVAILABLE, "sorts u32 and u64 keys with values");
	if (input->count >= gpu_sort_limits.offsets && !radix_is_basic(input))
		return gb_fail(err, GB_EUNAVAILABLE, "%zu keys: of so many, it sorts " RADIX_BASIC,
			       input->count);
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

extern "C" const gb_variant_ops radix_cuda_cub = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<radix_upload>,
	.run = op<run>,
	.download = op<radix_download>,
	.bytes = op<radix_sweep_bytes>,
	.library = radix_cub_library,
	.flags = GB_REPEATABLE,
};
