/* dense.h -- the state of a search on bitmaps. */
#ifndef GPUBENCH_CPU_BFS_PARTS_DENSE_H
#define GPUBENCH_CPU_BFS_PARTS_DENSE_H

#include "cpu/bfs/parts/bits.h"
#include "cpu/bfs/parts/search.h"

struct bfs_dense {
	struct bfs_cpu cpu; /* first: search.h takes a state as one of these */
	const struct bfs_bits_ops *ops;
	size_t words;       /* of a bitmap */
	uint64_t *visited;  /* bits from n on are set */
	uint64_t *frontier; /* of the last level */
	uint64_t *found;    /* of this one */
	/* With BFS_WANTS_LIST only: */
	uint32_t *list; /* the frontier, ascending: n, and room for a vector */
	uint32_t count; /* of the list */
	uint32_t *left; /* vertices to be pulled, of each slab in its own part: as many */
};

/* Allocate the arrays, and choose the operations for this processor.  wants: BFS_WANTS_LIST,
 * BFS_WANTS_BATCH or nothing. */
enum gb_status bfs_dense_init(struct bfs_dense *s, const void *params, const void *input,
			      unsigned wants, struct gb_error *err);

#endif
