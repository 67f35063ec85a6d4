/* karras_radix.cu -- cuda/karras-radix: the paper's phases with a radix sort instead of the
 * bitonic one: the build that the paper compares itself with (Hippie; section 5.2).
 *
 * Four passes over 8-byte records instead of log2(n) (log2(n) + 1) / 2.  Of refit's 32 launches
 * those after the root has its box end at once; each costs its launch, some 2 us.  The bound is
 * memory: about 400 bytes a primitive, which an H200 moves in .1 ns; 1.6 M triangles are expected
 * to take .3 ms, a quarter of it launches.
 */
#include "cuda/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_gpu_builder_create(state, params, input, LBVH_GPU_MARKS, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_gpu *const g = (struct lbvh_gpu *)state;

	if (lbvh_gpu_bounds(g, timer, err) != GB_OK || lbvh_gpu_codes(g, timer, err) != GB_OK ||
	    lbvh_gpu_sort(g, timer, err) != GB_OK ||
	    lbvh_gpu_leaves(g, true, timer, err) != GB_OK ||
	    lbvh_gpu_karras(g, timer, err) != GB_OK)
		return err->code;
	return lbvh_gpu_refit_passes(g, timer, err);
}

/* Mesh read, boxes written, read for the codes and gathered; four passes of the sort and its
 * histogram; flags, places, index, first and codes between the phases; one pass of refit over
 * marks and nodes: further ones find few nodes to do. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 4 * 16 + 8 + 4 + 40 +
					       5 * sizeof(struct lbvh_node) + 2 * sizeof(uint64_t));
}

extern "C" const struct gb_variant_ops lbvh_cuda_karras_radix = {
	.state_size = sizeof(struct lbvh_gpu),
	.create = create,
	.upload = lbvh_gpu_upload,
	.run = run,
	.download = lbvh_gpu_builder_download,
	.bytes = bytes,
	.metrics = lbvh_gpu_builder_metrics,
	.flags = GB_REPEATABLE,
};
