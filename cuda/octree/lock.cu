/* lock.cu -- step 1 of 4: each thread locks the leaf that it splits (Burtscher and Pingali 2011).
 *
 * This is the baseline of Cordeiro and Zola (2024), algorithm 1.
 *
 * Each thread walks down to a slot that holds no node.  A free one, or a list with room, takes the
 * body by compare-and-swap.  A full one is locked by compare-and-swap.  Its owner builds all nodes
 * that are needed to separate the bodies, unseen by others, and unlocks the slot by storing the
 * first of them there.  A thread that meets a lock tries again after the block's barrier, which the
 * algorithm uses to keep waiting threads off the memory.
 *
 *   - No thread waits inside a step: one that gets a lock unlocks it in the same step, before the
 *     barrier, whatever the other lanes of its warp do.  So warps whose lanes run in lockstep
 *     cannot hang.
 *   - The number of nodes to build is known from the keys before any is built: lanes that need
 *     nodes allocate theirs together (octree_allocate).  If the pool is exhausted, the slot gets
 *     its old value back.
 *   - The unlocking store releases the nodes and lists; the load of a walk acquires them.  Taking
 *     the lock orders nothing: the load before it acquired what the slot leads to.
 *   - Slots of the deepest level are never locked: one atomic exchange puts a body before those
 *     already there.
 *
 * The paper measures the phase "insert" alone.  Keys, pool and grid are those of lf, so that only
 * the methods differ.  It moves the same bytes as lf, with a second atomic for each split and the
 * barrier.  The bound is the same.
 */
#include "cuda/octree/shared/builder.h"

/* One thread's walk. */
struct walk {
	uint64_t key;
	int32_t *slot;
	int32_t body;
	int level; /* level of the slot's node */
	bool active;
};

/* Start body i, if there is one. */
static __device__ __forceinline__ void start(walk *w, size_t i, size_t count, const uint64_t *keys,
					     const octree_tree *tree)
{
	w->active = i < count;
	if (!w->active)
		return;
	w->body = (int32_t)i;
	w->key = keys[i];
	w->level = 0;
	w->slot = &tree->child[0][octree_digit(w->key, 0)];
}

/* Walk down to a slot that holds no node; return its content. */
static __device__ __forceinline__ int32_t descend(walk *w, const octree_tree *tree)
{
	for (;;) {
		const int32_t found = gpu_ld_acquire(w->slot);

		if (found <= 0)
			return found;
		w->level++;
		w->slot = &tree->child[found][octree_digit(w->key, w->level)];
	}
}

/* True if the slot must be locked to put a node there; otherwise it has room, or is locked. */
template <bool LISTS>
static __device__ __forceinline__ bool is_full(const walk *w, int32_t found,
					       const octree_tree *tree)
{
	if (found >= OCTREE_FREE || found == OCTREE_LOCKED || w->level == OCTREE_DEEPEST)
		return false;
	return !LISTS || gpu_ld_relaxed(&tree->rank[octree_body(found)]) >= tree->bucket;
}

/* The number of nodes needed until the walk's body is apart from one of the full list, or the keys
 * end. */
template <bool LISTS>
static __device__ __forceinline__ uint32_t nodes_between(const walk *w, int32_t found,
							 const uint64_t *keys,
							 const octree_tree *tree)
{
	int shared = OCTREE_DEEPEST; /* level of the deepest node that holds them all */

	for (int32_t body = octree_body(found); body >= 0; body = LISTS ? tree->next[body] : -1)
		shared = min(shared, octree_shared_digits(w->key, keys[body]));
	return (uint32_t)(shared - w->level);
}

/* Put a body into a slot of a node that no other thread sees yet. */
template <bool LISTS>
static __device__ __forceinline__ void put(int32_t *slot, int32_t body, const octree_tree *tree)
{
	const int32_t before = *slot == OCTREE_FREE ? -1 : octree_body(*slot);

	*slot = octree_body(body);
	if (LISTS || before >= 0)
		tree->next[body] = before;
	if (LISTS)
		gpu_st_relaxed(&tree->rank[body],
			       before < 0 ? 1 : gpu_ld_relaxed(&tree->rank[before]) + 1);
}

/* Put the bodies of the list and the walk's own below `wanted` nested new nodes, at least one; then
 * unlock the slot. */
