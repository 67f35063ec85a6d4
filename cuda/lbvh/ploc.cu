/* ploc.cu -- step 5 of 6 (build): a cheaper tree, by clustering (H-PLOC, 2024).
 *
 *	bounds     boxes_kernel (shared/builder.cu)
 *	codes      lbvh_worded in gpu_words_make() (shared/builder.cu): codes of 63 bits
 *	sort       gpu_words_sort() and gpu_words_fix_ties() (primitives/sort_words.h)
 *	leaves     append_kernel (shared/builder.cu), leaves_kernel (shared/hierarchy.cu)
 *	hierarchy  cluster_kernel (shared/cluster.cu)
 *
 * It is the slowest build, of the cheapest tree.  Bound: arithmetic.
 */
#include "cuda/lbvh/shared/builder.h"

/* As karras32 without parents, with five passes over words of 8 bytes.  Leaves are written and read
 * once, as about one entry of a list per primitive is; inner nodes are written. */
static const size_t BYTES = 3 * sizeof(lbvh_box) + 8 + 5 * 16 + 20 + 32 + 5 * sizeof(lbvh_node);

extern "C" const gb_variant_ops lbvh_cuda_ploc =
	lbvh_gpu_builder<LBVH_GPU_CODES_63 | LBVH_GPU_ARRIVED, lbvh_gpu_bytes<BYTES>,
			 lbvh_gpu_bounds, lbvh_gpu_codes, lbvh_gpu_sort, lbvh_gpu_leaves,
			 lbvh_gpu_leaf_nodes, lbvh_gpu_cluster>();
