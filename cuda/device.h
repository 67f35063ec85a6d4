/* device.h -- the one GPU that this process uses: its stream, its memory, its properties; and one way to
 * look at a CUDA result.
 *
 * All of it holds between open() and close() of the back end.  Everything a variant queues goes
 * into gpu_stream(), and every array it owns comes from gpu_alloc().
 */
#ifndef GPUBENCH_CUDA_DEVICE_H
#define GPUBENCH_CUDA_DEVICE_H

#include <stddef.h>

#include "common/memory.h"
#include "common/status.h"
#include "cuda/gpu.h"

/* The stream of all work.  It is ordered with the default stream, so that a plain cudaMemcpy() in
 * upload() is seen by the kernels of run(). */
cudaStream_t gpu_stream(void);

/* GB_OK, or the failure of a CUDA call, with the call and CUDA's own words in err.  CUDA_TRY is an
 * expression, so every exit stays visible at the call:
 *	if (CUDA_TRY(err, cudaMemcpyAsync(...)))
 *		goto out;
 * After a launch, CUDA_TRY(err, cudaGetLastError()) tells whether it was accepted, and those before it. */
#define CUDA_TRY(err, call) gpu_try((err), (call), #call, __FILE__, __LINE__)
enum gb_status gpu_try(struct gb_error *err, cudaError_t result, const char *call, const char *file,
		       int line);

/* Queue a kernel in gpu_stream(), without dynamic shared memory; whether it was accepted. */
#define GPU_RUN(err, kernel, grid, block, ...)                                        \
	(GPU_LAUNCH(kernel, grid, block, 0, gpu_stream() __VA_OPT__(, ) __VA_ARGS__), \
	 gpu_try((err), cudaGetLastError(), "launch of " #kernel, __FILE__, __LINE__))

/* The same, cooperatively. */
#define GPU_RUN_COOPERATIVE(err, kernel, grid, block, ...)                                        \
	(GPU_LAUNCH_COOPERATIVE(kernel, grid, block, 0, gpu_stream() __VA_OPT__(, ) __VA_ARGS__), \
	 gpu_try((err), cudaGetLastError(), "launch of " #kernel, __FILE__, __LINE__))

/* Blocks of `each` threads or elements for `count` of them. */
static inline size_t gpu_blocks(size_t count, size_t each)
{
	return count / each + (count % each != 0);
}

/* Wait for all that is queued. */
static inline enum gb_status gpu_wait(struct gb_error *err)
{
	return CUDA_TRY(err, cudaStreamSynchronize(gpu_stream()));
}

/* count * size bytes of device memory into *pointer, aligned to 256 bytes, contents undefined.
 * count == 0 gives a pointer, too.  GB_EMEMORY, with what was needed and what
 * is free in err, if memory does not suffice; *pointer is then NULL, and at once if
 * err holds a failure already, so that a series of allocations needs one look at err.  When memory is dry
 * (gb_memory_is_dry()) the allocation is only counted, and *pointer must not be used. */
enum gb_status gpu_alloc(void **pointer, size_t count, size_t size, struct gb_error *err);

/* The same for an array: gpu_alloc(&s->keys, count, err). */
template <class T>
static inline enum gb_status gpu_alloc(T **pointer, size_t count, struct gb_error *err)
{
	void *memory = NULL;
	const enum gb_status status = gpu_alloc(&memory, count, sizeof(T), err);

	*pointer = (T *)memory;
	return status;
}

/* Copy `bytes` bytes to or from the device in gpu_stream(), and wait for them.  Nothing is done for 0
 * bytes, nor if err holds a failure already, so that a series of copies needs one look at err. */
enum gb_status gpu_upload(void *to, const void *from, size_t bytes, struct gb_error *err);
enum gb_status gpu_download(void *to, const void *from, size_t bytes, struct gb_error *err);

/* Queue that the first `count` elements of an array become 0. */
template <class T>
static inline enum gb_status gpu_zero(T *array, size_t count, struct gb_error *err)
{
	return CUDA_TRY(err, cudaMemsetAsync(array, 0, count * sizeof(T), gpu_stream()));
}

/* The same of both: an array that begins as 0. */
template <class T>
static inline enum gb_status gpu_alloc_zeroed(T **pointer, size_t count, struct gb_error *err)
{
	if (gpu_alloc(pointer, count, err) || gb_memory_is_dry())
		return err->code;
	return gpu_zero(*pointer, count, err);
}

/* Multiprocessors of the device: the usual factor of a grid's size.  Never 0: while no device is
 * open (a dry run) it is that of a large GPU, so that estimates are on the safe side. */
int gpu_sm_count(void);

/* Blocks of `threads` threads that the device holds of this kernel at once, with `shared` bytes of
 * dynamic shared memory, but no more than `most`: the grid of a cooperative launch, or of a kernel
 * that strides over its work.  In a dry run one for each multiprocessor. */
template <class K>
static inline unsigned gpu_resident_blocks(K *kernel, unsigned threads, size_t shared, size_t most)
{
	size_t blocks;
	int each = 0;

	if (gb_memory_is_dry() ||
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, (int)threads, shared) !=
		    cudaSuccess ||
	    each < 1)
		each = 1;
	blocks = (size_t)each * (size_t)gpu_sm_count();
	return (unsigned)(blocks < most ? blocks : most);
}

/* An attribute of the device; 0 if it cannot be told. */
int gpu_attribute(enum cudaDeviceAttr attribute);

/* Whether GPU_LAUNCH_OVERLAPPED will do: the device and this kernel's code know how to wait. */
template <class K> static inline bool gpu_can_overlap(K *kernel)
{
	cudaFuncAttributes code;

	return gpu_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 &&
	       cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90;
}

#endif
