/* ccam.h -- the hook by which tests choose how ccam is launched. */
#ifndef GPUBENCH_CUDA_BFS_CCAM_H
#define GPUBENCH_CUDA_BFS_CCAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* GRID: a cooperative launch of the whole device; CLUSTER: one cluster of blocks; AUTO: a cluster
 * where the device has them. */
enum bfs_ccam_path { BFS_CCAM_AUTO, BFS_CCAM_GRID, BFS_CCAM_CLUSTER };

/* Of searches created from now on. */
void bfs_ccam_choose(enum bfs_ccam_path path);

#ifdef __cplusplus
}
#endif
#endif
