/* vary.h -- variations of a graph: the same graph with some vertices renamed. */
#ifndef GPUBENCH_CLI_WORKLOADS_BFS_VARY_H
#define GPUBENCH_CLI_WORKLOADS_BFS_VARY_H

#include "common/bfs.h"
#include "common/status.h"

enum { BFS_PAIRS = 256 }; /* most pairs of vertices that a variation exchanges */

/* The vertex `from` of the original graph is called `to`. */
struct bfs_name {
	uint32_t from, to;
};

/* The variation that an input is now. */
struct bfs_variation {
	uint64_t key;                        /* 0: the original */
	struct bfs_name name[2 * BFS_PAIRS]; /* both vertices of each pair; `from` ascends */
	uint32_t names;                      /* entries of `name` */
	uint32_t pooled;                     /* entries of `pool` */
	/* Vertices that can be exchanged: a hash of the degrees in the upper half, the number of
	 * the vertex in the lower half.  They ascend. */
	uint64_t pool[];
};

/* Allocate in->variation and find the vertices that can be exchanged.  gb_host_free() frees it. */
enum gb_status bfs_variation_create(struct bfs_input *in, struct gb_error *err);

/* Make the input variation `key`; see vary() in common/workload.h. */
bool bfs_vary(struct bfs_input *in, uint64_t key);

/* The present name of vertex v of the original graph, and the reverse: an exchange is its own
 * inverse. */
uint32_t bfs_renamed(const struct bfs_input *in, uint32_t v);
/* Exchange the bits of each pair in a row of a bit matrix: the inverse is the same. */
void bfs_rename_bits(const struct bfs_input *in, uint32_t *row);

/* The first edge of u whose column is not below v; the end of the row if there is none. */
uint64_t bfs_first_edge(const struct bfs_csr *csr, uint32_t u, uint32_t v);
/* True if the graph has an edge u -> v. */
bool bfs_has_edge(const struct bfs_input *in, uint32_t u, uint32_t v);

#endif
