/* verify.h -- what makes a tree right.
 *
 * A binary tree is right if its 2 L - 1 nodes are each reached exactly once from node 0, every
 * primitive lies in exactly one leaf (ascending within it), the box of a leaf is the union of its
 * primitives' boxes and the box of an inner node that of its children's, exactly.
 *
 * A probed tree is right if its rays hit what they should (hits.h).
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_VERIFY_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_VERIFY_H

#include "common/lbvh.h"
#include "common/status.h"
#include "common/workload.h"

/* Verify the output of a build, and set the metrics of its tree. */
enum gb_status lbvh_verify_build(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err);

#endif
