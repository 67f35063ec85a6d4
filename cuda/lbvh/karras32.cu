/* karras32.cu -- step 3 of 6 (build): boxes in one pass over atomic counters.
 *
 * The phases are those of karras_radix.cu but for
 *	refit      climb_kernel (shared/hierarchy.cu): one launch instead of 32 (Karras 2012)
 *
 * This stands for Hippie, with which the paper compares its build.  Hippie builds the same tree by
 * a radix sort and a refit in one kernel.  Its own program also differs in what it times: it leaves
 * the scene's box out, and it includes the collapse of small subtrees into leaves and the
 * preparation of triangles.  Bound: memory and launches.
 */
#include "cuda/lbvh/shared/builder.h"

/* As karras-radix, with parents and counters instead of marks. */
static const size_t BYTES =
	3 * sizeof(lbvh_box) + 4 * 16 + 8 + 20 + 5 * sizeof(lbvh_node) + 6 * sizeof(uint32_t);

extern "C" const gb_variant_ops lbvh_cuda_karras32 =
	lbvh_gpu_builder<LBVH_GPU_PARENTS, lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes,
			 lbvh_gpu_sort, lbvh_gpu_leaves, lbvh_gpu_leaf_nodes, lbvh_gpu_karras,
			 lbvh_gpu_refit_once>();
