/* sg.h -- graphs from .sg files. */
#ifndef GPUBENCH_DATASETS_GRAPH_SG_H
#define GPUBENCH_DATASETS_GRAPH_SG_H

#include "common/bfs.h"
#include "datasets/reading/reader.h"

/* n, m, symmetric, out, in of the graph.  On failure the arrays are left to the caller. */
enum gb_status graph_read_sg(struct gb_reader *r, struct bfs_input *in);

#endif
