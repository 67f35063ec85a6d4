/* lf.cu -- step 2 of 3: threads insert without locks, each with a pre-allocated node.
 *
 * This is OctreeBuild-LF (Cordeiro and Zola 2024) from the root.  The paper
 * measures the phase "insert" alone.  Bodies are taken in memory order, neighbours by neighbouring
 * threads.
 *
 * Each thread has a pre-allocated node that no other thread sees.  It walks down to a slot that
 * holds no node:
 *
 *	free      one compare-and-swap puts the body in
 *	occupied  the body found goes into the pre-allocated node, and a compare-and-swap puts that
 *	          node into the slot.  The thread continues inside it, and allocates another node
 *	          when it next needs one.  If the swap fails, the node's slot is reset and the walk
 *	          looks again
 *
 * There are no locks and no barriers: a thread fails only because another one made progress.
 *
 *   - A slot goes from free to bodies to a node, and never back: if a slot still compares equal,
 *     what was read of it still holds.
 *   - A node is published by a releasing compare-and-swap and entered after an acquiring load.  A
 *     body alone publishes nothing: its key was written by an earlier kernel.
 *   - In nodes of the deepest level, keys are used up: one atomic exchange puts a body before those
 *     already there.  Such slots never hold nodes, so nothing can be lost; the link to the next
 *     body is read only after the kernel.
 *   - A warp works in steps.  A step is a descent to a slot without a node, and one attempt.
 *     Lanes that need a node allocate theirs together (octree_allocate).
 *
 * Leaves of more than one body are lists whose heads are in the slots; rank[head] is the length.  A
 * list with room takes a new head.  A full list is replaced by the thread's empty node.  The thread
 * that did so inserts the displaced bodies of the list again after its own.  No other thread can
 * meet them meanwhile, so their links may be changed.  Others may still read the rank of
 * an old head, but their compare-and-swap fails, because its slot never holds that head again.
 *
 * A body costs a load for every level it passes, all but the last ones from the L2, and a
 * compare-and-swap.  Every other body also costs a node: the key of the body met, the node's row,
 * and two more writes.  The bound is the L2; at every step, a warp waits for its slowest lane.
 */
#include "cuda/octree/shared/builder.h"

/* A thread's state; starts as zeros. */
struct inserter {
	octree_reserve reserve;
	int32_t node; /* pre-allocated, or 0 */
	uint32_t failures;
};

/* One lane's walk. */
struct walk {
	uint64_t key;
	int32_t *slot;
	int32_t body;
	int32_t displaced; /* first of the bodies that it has to insert again, or -1 */
	int level;         /* level of the slot's node */
	bool active;
};

static __device__ __forceinline__ void begin(walk *w, int32_t body, const uint64_t *keys,
					     const octree_tree *tree)
{
	w->body = body;
	w->key = keys[body];
	w->level = 0;
	w->slot = &tree->child[0][octree_digit(w->key, 0)];
}

/* A step's descent; returns the content of the slot. */
static __device__ __forceinline__ int32_t descend(walk *w, const octree_tree *tree)
{
	int32_t found = gpu_ld_acquire(w->slot);

	while (found > 0) {
		w->level++;
		w->slot = &tree->child[found][octree_digit(w->key, w->level)];
		found = gpu_ld_acquire(w->slot);
	}
	return found;
}

/* Put a node, or the head of a list, in the place of what was found.  True on success. */
static __device__ __forceinline__ bool swap(int32_t *slot, int32_t found, int32_t value)
{
	return gpu_cas_release(slot, found, value) == found;
}

/* The slot holds another body: put that into `node`, and node into the slot.  True on success. */
static __device__ __forceinline__ bool split(const walk *w, int32_t found, int32_t node,
					     const uint64_t *keys, const octree_tree *tree)
{
	int32_t *const moved =
		&tree->child[node][octree_digit(keys[octree_body(found)], w->level + 1)];

	*moved = found;
	if (swap(w->slot, found, node))
		return true;
	*moved = OCTREE_FREE;
	return false;
}

/* The slot holds a full list: put `node` in its place, and keep the list.  True on success. */
static __device__ __forceinline__ bool split_list(walk *w, int32_t found, int32_t node,
						  const octree_tree *tree)
{
	int32_t last = octree_body(found);

	if (!swap(w->slot, found, node))
		return false;
	while (tree->next[last] >= 0)
		last = tree->next[last];
	tree->next[last] = w->displaced;
	w->displaced = octree_body(found);
	return true;
}

