#include "cuda/bfs/parts/path.h"

enum bfs_ccam_path bfs_ccam_path;
