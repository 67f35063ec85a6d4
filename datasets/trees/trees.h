/* trees.h -- the input of cbt: trees of a given depth and shape, and frames of splits and merges.
 *
 *	full      2^D leaves
 *	uniform   2^(D-k) leaves, all of level D - k; the fill must be 2^-k
 *	random    round(fill 2^D) leaves; from the root down, the leaves of a node are divided
 *	          between its children at random, each valid division being equally likely
 *	terrain   the longest-edge bisection of a height field, refined for a camera above it; the
 *	          threshold is chosen so that the first frame has about fill 2^D leaves
 *
 * The frames of CBT_UPDATE follow the camera's flight for a terrain; their splits and merges leave
 * no cracks in the mesh.  For the other shapes the wishes are random and include merges that must
 * not be carried out.  All random numbers are Philox words of (seed, node
 * or leaf), so they do not depend on the number of threads.
 */
#ifndef GPUBENCH_DATASETS_TREES_TREES_H
#define GPUBENCH_DATASETS_TREES_TREES_H

#include "common/cbt_types.h"
#include "common/status.h"

/* Generate the input that the parameters describe; *in starts as { 0 }.  A dry run only allocates
 * the arrays.  GB_EUSAGE for a fill that no tree of the shape has; GB_EMEMORY if memory runs out.
 * The arrays belong to the input that gb_input_begin() began. */
enum gb_status gb_trees_make(const struct cbt_params *params, struct cbt_input *in,
			     struct gb_error *err);

/* Compute all sums from the field by their definition.  heap has cbt_heap_words(depth) words. */
void gb_trees_reduce(const uint64_t *field, unsigned depth, uint64_t *heap);

/* Apply a frame to a field by the rules of common/cbt_types.h, one leaf at a time, and count the splits
 * and merges in frame->splits and frame->merges.  Returns the number of leaves afterwards. */
size_t gb_trees_apply(uint64_t *field, unsigned depth, struct cbt_frame *frame);

#endif
