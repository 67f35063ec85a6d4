/* limits.h -- the limits at which sorts take other paths.  Tests lower them to run these paths on
 * few keys.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_LIMITS_H
#define GPUBENCH_CUDA_PRIMITIVES_LIMITS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

extern struct gpu_sort_limits {
	size_t words;      /* keys from which the look-back words of gpu_sort() have 64 bits */
	size_t offsets;    /* keys from which the offsets of CUB have 64 bits */
	size_t processors; /* multiprocessors that gpu_sort() counts on, at least 1 */
	size_t tiles;      /* bodies from which octree's morton links a tile at a time */
} gpu_sort_limits;

#ifdef __cplusplus
}
#endif
#endif
