/* descent.cu -- the concurrent binary tree as published (Grachev and Ushakov 2023, Fig. 8 and
 * 10): a kernel per level for the sums, a thread per leaf for the leaves.
 *
 *	reduce  D launches, from level D - 1 up; a thread adds the two children of a node and puts
 *	        the sum in place by one atomicAnd and one atomicOr for each 32-bit word it touches
 *	decode  leaf l goes down from the root: left while l is below the left child's sum, else
 *	        right with l less that sum, until at most one leaf is left
 *	update  the same descent, then atomicOr of the right child's bit for a split and atomicAnd
 *	        of the right sibling's for a merge, in place while others still descend.  Only level
 *	        D changes.  A descent comes there from a sum of 2, whose left bit never changes, so
 *	        it goes the same way whenever it comes.
 *
 * Bounds: a reduction reads and writes each level, 8 bits per leaf, and its D launches are all there is
 * in small trees.  A descent is D dependent loads, mostly from L1 and L2.
 */
#include "cuda/cbt/parts/descent.h"

extern "C" const struct gb_variant_ops cbt_cuda_descent = {
	.state_size = sizeof(struct cbt_descent),
	.create = op<cbt_descent_create>,
	.upload = op<cbt_descent_upload>,
	.reset = op<cbt_descent_reset>,
	.run = op<cbt_descent_run>,
	.download = op<cbt_descent_download>,
	.bytes = op<cbt_descent_bytes>,
	.flags = GB_REPEATABLE,
};
