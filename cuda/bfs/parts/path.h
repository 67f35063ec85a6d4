/* path.h -- selects how ccam is launched, for tests. */
#ifndef GPUBENCH_CUDA_BFS_PARTS_PATH_H
#define GPUBENCH_CUDA_BFS_PARTS_PATH_H

/* Launch of searches created from now on.  GRID: a cooperative launch on the whole device.
 * CLUSTER: one cluster of blocks.  AUTO (default): a cluster if the device supports it, otherwise a
 * grid. */
extern enum bfs_ccam_path { BFS_CCAM_AUTO, BFS_CCAM_GRID, BFS_CCAM_CLUSTER } bfs_ccam_path;

#endif
