/* karras64.cu -- cuda/karras64: 63-bit codes, radix sort, Karras' hierarchy, and the boxes in one
 * pass over atomic counters instead of the paper's up to 32 passes.
 *
 * Compared with karras32, 21 instead of 10 bits per axis tell close primitives apart, so that
 * fewer share a leaf and the tree is better.  The sort moves records half as large again in twice
 * the passes.  Bound: memory.
 */
#include "cuda/lbvh/parts/builder.h"

/* As karras32, with five passes over words of 8 bytes, and a mend. */
static const size_t BYTES = 3 * sizeof(struct lbvh_box) + 8 + 5 * 16 + 20 + 32 +
			    5 * sizeof(struct lbvh_node) + 6 * sizeof(uint32_t);

extern "C" const struct gb_variant_ops lbvh_cuda_karras64 =
	lbvh_gpu_builder<LBVH_GPU_CODES_63 | LBVH_GPU_PARENTS, lbvh_gpu_bytes<BYTES>,
			 lbvh_gpu_bounds, lbvh_gpu_codes, lbvh_gpu_sort, lbvh_gpu_leaves,
			 lbvh_gpu_leaf_nodes, lbvh_gpu_karras, lbvh_gpu_refit_once>();
