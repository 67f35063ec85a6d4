/* graph.h -- the input of bfs: graphs, generated or read from files, and sources.
 *
 * A generated graph depends only on (kind, its parameters, seed), not on the number of threads:
 *
 *	gnp         directed; each of the n (n - 1) ordered pairs is an edge with probability p
 *	            (rounded to a multiple of 2^-32); no self-loops.  The 128 pairs (u, 128 b ...)
 *	            are decided together, from the highest binary digit of p down: the digits of
 *	            128 uniform numbers are Philox blocks (seed, stream 1 + digit, u 2^32 + b)
 *	kronecker   Graph500's R-MAT: edgefactor 2^scale undirected edges; each bit of the two ends
 *	            is drawn with (A, B, C, D) = (.57, .19, .19, .05); a random permutation then
 *	            renames the vertices
 *	uniform     edgefactor n undirected edges with uniform ends
 *	grid        4 neighbours in a grid of ceil(sqrt n) columns; the last row may be shorter
 *
 * kronecker, uniform and grid are undirected: each edge is stored in both directions.
 * Self-loops and parallel edges of kronecker and uniform are removed.
 *
 * Graphs from files keep their self-loops and parallel edges; the edges of each vertex are sorted.
 * reading/formats.def lists the formats.  Text files are recognised by their contents; values are
 * ignored, and an entry with value 0 is an edge.  The vertices of an edge list are renumbered in the
 * order of their ids if these leave gaps; other formats state the number of vertices.
 *
 * A malformed file is GB_EUSAGE, reported as FILE:LINE (.sg: FILE: byte N).
 */
#ifndef GPUBENCH_DATASETS_GRAPH_GRAPH_H
#define GPUBENCH_DATASETS_GRAPH_GRAPH_H

#include "common/bfs_types.h"
#include "common/status.h"

/* Make the graph that params describe, with in-edges, sources and, if it is small enough, matrices, in
 * *in, which starts as { 0 }.  A dry run only allocates a generated graph.  The arrays belong to the
 * input that gb_input_begin() began, also after a failure. */
enum gb_status bfs_input_make(struct bfs_input *in, const struct bfs_params *params,
			      struct gb_error *err);

#endif
