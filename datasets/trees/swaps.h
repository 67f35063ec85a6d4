/* swaps.h -- variations of an input of cbt: on one level of the tree, nodes swap their children's
 * subtrees.
 *
 * A swap keeps the number of leaves on each level and the sums of all nodes but those below it, so
 * the work does not change.  The leaves below get other ids and another order; the requests of all
 * frames follow them.  A split or merge within a child's subtree does the same after the swap, so
 * the final tree is swapped, too.  A node may be swapped if
 *
 *	it has children in the tree before and after each frame
 *	its children's subtrees differ in the final tree
 *
 * The level is the one of 0 .. 6 with the most such nodes.  A variation is a choice of them: n
 * nodes have 2^n - 1.  Swapping twice undoes a swap, so no copy is kept.  Trees whose leaves are
 * all on one level have no variations, unless frames change them.
 */
#ifndef GPUBENCH_DATASETS_TREES_SWAPS_H
#define GPUBENCH_DATASETS_TREES_SWAPS_H

#include <stdbool.h>

#include "common/cbt.h"
#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* While an input is generated: allocate in->swaps, for so many frames; then look at the tree before
 * frame 0, 1, ... and after the last; then choose the level. */
enum gb_status gb_swaps_create(struct cbt_input *in, size_t frames, struct gb_error *err);
void gb_swaps_look(struct cbt_input *in, size_t frame, const uint64_t *field);
void gb_swaps_choose(struct cbt_input *in);

/* Turn field, heap and frames into variation `key` of the original; 0 restores it.  Returns false
 * if there is none.  end_field stays as it is until gb_swaps_end_field(). */
bool gb_swaps_vary(struct cbt_input *in, uint64_t key);
/* in->end_field, which now follows the last gb_swaps_vary(). */
const uint64_t *gb_swaps_end_field(const struct cbt_input *in);
/* The node of the original input that is now leaf k. */
uint32_t gb_swaps_original(const struct cbt_input *in, uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
