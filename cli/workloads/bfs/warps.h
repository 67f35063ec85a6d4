/* warps.h -- how busy the lanes of a warp are in the kernels that the paper compares. */
#ifndef GPUBENCH_CLI_WORKLOADS_BFS_WARPS_H
#define GPUBENCH_CLI_WORKLOADS_BFS_WARPS_H

#include "common/bfs.h"
#include "common/workload.h"

/* The share of busy lanes in percent, by counting what each kernel would execute from the sample's
 * source: metrics warp_basic_percent, warp_csr_percent, warp_ccam_percent.  The input must have a
 * matrix. */
enum gb_status bfs_model_warps(const struct bfs_input *in, int64_t sample,
			       struct gb_metrics *metrics, struct gb_error *err);

#endif
