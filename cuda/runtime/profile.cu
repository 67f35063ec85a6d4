/* profile.cu -- NVTX ranges, and the profiler's start and stop around the outermost one.
 *
 * NVTX is a set of headers: without a tool, a range is a call that does nothing.
 */
#include "cuda/runtime/parts.h"

#if __has_include(<nvtx3/nvToolsExt.h>) && __has_include(<cuda_profiler_api.h>)
#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

void gpu_range(const char *name)
{
	static int depth;

	if (name && depth++ == 0)
		(void)cudaProfilerStart();
	if (name)
		(void)nvtxRangePushA(name);
	else
		(void)nvtxRangePop();
	if (!name && --depth == 0)
		(void)cudaProfilerStop();
}
#else
void gpu_range(const char *)
{
}
#endif
