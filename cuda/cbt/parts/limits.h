/* limits.h -- for tests: what sends cuda/block and cuda/ocbt down the paths of large trees.
 *
 * The limits hold for variants created from now on; 0 stands for the variant's own.
 */
#ifndef GPUBENCH_CUDA_CBT_PARTS_LIMITS_H
#define GPUBENCH_CUDA_CBT_PARTS_LIMITS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Trees deeper than `wide` (15 .. 17) are reduced by tiles, 2^fan (1 .. 7) of which are put
 * together at a time. */
void cbt_cuda_block_limits(unsigned wide, unsigned fan);

/* 2^fan (1 .. 10) tiles are put together at a time. */
void cbt_cuda_ocbt_limit(unsigned fan);

#ifdef __cplusplus
}
#endif
#endif
