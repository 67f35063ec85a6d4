/* morton.h -- the parts of cpu/morton and the data that they share.
 *
 *	morton_plan.c   find cells that fit the cache, from a sample of the bodies
 *	morton_move.c   move all bodies to their cells
 *	morton_link.c   sort the bodies of a cell and link its nodes
 */
#ifndef GPUBENCH_CPU_OCTREE_SHARED_MORTON_H
#define GPUBENCH_CPU_OCTREE_SHARED_MORTON_H

#include "cpu/octree/shared/builder.h"
#include "cpu/primitives/sort.h"

/* A body on its way to its cell. */
struct octree_record {
	uint64_t key;
	uint32_t body;
	uint32_t unused;
};

enum {
	OCTREE_CELL_BITS = 14,
	OCTREE_CELL_MAX = 1 << OCTREE_CELL_BITS, /* bodies that are sorted at once, at most */
	OCTREE_SAMPLE_STEP = 256,                /* bodies per sample, at most */
	OCTREE_CELL_SAMPLES = 40,   /* least value of cell_samples; more than a bucket */
	OCTREE_CELLS = 1 << 14,     /* cells of a plan, at most */
	OCTREE_TABLE_LEVELS = 3,    /* levels that one table leads down */
	OCTREE_TABLE_SIZE = 1 << 9, /* entries of a table */
	OCTREE_TABLES = 1 << 10,    /* tables of a plan, at most */
	OCTREE_TILE = 512,          /* bodies whose keys are computed at a time */
	OCTREE_LINE = 64 / sizeof(struct octree_record), /* records of a cache line */
};

/* A cell that one thread works on: records begin .. begin + count - 1, which share `level` digits.
 * `node` is its parent, one level above or, for level 0, the root itself. */
struct octree_part {
	size_t begin, count;
	int32_t node;
	int node_level;
	int level;
};

/* A thread's own memory. */
struct octree_worker {
	uint32_t *count;            /* OCTREE_CELLS: bodies of the thread's share, by cell; later
				     * those of a part, by finest cell */
	size_t *position;           /* OCTREE_CELLS: where the next body of a cell goes */
	size_t *start;              /* OCTREE_CELLS: where the first one went */
	struct octree_record *line; /* OCTREE_CELLS lines, each filled before it is written */
	uint64_t *word[2];          /* OCTREE_CELL_MAX each, or one per sample if more */
	struct octree_rows rows;
};

struct octree_morton {
	struct octree_cpu cpu;        /* must be first; cpu.next: cells, later the order */
	struct octree_record *record; /* count */
	struct octree_worker *worker; /* cpu.threads */
	struct octree_part *part;     /* OCTREE_CELLS; part_count */
	size_t part_count;
	/* An entry is a part's number, or -1 - the next table's. */
	int32_t (*table)[OCTREE_TABLE_SIZE];
	size_t table_count;
	size_t samples;
	size_t sample_step;  /* bodies per sample */
	size_t cell_samples; /* a cell with more is divided */
	bool inserted;       /* the last tree was made by insertion: cpu.next holds the lists */
};

/* Sort words begin .. end - 1 of word[from] by all bits into the same places of word[1]. */
void octree_sort_words(const struct octree_morton *m, const struct octree_worker *worker, int from,
		       size_t begin, size_t end);

/* Choose the parts and make the nodes above them.  Their counts are set later.  False if the pool
 * is exhausted. */
bool octree_plan(struct octree_morton *m);

/* Store the part of each body in the thread's share into cpu.next, and count the share's bodies. */
void octree_count(struct octree_morton *m, int thread, int threads);
/* From all counts, set begin and count of each part and the positions of each thread. */
void octree_place(struct octree_morton *m, int threads);
/* Move the thread's share of the bodies to m->record. */
void octree_move(struct octree_morton *m, int thread, int threads);

/* Sort the bodies of a part into cpu.next and make its nodes.  False if the pool is exhausted. */
bool octree_link(struct octree_morton *m, struct octree_worker *worker, struct octree_part part);

#endif
