/* cluster.cu -- the tree by clustering instead of by codes alone (Benthin, Meister, Barczak,
 * Mehalwal, Tsakok, Kensler 2024: "H-PLOC"), and its renumbering for the collapse.
 *
 * Threads climb the codes' tree from the leaves as in parts/hierarchy.cu, but a finished range does
 * not become a node.  It keeps a list of at most KEPT clusters and their boxes, ordered along the
 * curve, in the places of its first leaves.  When two ranges join, a warp concatenates their lists,
 * one cluster per lane.  While there are more than KEPT clusters, they merge: each looks RADIUS
 * places to both sides for the partner with the smallest common box, and two that choose each other
 * become a node.  The last range is merged down to one cluster, the root.
 *
 * Codes and boxes alone decide which clusters merge.  The tree is therefore that of cpu/ploc before
 * its treelets are refined, except for the numbers of inner nodes.  Leaf i brings number i to its
 * range.  A new node takes one, but neither the least nor the largest of its range.  So a list has
 * as many free numbers as clusters, in ascending order, and no counter is shared.  The root takes
 * 0, and the largest number is not used.
 *
 * Progress: the wish of two clusters to merge is a number that both compute alike.  A cluster has
 * no two equal wishes, because the lowest bits name the partner.  The two clusters of the strongest
 * wish of all therefore choose each other.
 *
 * The collapse is planned (Ylitie, Karras, Laine 2017, section 4.1): from the leaves up, the least
 * cost of a subtree is found for each number of children that it may give to the wide node above.
 *
 * A cluster merges with neighbours that need not be adjacent, so a subtree's leaves are no range of
 * the curve.  The renumbering puts the primitives in the order of the leaves and numbers the nodes
 * as Karras 2012, so that a number gives a range again.
 *
 * Bound: latency of the joins on the way to the root; then arithmetic and shuffles of the merging,
 * RADIUS neighbours in each of several rounds.
 */
#include <utility>

#include "cuda/lbvh/parts/builder.h"

enum {
	BLOCK = 128,
	KEPT = WARP / 2,
	RADIUS = 8,
	PARTNER = 63, /* bits of a wish that name the partner: i ^ j */
};

#define NONE UINT32_MAX

struct cluster {
	float lo[3], hi[3];
	uint32_t node;
};

/* A warp's shared memory: lanes to take from, and numbers for new nodes. */
struct room {
	uint32_t source[WARP], number[WARP];
};

/* ---- merging: one cluster per lane, `count` of them ----------------------------------------- */

/* The wish to merge cluster a with one of box lo, hi: half the surface of the common box, with
 * `lanes` (i ^ j) in its lowest bits; smaller is stronger.  fminf() is one instruction, and equals
 * lbvh_min() if nothing is NaN or -0. */
static __device__ __forceinline__ int wish_of(const struct cluster *a, const float *lo,
					      const float *hi, int lanes)
{
	float edge[3];

	for (int k = 0; k < 3; k++)
		edge[k] = lbvh_add(fmaxf(a->hi[k], hi[k]), -fminf(a->lo[k], lo[k]));

	const float area =
		lbvh_add(lbvh_add(lbvh_mul(edge[0], edge[1]), lbvh_mul(edge[1], edge[2])),
			 lbvh_mul(edge[2], edge[0]));

	return (__float_as_int(area) & ~PARTNER) | lanes;
}

/* The strongest wish that this lane's cluster is part of. */
static __device__ __forceinline__ int choose(const struct cluster *mine, int lane, int count)
{
	int strongest = INT32_MAX;

	for (int apart = 1; apart <= RADIUS; apart++) {
		float lo[3], hi[3];
		int wish = INT32_MAX;

		for (int k = 0; k < 3; k++) {
			lo[k] = __shfl_down_sync(ALL_LANES, mine->lo[k], apart);
			hi[k] = __shfl_down_sync(ALL_LANES, mine->hi[k], apart);
		}
		if (lane + apart < count)
			wish = wish_of(mine, lo, hi, lane ^ (lane + apart));

		const int theirs = __shfl_up_sync(ALL_LANES, wish, apart);

		strongest = min(strongest, wish);
		if (lane >= apart)
			strongest = min(strongest, theirs);
	}
	return strongest;
}

/* Replace this lane's cluster by that of lane `from`. */
static __device__ __forceinline__ void take_from(struct cluster *mine, int from)
{
	for (int k = 0; k < 3; k++) {
		mine->lo[k] = __shfl_sync(ALL_LANES, mine->lo[k], from);
		mine->hi[k] = __shfl_sync(ALL_LANES, mine->hi[k], from);
	}
	mine->node = __shfl_sync(ALL_LANES, mine->node, from);
}

