/* leaves.h -- the leaves of a tree, streamed from its field in order.
 *
 * A set bit starts a leaf and the distance to the next one gives its level, so the field alone
 * gives the ids at the speed of reading it; sums are needed only to know the number of the first
 * leaf of a range.
 */
#ifndef GPUBENCH_CPU_CBT_PARTS_LEAVES_H
#define GPUBENCH_CPU_CBT_PARTS_LEAVES_H

#include "cpu/cbt/parts/tree.h"

/* Where the ids of a range go. */
struct cbt_leaves {
	uint32_t *ids; /* the leaves' ids, in order; NULL: they are added up */
	uint64_t sum;  /* of the ids, if they are */
};

/* The leaves that start in words first .. end - 1 of the field of a tree.  `around` writes around
 * the caches: for ids that do not fit them.  Returns how many leaves there are. */
size_t cbt_leaves(enum cpu_simd simd, const uint64_t *field, unsigned depth, size_t first,
		  size_t end, bool around, struct cbt_leaves *out);

/* Set bits of words first .. end - 1. */
size_t cbt_count(enum cpu_simd simd, const uint64_t *field, size_t first, size_t end);

#endif
