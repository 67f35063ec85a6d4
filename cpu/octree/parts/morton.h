/* morton.h -- the parts of cpu/morton and what they pass to each other.
 *
 *	morton_plan.c   from a sample of the bodies: cells that fit the cache
 *	morton_move.c   all bodies to their cells
 *	morton_link.c   a cell: its bodies sorted, its nodes linked
 */
#ifndef GPUBENCH_CPU_OCTREE_PARTS_MORTON_H
#define GPUBENCH_CPU_OCTREE_PARTS_MORTON_H

#include "cpu/octree/parts/builder.h"
#include "cpu/sort/leaf.h"

/* A body on its way to its cell. */
struct octree_record {
	uint64_t key;
	uint32_t body;
	uint32_t unused;
};

enum {
	OCTREE_CELL_BITS = 14,
	OCTREE_CELL_MAX = 1 << OCTREE_CELL_BITS, /* bodies of a cell that are sorted at once */
	OCTREE_SAMPLE_STEP = 256,                /* at most so many bodies to a sample */
	OCTREE_CELL_SAMPLES = 40, /* of a cell that is not divided, at least; more than a bucket */
	OCTREE_CELLS = 1 << 14,   /* cells of a plan, at most */
	OCTREE_TABLE_LEVELS = 3,  /* levels that one table leads down */
	OCTREE_TABLE_SIZE = 1 << 9, /* entries of a table */
	OCTREE_TABLES = 1 << 10,    /* tables of a plan, at most */
	OCTREE_TILE = 512,          /* bodies whose keys are computed at a time */
	OCTREE_LINE = 64 / sizeof(struct octree_record), /* records of a cache line */
};

/* A cell that one thread works on: its bodies are records begin .. begin + count - 1, and share
 * `level` digits.  All belong below a node, of the level above or, for level 0, the root itself. */
struct octree_part {
	size_t begin, count;
	int32_t node;
	int node_level;
	int level;
};

/* A thread's own memory. */
struct octree_worker {
	uint32_t *count;            /* OCTREE_CELLS: bodies of the thread's share, by cell */
	size_t *position;           /* OCTREE_CELLS: where its next body of the cell goes */
	size_t *start;              /* OCTREE_CELLS: where its first one went */
	struct octree_record *line; /* OCTREE_CELLS lines, each filled before it is written */
	uint64_t *word[2];          /* OCTREE_CELL_MAX each, or all samples */
	struct octree_rows rows;
};

struct octree_morton {
	struct octree_cpu cpu;        /* first; cpu.next: cells while bodies move, then order */
	struct octree_record *record; /* count */
	struct octree_worker *worker; /* cpu.threads */
	struct octree_part *part;     /* OCTREE_CELLS; part_count */
	size_t part_count;
	/* Entry of a table: a part's number, or -1 - the next table's. */
	int32_t (*table)[OCTREE_TABLE_SIZE];
	size_t table_count;
	size_t samples;
	size_t sample_step;  /* bodies to a sample */
	size_t cell_samples; /* a cell with more is divided */
	bool inserted;       /* the last tree was made by insertion: the lists are cpu.next's */
};

/* Sort words, all bits; in word[0], result in word[1]. */
void octree_sort_words(const struct octree_morton *m, const struct octree_worker *worker, size_t n);

/* Choose the parts, and make the nodes above them.  Says nothing of their counts yet.  False if
 * the pool is exhausted. */
bool octree_plan(struct octree_morton *m);

/* The part of each body into cpu.next, by thread `thread` of `threads`, which counts its own. */
void octree_count(struct octree_morton *m, int thread, int threads);
/* From all counts, begin and count of each part and the positions of each thread. */
void octree_place(struct octree_morton *m, int threads);
/* The thread's share of the bodies to m->record. */
void octree_move(struct octree_morton *m, int thread, int threads);

/* Sort the bodies of a part into cpu.next, and make its nodes.  False if the pool is exhausted. */
bool octree_link(struct octree_morton *m, struct octree_worker *worker, struct octree_part part);

#endif
