/* path.h -- selects how searches created from now on run, for tests. */
#ifndef GPUBENCH_CUDA_BFS_SHARED_PATH_H
#define GPUBENCH_CUDA_BFS_SHARED_PATH_H

#include <stdint.h>

/* Launch of ccam.  GRID: a cooperative launch on the whole device.  CLUSTER: one cluster of blocks.
 * AUTO (default): a cluster if the device supports it, otherwise a grid. */
extern enum bfs_ccam_path { BFS_CCAM_AUTO, BFS_CCAM_GRID, BFS_CCAM_CLUSTER } bfs_ccam_path;

/* csr and csr-do: the whole grid searches levels of at least as many edges, and one block the
 * others; at most 1025, the default (0). */
extern uint32_t bfs_wide_edges;

#endif
