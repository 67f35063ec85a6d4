/* apetrei.cu -- cuda/apetrei: 30-bit codes, radix sort, and one kernel from the leaves to the
 * root that makes nodes and boxes (parts/hierarchy.cu; Apetrei 2014).
 *
 * Against karras-radix: neither binary searches nor passes over all nodes, and a node is written
 * once, with its box; few are read.  The leaves' boxes are part of the phase "hierarchy".  The
 * bound is memory.
 */
#include "cuda/lbvh/parts/builder.h"

/* Mesh read, boxes written, read for the codes and gathered; four passes of the sort and its
 * histogram; flags, places, index, first and codes between the phases; nodes and arrivals written. */
static const size_t BYTES = 3 * sizeof(struct lbvh_box) + 4 * 16 + 8 + 4 + 40 +
			    2 * sizeof(struct lbvh_node) + sizeof(uint32_t);

extern "C" const struct gb_variant_ops lbvh_cuda_apetrei =
	lbvh_gpu_builder<LBVH_GPU_ARRIVED, lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes,
			 lbvh_gpu_sort, lbvh_gpu_leaves, lbvh_gpu_fused>();
