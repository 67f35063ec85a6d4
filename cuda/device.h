/* device.h -- the one GPU that this process uses: its stream, its memory, its properties.
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

/* count * size bytes of device memory into *pointer, aligned to 256 bytes, contents undefined.
 * count == 0 gives a pointer that may be freed.  GB_EMEMORY, with what was needed and what
 * is free in err, if memory does not suffice; *pointer is then NULL, and at once if
 * err holds a failure already, so that a series of allocations needs one look at err.  When memory is dry
 * (gb_memory_is_dry()) the allocation is only counted, and *pointer must not be used. */
enum gb_status gpu_alloc(void **pointer, size_t count, size_t size, struct gb_error *err);

/* The same for a typed pointer: gpu_alloc(&s->keys, count, sizeof *s->keys, err). */
template <class T>
static inline enum gb_status gpu_alloc(T **pointer, size_t count, size_t size, struct gb_error *err)
{
	void *memory = NULL;
	const enum gb_status status = gpu_alloc(&memory, count, size, err);

	*pointer = (T *)memory;
	return status;
}

/* Accepts NULL. */
void gpu_free(void *pointer);

/* Copy `bytes` bytes to or from the device in gpu_stream(), and wait for them.  Nothing is done for 0
 * bytes, nor if err holds a failure already, so that a series of copies needs one look at err. */
enum gb_status gpu_upload(void *to, const void *from, size_t bytes, struct gb_error *err);
enum gb_status gpu_download(void *to, const void *from, size_t bytes, struct gb_error *err);

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
