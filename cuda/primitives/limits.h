/* limits.h -- the counts of keys from which sorts use 64-bit counters.  Tests lower them to run
 * these paths on few keys.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_LIMITS_H
#define GPUBENCH_CUDA_PRIMITIVES_LIMITS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

extern struct gpu_sort_limits {
	size_t words;   /* look-back words of gpu_sort() */
	size_t offsets; /* offsets of CUB */
} gpu_sort_limits;

#ifdef __cplusplus
}
#endif
#endif
