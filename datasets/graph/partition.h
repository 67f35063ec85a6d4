/* partition.h -- keys grouped by their highest bits, so that the work on one group stays in a cache. */
#ifndef GPUBENCH_DATASETS_GRAPH_PARTITION_H
#define GPUBENCH_DATASETS_GRAPH_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

enum { GRAPH_GROUP_BITS = 9, GRAPH_GROUPS = 1 << GRAPH_GROUP_BITS, GRAPH_PARTS = 64 };
/* A prefetch is this many keys ahead: as many as a cache line has. */
enum { GRAPH_AHEAD = 8 };

/* The keys are cut into parts, whatever the number of threads. */
struct graph_partition {
	unsigned shift; /* the group of a key, less than GRAPH_GROUPS, is key >> shift */
	bool both;      /* a key whose halves differ is taken with these swapped, too */
	uint64_t least; /* smaller keys are left out */
	uint64_t end[GRAPH_PARTS][GRAPH_GROUPS]; /* where the keys of a part end in a group */
};

/* Store the keys group by group, in their order within each.  Returns their number. */
uint64_t graph_partition(struct graph_partition *p, const uint64_t *key, uint64_t count,
			 uint64_t *to);

/* The first key of a part, at an even place. */
static inline uint64_t graph_part(uint64_t count, unsigned part)
{
	return part < GRAPH_PARTS ? count / (2 * GRAPH_PARTS) * 2 * part : count;
}

/* Where a group begins, and the one before it ends. */
static inline uint64_t graph_group(const struct graph_partition *p, unsigned group)
{
	return group ? p->end[GRAPH_PARTS - 1][group - 1] : 0;
}

#endif
