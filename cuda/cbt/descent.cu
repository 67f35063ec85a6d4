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
 * Bounds: a reduction reads and writes each level, 8 bits per leaf, and its D launches of about 2 us
 * are all there is below depth 20.  A descent is D dependent loads; at depth 28, 2^28 leaves, some
 * 28 * 2^28 sectors of 32 bytes mostly from L1 and L2: expect 20 times the 258 us that the ids
 * take at 4.3 TB/s.
 */
#include "cuda/cbt/parts/descent.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return cbt_descent_create((struct cbt_descent *)state, (const struct cbt_input *)input,
				  err);
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	return cbt_descent_upload((struct cbt_descent *)state, err);
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	return cbt_descent_reset((const struct cbt_descent *)state, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return cbt_descent_queue((const struct cbt_descent *)state, timer, err);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	return cbt_descent_download((const struct cbt_descent *)state, output, err);
}

static double bytes(const void *params, const void *input)
{
	return cbt_descent_bytes((const struct cbt_input *)input);
}

extern "C" const struct gb_variant_ops cbt_cuda_descent = {
	.state_size = sizeof(struct cbt_descent),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
