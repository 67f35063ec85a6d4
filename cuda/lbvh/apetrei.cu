/* apetrei.cu -- step 4 of 6 (build): one kernel makes leaves, nodes and boxes (Apetrei 2014).
 *
 * The phases are those of karras_radix.cu up to
 *	leaves     append_kernel (shared/builder.cu)
 *	hierarchy  fused_kernel (shared/hierarchy.cu): from the leaves up to the root
 *
 * There are neither binary searches nor passes over all nodes.  A node is written once, with its
 * box, and few are read.  Bound: memory.
 */
#include "cuda/lbvh/shared/builder.h"

/* The mesh is read; boxes are written, read for the codes and gathered.  The sort makes four
 * passes.  Index, first and codes pass between the phases.  Nodes and arrivals are written. */
static const size_t BYTES =
	3 * sizeof(lbvh_box) + 4 * 16 + 8 + 20 + 2 * sizeof(lbvh_node) + sizeof(uint32_t);

extern "C" const gb_variant_ops lbvh_cuda_apetrei =
	lbvh_gpu_builder<LBVH_GPU_ARRIVED, lbvh_gpu_bytes<BYTES>, lbvh_gpu_bounds, lbvh_gpu_codes,
			 lbvh_gpu_sort, lbvh_gpu_leaves, lbvh_gpu_fused>();
