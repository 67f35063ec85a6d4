/* limits.h -- the sizes from which cuda/block and cuda/ocbt use their paths for large trees.  Tests
 * lower them to run these paths on small trees; a change affects variants created afterwards.
 */
#ifndef GPUBENCH_CUDA_CBT_SHARED_LIMITS_H
#define GPUBENCH_CUDA_CBT_SHARED_LIMITS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum and the default of each limit. */
enum { CBT_WIDE_LEVELS = 17, CBT_BLOCK_FAN = 7, CBT_OCBT_FAN = 10 };

extern struct cbt_cuda_limits {
	unsigned wide;      /* block: trees deeper than this (at least 15) are reduced by tiles */
	unsigned block_fan; /* block: 2^block_fan tiles (at least 2) are combined at a time */
	unsigned ocbt_fan;  /* ocbt: 2^ocbt_fan tiles (at least 2) are combined at a time */
} cbt_cuda_limits;

#ifdef __cplusplus
}
#endif
#endif
