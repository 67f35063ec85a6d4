/* karras_radix.cu -- cuda/karras-radix: the paper's phases with a radix sort instead of the bitonic
 * one; karras32 also refits in one pass.
 *
 * The sort takes four passes over 8-byte records instead of log2(n) (log2(n) + 1) / 2.  Refit
 * always makes 32 launches; those after the root has its box end at once.
 * Bound: memory and launches.
 */
#include "cuda/lbvh/parts/builder.h"

/* The mesh is read; boxes are written, read for the codes and gathered.  The sort makes four
 * passes.  Index, first and codes pass between the phases.  Refit is one pass over marks and nodes;
 * further passes find few nodes left. */
static const size_t BYTES =
	3 * sizeof(lbvh_box) + 4 * 16 + 8 + 20 + 5 * sizeof(lbvh_node) + 2 * sizeof(uint64_t);

extern "C" const gb_variant_ops lbvh_cuda_karras_radix =
	lbvh_gpu_builder<LBVH_GPU_MARKS, lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes,
			 lbvh_gpu_sort, lbvh_gpu_leaves, lbvh_gpu_leaf_nodes, lbvh_gpu_karras,
			 lbvh_gpu_refit_passes>();
