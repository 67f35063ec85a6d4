/* bfs_reference.h -- the expected result of a search, and the verification of a result. */
#ifndef GPUBENCH_CLI_BENCHMARKS_BFS_BFS_REFERENCE_H
#define GPUBENCH_CLI_BENCHMARKS_BFS_BFS_REFERENCE_H

#include "common/benchmark.h"
#include "common/bfs_types.h"

struct bfs_facts {
	bool known;
	uint32_t reached; /* vertices, the source included */
	uint32_t levels;  /* distance of the furthest vertex */
	uint64_t edges;   /* sum of the out-degrees of the reached vertices */
	uint64_t loops;   /* self-loops among those edges */
	uint64_t digest;  /* bfs_digest() of all n distances */
};

/* The facts about the source of search number `search` (bfs_source()).  The first call for a source
 * computes them and checks the reference distances.  NULL, with err set, if memory runs out or the
 * reference is wrong. */
const struct bfs_facts *bfs_facts(const struct bfs_input *in, int64_t search, struct gb_error *err);

/* Distances by a serial search with a queue, into n integers.  False if out of memory. */
bool bfs_reference(const struct bfs_input *in, uint32_t source, int32_t *dist);

/* A hash of the distances.  Different distances have equal digests with probability 2^-64. */
uint64_t bfs_digest(const int32_t *dist, uint32_t n);
/* True if the graph has an edge u -> v. */
bool bfs_has_edge(const struct bfs_input *in, uint32_t u, uint32_t v);

/* Verify the result of search number `search` (bfs_source()).  GB_EVERIFY reports the first fault.
 * Either array may be NULL. */
enum gb_status bfs_verify(const struct bfs_input *in, int64_t search, const int32_t *dist,
			  const int32_t *parent, struct gb_error *err);

#endif
