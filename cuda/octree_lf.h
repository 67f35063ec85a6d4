/* octree_lf.h -- the lock-free insertion of OctreeBuild-LF (Cordeiro and Zola 2024), as lf runs it
 * from the root and lf-shared from slots further down.
 *
 * Each thread owns a node that nobody else sees.  It walks down to a slot that holds no node:
 *	free      one compare-and-swap puts the body in
 *	occupied  the body found goes into the thread's own node, and a compare-and-swap puts that
 *	          node into the slot; the thread goes on inside it and owns another node.  If it
 *	          fails, the slot of the own node is reset and the walk looks again
 * No locks, no barriers: whoever fails does so because somebody else got on.
 *
 *   - A slot goes from free to a body to a node, and never back: what was read of a slot that
 *     still compares equal still holds.
 *   - A node is published by a compare-and-swap that releases, and entered after a load that
 *     acquires.  A body's number publishes nothing: its key was written by an earlier kernel.
 *   - In nodes of the deepest level keys are used up: one atomic exchange puts a body before
 *     those already there.  Such slots never hold nodes, so nothing can be lost; the link to the
 *     next one is read after the kernel only.
 *   - A warp goes step by step: a step is one load of each lane's slot.  Lanes that need a node
 *     get theirs together (octree_take).  A node is taken when it is first needed, and kept for
 *     the next time if its compare-and-swap fails.
 */
#ifndef GPUBENCH_CUDA_OCTREE_LF_H
#define GPUBENCH_CUDA_OCTREE_LF_H

#include "cuda/octree_common.h"

/* What a thread keeps from one range of bodies to the next; starts as zeros. */
struct octree_inserter {
	struct octree_chunk chunk;
	int32_t own; /* a node, or 0 */
	uint32_t failures;
};

/* Bodies first, first + stride ... below count: numbers of bodies, or indices to their numbers. */
struct octree_range {
	size_t first, stride, count;
	const uint32_t *numbers; /* NULL: the bodies themselves */
};

/* One lane's walk. */
struct octree_walk {
	uint64_t key;
	int32_t *slot;
	int32_t body;
	int level; /* of the node that the slot is in */
	bool active;
};

static __device__ __forceinline__ void octree_start(struct octree_walk *w,
						    const struct octree_range *range, size_t i,
						    const uint64_t *keys,
						    const struct octree_tree *tree, int32_t node,
						    int level)
{
	w->active = i < range->count;
	if (!w->active)
		return;
	w->body = (int32_t)(range->numbers ? range->numbers[i] : (uint32_t)i);
	w->key = keys[w->body];
	w->level = level;
	w->slot = &tree->child[node][octree_digit(w->key, level)];
}

/* The slot holds another body: put both into `own`, below it.  True if that was done. */
static __device__ __forceinline__ bool octree_split(struct octree_walk *w, int32_t found,
						    int32_t own, const uint64_t *keys,
						    const struct octree_tree *tree)
{
	int32_t *const child = tree->child[own];
	int32_t *const moved = &child[octree_digit(keys[octree_body(found)], w->level + 1)];

	*moved = found;
	if (gpu_cas(w->slot, found, own) != found) {
		*moved = OCTREE_FREE;
		return false;
	}
	w->level++;
	w->slot = &child[octree_digit(w->key, w->level)];
	return true;
}

/* One step of an active lane that found `found` in its slot; true when its body is in the tree.
 * splits: that is a body, and a node may go in its place; there is one unless the pool is empty. */
static __device__ __forceinline__ bool octree_step(struct octree_walk *w,
						   struct octree_inserter *self, int32_t found,
						   bool splits, const uint64_t *keys,
						   const struct octree_tree *tree)
{
	const int32_t body = octree_body(w->body);

	if (found > 0) {
		w->level++;
		w->slot = &tree->child[found][octree_digit(w->key, w->level)];
		return false;
	}
	if (splits && self->own == 0) {
		gpu_st_relaxed(&tree->counters->exhausted, 1);
		return true; /* left out: the run has failed */
	}
	if (splits) {
		if (octree_split(w, found, self->own, keys, tree))
			self->own = 0;
		else
			self->failures++;
		return false;
	}
	if (w->level == OCTREE_DEEPEST) {
		const int32_t before = atomicExch(w->slot, body);

		if (before != OCTREE_FREE)
			tree->next[w->body] = octree_body(before);
		return true;
	}
	if (atomicCAS(w->slot, (int32_t)OCTREE_FREE, body) == OCTREE_FREE)
		return true;
	self->failures++;
	return false;
}

/* Insert this lane's bodies of the range, starting in node `node` of that level.  All lanes of the
 * warp call together, with the same node, level and numbers. */
static __device__ __forceinline__ void octree_insert(struct octree_inserter *self,
						     struct octree_range range,
						     const uint64_t *keys,
						     const struct octree_tree *tree, int32_t node,
						     int level, uint32_t least)
{
	struct octree_walk w = {};
	size_t i = range.first;

	octree_start(&w, &range, i, keys, tree, node, level);
	while (__any_sync(ALL_LANES, w.active)) {
		const int32_t found = w.active ? gpu_ld_acquire(w.slot) : (int32_t)OCTREE_FREE;
		const bool splits = found < OCTREE_FREE && w.level < OCTREE_DEEPEST;
		const bool lacks = splits && self->own == 0;

		if (__any_sync(ALL_LANES, lacks)) {
			const struct octree_nodes nodes =
				octree_take(&self->chunk, tree, lacks, least);
			const uint32_t mine = octree_node(&nodes, 0);

			if (lacks && mine < tree->pool) {
				self->own = (int32_t)mine;
				octree_clear_node(tree->child[mine]);
			}
		}
		if (w.active && octree_step(&w, self, found, splits, keys, tree)) {
			i += range.stride;
			octree_start(&w, &range, i, keys, tree, node, level);
		}
	}
}

#endif
