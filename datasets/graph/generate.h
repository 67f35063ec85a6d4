/* generate.h -- graphs from (kind, parameters, seed); graph.h says what each kind is. */
#ifndef GPUBENCH_DATASETS_GRAPH_GENERATE_H
#define GPUBENCH_DATASETS_GRAPH_GENERATE_H

#include "common/bfs.h"
#include "common/status.h"

/* n, m, symmetric, out, in of the graph, and of gnp and blocks the matrices.  On failure the arrays
 * are left to the caller. */
enum gb_status graph_generate(struct bfs_input *in, const struct bfs_params *params,
			      struct gb_error *err);

#endif