/* Move the clusters of the lanes in `kept` to the first lanes; return their number. */
static __device__ __forceinline__ int compact(struct cluster *mine, unsigned kept, uint32_t *source)
{
	const unsigned lane = threadIdx.x % WARP;

	source[lane] = lane;
	__syncwarp();
	if (kept >> lane & 1)
		source[__popc(kept & lanes_below())] = lane;
	__syncwarp();

	const int from = (int)source[lane];

	__syncwarp();
	take_from(mine, from);
	return __popc(kept);
}

/* Make a node of this lane's cluster and the other one. */
static __device__ __forceinline__ void merge(const struct lbvh_gpu *g, struct cluster *mine,
					     const struct cluster *other, uint32_t number)
{
	for (int k = 0; k < 3; k++) {
		mine->lo[k] = fminf(mine->lo[k], other->lo[k]);
		mine->hi[k] = fmaxf(mine->hi[k], other->hi[k]);
	}
	lbvh_node_store(g->node, number, mine->lo, mine->hi, mine->node, other->node);
	mine->node = number;
}

/* Merge until at most `most` clusters are left; return their number. */
static __device__ __forceinline__ int reduce(const struct lbvh_gpu *g, struct cluster *mine,
					     int count, int most, struct room *room)
{
	const int lane = (int)(threadIdx.x % WARP), last = count - 1;

	while (count > most) {
		const int strongest = choose(mine, lane, count);
		const int partner = lane < count ? lane ^ (strongest & PARTNER) : lane;
		const bool both =
			__shfl_sync(ALL_LANES, strongest, partner) == strongest && lane < count;
		const unsigned makers = __ballot_sync(ALL_LANES, both && lane < partner);
		const unsigned kept =
			__ballot_sync(ALL_LANES, lane < count && !(both && lane > partner));
		const int next = last - count + 2 + __popc(makers & lanes_below());
		struct cluster other = *mine;

		take_from(&other, partner);
		if (makers >> lane & 1)
			merge(g, mine, &other, room->number[next < last ? next : 0]);
		count = compact(mine, kept, room->source);
	}
	return count;
}

/* ---- ranges ------------------------------------------------------------------------------- */

/* Join the lists of leaves a .. split and split + 1 .. b, with the whole warp.  An entry of a list
 * has the low corner of the box and the node, or NONE, and g->count places on the high corner and a
 * number for a new node.  Up to KEPT leaves have no list yet.  One lane has acquired what all read
 * and will release what all have written; a __syncwarp() lies between. */
static __device__ __forceinline__ void join(const struct lbvh_gpu *g, uint32_t leaves, int a,
					    int split, int b, int most, struct room *room)
{
	const int lane = (int)(threadIdx.x % WARP), place = lane % KEPT;
	const int first = lane < KEPT ? a : split + 1, last = lane < KEPT ? split : b;
	float4 *const list = (float4 *)(void *)g->box;
	struct cluster mine = { { 0, 0, 0 }, { 0, 0, 0 }, NONE };
	uint32_t number = (uint32_t)(first + place);
	const uint32_t node = leaves - 1 + number;
	const bool leaf = last - first < KEPT;
	const float4 *const low =
		leaf ? (const float4 *)(const void *)(g->node + node) : list + number;
	const float4 *const high = leaf ? low + 1 : low + g->count;

	if (first + place <= last) {
		const float4 lo = *low, hi = *high;

		mine = { { lo.x, lo.y, lo.z },
			 { hi.x, hi.y, hi.z },
			 leaf ? node : __float_as_uint(lo.w) };
		number = leaf ? number : __float_as_uint(hi.w);
	}

	const unsigned kept = __ballot_sync(ALL_LANES, mine.node != NONE);

	if (mine.node != NONE)
		room->number[__popc(kept & lanes_below())] = number;

	const int all = compact(&mine, kept, room->source);
	const int count = reduce(g, &mine, all, most, room);

	if (lane < KEPT && most > 1) {
		list[a + lane] = make_float4(mine.lo[0], mine.lo[1], mine.lo[2],
					     __uint_as_float(lane < count ? mine.node : NONE));
		if (lane < count)
			list[g->count + (size_t)(a + lane)] = make_float4(
				mine.hi[0], mine.hi[1], mine.hi[2],
				__uint_as_float(room->number[lane ? all - count + lane : 0]));
	}
	__syncwarp();
}

