/* karras_radix.cu -- step 2 of 6 (build): a radix sort instead of the bitonic one.
 *
 *	bounds     boxes_kernel (shared/builder.cu)
 *	codes      lbvh_coded in gpu_sort_count() (shared/builder.cu): makes codes, counts digits
 *	sort       gpu_sort() (primitives/sort.cu): onesweep, four passes over 8-byte records
 *	           instead of log2(n) (log2(n) + 1) / 2
 *	leaves     append_kernel (shared/builder.cu), leaves_kernel (shared/hierarchy.cu)
 *	hierarchy  karras_kernel (shared/hierarchy.cu)
 *	refit      refit_kernel (shared/hierarchy.cu): always 32 launches; those after the root has
 *	           its box end at once
 *
 * Bound: memory and launches.
 */
#include "cuda/lbvh/shared/builder.h"

/* The mesh is read; boxes are written, read for the codes and gathered.  The sort makes four
 * passes.  Index, first and codes pass between the phases.  Refit is one pass over marks and nodes;
 * further passes find few nodes left. */
static const size_t BYTES =
	3 * sizeof(lbvh_box) + 4 * 16 + 8 + 20 + 5 * sizeof(lbvh_node) + 2 * sizeof(uint64_t);

extern "C" const gb_variant_ops lbvh_cuda_karras_radix =
	lbvh_gpu_builder<LBVH_GPU_MARKS, lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes,
			 lbvh_gpu_sort, lbvh_gpu_leaves, lbvh_gpu_leaf_nodes, lbvh_gpu_karras,
			 lbvh_gpu_refit_passes>();
