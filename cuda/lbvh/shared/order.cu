/* order.cu -- Karras' numbering of any binary tree, and a plan for its collapse.
 *
 * A cluster merges with neighbours that need not be adjacent (shared/cluster.cu), and moves of
 * subtrees ignore the curve (shared/refine.cu), so a subtree's leaves are no range of the curve.
 * The renumbering puts the primitives in the order of the leaves and numbers the nodes as Karras
 * 2012, so that a number gives a range again.
 *
 * The plan is that of Ylitie, Karras, Laine 2017, section 4.1: from the leaves up, the least cost
 * of a subtree is found for each number of children that it may give to the wide node above.
 *
 * Bound: latency of the way from a leaf to the root.
 */
#include <utility>

#include "cuda/lbvh/shared/builder.h"

enum { BLOCK = 128 };

/* One thread per inner node: the parent of its children. */
static __global__ void parents_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i + 1 >= (uint32_t)g.counters->leaves)
		return;
	o.up[g.node[i].left] = i << 1;
	o.up[g.node[i].right] = i << 1 | 1;
	g.arrived[i] = 0;
}

static __device__ __forceinline__ lbvh_gpu_cost cost_of(const lbvh_gpu *g, const lbvh_gpu_order *o,
							uint32_t i)
{
	const lbvh_node n = lbvh_node_load(g->node, i);
	lbvh_gpu_cost cost;

	if (!(n.left & LBVH_LEAF))
		return o->cost[i];
	for (float &least : cost.least)
		least = lbvh_area(n.lo, n.hi) * LBVH_TRIANGLE_COST * (float)n.right;
	return cost;
}

/* The paper's C_distribute: the least cost of `slots` children from two subtrees.  *left_slots: how
 * many come from the left one. */
static __device__ __forceinline__ float distribute(const lbvh_gpu_cost *left,
						   const lbvh_gpu_cost *right, uint32_t slots,
						   uint32_t *left_slots)
{
	float least = INFINITY;

	*left_slots = 1;
#pragma unroll
	for (uint32_t k = 1; k < slots; k++) {
		const float cost = left->least[k - 1] + right->least[slots - k - 1];

		if (cost < least) {
			least = cost;
			*left_slots = k;
		}
	}
	return least;
}

/* Plan node `at`, whose children have costs.  A wide node costs its surface, a leaf that times
 * LBVH_TRIANGLE_COST for each triangle. */
static __device__ __forceinline__ void plan_node(const lbvh_gpu *g, const lbvh_gpu_order *o,
						 uint32_t at, uint32_t primitives)
{
	const lbvh_node n = lbvh_node_load(g->node, at);
	const lbvh_gpu_cost left = cost_of(g, o, n.left), right = cost_of(g, o, n.right);
	lbvh_gpu_cost cost;
	uint32_t left_slots, all_slots;
	const float all = distribute(&left, &right, LBVH_WIDE, &all_slots);

	cost.least[0] = primitives <= LBVH_WIDE_LEAF
				? lbvh_area(n.lo, n.hi) * LBVH_TRIANGLE_COST * (float)primitives
				: lbvh_area(n.lo, n.hi) + all;
#pragma unroll
	for (uint32_t slots = 2; slots <= LBVH_WIDE; slots++) {
		const float opened = distribute(&left, &right, slots, &left_slots);

		cost.least[slots - 1] = fminf(opened, cost.least[0]);
		if (opened <= cost.least[0])
			all_slots |= left_slots << (4 * (slots - 1));
	}
	o->cost[at] = cost;
	o->slots[at] = all_slots;
}

