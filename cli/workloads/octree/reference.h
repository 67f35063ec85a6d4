/* reference.h -- what the tree of some bodies must be.
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

#endif
