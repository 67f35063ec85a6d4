/* path.h -- how ccam is launched, which tests choose. */
#ifndef GPUBENCH_CUDA_BFS_PARTS_PATH_H
#define GPUBENCH_CUDA_BFS_PARTS_PATH_H

/* Of searches created from now on.  GRID: a cooperative launch of the whole device; CLUSTER: one
 * cluster of blocks; AUTO, unless a test changes it: a cluster where the device has them. */
extern enum bfs_ccam_path { BFS_CCAM_AUTO, BFS_CCAM_GRID, BFS_CCAM_CLUSTER } bfs_ccam_path;

#endif
