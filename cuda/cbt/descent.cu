/* descent.cu -- step 2 of 5: a kernel per level sums, a thread per leaf descends from the root.
 *
 * This is the concurrent binary tree as published (Grachev and Ushakov 2023, Fig. 8 and 10).
 *
 *	reduce  D launches, from level D - 1 up.  A thread adds the two children of a node and
 *	        stores the sum with one atomicAnd and one atomicOr for each 32-bit word it touches.
 *	decode  Leaf l descends from the root: left if l is below the left child's sum, otherwise
 *	        right with l reduced by that sum, until at most one leaf is left.
 *	update  The same descent, then an atomicOr of the right child's bit for a split and an
 *	        atomicAnd of the right sibling's for a merge, in place while others descend.  Only
 *	        level D changes.  A descent reaches level D from a sum of 2, whose left bit never
 *	        changes, so its path does not depend on timing.
 *
 * Bounds: a reduction reads every level and writes all but the field, and in small trees its D
 * launches dominate.  A descent is D dependent loads, mostly from L1 and L2.
 */
#include "cuda/cbt/shared/descent.h"

extern "C" const gb_variant_ops cbt_cuda_descent = {
	.state_size = sizeof(cbt_descent),
	.create = op<cbt_descent_create>,
	.upload = op<cbt_descent_upload>,
	.reset = op<cbt_descent_reset>,
	.run = op<cbt_descent_run>,
	.download = op<cbt_descent_download>,
	.bytes = op<cbt_descent_bytes>,
	.flags = GB_REPEATABLE,
};
