/* read.h -- graphs from files of any kind. */
#ifndef GPUBENCH_DATASETS_GRAPH_READ_H
#define GPUBENCH_DATASETS_GRAPH_READ_H

#include "common/bfs.h"
#include "common/status.h"

/* n, m, symmetric, out, in of the graph.  On failure the arrays are left to the caller. */
enum gb_status graph_read(struct bfs_input *in, const char *path, struct gb_error *err);

#endif
