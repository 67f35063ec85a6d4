/* collapse.cu -- collapse a binary tree into one with eight children per node, in one launch.
 *
 * Eight lanes make a wide node, a lane per child.  They open the child with the largest surface
 * until there are eight children or only leaves, write the node, take consecutive numbers for its
 * inner children, and leave their binary roots.  Node i is made by the eight lanes number i modulo
 * the number of groups in the grid; they wait until its root was left.  All blocks are resident,
 * and a parent has a smaller number than its children, so the least node not made has its root.
 * The launch ends when all triangles have places: then no node is missing.
 *
 * With a plan, the plan says which children to open instead (parts/order.cu).
 *
 * One launch or grid barrier per level would cost more than a level.  By Karras' numbering, a
 * child's range of primitives follows from its number, so nothing is counted below it.
 *
 * Bound on the nodes for n primitives: a node that is not full has only leaves, and more than
 * LBVH_WIDE_LEAF primitives, else it would be a leaf.  So at most n / (LBVH_WIDE_LEAF + 1) nodes
 * have no inner children, fewer have two or more, and at most n / 7 have one, beside which there
 * are seven leaves.
 *
 * The triangles of a node's leaves get consecutive places; the kernel that writes them uses those
 * places.  The collapse does not read which primitives a leaf has, so nothing waits for a store.
 *
 * Bound: latency near the root, 7 dependent fetches, the taking of numbers and the passing on of a
 * root per level; then memory: 32 bytes of each binary node, 80, 12 and 4 bytes per wide node, 48
 * per triangle.
 */
#include "cuda/lbvh/parts/wide.h"

enum {
	BLOCK = 128,
	PER_SM = 4, /* blocks, all resident at once */
	GROUPS = BLOCK / LBVH_WIDE,
	EIGHT = 0xff,  /* lanes */
	PER_GROUP = 8, /* triangles; a node without inner children has about 15 */
	PLANES = 256,
};

static_assert(sizeof(struct lbvh_wide_node) == 80, "a header of 24 bytes, then 8 bytes 7 times");
static_assert(LBVH_WIDE == 8 && WARP % LBVH_WIDE == 0, "a lane per child");

/* A candidate child; each lane has one, or none. */
struct kid {
	float lo[3], hi[3];
	uint32_t node, first, count;
	uint32_t left, right; /* as in the binary node */
	float area;           /* negative if it must not be opened, or there is none */
	uint32_t give, rest;  /* planned: children from its left and right half if it is opened */
};

static __device__ __forceinline__ unsigned lane_of_group(void)
{
	return threadIdx.x % LBVH_WIDE;
}

/* Value of another lane of the group. */
static __device__ __forceinline__ uint32_t from_lane(uint32_t value, unsigned lane)
{
	return __shfl_sync(ALL_LANES, value, (int)lane, LBVH_WIDE);
}

/* The halves' shares of `slots` children.  The primitives of a leaf have one box, so its halves are
 * as good as any. */
static __device__ __forceinline__ void plan_kid(struct kid *kid, const uint32_t *plan,
						uint32_t slots, bool root)
{
	kid->give = kid->left & LBVH_LEAF ? (kid->count > LBVH_WIDE_LEAF ? slots / 2 : 0)
					  : lbvh_plan_share(plan[kid->node], root ? 1 : slots);
	kid->rest = slots - kid->give;
	kid->area = (root || slots > 1) && kid->give ? 1 : -1;
}

