/* lf.cu -- OctreeBuild-LF (Cordeiro and Zola 2024): lock-free insertion of all bodies from
 * the root, each thread with a node of its own (parts/lf.h says how).
 *
 * "insert" alone is what the paper measures.  The bodies are taken as they lie in memory,
 * neighbours by neighbouring threads.
 *
 * A body costs a load for every level it passes, all but the last ones from the L2, a
 * compare-and-swap, and for every other body a node: the key of the body met, the node's row, and
 * two more writes.  The bound is the L2; a warp waits for the slowest of its lanes at every step.
 */
#include "cuda/octree/parts/lf.h"

/* A grid that strides over the bodies. */
template <bool LISTS>
static __global__ void __launch_bounds__(OCTREE_BLOCK)
	insert_kernel(const uint64_t *keys, size_t count, struct octree_tree tree, uint32_t least)
{
	const struct octree_range range = { (size_t)blockIdx.x * OCTREE_BLOCK + threadIdx.x,
					    (size_t)gridDim.x * OCTREE_BLOCK, count, NULL };
	const struct octree_place root = { 0, 0 };
	struct octree_inserter self = {};

	octree_insert<octree_kind<false, LISTS>>(&self, range, keys, &tree, root, least);
	octree_count(&tree.counters->cas_failures, self.failures);
}

extern "C" const struct gb_variant_ops octree_cuda_lf =
	octree_ops<struct octree_builder,
		   octree_builder_create<insert_kernel<false>, insert_kernel<true>>,
		   octree_builder_run, octree_bytes, octree_metrics>();
