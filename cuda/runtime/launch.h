/* launch.h -- launches with an attribute: cooperative, in clusters, overlapping. */
#ifndef GPUBENCH_CUDA_RUNTIME_LAUNCH_H
#define GPUBENCH_CUDA_RUNTIME_LAUNCH_H

#include <stddef.h>

#include <cuda_runtime.h>

static inline cudaLaunchAttribute gpu_launch_attribute(cudaLaunchAttributeID id,
						       unsigned cluster = 1)
{
	cudaLaunchAttribute attribute = {};

	attribute.id = id;
	if (id == cudaLaunchAttributeCooperative)
		attribute.val.cooperative = 1;
	else if (id == cudaLaunchAttributeProgrammaticStreamSerialization)
		attribute.val.programmaticStreamSerializationAllowed = 1;
	else
		attribute.val.clusterDim = { cluster, 1, 1 };
	return attribute;
}

static inline cudaLaunchConfig_t gpu_launch_config(dim3 grid, dim3 block, size_t shared,
						   cudaStream_t stream,
						   cudaLaunchAttribute *attribute)
{
	cudaLaunchConfig_t config = {};

	config.gridDim = grid;
	config.blockDim = block;
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	config.attrs = attribute;
	config.numAttrs = 1;
	return config;
}

template <class... P, class... A>
static inline cudaError_t gpu_launch_special(cudaLaunchAttribute attribute, void (*kernel)(P...),
					     dim3 grid, dim3 block, size_t shared,
					     cudaStream_t stream, A &&...args)
{
	const cudaLaunchConfig_t config =
		gpu_launch_config(grid, block, shared, stream, &attribute);

	return cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
}

/* All blocks of the grid must fit on the device at once, else the launch fails. */
template <class K, class... A>
static inline cudaError_t gpu_launch_cooperative(K *kernel, dim3 grid, dim3 block, size_t shared,
						 cudaStream_t stream, A &&...args)
{
	return gpu_launch_special(gpu_launch_attribute(cudaLaunchAttributeCooperative), kernel,
				  grid, block, shared, stream, args...);
}

/* One cluster of all blocks.  More than 8 need cudaFuncAttributeNonPortableClusterSizeAllowed set
 * on the kernel. */
template <class K, class... A>
static inline cudaError_t gpu_launch_cluster(K *kernel, unsigned blocks, dim3 block, size_t shared,
					     cudaStream_t stream, A &&...args)
{
	return gpu_launch_special(gpu_launch_attribute(cudaLaunchAttributeClusterDimension, blocks),
				  kernel, blocks, block, shared, stream, args...);
}

/* The kernel may start once each block of the previous kernel in the stream has ended or called
 * cudaTriggerProgrammaticLaunchCompletion().  All its threads must call
 * cudaGridDependencySynchronize() before they touch global memory.  Only if gpu_can_overlap(). */
template <class K, class... A>
static inline cudaError_t gpu_launch_overlapped(K *kernel, dim3 grid, dim3 block, size_t shared,
						cudaStream_t stream, A &&...args)
{
	return gpu_launch_special(
		gpu_launch_attribute(cudaLaunchAttributeProgrammaticStreamSerialization), kernel,
		grid, block, shared, stream, args...);
}

/* True if the code of this kernel is for sm_90 or newer.  Older code also runs on such a device. */
template <class K> static inline bool gpu_code_has_sm_90(K *kernel)
{
	cudaFuncAttributes code;

	return cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90;
}

/* True if this kernel's code has clusters, and the device can hold one of this many blocks. */
template <class K>
static inline bool gpu_cluster_fits(K *kernel, unsigned blocks, unsigned threads, size_t shared)
{
	cudaLaunchAttribute attribute =
		gpu_launch_attribute(cudaLaunchAttributeClusterDimension, blocks);
	const cudaLaunchConfig_t config = gpu_launch_config(blocks, threads, shared, 0, &attribute);
	int clusters = 0;

	return gpu_code_has_sm_90(kernel) &&
	       cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
	       clusters > 0;
}

#endif
