/* octree_lock.cu -- tree building with locks, after Burtscher and Pingali (2011), the baseline of
 * Cordeiro and Zola (2024), algorithm 1.
 *
 * Each thread walks down to a slot that holds no node.  A free one takes the body by
 * compare-and-swap.  One with a body is locked by compare-and-swap; its owner builds, unseen, all
 * nodes that tell the two bodies apart, and unlocks the slot by storing the first of them there.
 * Whoever meets a lock tries again after the block's barrier, which the algorithm has to keep
 * waiting threads off the memory.
 *
 *   - Nobody waits inside a step: who gets a lock unlocks it in the same step, before the
 *     barrier, whatever the other lanes of its warp do.  So warps whose lanes run in lockstep
 *     cannot hang.
 *   - The number of nodes to build is known from the two keys before any is built: the warp's
 *     lanes take theirs together (octree_take).  Without nodes the slot is unlocked as it was.
 *   - The unlocking store releases the nodes, the load of a walk acquires them.
 *   - Bodies with equal keys end in one slot of the deepest level, a list that its lock guards.
 *
 * "insert" alone is what the paper measures; it gets the same bytes as lf, plus a second atomic
 * for each split, plus the barrier: half of lf's rate is to be expected where bodies that are
 * neighbours in memory want the same slots (4 to 6 G insertions/s on an H200).
 */
#include "cuda/octree_common.h"

enum { BLOCK = GPU_BLOCK(256) };

/* One thread's walk. */
struct walk {
	uint64_t key;
	int32_t *slot;
	int32_t body;
	int level; /* of the node that the slot is in */
	bool active;
};

static __device__ __forceinline__ void start(struct walk *w, size_t i, size_t count,
					     const uint64_t *keys, const struct octree_tree *tree)
{
	w->active = i < count;
	if (!w->active)
		return;
	w->body = (int32_t)i;
	w->key = keys[i];
	w->level = 0;
	w->slot = &tree->child[0][octree_digit(w->key, 0)];
}

/* Down to a slot that holds no node; what it holds. */
static __device__ __forceinline__ int32_t descend(struct walk *w, const struct octree_tree *tree)
{
	for (;;) {
		const int32_t found = gpu_ld_acquire(w->slot);

		if (found <= 0)
			return found;
		w->level++;
		w->slot = &tree->child[found][octree_digit(w->key, w->level)];
	}
}

/* Put the two bodies below `wanted` new nodes, each in the one before, and unlock the slot. */
static __device__ __forceinline__ void split(const struct walk *w, int32_t found, uint64_t other,
					     const struct octree_nodes *nodes, uint32_t wanted,
					     const struct octree_tree *tree)
{
	const int32_t body = octree_body(w->body);
	const int last = w->level + (int)wanted; /* the level of the deepest new node */
	const int mine = octree_digit(w->key, last), theirs = octree_digit(other, last);
	int32_t *child = w->slot; /* of the deepest node, or the slot if there are none */

	for (uint32_t k = 0; k < wanted; k++) {
		child = tree->child[octree_node(nodes, k)];
		octree_clear_node(child);
		if (k + 1 < wanted)
			child[octree_digit(w->key, w->level + 1 + (int)k)] =
				(int32_t)octree_node(nodes, k + 1);
	}
	if (wanted && mine != theirs) {
		child[theirs] = found;
		child[mine] = body;
	} else {
		tree->next[w->body] = octree_body(found);
		if (wanted)
			child[mine] = body;
	}
	gpu_st_release(w->slot, wanted ? (int32_t)octree_node(nodes, 0) : body);
}

/* A grid that strides over the bodies; a block's threads try once each, then meet. */
static __global__ void __launch_bounds__(BLOCK)
	insert_kernel(const uint64_t *keys, size_t count, struct octree_tree tree, uint32_t least)
{
	struct octree_chunk chunk = {};
	struct walk w = {};
	size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
	uint32_t failures = 0, spins = 0;

	start(&w, i, count, keys, &tree);
	while (__syncthreads_or(w.active)) {
		const int32_t found = w.active ? descend(&w, &tree) : (int32_t)OCTREE_LOCKED;
		const bool taken = found < OCTREE_FREE && found != OCTREE_LOCKED;
		const bool locked =
			taken && gpu_cas(w.slot, found, (int32_t)OCTREE_LOCKED) == found;
		const uint64_t other = locked ? keys[octree_body(found)] : 0;
		uint32_t wanted = 0;
		bool done = false;

		if (locked)
			wanted = (uint32_t)(min(octree_shared_digits(w.key, other),
						(int)OCTREE_DEEPEST) -
					    w.level);
		__syncwarp();

		const struct octree_nodes nodes = octree_take(&chunk, &tree, wanted, least);

		if (locked && wanted && octree_node(&nodes, wanted - 1) >= tree.pool) {
			gpu_st_relaxed(&tree.counters->exhausted, 1);
			gpu_st_release(w.slot, found);
			done = true; /* left out: the run has failed */
		} else if (locked) {
			split(&w, found, other, &nodes, wanted, &tree);
			done = true;
		} else if (found == OCTREE_FREE) {
			done = atomicCAS(w.slot, (int32_t)OCTREE_FREE, octree_body(w.body)) ==
			       OCTREE_FREE;
			failures += !done;
		} else if (w.active) {
			spins++;
		}
		if (done) {
			i += (size_t)gridDim.x * BLOCK;
			start(&w, i, count, keys, &tree);
		}
	}
	octree_count(&tree.counters->cas_failures, failures);
	octree_count(&tree.counters->lock_spins, spins);
}

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	(void)params;
	return octree_create(state, sizeof(struct octree_arrays), input, 1,
			     "a slot of Burtscher and Pingali holds one body", err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct octree_arrays *const a = (struct octree_arrays *)state;
	const struct octree_grid grid = octree_grid_of(a->count, BLOCK, octree_slack(a->input));

	if (octree_queue_start(a, NULL, timer, err) != GB_OK || a->count == 0)
		return err->code;
	gb_phase(timer, "insert");
	GPU_LAUNCH(insert_kernel, grid.blocks, BLOCK, 0, gpu_stream(), a->keys, a->count, a->tree,
		   grid.chunk);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

const struct gb_variant_ops octree_cuda_lock = {
	.create = create,
	.upload = octree_upload,
	.reset = octree_reset,
	.run = run,
	.download = octree_download,
	.destroy = octree_destroy,
	.bytes = NULL,
	.metrics = octree_metrics,
	.flags = GB_REPEATABLE,
};
