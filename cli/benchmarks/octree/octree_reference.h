/* octree_reference.h -- the shape of the expected tree, and the verification of a tree.
 *
 * The shape follows from sorted keys without building a tree.  Let w(j) be the number of levels
 * that sorted keys j and j + bucket share.  The cells of level <= w(j) that hold both have more
 * than `bucket` bodies, and every cell with more than `bucket` bodies is found for some j.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_OCTREE_OCTREE_REFERENCE_H
#define GPUBENCH_CLI_BENCHMARKS_OCTREE_OCTREE_REFERENCE_H

#include <stdbool.h>

#include "common/octree_types.h"
#include "common/status.h"

/* Store the shape of the input's tree in input->tree and its root box in *box.  With `spatial`,
 * also sort the bodies by key (stably). */
enum gb_status octree_reference(struct octree_input *input, bool spatial, struct octree_box *box,
				struct gb_error *err);

struct octree_verifier {
	struct octree_box box;
	uint64_t *node_seen; /* a bit per node of the pool */
	uint64_t *body_seen; /* a bit per body */
};

/* Bytes of whole words with a bit for each item. */
static inline size_t octree_seen_bytes(size_t items)
{
	return (items + 63) / 64 * sizeof(uint64_t);
}

/* Walk a tree in the format of download() and store its shape in *found.  GB_EVERIFY, with the
 * fault and its place, unless it is the tree of the input: every body occurs once, in the cell of
 * its key, and exactly the cells that need a node have one. */
enum gb_status octree_verify(const struct octree_input *input, const struct octree_output *output,
			     struct octree_shape *found, struct gb_error *err);

#endif
