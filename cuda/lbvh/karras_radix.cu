/* karras_radix.cu -- cuda/karras-radix: the paper's phases with a radix sort instead of the
 * bitonic one: the build that the paper compares itself with (Hippie; section 5.2).
 *
 * Four passes over 8-byte records instead of log2(n) (log2(n) + 1) / 2.  Of refit's 32 launches
 * those after the root has its box end at once; each costs its launch.  The bound is memory and launches.
 */
#include "cuda/lbvh/parts/builder.h"

/* Mesh read, boxes written, read for the codes and gathered; four passes of the sort and its
 * histogram; flags, places, index, first and codes between the phases; one pass of refit over
 * marks and nodes: further ones find few nodes to do. */
static const size_t BYTES = 3 * sizeof(struct lbvh_box) + 4 * 16 + 8 + 4 + 40 +
			    5 * sizeof(struct lbvh_node) + 2 * sizeof(uint64_t);

extern "C" const struct gb_variant_ops lbvh_cuda_karras_radix =
	lbvh_gpu_builder<LBVH_GPU_MARKS, lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes,
			 lbvh_gpu_sort, lbvh_gpu_leaves, lbvh_gpu_leaf_nodes, lbvh_gpu_karras,
			 lbvh_gpu_refit_passes>();
