/* text.h -- lists of edges from .mtx, .el (also .txt) and .gr files. */
#ifndef GPUBENCH_DATASETS_GRAPH_TEXT_H
#define GPUBENCH_DATASETS_GRAPH_TEXT_H

#include "datasets/graph/build.h"
#include "datasets/reading/reader.h"

/* On failure edges->pair is left to the caller. */
enum gb_status graph_read_mtx(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_el(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_gr(struct gb_reader *r, struct graph_edges *edges);

#endif
