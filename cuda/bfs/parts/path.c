/* path.c -- the launch of ccam that a test chose; otherwise the device decides. */
#include "cuda/bfs/parts/path.h"

enum bfs_ccam_path bfs_ccam_path;
