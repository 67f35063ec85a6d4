/* reference.h -- what a search from a source must find. */
#ifndef GPUBENCH_CLI_WORKLOADS_BFS_REFERENCE_H
#define GPUBENCH_CLI_WORKLOADS_BFS_REFERENCE_H

#include "common/bfs.h"

struct bfs_facts {
	bool known;
	uint32_t reached; /* vertices, the source included */
	uint32_t levels;  /* distance of the furthest one */
	uint64_t edges;   /* out-degrees of the reached vertices, summed */
	uint64_t loops;   /* self-loops among those edges */
	uint64_t digest;  /* of all n distances */
};

/* The facts about the source of search number `search` (bfs_source()); they are computed, and the
 * reference's own distances checked, when first asked for.  NULL, with err set, if memory does not
 * suffice or the reference is wrong. */
const struct bfs_facts *bfs_facts(const struct bfs_input *in, int64_t search, struct gb_error *err);

/* Distances by a serial search with a queue, into n integers.  False if out of memory. */
bool bfs_reference(const struct bfs_input *in, uint32_t source, int32_t *dist);

/* Equal for equal distances; for different ones with probability 2^-64. */
uint64_t bfs_digest(const int32_t *dist, uint32_t n);

#endif
