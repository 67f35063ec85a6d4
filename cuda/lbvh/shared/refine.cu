/* refine.cu -- a binary tree made cheaper by moving subtrees (Meister, Bittner 2018: "Parallel
 * reinsertion for bounding volume hierarchy optimization").
 *
 * Each node looks for the place in the tree where it, with all below it, should be reinserted so
 * that the sum of all surfaces shrinks most.  Then its sibling takes its parent's place, and its
 * parent becomes the parent of it and of the node at the new place.  The search goes up: each
 * ancestor is a pivot, whose other child is searched.  A branch that cannot gain more than the best
 * place so far is left out.
 *
 * A move changes the surfaces of the nodes on the way between both places, below the pivot, and the
 * links of a few neighbours.  It locks all of these by its gain, and it happens if that gain is the
 * largest on each.  So the surfaces shrink by the gains of all moves that happen, no
 * node moves into its own subtree, and the result does not depend on the schedule.
 *
 * Bound: latency of the searches, which visit some hundred nodes each.
 */
#include "cuda/lbvh/shared/builder.h"

enum {
	BLOCK = 128,
	PARTS = 4,    /* a round searches for one part of the nodes */
	ROUNDS = 12,  /* so each node searches three times */
	PENDING = 64, /* subtrees to search; the others are left out */
};

static __device__ __forceinline__ float common_area(const lbvh_node *a, const lbvh_node *b)
{
	float lo[3], hi[3];

	for (int d = 0; d < 3; d++) {
		lo[d] = fminf(a->lo[d], b->lo[d]);
		hi[d] = fmaxf(a->hi[d], b->hi[d]);
	}
	return lbvh_area(lo, hi);
}

static __device__ __forceinline__ uint32_t parent_of(const lbvh_gpu_order *o, uint32_t i)
{
	return o->up[i] >> 1;
}

static __device__ __forceinline__ uint32_t sibling_of(const lbvh_gpu *g, const lbvh_gpu_order *o,
						      uint32_t i)
{
	const lbvh_node *const parent = g->node + parent_of(o, i);

	return o->up[i] & 1 ? parent->left : parent->right;
}

/* A subtree to search: what a move below it gains, without the surfaces from its root down. */
struct pending {
	float gain;
	uint32_t node;
};

/* Search the subtree at `root` for a better place for `mine`. */
static __device__ __forceinline__ void search(const lbvh_gpu *g, const lbvh_node *mine, float area,
					      uint32_t root, float gain, uint32_t pivot,
					      lbvh_gpu_move *best)
{
	pending stack[PENDING];
	int count = 1;

	stack[0] = { gain, root };
	while (count) {
		const pending p = stack[--count];

		if (!(p.gain - area > best->gain))
			continue;

		const lbvh_node n = lbvh_node_load(g->node, p.node);
		const float here = p.gain - common_area(&n, mine);

		if (here > best->gain)
			*best = { here, p.node, pivot };
		if (!(n.left & LBVH_LEAF) && count + 2 <= PENDING) {
			const float below = here + lbvh_area(n.lo, n.hi);

			stack[count++] = { below, n.left };
			stack[count++] = { below, n.right };
		}
	}
}

/* One thread per node.  The root's children stay, because the root keeps its number. */
static __global__ void search_kernel(lbvh_gpu g, lbvh_gpu_order o, uint32_t part)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;
	lbvh_gpu_move best = { 0, 0, 0 };

	if (i >= 2 * leaves - 1)
		return;
	o.lock[i] = 0;
	if (i && parent_of(&o, i) && i % PARTS == part) {
		const lbvh_node mine = lbvh_node_load(g.node, i);
		const float area = lbvh_area(mine.lo, mine.hi);
		const uint32_t parent = parent_of(&o, i);
		lbvh_node without_me = lbvh_node_load(g.node, sibling_of(&g, &o, i));
		lbvh_node at = lbvh_node_load(g.node, parent);
		float gain = lbvh_area(at.lo, at.hi);

		/* without_me: the box of the pivot without this node. */
		for (uint32_t below = i, pivot = parent;;
		     below = pivot, pivot = parent_of(&o, pivot)) {
			const uint32_t other = sibling_of(&g, &o, below);
			const lbvh_node n = lbvh_node_load(g.node, other);

			if (pivot == parent) {
				if (!(n.left & LBVH_LEAF)) {
					const float kept = gain - common_area(&n, &mine) +
							   lbvh_area(n.lo, n.hi);

					search(&g, &mine, area, n.left, kept, pivot, &best);
					search(&g, &mine, area, n.right, kept, pivot, &best);
				}
			} else {
				search(&g, &mine, area, other, gain, pivot, &best);
				for (int d = 0; d < 3; d++) {
					without_me.lo[d] = fminf(without_me.lo[d], n.lo[d]);
					without_me.hi[d] = fmaxf(without_me.hi[d], n.hi[d]);
				}
				at = lbvh_node_load(g.node, pivot);
				gain += lbvh_area(at.lo, at.hi) -
					lbvh_area(without_me.lo, without_me.hi);
			}
			if (!pivot)
				break;
		}
	}
	o.move[i] = best;
}

