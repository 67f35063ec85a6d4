/* ploc.cu -- cuda/ploc: the tree by clustering (parts/cluster.cu). */
#include "cuda/lbvh/parts/builder.h"

/* As karras64 without parents.  Nodes are written and read once; the lists are added. */
static const size_t BYTES = 3 * sizeof(struct lbvh_box) + 8 + 5 * 16 + 20 + 32 +
			    4 * sizeof(struct lbvh_node) + 4 * sizeof(uint32_t);

extern "C" const struct gb_variant_ops lbvh_cuda_ploc =
	lbvh_gpu_builder<LBVH_GPU_CODES_63 | LBVH_GPU_ARRIVED | LBVH_GPU_LISTS,
			 lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes, lbvh_gpu_sort,
			 lbvh_gpu_leaves, lbvh_gpu_leaf_nodes, lbvh_gpu_cluster>();
