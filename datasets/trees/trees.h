/* trees.h -- the input of cbt: trees of a given depth and shape, and what happens to them.
 *
 *	full      2^D leaves
 *	uniform   2^(D-k) leaves, all of level D - k; the fill must be 2^-k
 *	random    round(fill 2^D) leaves: from the root down, the leaves of a node are shared
 *	          between its children at random, each share that leaves room for the other being
 *	          equally likely
 *	terrain   the longest-edge bisection of a height field, as fine as a camera above it asks
 *	          for; the fineness is chosen so that the first frame has about fill 2^D leaves
 *
 * The frames of CBT_UPDATE are the camera's flight for terrain, where splits and merges keep the
 * mesh free of cracks; for the other shapes wishes are random, among them merges that must not be
 * carried out.  All random numbers are Philox words of (seed, node or leaf): the same on any number
 * of threads.
 */
#ifndef GPUBENCH_DATASETS_TREES_TREES_H
#define GPUBENCH_DATASETS_TREES_TREES_H

#include "common/cbt.h"
#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make what the parameters ask for; *in starts as { 0 }.  In a dry run arrays are allocated only.
 * GB_EUSAGE for a fill that no tree of the shape has; GB_EMEMORY if memory does not suffice.
 * gb_trees_release() is called on it in any case. */
enum gb_status gb_trees_make(const struct cbt_params *params, struct cbt_input *in,
			     struct gb_error *err);
void gb_trees_release(struct cbt_input *in);

/* All sums from the field, by their definition: heap is cbt_heap_words(depth) words. */
void gb_trees_reduce(const uint64_t *field, unsigned depth, uint64_t *heap);

/* Carry out a frame on a field, by the rules of common/cbt.h, leaf after leaf, and count the splits
 * and merges in frame->splits and frame->merges.  Returns the number of leaves afterwards. */
size_t gb_trees_apply(uint64_t *field, unsigned depth, struct cbt_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
