/* lf.h -- the lock-free insertion of OctreeBuild-LF (Cordeiro and Zola 2024), as lf runs it
 * from the root and lf-shared from slots further down.
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
 *   - A warp works in steps.  A step is a descent to a slot without a node, and one attempt; in
 *     shared memory, where loads are fast, it descends at most one level.  Lanes that
 *     need a node allocate theirs together (octree_allocate).
 *
 * Leaves of more than one body are lists whose heads are in the slots; rank[head] is the length.  A
 * list with room takes a new head.  A full list is replaced by the thread's empty node.  The thread
 * that did so inserts the displaced bodies of the list again after its own.  No other thread can
 * meet them meanwhile, so their links may be changed.  Others may still read the rank of
 * an old head, but their compare-and-swap fails, because its slot never holds that head again.
 */
#ifndef GPUBENCH_CUDA_OCTREE_SHARED_LF_H
#define GPUBENCH_CUDA_OCTREE_SHARED_LF_H

#include "cuda/octree/shared/builder.h"

/* The memory that holds the tree, and whether its leaves are lists. */
template <bool IN_SHARED, bool HAS_LISTS> struct octree_kind {
	static constexpr bool SHARED = IN_SHARED, LISTS = HAS_LISTS;

	static __device__ __forceinline__ int32_t load(const int32_t *slot)
	{
		return SHARED ? gpu_ld_acquire_shared(slot) : gpu_ld_acquire(slot);
	}

	static __device__ __forceinline__ bool swap(int32_t *slot, int32_t found, int32_t value)
	{
		return (SHARED ? gpu_cas_shared(slot, found, value)
			       : gpu_cas_release(slot, found, value)) == found;
	}
};

/* A thread's state between ranges of bodies; starts as zeros. */
struct octree_inserter {
	octree_reserve reserve;
	int32_t node; /* pre-allocated, or 0 */
	uint32_t failures;
};

/* Bodies first, first + stride ... below count: body numbers, or indices into `numbers`. */
struct octree_range {
	size_t first, stride, count;
	const uint32_t *numbers; /* NULL: body numbers */
};

/* The node where all walks of a call start. */
struct octree_place {
	int32_t node;
	int level;
};

/* One lane's walk. */
struct octree_walk {
	uint64_t key;
	int32_t *slot;
	int32_t body;
	int32_t displaced; /* first of the bodies that it has to insert again, or -1 */
	int level;         /* level of the slot's node */
	bool active;
};

static __device__ __forceinline__ void octree_begin(octree_walk *w, int32_t body,
						    const uint64_t *keys, const octree_tree *tree,
						    octree_place from)
{
	w->body = body;
	w->key = keys[body];
	w->level = from.level;
	w->slot = &tree->child[from.node][octree_digit(w->key, from.level)];
}

/* Start body i of the range, if it has one. */
static __device__ __forceinline__ void octree_begin_of(octree_walk *w, const octree_range *range,
						       size_t i, const uint64_t *keys,
						       const octree_tree *tree, octree_place from)
{
	w->active = i < range->count;
	if (w->active)
		octree_begin(w, (int32_t)(range->numbers ? range->numbers[i] : i), keys, tree,
			     from);
}

/* A step's descent; returns the content of the slot. */
template <class KIND>
static __device__ __forceinline__ int32_t octree_descend(octree_walk *w, const octree_tree *tree)
{
	int32_t found = KIND::load(w->slot);

	while (!KIND::SHARED && found > 0) {
		w->level++;
		w->slot = &tree->child[found][octree_digit(w->key, w->level)];
		found = KIND::load(w->slot);
	}
	return found;
}

/* The slot holds another body: put that into `node`, and node into the slot.  True on success. */
template <class KIND>
static __device__ __forceinline__ bool octree_split(const octree_walk *w, int32_t found,
						    int32_t node, const uint64_t *keys,
						    const octree_tree *tree)
{
	int32_t *const moved =
		&tree->child[node][octree_digit(keys[octree_body(found)], w->level + 1)];

	*moved = found;
	if (KIND::swap(w->slot, found, node))
		return true;
	*moved = OCTREE_FREE;
	return false;
}

