/* check.h -- one way to look at a CUDA result.
 *
 * CUDA_OK is an expression, so every exit stays visible at the call:
 *	if (!CUDA_OK(err, cudaMemcpyAsync(...)))
 *		goto out;
 * After a launch, CUDA_OK(err, cudaGetLastError()) tells whether it was accepted.
 */
#ifndef GPUBENCH_CUDA_CHECK_H
#define GPUBENCH_CUDA_CHECK_H

#include "common/status.h"
#include "cuda/gpu.h"

/* No driver, no device and no room are reasons to skip, not failures. */
static inline enum gb_status gb_cuda_status(cudaError_t result)
{
	switch (result) {
	case cudaSuccess:
		return GB_OK;
	case cudaErrorNoDevice:
	case cudaErrorInsufficientDriver:
		return GB_EUNAVAILABLE;
	case cudaErrorMemoryAllocation:
		return GB_EMEMORY;
	default:
		return GB_ERUNTIME;
	}
}

/* True on success; else false, with the call and CUDA's own words in err.  The runtime's last
 * error is cleared, so that a failed allocation is not blamed on the next launch. */
static inline bool gb_cuda_ok(struct gb_error *err, cudaError_t result, const char *call,
			      const char *file, int line)
{
	if (result == cudaSuccess)
		return true;
	(void)cudaGetLastError();
	(void)gb_fail(err, gb_cuda_status(result), "%s:%d: %s: %s", file, line, call,
		      cudaGetErrorString(result));
	return false;
}

#define CUDA_OK(err, call) gb_cuda_ok((err), (call), #call, __FILE__, __LINE__)

#endif
