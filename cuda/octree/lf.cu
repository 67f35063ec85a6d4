/* lf.cu -- OctreeBuild-LF (Cordeiro and Zola 2024): lock-free insertion of all bodies from
 * the root, each thread with a node of its own (parts/lf.h says how).
 *
 * "insert" alone is what the paper measures.  The bodies are taken as they lie in memory,
 * neighbours by neighbouring threads.
 *
 * A body costs a load for every level it passes, all but the last ones from the L2 (7 sectors of
 * 32 bytes for 40 thousand bodies of a Plummer sphere in random order, 10 for 16 million), a
 * compare-and-swap, and for every other body a node: the key of the body met, the node's row, and
 * two more writes.  13 sectors in all: the L2 alone bounds it at some 14 G insertions/s on an
 * H200.  Of main memory a body takes about 230 bytes, 17 to 20 G/s at 4.3 TB/s.  An H100 inserts 3
 * to 12 G/s (results/papers/octree.md): a warp waits for the slowest of its lanes at every step.
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

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return octree_builder_create((struct octree_builder *)state, insert_kernel<false>,
				     insert_kernel<true>, input, err);
}

extern "C" const struct gb_variant_ops octree_cuda_lf = {
	.state_size = sizeof(struct octree_builder),
	.create = create,
	.upload = octree_upload,
	.reset = octree_reset,
	.run = octree_builder_run,
	.download = octree_download,
	.bytes = octree_bytes,
	.metrics = octree_metrics,
	.flags = GB_REPEATABLE,
};
