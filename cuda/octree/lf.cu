/* lf.cu -- step 2 of 4: threads insert without locks, each with a pre-allocated node.
 *
 * This is OctreeBuild-LF (Cordeiro and Zola 2024), from the root (see shared/lf.h).  The paper
 * measures the phase "insert" alone.  Bodies are taken in memory order, neighbours by neighbouring
 * threads.
 *
 * A body costs a load for every level it passes, all but the last ones from the L2, and a
 * compare-and-swap.  Every other body also costs a node: the key of the body met, the node's row,
 * and two more writes.  The bound is the L2; at every step, a warp waits for its slowest lane.
 */
#include "cuda/octree/shared/lf.h"

/* Grid-stride loop over the bodies. */
template <bool LISTS>
static __global__ void __launch_bounds__(OCTREE_BLOCK)
	insert_kernel(const uint64_t *keys, size_t count, octree_tree tree, uint32_t chunk)
{
	const octree_range range = { (size_t)blockIdx.x * OCTREE_BLOCK + threadIdx.x,
				     (size_t)gridDim.x * OCTREE_BLOCK, count, NULL };
	const octree_place root = { 0, 0 };
	octree_inserter self = {};

	octree_insert<octree_kind<false, LISTS>>(&self, range, keys, &tree, root, chunk);
	octree_count(&tree.counters->cas_failures, self.failures);
}

extern "C" const struct gb_variant_ops octree_cuda_lf =
	octree_ops<octree_builder, octree_builder_create<insert_kernel<false>, insert_kernel<true>>,
		   octree_builder_run, octree_bytes, octree_metrics>();
