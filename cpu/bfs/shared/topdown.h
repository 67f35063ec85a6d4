/* topdown.h -- the forward step of csr and csr-do: from a frontier, held as a list, along its
 * out-edges to the next one.
 *
 * Large frontiers are shared among threads.  A vertex belongs to the thread whose compare-exchange
 * reaches it, and is appended through that thread's own buffer.  Marks written by other threads
 * move between cores one cache line at a time, so a thread asks for the mark of each vertex only
 * once, and prefetches it.  The rest of that traffic is the bound of small graphs.  Small frontiers
 * and single threads skip all this.
 */
#ifndef GPUBENCH_CPU_BFS_SHARED_TOPDOWN_H
#define GPUBENCH_CPU_BFS_SHARED_TOPDOWN_H

#include "cpu/bfs/shared/search.h"

struct bfs_topdown {
	uint32_t *list;  /* the frontier; room for n */
	uint32_t *next;  /* the next frontier; room for n */
	uint64_t count;  /* entries of `list` */
	uint64_t looked; /* edges examined by the last step */
	uint64_t end;    /* entries of `next` while threads append to it */
	uint32_t *local; /* one buffer per thread */
	uint64_t *seen;  /* per thread: one bit per vertex that it has seen */
	size_t words;    /* 64-bit words of a thread's bits */
	bool *begun;     /* per thread: true if its bits belong to this search */
};

/* Allocate the lists. */
enum gb_status bfs_topdown_init(struct bfs_topdown *td, const struct bfs_cpu *cpu,
				struct gb_error *err);
/* Make the source the only vertex of the frontier. */
void bfs_topdown_start(struct bfs_topdown *td, const struct bfs_cpu *cpu);
/* Replace the frontier by the vertices at distance `level`. */
void bfs_topdown_step(struct bfs_topdown *td, struct bfs_cpu *cpu, int32_t level);
/* Number of out-edges of the frontier. */
uint64_t bfs_topdown_edges(const struct bfs_topdown *td, const struct bfs_cpu *cpu);

#endif
