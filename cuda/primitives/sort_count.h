/* sort_count.h -- counts the digits of keys while they are made, which saves a sort its first
 * launch and one read of the keys.  A SOURCE needs a name of its own in the whole program.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_COUNT_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_COUNT_H

#include "cuda/primitives/primitives.h"
#include "cuda/primitives/sort_plan.h"

/* Grid-stride loop over the keys.  Nothing is counted without passes. */
template <class T, class W, class SOURCE>
static __global__ void __launch_bounds__(HISTOGRAM_BLOCK)
	made_kernel(SOURCE source, size_t count, bit_range bits, struct header<W> *header)
{
	typedef histogram_shared<T, W> shared;
	__shared__ shared s;

	if (bits.passes)
		start_counts(&s);
	cudaTriggerProgrammaticLaunchCompletion();
#pragma unroll 1
	for (size_t i = (size_t)blockIdx.x * HISTOGRAM_BLOCK + threadIdx.x; i < count;
	     i += (size_t)gridDim.x * HISTOGRAM_BLOCK) {
		T key = source.make(i);

		count_keys<1>(s.count, &key, bits, {});
	}
	if (bits.passes)
		add_counts(&s, header, count, bits);
}

template <class T, class W, class SOURCE>
static inline gb_status count_made(const gpu_sort_args *sort, SOURCE source, gb_error *err)
{
	const unsigned blocks = gpu_resident_blocks(made_kernel<T, W, SOURCE>, HISTOGRAM_BLOCK, 0,
						    gpu_blocks(sort->count, HISTOGRAM_BLOCK));
	const bit_range none = {}, all = bit_range_of(sort->begin_bit, sort->end_bit);

	made_kernel<T, W><<<blocks, HISTOGRAM_BLOCK, 0, gpu_stream()>>>(
		source, sort->count,
		fits_one_block(sort->count, word_size_of(sort->key_size, sort->value_size)) ? none
											    : all,
		(header<W> *)sort->temp);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Before gpu_sort() with `counted`: source.make(i), a device function, returns key i, of type T, and
 * stores it in keys_in.  temp is zero. */
template <class T, class SOURCE>
static inline gb_status gpu_sort_count(const gpu_sort_args *sort, SOURCE source, gb_error *err)
{
	return has_wide_status(sort->count) ? count_made<T, unsigned long long>(sort, source, err)
					    : count_made<T, uint32_t>(sort, source, err);
}

#endif
