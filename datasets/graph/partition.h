/* partition.h -- keys grouped by their highest bits, so that the work on one group stays in a cache. */
#ifndef GPUBENCH_DATASETS_GRAPH_PARTITION_H
#define GPUBENCH_DATASETS_GRAPH_PARTITION_H

#include <stddef.h>
#include <stdint.h>

enum {
	GRAPH_GROUP_BITS = 9,
	GRAPH_GROUPS = 1 << GRAPH_GROUP_BITS,
	GRAPH_PARTS = 64,
	GRAPH_AHEAD = 8
};

/* The items are cut into parts, whatever the number of threads. */
struct graph_partition {
	unsigned shift;                          /* the group of a key is key >> shift */
	uint64_t end[GRAPH_PARTS][GRAPH_GROUPS]; /* where the keys of a part end in a group */
};

/* Store the keys of the items first .. end - 1, at most two each.  Returns their number. */
typedef size_t graph_list_keys(const void *source, uint64_t first, uint64_t end, uint64_t *key);

struct graph_keys {
	const void *source;
	uint64_t items;
	graph_list_keys *groups; /* only the highest bits, the group, need be right */
	graph_list_keys *list;
};

/* Store the keys of all items group by group, in the order of the items within each.  Returns their
 * number.  key >> shift must be less than GRAPH_GROUPS. */
uint64_t graph_partition(struct graph_partition *p, unsigned shift, const struct graph_keys *keys,
			 uint64_t *key);

/* The first item of a part. */
static inline uint64_t graph_part(uint64_t items, unsigned part)
{
	return items / GRAPH_PARTS * part + items % GRAPH_PARTS * part / GRAPH_PARTS;
}

/* Where a group begins, and where it ends. */
static inline uint64_t graph_group_begin(const struct graph_partition *p, unsigned group)
{
	return group ? p->end[GRAPH_PARTS - 1][group - 1] : 0;
}

static inline uint64_t graph_group_end(const struct graph_partition *p, unsigned group)
{
	return p->end[GRAPH_PARTS - 1][group];
}

#endif