/* The slot holds a full list: put `node` in its place, and keep the list.  True on success. */
template <class KIND>
static __device__ __forceinline__ bool octree_split_list(octree_walk *w, int32_t found,
							 int32_t node, const octree_tree *tree)
{
	int32_t last = octree_body(found);

	if (!KIND::swap(w->slot, found, node))
		return false;
	while (tree->next[last] >= 0)
		last = tree->next[last];
	tree->next[last] = w->displaced;
	w->displaced = octree_body(found);
	return true;
}

/* The slot is free, or holds a list with room: put the body there.  True on success. */
template <class KIND>
static __device__ __forceinline__ bool octree_push(const octree_walk *w, int32_t found,
						   const octree_tree *tree)
{
	const int32_t body = octree_body(w->body);
	const int32_t before = found == OCTREE_FREE ? -1 : octree_body(found);

	if (!KIND::LISTS)
		return atomicCAS(w->slot, found, body) == found;
	tree->next[w->body] = before;
	gpu_st_relaxed(&tree->rank[w->body],
		       before < 0 ? 1 : gpu_ld_relaxed(&tree->rank[before]) + 1);
	return KIND::swap(w->slot, found, body);
}

/* One attempt of an active lane that found `found` in its slot; true when its body is in the tree.
 * needs_node: a node must go in its place, and the lane has one unless the pool is exhausted. */
template <class KIND>
static __device__ __forceinline__ bool octree_attempt(octree_walk *w, octree_inserter *self,
						      int32_t found, bool needs_node,
						      const uint64_t *keys, const octree_tree *tree)
{
	bool done;

	/* Occupied: put the node in its place. */
	if (found <= 0 && needs_node && self->node == 0) {
		gpu_st_relaxed(&tree->counters->exhausted, 1);
		return true; /* the body is left out: the run has failed */
	}
	if (found <= 0 && needs_node) {
		done = KIND::LISTS ? octree_split_list<KIND>(w, found, self->node, tree)
				   : octree_split<KIND>(w, found, self->node, keys, tree);
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
		else if (KIND::LISTS)
			tree->next[w->body] = -1;
		return true;
	}
	/* Free, or a list with room. */
	done = octree_push<KIND>(w, found, tree);
	self->failures += !done;
	return done;
}

/* True if a node must go into the slot. */
template <class KIND>
static __device__ __forceinline__ bool octree_needs_node(const octree_walk *w, int32_t found,
							 const octree_tree *tree)
{
	if (!w->active || found >= OCTREE_FREE || w->level == OCTREE_DEEPEST)
		return false;
	return !KIND::LISTS || gpu_ld_relaxed(&tree->rank[octree_body(found)]) >= tree->bucket;
}

/* Insert this lane's bodies of the range.  All lanes of the warp call together, with the same
 * place and numbers. */
template <class KIND>
static __device__ __forceinline__ void octree_insert(octree_inserter *self, octree_range range,
						     const uint64_t *keys, const octree_tree *tree,
						     octree_place from, uint32_t chunk)
{
	octree_walk w = {};
	size_t i = range.first;

	w.displaced = -1;
	octree_begin_of(&w, &range, i, keys, tree, from);
	while (__any_sync(ALL_LANES, w.active)) {
		/* 1. Descend to a slot without a node. */
		const int32_t found =
			w.active ? octree_descend<KIND>(&w, tree) : (int32_t)OCTREE_FREE;
		const bool needs_node = octree_needs_node<KIND>(&w, found, tree);
		const bool wants = needs_node && self->node == 0;

		/* 2. Pre-allocate nodes for the lanes that need one. */
		if (__any_sync(ALL_LANES, wants)) {
			const octree_nodes nodes =
				octree_allocate<KIND::SHARED>(&self->reserve, tree, wants, chunk);
			const uint32_t node = octree_node(&nodes, 0);

			if (wants && node < tree->pool) {
				self->node = (int32_t)node;
				octree_clear_node(tree->child[node]);
			}
		}
		/* 3. Attempt to insert. */
		if (!w.active || !octree_attempt<KIND>(&w, self, found, needs_node, keys, tree))
			continue;
		/* 4. Continue with a displaced body, or with the next one of the range. */
		if (KIND::LISTS && w.displaced >= 0) {
			const int32_t body = w.displaced;

			w.displaced = tree->next[body];
			octree_begin(&w, body, keys, tree, from);
			continue;
		}
		i += range.stride;
		octree_begin_of(&w, &range, i, keys, tree, from);
	}
}

#endif
