/* leaves.h -- streams the leaves of a tree from its field in order.
 *
 * A set bit starts a leaf, and the distance to the next one gives its level, so the field alone
 * gives the ids at the speed of reading it.  Sums are needed only for the number of a range's first
 * leaf.
 */
#ifndef GPUBENCH_CPU_CBT_SHARED_LEAVES_H
#define GPUBENCH_CPU_CBT_SHARED_LEAVES_H

#include "cpu/cbt/shared/tree.h"

/* Output of a range. */
struct cbt_leaves {
	uint32_t *ids; /* ids in order; NULL: they are added up */
	uint64_t sum;  /* sum of the ids if `ids` is NULL */
};

/* Emit the leaves that start in words first .. end - 1 of a tree's field; return how many there
 * are. `around` writes around the caches, for ids that do not fit in them. */
size_t cbt_leaves(enum cpu_simd simd, const uint64_t *field, unsigned depth, size_t first,
		  size_t end, bool around, struct cbt_leaves *out);

#endif
