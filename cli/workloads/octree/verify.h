/* verify.h -- whether a tree is the right one. */
#ifndef GPUBENCH_CLI_WORKLOADS_OCTREE_VERIFY_H
#define GPUBENCH_CLI_WORKLOADS_OCTREE_VERIFY_H

#include <stdint.h>

#include "common/octree.h"
#include "common/status.h"

struct octree_verifier {
	struct octree_box box;
	uint64_t *node_seen; /* a bit per node of the pool */
	uint64_t *body_seen; /* a bit per body */
};

/* Walk a tree as download() writes it.  *found is the shape that was met.  GB_EVERIFY, with what is
 * wrong and where, unless it is the tree of the input: every body once, in the cell of its key, and
 * a node for exactly those cells that need one. */
enum gb_status octree_verify(const struct octree_input *input, const struct octree_output *output,
			     struct octree_shape *found, struct gb_error *err);

#endif
