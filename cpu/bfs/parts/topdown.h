/* topdown.h -- the step of a search over CSR that both csr and csr-do take: along the
 * out-edges of the frontier, a list, to the next one.
 *
 * Large frontiers are shared among threads: a vertex belongs to the thread whose compare-exchange
 * reaches it, and is appended by way of the thread's own buffer.  Marks that others set move from
 * core to core, a cache line at a time.  So a thread asks for the mark of a vertex once, and a while
 * before it needs it; before, two threads were slower than one.  What remains of that is the bound
 * of small graphs.  Small frontiers, and those of a single thread, go without all that.
 */
#ifndef GPUBENCH_CPU_BFS_PARTS_TOPDOWN_H
#define GPUBENCH_CPU_BFS_PARTS_TOPDOWN_H

#include "cpu/bfs/parts/search.h"

struct bfs_topdown {
	uint32_t *list;  /* the frontier: n */
	uint32_t *next;  /* the one to come: n */
	uint64_t count;  /* of the frontier */
	uint64_t looked; /* edges that the last step looked at */
	uint64_t end;    /* of `next` while threads append to it */
	uint32_t *local; /* a buffer for each thread */
	uint64_t *seen;  /* for each thread a bit per vertex, of those it knows to be reached */
	size_t words;    /* of a thread's bits */
	bool *begun;     /* for each thread, whether its bits are of this search */
};

/* Allocate the lists. */
enum gb_status bfs_topdown_init(struct bfs_topdown *td, const struct bfs_cpu *cpu,
				struct gb_error *err);
/* The frontier is the source alone. */
void bfs_topdown_start(struct bfs_topdown *td, const struct bfs_cpu *cpu);
/* From the frontier to the vertices at distance `level`, which become the frontier. */
void bfs_topdown_step(struct bfs_topdown *td, struct bfs_cpu *cpu, int32_t level);
/* Out-edges of the frontier. */
uint64_t bfs_topdown_edges(const struct bfs_topdown *td, const struct bfs_cpu *cpu);

#endif
