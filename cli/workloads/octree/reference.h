/* reference.h -- what the tree of some bodies must be, and whether one is it.
 *
 * The shape follows from sorted keys, without building a tree: with w(j) the levels that sorted
 * keys j and j + bucket share, the cells of level <= w(j) that hold both have more than `bucket`
 * bodies, and all such cells are found that way.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_OCTREE_REFERENCE_H
#define GPUBENCH_CLI_WORKLOADS_OCTREE_REFERENCE_H

#include <stdbool.h>

#include "common/octree.h"
#include "common/status.h"

/* The shape of the tree of the input's bodies into input->tree, the box into *box.  spatial: the
 * bodies are first put into ascending order of their keys (equal ones stay in order). */
enum gb_status octree_reference(struct octree_input *input, bool spatial, struct octree_box *box,
				struct gb_error *err);

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