/* The slot is free, or holds a list with room: put the body there.  True on success. */
template <bool LISTS>
static __device__ __forceinline__ bool push(const walk *w, int32_t found, const octree_tree *tree)
{
	const int32_t body = octree_body(w->body);
	const int32_t before = found == OCTREE_FREE ? -1 : octree_body(found);

	if (!LISTS)
		return atomicCAS(w->slot, found, body) == found;
	tree->next[w->body] = before;
	gpu_st_relaxed(&tree->rank[w->body],
		       before < 0 ? 1 : gpu_ld_relaxed(&tree->rank[before]) + 1);
	return swap(w->slot, found, body);
}

/* One attempt of an active lane that found `found` in its slot; true when its body is in the tree.
 * needs_node: a node must go in its place, and the lane has one unless the pool is exhausted. */
template <bool LISTS>
static __device__ __forceinline__ bool attempt(walk *w, inserter *self, int32_t found,
					       bool needs_node, const uint64_t *keys,
					       const octree_tree *tree)
{
	bool done;

	/* Occupied: put the node in its place. */
	if (found <= 0 && needs_node && self->node == 0) {
		gpu_st_relaxed(&tree->counters->exhausted, 1);
		return true; /* the body is left out: the run has failed */
	}
	if (found <= 0 && needs_node) {
		done = LISTS ? split_list(w, found, self->node, tree)
			     : split(w, found, self->node, keys, tree);
		if (!done) {
			self->failures++;
			return false;
		}
		found = self->node;
		self->node = 0;
	}
	/* A node: continue inside it. */
	if (found > 0) {
		w->level++;
		w->slot = &tree->child[found][octree_digit(w->key, w->level)];
		return false;
	}
	/* The deepest level: put the body before those that are there. */
	if (w->level == OCTREE_DEEPEST) {
		const int32_t before = atomicExch(w->slot, octree_body(w->body));

		if (before != OCTREE_FREE)
			tree->next[w->body] = octree_body(before);
		else if (LISTS)
			tree->next[w->body] = -1;
		return true;
	}
	/* Free, or a list with room. */
	done = push<LISTS>(w, found, tree);
	self->failures += !done;
	return done;
}

/* True if a node must go into the slot. */
template <bool LISTS>
static __device__ __forceinline__ bool needs_a_node(const walk *w, int32_t found,
						    const octree_tree *tree)
{
	if (!w->active || found >= OCTREE_FREE || w->level == OCTREE_DEEPEST)
		return false;
	return !LISTS || gpu_ld_relaxed(&tree->rank[octree_body(found)]) >= tree->bucket;
}

/* Grid-stride loop over the bodies. */
template <bool LISTS>
static __global__ void __launch_bounds__(OCTREE_BLOCK)
	insert_kernel(const uint64_t *keys, size_t count, octree_tree tree, uint32_t chunk)
{
	size_t i = (size_t)blockIdx.x * OCTREE_BLOCK + threadIdx.x;
	inserter self = {};
	walk w = {};

	w.displaced = -1;
	w.active = i < count;
	if (w.active)
		begin(&w, (int32_t)i, keys, &tree);
	while (__any_sync(ALL_LANES, w.active)) {
		/* 1. Descend to a slot without a node. */
		const int32_t found = w.active ? descend(&w, &tree) : (int32_t)OCTREE_FREE;
		const bool needs_node = needs_a_node<LISTS>(&w, found, &tree);
		const bool wants = needs_node && self.node == 0;

		/* 2. Pre-allocate nodes for the lanes that need one. */
		if (__any_sync(ALL_LANES, wants)) {
			const octree_nodes nodes =
				octree_allocate(&self.reserve, &tree, wants, chunk);
			const uint32_t node = octree_node(&nodes, 0);

			if (wants && node < tree.pool) {
				self.node = (int32_t)node;
				octree_clear_node(tree.child[node]);
			}
		}
		/* 3. Attempt to insert. */
		if (!w.active || !attempt<LISTS>(&w, &self, found, needs_node, keys, &tree))
			continue;
		/* 4. Continue with a displaced body, or with the next one. */
		if (LISTS && w.displaced >= 0) {
			const int32_t body = w.displaced;

			w.displaced = tree.next[body];
			begin(&w, body, keys, &tree);
			continue;
		}
		i += (size_t)gridDim.x * OCTREE_BLOCK;
		w.active = i < count;
		if (w.active)
			begin(&w, (int32_t)i, keys, &tree);
	}
	octree_count(&tree.counters->cas_failures, self.failures);
}

extern "C" const struct gb_variant_ops octree_cuda_lf =
	octree_ops<octree_builder, octree_builder_create<insert_kernel<false>, insert_kernel<true>>,
		   octree_builder_run, octree_bytes, octree_metrics>();
