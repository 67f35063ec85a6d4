/* reference.h -- what a search from a source must find, and what is said of one that was made. */
#ifndef GPUBENCH_CLI_WORKLOADS_BFS_REFERENCE_H
#define GPUBENCH_CLI_WORKLOADS_BFS_REFERENCE_H

#include "common/bfs.h"
#include "common/workload.h"

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

/* One search, by its number (bfs_source()).  GB_EVERIFY with what is wrong first.  Either array may be
 * NULL. */
enum gb_status bfs_verify(const struct bfs_input *in, int64_t search, const int32_t *dist,
			  const int32_t *parent, struct gb_error *err);

/* The share of busy lanes in percent, by counting what each kernel would execute from the sample's
 * source: metrics warp_basic_percent, warp_csr_percent, warp_ccam_percent.  The input must have a
 * matrix. */
enum gb_status bfs_model_warps(const struct bfs_input *in, int64_t sample,
			       struct gb_metrics *metrics, struct gb_error *err);

#endif