static __device__ __forceinline__ int delta(const uint64_t *code, int leaves, int i, int j)
{
	return j < 0 || j >= leaves ? -1 : lbvh_delta(code[i], code[j]);
}

/* One thread per leaf.  The warp of the thread that arrives second joins the ranges. */
static __global__ void cluster_kernel(struct lbvh_gpu g)
{
	SHARED_ARRAY(struct room, rooms, BLOCK / WARP);
	const uint64_t *const code = (const uint64_t *)g.code;
	const int leaves = (int)g.counters->leaves;
	int a = (int)(blockIdx.x * BLOCK + threadIdx.x), b = a, split = a;
	bool active = a < leaves && leaves > 1;
	int before = active ? delta(code, leaves, a, a - 1) : -1;
	int after = active ? delta(code, leaves, b, b + 1) : -1;

	while (__any_sync(ALL_LANES, active)) {
		if (active) {
			const bool is_left = after > before;

			split = is_left ? b : a - 1;

			const uint32_t end = (uint32_t)(is_left ? a : b);
			uint32_t *const arrived = &g.arrived[split];
			/* A range that was never joined has written nothing. */
			const uint32_t other = b - a >= KEPT ? gpu_cas(arrived, NONE, end)
							     : gpu_cas_acquire(arrived, NONE, end);

			active = other != NONE;
			if (active && is_left) {
				b = (int)other;
				after = delta(code, leaves, b, b + 1);
			} else if (active) {
				a = (int)other;
				before = delta(code, leaves, a, a - 1);
			}
		}

		const bool root = active && before < 0 && after < 0;

		__syncwarp();
		for (unsigned left = __ballot_sync(ALL_LANES, active && (root || b - a >= KEPT));
		     left; left &= left - 1) {
			const int lane = __ffs((int)left) - 1;

			join(&g, (uint32_t)leaves, __shfl_sync(ALL_LANES, a, lane),
			     __shfl_sync(ALL_LANES, split, lane), __shfl_sync(ALL_LANES, b, lane),
			     __shfl_sync(ALL_LANES, (int)root, lane) ? 1 : (int)KEPT,
			     rooms + threadIdx.x / WARP);
		}
		active = active && !root;
	}
}

/* ---- Karras' numbering -------------------------------------------------------------------- */

/* One thread per inner node: the parent of its children. */
static __global__ void parents_kernel(struct lbvh_gpu g, struct lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	if (i + 1 >= (uint32_t)g.counters->leaves)
		return;
	o.up[g.node[i].left] = i << 1;
	o.up[g.node[i].right] = i << 1 | 1;
	g.arrived[i] = 0;
}

static __device__ __forceinline__ struct lbvh_gpu_cost cost_of(const struct lbvh_gpu *g,
							       const struct lbvh_gpu_order *o,
							       uint32_t i)
{
	const struct lbvh_node n = lbvh_node_load(g->node, i);
	struct lbvh_gpu_cost cost;

	if (!(n.left & LBVH_LEAF))
		return o->cost[i];
	for (float &least : cost.least)
		least = lbvh_area(n.lo, n.hi) * LBVH_TRIANGLE_COST * (float)n.right;
	return cost;
}

/* The least cost of `slots` children from two subtrees; *share: how many come from the left one. */
static __device__ __forceinline__ float part(const struct lbvh_gpu_cost *left,
					     const struct lbvh_gpu_cost *right, uint32_t slots,
					     uint32_t *share)
{
	float least = INFINITY;

	*share = 1;
	GPU_UNROLL
	for (uint32_t k = 1; k < slots; k++) {
		const float cost = left->least[k - 1] + right->least[slots - k - 1];

		if (cost < least) {
			least = cost;
			*share = k;
		}
	}
	return least;
}

/* Plan node `at`, whose children have costs.  A wide node costs its surface, a leaf that times
 * LBVH_TRIANGLE_COST for each triangle. */
static __device__ __forceinline__ void plan_node(const struct lbvh_gpu *g,
						 const struct lbvh_gpu_order *o, uint32_t at,
						 uint32_t primitives)
{
	const struct lbvh_node n = lbvh_node_load(g->node, at);
	const struct lbvh_gpu_cost left = cost_of(g, o, n.left), right = cost_of(g, o, n.right);
	struct lbvh_gpu_cost cost;
	uint32_t share, shares;
	const float all = part(&left, &right, LBVH_WIDE, &shares);

	cost.least[0] = primitives <= LBVH_WIDE_LEAF
				? lbvh_area(n.lo, n.hi) * LBVH_TRIANGLE_COST * (float)primitives
				: lbvh_area(n.lo, n.hi) + all;
	GPU_UNROLL
	for (uint32_t slots = 2; slots <= LBVH_WIDE; slots++) {
		const float opened = part(&left, &right, slots, &share);

		cost.least[slots - 1] = fminf(opened, cost.least[0]);
		if (opened <= cost.least[0])
			shares |= share << (4 * (slots - 1));
	}
	o->cost[at] = cost;
	o->shares[at] = shares;
}