/* One thread per leaf.  The second child to arrive continues. */
static __global__ void sizes_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;
	uint32_t at = leaves - 1 + i;

	if (i >= leaves)
		return;
	o.size[at] = { 1, g.node[at].right };
	while (at) {
		at = o.up[at] >> 1;
		if (gpu_add(&g.arrived[at], 1u) == 0)
			return;

		const lbvh_gpu_size left = o.size[g.node[at].left];
		const lbvh_gpu_size right = o.size[g.node[at].right];

		o.size[at] = { left.leaves + right.leaves, left.primitives + right.primitives };
		plan_node(&g, &o, at, left.primitives + right.primitives);
	}
}

/* One thread per node: find on the way to the root where its range begins, and copy it to its
 * number.  The numbers of its children follow from its range. */
static __global__ void order_kernel(lbvh_gpu g, lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;
	lbvh_gpu_size before = { 0, 0 };

	if (i >= 2 * leaves - 1)
		return;
	for (uint32_t at = i; at; at = o.up[at] >> 1)
		if (o.up[at] & 1) {
			const lbvh_gpu_size left = o.size[g.node[o.up[at] >> 1].left];

			before.leaves += left.leaves;
			before.primitives += left.primitives;
		}

	const lbvh_node n = lbvh_node_load(g.node, i);

	if (n.left & LBVH_LEAF) {
		for (uint32_t k = 0; k < n.right; k++)
			o.index[before.primitives + k] = g.index[(n.left & ~LBVH_LEAF) + k];
		lbvh_node_store(o.node, leaves - 1 + before.leaves, n.lo, n.hi,
				LBVH_LEAF | before.primitives, n.right);
		return;
	}

	const bool first =
		i == 0 || o.up[i] & 1; /* its number is its first leaf's, else the last's */
	const uint32_t number = first ? before.leaves : before.leaves + o.size[i].leaves - 1;
	const uint32_t split = before.leaves + o.size[n.left].leaves;

	o.plan[number] = o.slots[i];
	lbvh_node_store(o.node, number, n.lo, n.hi,
			split - 1 + (n.left >= leaves - 1 ? leaves - 1 : 0),
			split + (n.right >= leaves - 1 ? leaves - 1 : 0));
}

/* ---- phases ------------------------------------------------------------------------------- */

gb_status lbvh_gpu_order_init(lbvh_gpu_order *o, size_t count, gb_error *err)
{
	gpu_alloc(&o->up, 2 * count, err);
	gpu_alloc(&o->move, 2 * count, err);
	gpu_alloc(&o->lock, 2 * count, err);
	gpu_alloc(&o->size, 2 * count, err);
	gpu_alloc(&o->cost, count, err);
	gpu_alloc(&o->slots, count, err);
	gpu_alloc(&o->plan, count, err);
	gpu_alloc(&o->node, 2 * count, err);
	return gpu_alloc(&o->index, count, err);
}

static gb_status renumber(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err)
{
	const size_t blocks = gpu_blocks(g->count, BLOCK);

	parents_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(*g, *o);
	sizes_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(*g, *o);
	order_kernel<<<gpu_blocks(2 * g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g, *o);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	std::swap(g->node, o->node);
	std::swap(g->index, o->index);
	return GB_OK;
}

gb_status lbvh_gpu_refine(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err)
{
	parents_kernel<<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g, *o);
	if (lbvh_gpu_move_subtrees(g, o, err))
		return err->code;
	return renumber(g, o, err);
}

gb_status lbvh_gpu_cheapest(lbvh_gpu *g, lbvh_gpu_order *o, gb_error *err)
{
	lbvh_gpu_phase *const candidate[] = { lbvh_gpu_fastest, lbvh_gpu_best, lbvh_gpu_fastest };
	lbvh_gpu_cost cost[3] = {};

	for (int i = 0; i < 3 && (i < 2 || cost[0].least[0] < cost[1].least[0]); i++)
		if (gpu_zero(o->cost, 1, err) || candidate[i](g, NULL, err) ||
		    lbvh_gpu_refine(g, o, err) ||
		    gpu_download(&cost[i], o->cost, sizeof cost[i], err))
			break;
	return err->code;
}
