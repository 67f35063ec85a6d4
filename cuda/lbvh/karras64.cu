/* karras64.cu -- cuda/karras64: 63-bit codes, radix sort, Karras' hierarchy, and the boxes in
 * one pass over atomic counters instead of the paper's up to 32 passes.
 *
 * Against karras-radix: 21 instead of 10 bits an axis tell close primitives apart, so that fewer
 * share a leaf and the tree is better; the sort moves half as much again in twice the passes, and
 * 31 launches are saved.  The bound is memory: about 550 bytes a primitive; 1.6 M triangles are
 * expected to take .3 ms on an H200.
 */
#include "cuda/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_gpu_builder_create(state, params, input, LBVH_GPU_CODES_63 | LBVH_GPU_PARENTS,
				       err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_gpu *const g = (struct lbvh_gpu *)state;

	if (lbvh_gpu_bounds(g, timer, err) != GB_OK || lbvh_gpu_codes(g, timer, err) != GB_OK ||
	    lbvh_gpu_sort(g, timer, err) != GB_OK ||
	    lbvh_gpu_leaves(g, true, timer, err) != GB_OK ||
	    lbvh_gpu_karras(g, timer, err) != GB_OK)
		return err->code;
	return lbvh_gpu_refit_once(g, timer, err);
}

/* As karras-radix with eight passes over 12 bytes; parents and counters instead of marks. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 8 * 24 + 12 + 8 + 56 +
					       5 * sizeof(struct lbvh_node) + 6 * sizeof(uint32_t));
}

extern "C" const struct gb_variant_ops lbvh_cuda_karras64 = {
	.state_size = sizeof(struct lbvh_gpu),
	.create = create,
	.upload = lbvh_gpu_upload,
	.run = run,
	.download = lbvh_gpu_builder_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