static __device__ __forceinline__ void load_kid(struct kid *kid, const struct lbvh_node *node,
						uint32_t i, uint32_t first, uint32_t count)
{
	const struct lbvh_node b = lbvh_node_load(node, i);

	for (int d = 0; d < 3; d++) {
		kid->lo[d] = b.lo[d];
		kid->hi[d] = b.hi[d];
	}
	kid->node = i;
	kid->first = first;
	kid->count = count;
	kid->left = b.left;
	kid->right = b.right;
	kid->area = count <= LBVH_WIDE_LEAF ? -1 : lbvh_area(b.lo, b.hi);
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Load one half of a subtree.  The number of the left child gives the last leaf of its range; the
 * right child's primitives begin with the next leaf's.  Both halves of a leaf, whose primitives
 * have one code, get the leaf's box. */
static __device__ __forceinline__ void load_half(struct kid *half, const struct lbvh_node *node,
						 uint32_t leaves, const struct kid *whole,
						 bool right)
{
	const uint32_t last = whole->left < leaves - 1 ? whole->left : whole->left - (leaves - 1);
	uint32_t low, child = right ? whole->right : whole->left;

	if (whole->left & LBVH_LEAF) {
		low = (whole->count / 2 + LBVH_WIDE_LEAF - 1) / LBVH_WIDE_LEAF * LBVH_WIDE_LEAF;
		child = whole->node;
	} else {
		low = (node[leaves + last].left & ~LBVH_LEAF) - whole->first;
	}
	load_kid(half, node, child, right ? whole->first + low : whole->first,
		 right ? whole->count - low : low);
}

/* Find the eight children of a binary subtree, or as many as there are: lane k of the group has
 * child k.  All lanes call together; groups that are not ready get none.  Return the number. */
template <bool PLANNED>
static __device__ __forceinline__ unsigned open_kids(const struct lbvh_node *node,
						     const uint32_t *plan, uint32_t leaves,
						     bool ready, struct lbvh_wide_root root,
						     struct kid *kid)
{
	const unsigned lane = lane_of_group(), shift = threadIdx.x % WARP - lane;
	unsigned count = ready;

	*kid = { {}, {}, 0, 0, 0, 0, 0, -1, 0, 0 };
	if (ready && lane == 0) {
		load_kid(kid, node, root.node, root.first, root.count);
		if (PLANNED)
			plan_kid(kid, plan, LBVH_WIDE, true);
	}
	for (unsigned round = 1; round < LBVH_WIDE; round++) {
		float top = kid->area;
		unsigned equal, largest;

#pragma unroll
		for (int step = 1; step < LBVH_WIDE; step *= 2)
			top = fmaxf(top, __shfl_xor_sync(ALL_LANES, top, step));
		if (!__any_sync(ALL_LANES, top >= 0))
			break;
		equal = __ballot_sync(ALL_LANES, kid->area == top) >> shift;
		largest = (unsigned)__ffs((int)equal) - 1; /* the first of equal ones */

		const struct kid whole = { {},
					   {},
					   from_lane(kid->node, largest),
					   from_lane(kid->first, largest),
					   from_lane(kid->count, largest),
					   from_lane(kid->left, largest),
					   from_lane(kid->right, largest),
					   top,
					   PLANNED ? from_lane(kid->give, largest) : 0,
					   PLANNED ? from_lane(kid->rest, largest) : 0 };

		if (top >= 0 && (lane == largest || lane == count)) {
			load_half(kid, node, leaves, &whole, lane == count);
			if (PLANNED)
				plan_kid(kid, plan, lane == count ? whole.rest : whole.give, false);
		}
		count += top >= 0;
	}
	return count;
}

/* ---- the grid of a node ------------------------------------------------------------------- */

static __device__ __forceinline__ float plane(float origin, float step, int q)
{
	return lbvh_add(origin, lbvh_mul((float)q, step));
}

/* 2^(exponent - 127), exponent >= 1. */
static __device__ __forceinline__ float step_of(unsigned exponent)
{
	return __uint_as_float(exponent << 23);
}

/* Its exact reciprocal, which is normal: boxes of finite floats have exponents below 254. */
static __device__ __forceinline__ float per_step(unsigned exponent)
{
	return __uint_as_float((254 - exponent) << 23);
}

/* The exponent of the finest step whose planes from lo on reach hi. */
static __device__ __forceinline__ unsigned exponent_of(float lo, float hi)
{
	const unsigned extent = __float_as_uint(lbvh_add(hi, -lo)) >> 23 & 0xff;
	unsigned exponent = extent > 8 ? extent - 7 : 1; /* 2^(extent - 127) / 128 */

	while (plane(lo, step_of(exponent), PLANES - 1) < hi)
		exponent++;
	return exponent;
}

/* The last plane that is not above x. */
static __device__ __forceinline__ unsigned plane_below(float origin, unsigned exponent, float x)
{
	const float step = step_of(exponent);
	int q = (int)lbvh_mul(lbvh_add(x, -origin), per_step(exponent));

	q = min(max(q, 0), PLANES - 1);
	while (q > 0 && plane(origin, step, q) > x)
		q--;
	return (unsigned)q;
}

/* The first plane that is not below x. */
static __device__ __forceinline__ unsigned plane_above(float origin, unsigned exponent, float x)
{
	const float step = step_of(exponent);
	int q = (int)lbvh_mul(lbvh_add(x, -origin), per_step(exponent));

	q = min(max(q, 0), PLANES - 1);
	while (q > 0 && plane(origin, step, q - 1) >= x)
		q--;
	while (q < PLANES - 1 && plane(origin, step, q) < x)
		q++;
	return (unsigned)q;
}

/* The most nodes of a tree over `count` triangles.  A plan may leave places of a node free, so only
 * the binary tree limits it. */
static __host__ __device__ __forceinline__ size_t most_nodes(size_t count, bool planned)
{
	return planned ? count : 1 + 2 * count / (LBVH_WIDE_LEAF + 1) + count / 7;
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* Numbers that a lane, or a group, takes. */
struct share {
	uint32_t nodes, triangles;
};

/* Take numbers for all children of the warp's groups.  A group's are consecutive: they begin with
 * *first, and those of this lane follow *before others.  All lanes call together. */
static __device__ __forceinline__ void take(unsigned long long *made, struct share wanted,
					    struct share *first, struct share *before)
{
	const uint32_t mine = wanted.nodes << 16 | wanted.triangles, inclusive = warp_scan(mine);
	const uint32_t all = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	const uint32_t group = from_lane(inclusive - mine, 0), inside = inclusive - mine - group;
	unsigned long long base = 0;

	if (threadIdx.x % WARP == 0 && all)
		base = atomicAdd(made, (unsigned long long)(all >> 16) << 32 | (all & 0xffff));
	*before = { inside >> 16, inside & 0xffff };
	*first = { __shfl_sync(ALL_LANES, (uint32_t)(base >> 32), 0) + (group >> 16) + 1,
		   __shfl_sync(ALL_LANES, (uint32_t)base, 0) + (group & 0xffff) };
}

/* Four lanes have four bytes each; afterwards, lane k of the four has byte k of each lane. */
static __device__ __forceinline__ uint32_t transpose(uint32_t bytes)
{
	const bool odd = threadIdx.x % 2, high = threadIdx.x / 2 % 2;

	bytes = __byte_perm(bytes, __shfl_xor_sync(ALL_LANES, bytes, 1), odd ? 0x3715 : 0x6240);
	return __byte_perm(bytes, __shfl_xor_sync(ALL_LANES, bytes, 2), high ? 0x3276 : 0x5410);
}

/* Write node i, whose box is that of its binary node.  `child` is the byte of this lane's child, or
 * 0 if it has none. */
static __device__ __forceinline__ void write_node(struct lbvh_wide_node *out, bool ready,
						  const struct lbvh_node *all, struct share first,
						  uint32_t child, const struct kid *kid)
{
	const unsigned lane = lane_of_group(), half = lane / 4;
	uint32_t *const rows = (uint32_t *)(void *)out->child; /* 8 bytes each */
	uint32_t exponents = 0, bytes[2] = { child, 0 };

#pragma unroll
	for (int d = 0; d < 3; d++) {
		const unsigned exponent = exponent_of(all->lo[d], all->hi[d]);

		exponents |= exponent << (8 * d);
		if (!child)
			continue;
#pragma unroll
		for (int side = 0; side < 2; side++) {
			const int row = 1 + 2 * d + side;

			bytes[row / 4] |= (side ? plane_above(all->lo[d], exponent, kid->hi[d])
						: plane_below(all->lo[d], exponent, kid->lo[d]))
					  << (8 * (row % 4));
		}
	}
	bytes[0] = transpose(bytes[0]);
	bytes[1] = transpose(bytes[1]);
	if (!ready)
		return;
	rows[2 * (lane % 4) + half] = bytes[0];
	if (lane % 4 < 3)
		rows[2 * (4 + lane % 4) + half] = bytes[1];
	if (lane == 0) {
		*(uint4 *)(void *)out =
			make_uint4(__float_as_uint(all->lo[0]), __float_as_uint(all->lo[1]),
				   __float_as_uint(all->lo[2]), exponents);
		*(uint2 *)(void *)&out->first_node = make_uint2(first.nodes, first.triangles);
	}
}

static __device__ __forceinline__ void raise(uint32_t *most, uint32_t level)
{
	uint32_t seen = gpu_ld_relaxed(most);

	while (level > seen) {
		const uint32_t old = atomicCAS(most, seen, level);

		if (old == seen)
			break;
		seen = old;
	}
}

/* Make node i at a level from 1 on, if the group is ready.  All lanes call together. */
template <bool PLANNED>
static __device__ __forceinline__ void make_node(const struct lbvh_gpu_wide *w,
						 const struct lbvh_node *node, const uint32_t *plan,
						 uint32_t leaves, bool ready, uint32_t i,
						 uint32_t level)
{
	const struct lbvh_wide_root root = ready ? w->root[i] : lbvh_wide_root{};
	const struct lbvh_node all = lbvh_node_load(node, root.node);
	struct kid kid;
	const bool is_kid =
		lane_of_group() < open_kids<PLANNED>(node, plan, leaves, ready, root, &kid);
	const bool inner = is_kid && kid.count > LBVH_WIDE_LEAF;
	const struct share wanted = { inner, is_kid && !inner ? kid.count : 0 };
	struct share first, before;
	uint32_t child = 0;

	take(&w->counters->made, wanted, &first, &before);
	if (inner) {
		const uint32_t number = first.nodes + before.nodes;

		w->root[number] = { kid.node, kid.first, kid.count };
		gpu_st_release(lbvh_wide_level(w, number), level + 1);
		child = lbvh_wide_inner(before.nodes);
	} else if (is_kid) {
		child = lbvh_wide_leaf(before.triangles, kid.count);
#pragma unroll
		for (uint32_t p = 0; p < LBVH_WIDE_LEAF; p++)
			if (p < kid.count)
				w->place[kid.first + p] = first.triangles + before.triangles + p;
	}
	write_node(w->node + i, ready, &all, first, child, &kid);
	if (ready && lane_of_group() == 0)
		raise(&w->counters->levels, level);
}

template <bool PLANNED>
static __global__ void __launch_bounds__(BLOCK, PER_SM)
	collapse_kernel(struct lbvh_gpu_wide w, const struct lbvh_node *node, const uint32_t *plan,
			const struct lbvh_gpu_counters *binary, uint32_t primitives)
{
	const uint32_t leaves = (uint32_t)binary->leaves;
	const uint32_t most = (uint32_t)most_nodes(primitives, PLANNED);
	const unsigned shift = threadIdx.x % WARP / LBVH_WIDE * LBVH_WIDE;
	uint32_t i = blockIdx.x * GROUPS + threadIdx.x / LBVH_WIDE;

	if (blockIdx.x == 0 && threadIdx.x == 0) {
		w.root[0] = { 0, 0, primitives };
		gpu_st_release(lbvh_wide_level(&w, 0), 1u);
	}
	for (;;) {
		const uint32_t level = i < most ? gpu_ld_acquire(lbvh_wide_level(&w, i)) : 0;
		/* Lanes may see it at different times, and each must have seen it itself. */
		const unsigned seen = __ballot_sync(ALL_LANES, level > 0) >> shift;
		const bool ready = (seen & EIGHT) == EIGHT;

		if (__any_sync(ALL_LANES, ready)) {
			make_node<PLANNED>(&w, node, plan, leaves, ready, i, level);
			if (ready)
				i += gridDim.x * GROUPS;
		} else if (__any_sync(ALL_LANES,
				      (uint32_t)gpu_ld_relaxed(&w.counters->made) == primitives)) {
			break;
		} else {
			__nanosleep(100);
		}
	}
}

/* ---- host --------------------------------------------------------------------------------- */

/* The levels of the nodes follow the counters, so that one queued operation zeroes both. */
static size_t counters_and_levels(size_t count, bool planned)
{
	return 1 + gpu_blocks(most_nodes(count, planned) * sizeof(uint32_t),
			      sizeof(struct lbvh_wide_counters));
}

enum gb_status lbvh_gpu_wide_init(struct lbvh_gpu_wide *wide, size_t count, bool planned,
				  struct gb_error *err)
{
	gpu_alloc(&wide->node, most_nodes(count, planned), err);
	gpu_alloc(&wide->root, most_nodes(count, planned), err);
	gpu_alloc(&wide->place, count, err);
	gpu_alloc(&wide->triangle, count, err);
	return gpu_alloc(&wide->counters, counters_and_levels(count, planned), err);
}

enum gb_status lbvh_gpu_wide_collapse(const struct lbvh_gpu_wide *wide, const struct lbvh_gpu *g,
				      const uint32_t *plan, struct gb_error *err)
{
	const size_t resident = (size_t)gpu_sm_count() * PER_SM;
	const size_t wanted = gpu_blocks(g->count, (size_t)PER_GROUP * GROUPS);

	if (gpu_zero(wide->counters, counters_and_levels(g->count, plan), err) ||
	    GPU_RUN_COOPERATIVE(err, plan ? collapse_kernel<true> : collapse_kernel<false>,
				min(wanted, resident), BLOCK, *wide,
				(const struct lbvh_node *)g->node, plan,
				(const struct lbvh_gpu_counters *)g->counters, (uint32_t)g->count))
		return err->code;
	return lbvh_gpu_corners(g, wide->place, wide->triangle, err);
}
