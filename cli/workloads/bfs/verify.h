/* verify.h -- the oracle of bfs, and the judgement of distances and parents by it. */
#ifndef GPUBENCH_CLI_WORKLOADS_BFS_VERIFY_H
#define GPUBENCH_CLI_WORKLOADS_BFS_VERIFY_H

#include "common/bfs.h"
#include "common/workload.h"

/* What the oracle found from one source. */
struct bfs_facts {
	bool known;
	uint32_t reached; /* vertices, the source included */
	uint32_t levels;  /* distance of the furthest one */
	uint64_t edges;   /* out-degrees of the reached vertices, summed */
	uint64_t loops;   /* self-loops among those edges */
	uint64_t digest;  /* of all n distances */
};

/* The facts about the sample's source; found out, and the oracle's own distances checked, when
 * first asked for.  NULL, with err set, if memory does not suffice or the oracle is wrong. */
const struct bfs_facts *bfs_facts(const struct bfs_input *in, int64_t sample, struct gb_error *err);

/* GB_EVERIFY with what is wrong first.  Either array may be NULL. */
enum gb_status bfs_verify(const struct bfs_input *in, int64_t sample, const int32_t *dist,
			  const int32_t *parent, struct gb_error *err);

/* Share of the lanes of a warp that are busy, in percent, in the kernels that the paper compares,
 * by counting what each would execute from the sample's source: metrics warp_basic_percent,
 * warp_csr_percent, warp_ccam_percent.  The input must have a matrix. */
enum gb_status bfs_model_warps(const struct bfs_input *in, int64_t sample,
			       struct gb_metrics *metrics, struct gb_error *err);

/* Distances by a serial search with a queue, into n integers.  False if out of memory. */
bool bfs_oracle(const struct bfs_input *in, uint32_t source, int32_t *dist);

#endif