/* One thread per leaf.  The second child to arrive continues. */
static __global__ void sizes_kernel(struct lbvh_gpu g, struct lbvh_gpu_order o)
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

		const struct lbvh_gpu_size left = o.size[g.node[at].left];
		const struct lbvh_gpu_size right = o.size[g.node[at].right];

		o.size[at] = { left.leaves + right.leaves, left.primitives + right.primitives };
		plan_node(&g, &o, at, left.primitives + right.primitives);
	}
}

/* One thread per node: find on the way to the root where its range begins, and copy it to its
 * number.  The numbers of its children follow from its range. */
static __global__ void order_kernel(struct lbvh_gpu g, struct lbvh_gpu_order o)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, leaves = (uint32_t)g.counters->leaves;
	struct lbvh_gpu_size before = { 0, 0 };

	if (i >= 2 * leaves - 1)
		return;
	for (uint32_t at = i; at; at = o.up[at] >> 1)
		if (o.up[at] & 1) {
			const struct lbvh_gpu_size left = o.size[g.node[o.up[at] >> 1].left];

			before.leaves += left.leaves;
			before.primitives += left.primitives;
		}

	const struct lbvh_node n = lbvh_node_load(g.node, i);

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

	o.plan[number] = o.shares[i];
	lbvh_node_store(o.node, number, n.lo, n.hi,
			split - 1 + (n.left >= leaves - 1 ? leaves - 1 : 0),
			split + (n.right >= leaves - 1 ? leaves - 1 : 0));
}

/* ---- phases ------------------------------------------------------------------------------- */

enum gb_status lbvh_gpu_cluster(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err)
{
	gb_phase(timer, "hierarchy");
	return GPU_RUN(err, cluster_kernel, gpu_blocks(g->count, BLOCK), BLOCK, *g);
}

enum gb_status lbvh_gpu_order_init(struct lbvh_gpu_order *o, size_t count, struct gb_error *err)
{
	gpu_alloc(&o->up, 2 * count, err);
	gpu_alloc(&o->move, 2 * count, err);
	gpu_alloc(&o->lock, 2 * count, err);
	gpu_alloc(&o->size, 2 * count, err);
	gpu_alloc(&o->cost, count, err);
	gpu_alloc(&o->shares, count, err);
	gpu_alloc(&o->plan, count, err);
	gpu_alloc(&o->node, 2 * count, err);
	return gpu_alloc(&o->index, count, err);
}

static enum gb_status renumber(struct lbvh_gpu *g, struct lbvh_gpu_order *o, struct gb_error *err)
{
	const size_t blocks = gpu_blocks(g->count, BLOCK);

	if (GPU_RUN(err, parents_kernel, blocks, BLOCK, *g, *o) ||
	    GPU_RUN(err, sizes_kernel, blocks, BLOCK, *g, *o) ||
	    GPU_RUN(err, order_kernel, gpu_blocks(2 * g->count, BLOCK), BLOCK, *g, *o))
		return err->code;
	std::swap(g->node, o->node);
	std::swap(g->index, o->index);
	return GB_OK;
}

enum gb_status lbvh_gpu_refine(struct lbvh_gpu *g, struct lbvh_gpu_order *o, struct gb_error *err)
{
	if (GPU_RUN(err, parents_kernel, gpu_blocks(g->count, BLOCK), BLOCK, *g, *o) ||
	    lbvh_gpu_move_subtrees(g, o, err))
		return err->code;
	return renumber(g, o, err);
}

enum gb_status lbvh_gpu_cheapest(struct lbvh_gpu *g, struct lbvh_gpu_order *o, struct gb_error *err)
{
	lbvh_gpu_phase *const candidate[] = { lbvh_gpu_fastest, lbvh_gpu_best, lbvh_gpu_fastest };
	struct lbvh_gpu_cost cost[3] = {};

	for (int i = 0; i < 3 && (i < 2 || cost[0].least[0] < cost[1].least[0]); i++)
		if (gpu_zero(o->cost, 1, err) || candidate[i](g, NULL, err) ||
		    lbvh_gpu_refine(g, o, err) ||
		    gpu_download(&cost[i], o->cost, sizeof cost[i], err))
			break;
	return err->code;
}
