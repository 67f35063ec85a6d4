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
 * H200.  Of main memory a body takes about 230 bytes, 17 to 20 G/s at 4.3 TB/s.  8 to 12 are
 * to be expected: a warp waits for the slowest of its lanes at every step.
 */
#include "cuda/octree/parts/lf.h"

enum { BLOCK = GPU_BLOCK(256) };

/* A grid that strides over the bodies. */
template <bool LISTS>
static __global__ void __launch_bounds__(BLOCK)
	insert_kernel(const uint64_t *keys, size_t count, struct octree_tree tree, uint32_t least)
{
	const struct octree_range range = { (size_t)blockIdx.x * BLOCK + threadIdx.x,
					    (size_t)gridDim.x * BLOCK, count, NULL };
	const struct octree_place root = { 0, 0 };
	struct octree_inserter self = {};

	octree_insert<octree_kind<false, LISTS>>(&self, range, keys, &tree, root, least);
	octree_count(&tree.counters->cas_failures, self.failures);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct octree_arrays *const a = (struct octree_arrays *)state;
	void (*const kernel)(const uint64_t *, size_t, struct octree_tree, uint32_t) =
		a->tree.rank ? insert_kernel<true> : insert_kernel<false>;
	const struct octree_grid grid =
		octree_grid_of(kernel, a->count, BLOCK, octree_slack(a->input));

	if (octree_queue_start(a, NULL, timer, err) != GB_OK || a->count == 0)
		return err->code;
	gb_phase(timer, "insert");
	GPU_LAUNCH(kernel, grid.blocks, BLOCK, 0, gpu_stream(), a->keys, a->count, a->tree,
		   grid.chunk);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

const struct gb_variant_ops octree_cuda_lf = {
	.state_size = sizeof(struct octree_arrays),
	.create = octree_create,
	.upload = octree_upload,
	.reset = octree_reset,
	.run = run,
	.download = octree_download,
	.bytes = octree_bytes,
	.metrics = octree_metrics,
	.flags = GB_REPEATABLE,
};
