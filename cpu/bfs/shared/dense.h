/* dense.h -- state of a search on bitmaps. */
#ifndef GPUBENCH_CPU_BFS_SHARED_DENSE_H
#define GPUBENCH_CPU_BFS_SHARED_DENSE_H

#include "cpu/bfs/shared/bits.h"
#include "cpu/bfs/shared/search.h"

struct bfs_dense {
	struct bfs_cpu cpu; /* first member: search.h casts a state to it */
	const struct bfs_bits_ops *ops;
	size_t words;       /* 64-bit words of a bitmap */
	uint64_t *visited;  /* bits n and above are set */
	uint64_t *frontier; /* vertices of the last level */
	uint64_t *found;    /* vertices of this level */
	/* With BFS_WANTS_LIST only: */
	uint32_t *list; /* the frontier, ascending; n entries, padded for vectors */
	uint32_t count; /* entries of `list` */
	uint32_t *left; /* vertices to pull, each slab's in its own part; padded too */
};

/* Allocate the arrays and choose the operations for this processor.  wants: BFS_WANTS_LIST,
 * BFS_WANTS_BATCH or 0. */
enum gb_status bfs_dense_init(struct bfs_dense *s, const void *params, const void *input,
			      unsigned wants, struct gb_error *err);

#endif