template <bool LISTS>
static __device__ __forceinline__ void split(const walk *w, int32_t found,
					     const octree_nodes *nodes, uint32_t wanted,
					     const uint64_t *keys, const octree_tree *tree)
{
	const int last = w->level + (int)wanted; /* level of the deepest new node */
	int32_t *child = NULL;

	for (uint32_t k = 0; k < wanted; k++) {
		child = tree->child[octree_node(nodes, k)];
		octree_clear_node(child);
		if (k + 1 < wanted)
			child[octree_digit(w->key, w->level + 1 + (int)k)] =
				(int32_t)octree_node(nodes, k + 1);
	}
	for (int32_t body = octree_body(found), next; body >= 0; body = next) {
		next = LISTS ? tree->next[body] : -1;
		put<LISTS>(&child[octree_digit(keys[body], last)], body, tree);
	}
	put<LISTS>(&child[octree_digit(w->key, last)], w->body, tree);
	gpu_st_release(w->slot, (int32_t)octree_node(nodes, 0));
}

/* Put the body into a slot that is not full.  True on success. */
template <bool LISTS>
static __device__ __forceinline__ bool push(const walk *w, int32_t found, const octree_tree *tree)
{
	const int32_t body = octree_body(w->body);
	int32_t before = found == OCTREE_FREE ? -1 : octree_body(found);

	if (w->level == OCTREE_DEEPEST) {
		before = atomicExch(w->slot, body);
		if (LISTS || before != OCTREE_FREE)
			tree->next[w->body] = before == OCTREE_FREE ? -1 : octree_body(before);
		return true;
	}
	if (!LISTS)
		return atomicCAS(w->slot, found, body) == found;
	tree->next[w->body] = before;
	gpu_st_relaxed(&tree->rank[w->body],
		       before < 0 ? 1 : gpu_ld_relaxed(&tree->rank[before]) + 1);
	return gpu_cas_release(w->slot, found, body) == found;
}

/* Grid-stride loop over the bodies; a block's threads make one attempt each between barriers. */
template <bool LISTS>
static __global__ void __launch_bounds__(OCTREE_BLOCK)
	insert_kernel(const uint64_t *keys, size_t count, octree_tree tree, uint32_t chunk)
{
	const size_t stride = (size_t)gridDim.x * OCTREE_BLOCK;
	octree_reserve reserve = {};
	walk w = {};
	size_t i = (size_t)blockIdx.x * OCTREE_BLOCK + threadIdx.x;
	uint32_t spins = 0;

	start(&w, i, count, keys, &tree);
	while (__syncthreads_or(w.active)) {
		const int32_t found = w.active ? descend(&w, &tree) : (int32_t)OCTREE_LOCKED;
		const bool full = w.active && is_full<LISTS>(&w, found, &tree);
		const bool locked =
			full && atomicCAS(w.slot, found, (int32_t)OCTREE_LOCKED) == found;
		const uint32_t wanted = locked ? nodes_between<LISTS>(&w, found, keys, &tree) : 0;
		octree_nodes nodes = {};
		bool done = false;

		if (__any_sync(ALL_LANES, locked))
			nodes = octree_allocate<false>(&reserve, &tree, wanted, chunk);
		if (!w.active)
			continue;
		if (locked && octree_node(&nodes, wanted - 1) >= tree.pool) {
			gpu_st_relaxed(&tree.counters->exhausted, 1);
			gpu_st_release(w.slot, found);
			done = true; /* left out: the run has failed */
		} else if (locked) {
			split<LISTS>(&w, found, &nodes, wanted, keys, &tree);
			done = true;
		} else if (!full && found != OCTREE_LOCKED) {
			done = push<LISTS>(&w, found, &tree);
		}
		spins += !done;
		if (done) {
			i += stride;
			start(&w, i, count, keys, &tree);
		}
	}
	octree_count(&tree.counters->lock_spins, spins);
}

/* lock_spins: attempts that met a lock, or found the slot changed. */
static void metrics(const octree_arrays *a, struct gb_metrics *metrics)
{
	gb_metric(metrics, "lock_spins", (double)a->last.lock_spins);
}

extern "C" const struct gb_variant_ops octree_cuda_lock =
	octree_ops<octree_builder, octree_builder_create<insert_kernel<false>, insert_kernel<true>>,
		   octree_builder_run, octree_bytes, metrics>();
