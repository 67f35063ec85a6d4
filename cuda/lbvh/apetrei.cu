/* apetrei.cu -- cuda/apetrei: 30-bit codes, radix sort, and one kernel from the leaves to the
 * root that makes nodes and boxes (parts/hierarchy.cu; Apetrei 2014).
 *
 * Against karras-radix: neither binary searches nor passes over all nodes, and a node is written
 * once, with its box; few are read.  The leaves' boxes are part of the phase "hierarchy".  The
 * bound is memory: about 290 bytes a primitive; 1.6 M triangles are expected to take .2 ms on an
 * H200.
 */
#include "cuda/lbvh/parts/builder.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_gpu_builder_create(state, params, input, LBVH_GPU_ARRIVED, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return lbvh_gpu_fastest((struct lbvh_gpu *)state, timer, err);
}

/* Mesh read, boxes written, read for the codes and gathered; four passes of the sort and its
 * histogram; flags, places, index, first and codes between the phases; nodes and arrivals written. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 4 * 16 + 8 + 4 + 40 +
					       2 * sizeof(struct lbvh_node) + sizeof(uint32_t));
}

extern "C" const struct gb_variant_ops lbvh_cuda_apetrei = {
	.state_size = sizeof(struct lbvh_gpu),
	.create = create,
	.upload = lbvh_gpu_upload,
	.run = run,
	.download = lbvh_gpu_builder_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