/* Call visit(node) for all nodes that the move of node i changes, until it returns false; return
 * what it returned last. */
template <class VISIT>
static __device__ __forceinline__ bool each_changed(const lbvh_gpu *g, const lbvh_gpu_order *o,
						    uint32_t i, const VISIT &visit)
{
	const lbvh_gpu_move m = o->move[i];
	const uint32_t parent = parent_of(o, i);

	if (!visit(parent) || !visit(parent_of(o, parent)) || !visit(sibling_of(g, o, i)) ||
	    !visit(parent_of(o, m.to)))
		return false;
	for (uint32_t end : { i, m.to })
		for (uint32_t at = end; at != m.pivot; at = parent_of(o, at))
			if (!visit(at))
				return false;
	return true;
}

static __device__ __forceinline__ unsigned long long key_of(const lbvh_gpu_order *o, uint32_t i)
{
	return (unsigned long long)__float_as_uint(o->move[i].gain) << 32 | i;
}

/* One thread per node: lock what its move changes. */
static __global__ void lock_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i >= 2 * (uint32_t)g.counters->leaves - 1 || !(o.move[i].gain > 0))
		return;

	const unsigned long long key = key_of(&o, i);

	(void)each_changed(&g, &o, i, [&](uint32_t at) {
		if (gpu_ld_relaxed(&o.lock[at]) < key)
			atomicMax(&o.lock[at], key);
		return true;
	});
}

/* One thread per node: drop moves that do not have all locks. */
static __global__ void drop_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;

	if (i + 1 < leaves)
		g.arrived[i] = 0;
	if (i >= 2 * leaves - 1 || !(o.move[i].gain > 0))
		return;

	const unsigned long long key = key_of(&o, i);

	if (!each_changed(&g, &o, i, [&](uint32_t at) { return o.lock[at] == key; }))
		o.move[i].gain = 0;
}

static __device__ __forceinline__ void attach(const lbvh_gpu *g, const lbvh_gpu_order *o,
					      uint32_t up, uint32_t child)
{
	lbvh_node *const parent = g->node + (up >> 1);

	*(up & 1 ? &parent->right : &parent->left) = child;
	o->up[child] = up;
}

/* One thread per node: make the moves. */
static __global__ void move_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i >= 2 * (uint32_t)g.counters->leaves - 1 || !(o.move[i].gain > 0))
		return;

	const uint32_t to = o.move[i].to, parent = parent_of(&o, i);
	const uint32_t sibling = sibling_of(&g, &o, i), place = o.up[to];

	attach(&g, &o, o.up[parent], sibling);
	attach(&g, &o, place, parent);
	attach(&g, &o, parent << 1, to);
	attach(&g, &o, parent << 1 | 1, i);
}

/* One thread per leaf: the boxes of the nodes above.  The second child to arrive continues. */
static __global__ void boxes_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;
	uint32_t at = leaves - 1 + i;

	if (i >= leaves)
		return;
	while (at) {
		at = parent_of(&o, at);
		if (gpu_add(&g.arrived[at], 1u) == 0)
			return;

		const uint32_t left = g.node[at].left, right = g.node[at].right;
		lbvh_node a = lbvh_node_load(g.node, left);
		const lbvh_node b = lbvh_node_load(g.node, right);

		for (int d = 0; d < 3; d++) {
			a.lo[d] = fminf(a.lo[d], b.lo[d]);
			a.hi[d] = fmaxf(a.hi[d], b.hi[d]);
		}
		lbvh_node_store(g.node, at, a.lo, a.hi, left, right);
	}
}

gb_status lbvh_gpu_move_subtrees(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err)
{
	const size_t leaves = gpu_blocks(g->count, BLOCK), nodes = gpu_blocks(2 * g->count, BLOCK);

	for (uint32_t round = 0; round < ROUNDS; round++) {
		search_kernel<<<nodes, BLOCK, 0, gpu_stream()>>>(*g, *o, round % PARTS);
		lock_kernel<<<nodes, BLOCK, 0, gpu_stream()>>>(*g, *o);
		drop_kernel<<<nodes, BLOCK, 0, gpu_stream()>>>(*g, *o);
		move_kernel<<<nodes, BLOCK, 0, gpu_stream()>>>(*g, *o);
		boxes_kernel<<<leaves, BLOCK, 0, gpu_stream()>>>(*g, *o);
	}
	return CUDA_TRY(err, cudaGetLastError());
}
