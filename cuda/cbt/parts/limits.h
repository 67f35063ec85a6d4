/* limits.h -- from which size on cuda/block and cuda/ocbt take the paths of large trees: tests lower
 * that, for variants created from then on, to take these paths with small trees.
 */
#ifndef GPUBENCH_CUDA_CBT_PARTS_LIMITS_H
#define GPUBENCH_CUDA_CBT_PARTS_LIMITS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The most that each may be, and what it is unless a test changes it. */
enum { CBT_WIDE_LEVELS = 17, CBT_BLOCK_FAN = 7, CBT_OCBT_FAN = 10 };

extern struct cbt_cuda_limits {
	unsigned wide;      /* block: trees deeper than this, 15 at least, are reduced by tiles, */
	unsigned block_fan; /* 2^block_fan of which, 2 at least, are put together at a time */
	unsigned ocbt_fan;  /* ocbt: 2^ocbt_fan tiles, 2 at least, are put together at a time */
} cbt_cuda_limits;

#ifdef __cplusplus
}
#endif
#endif
