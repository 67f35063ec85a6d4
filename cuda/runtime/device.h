/* device.h -- the GPU that this process uses: its stream, memory and properties, and a check of
 * CUDA results.
 *
 * All of it is valid once the back end is open.  A variant queues all its work in
 * gpu_stream() and gets all its arrays from gpu_alloc().
 */
#ifndef GPUBENCH_CUDA_RUNTIME_DEVICE_H
#define GPUBENCH_CUDA_RUNTIME_DEVICE_H

#include <stddef.h>

#include "common/memory.h"
#include "common/status.h"
#include "cuda/runtime/gpu.h"
#include "cuda/runtime/launch.h"

/* The stream for all work.  It is ordered with the default stream, so the kernels of run() see what
 * a plain cudaMemcpy() in upload() wrote. */
cudaStream_t gpu_stream(void);

/* GB_OK, or the status of a failed CUDA call, with the call and CUDA's message in err.  CUDA_TRY is
 * an expression, so every exit stays visible at the call:
 *	if (CUDA_TRY(err, cudaMemcpyAsync(...)))
 *		goto out;
 * After a launch, CUDA_TRY(err, cudaGetLastError()) reports whether it and the launches before it
 * were accepted. */
#define CUDA_TRY(err, call) gpu_try((err), (call), #call, __FILE__, __func__)
gb_status gpu_try(gb_error *err, cudaError_t result, const char *call, const char *file,
		  const char *function);

/* Number of blocks of `each` threads or elements that cover `count`. */
static inline size_t gpu_blocks(size_t count, size_t each)
{
	return count / each + (count % each != 0);
}

/* Wait for all queued work. */
static inline gb_status gpu_wait(gb_error *err)
{
	return CUDA_TRY(err, cudaStreamSynchronize(gpu_stream()));
}

/* Allocate count * size bytes of device memory, aligned to 256 bytes, contents undefined.
 * *pointer is set even if count is 0.  If memory does not suffice, return GB_EMEMORY with the
 * bytes needed and free in err, and set *pointer to NULL.  If err already holds a failure, only
 * set *pointer to NULL and return that failure, so that a series of allocations needs one check
 * of err.  While memory is dry (gb_memory_is_dry()) the allocation is only counted, and *pointer
 * must not be used. */
gb_status gpu_alloc(void **pointer, size_t count, size_t size, gb_error *err);

/* The same for an array: gpu_alloc(&s->keys, count, err). */
template <class T> static inline gb_status gpu_alloc(T **pointer, size_t count, gb_error *err)
{
	void *memory = NULL;
	const gb_status status = gpu_alloc(&memory, count, sizeof(T), err);

	*pointer = (T *)memory;
	return status;
}

/* Copy `bytes` bytes to or from the device in gpu_stream(), and wait.  Do nothing if bytes is 0 or
 * err already holds a failure, so that a series of copies needs one check of err. */
gb_status gpu_upload(void *to, const void *from, size_t bytes, gb_error *err);
gb_status gpu_download(void *to, const void *from, size_t bytes, gb_error *err);

/* Queue the zeroing of the first `count` elements of an array. */
template <class T> static inline gb_status gpu_zero(T *array, size_t count, gb_error *err)
{
	return CUDA_TRY(err, cudaMemsetAsync(array, 0, count * sizeof(T), gpu_stream()));
}

/* Allocate an array and queue its zeroing. */
template <class T>
static inline gb_status gpu_alloc_zeroed(T **pointer, size_t count, gb_error *err)
{
	if (gpu_alloc(pointer, count, err) || gb_memory_is_dry())
		return err->code;
	return gpu_zero(*pointer, count, err);
}

/* True if launches may overlap: the code that runs is for sm_90 or newer. */
bool gpu_can_overlap(void);

/* Number of multiprocessors of the device, by which grids are sized.  Never 0: without an open
 * device (a dry run) it is that of a large GPU, so that estimates err on the safe side. */
int gpu_sm_count(void);

/* Bytes of shared memory of a multiprocessor; without an open device, of one that has enough. */
size_t gpu_sm_shared(void);

/* Number of blocks of `threads` threads and `shared` bytes of dynamic shared memory that the device
 * holds of this kernel at once, but at most `most`: the grid of a cooperative launch or of a
 * grid-stride loop.  In a dry run, one block per multiprocessor. */
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

/* An attribute of the device; 0 if unknown. */
int gpu_attribute(cudaDeviceAttr attribute);

#endif
