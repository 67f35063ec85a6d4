/* collapse.cu -- collapse a binary tree into one with eight children per node, in one launch.
 *
 * Eight lanes make a wide node, a lane per child, as in the conversion of Benthin et al. 2024:
 * they wait for the node's binary root, open the child with the largest surface until there are
 * eight children or only leaves, allocate consecutive numbers for the inner ones, leave their
 * binary roots, and write the node.  Group i modulo the number of groups in the grid makes node i.
 * All blocks are resident, and a parent has a smaller number than its children, so the least node
 * not made has its root.  The launch ends when all triangles have positions.
 *
 * With a plan (shared/order.cu), the plan says which children to open instead.
 *
 * One launch or grid barrier per level would cost more than a level.  By Karras' numbering, a
 * child's range of primitives follows from its number, so nothing is counted below it.
 *
 * Bound on the nodes for n primitives: a node that is not full has only leaves, and more than
 * LBVH_WIDE_LEAF primitives, else it would be a leaf.  So at most n / (LBVH_WIDE_LEAF + 1) nodes
 * have no inner children, fewer have two or more, and at most n / 7 have one, beside which there
 * are seven leaves.
 *
 * The triangles of a node's leaves get consecutive positions; the kernel that writes them uses
 * those.  The collapse does not read which primitives a leaf has, so nothing waits for a store.
 *
 * Bound: latency near the root, 7 dependent fetches, an allocation and the passing on of a root
 * per level; then memory: 32 bytes of each binary node, 80, 12 and 4 bytes per wide node, 48 per
 * triangle.
 */
#include "cuda/lbvh/shared/wide.h"
#include "cuda/runtime/launch.h"

enum {
	BLOCK = 128,
	PER_SM = 4, /* blocks, all resident at once */
	GROUPS = BLOCK / LBVH_WIDE,
	EIGHT = 0xff,  /* lanes */
	PER_GROUP = 8, /* triangles; a node without inner children has about 15 */
	PLANES = 256,
};

static_assert(sizeof(lbvh_wide_node) == 80, "a header of 24 bytes, then 8 bytes 7 times");
static_assert(LBVH_WIDE == 8 && WARP % LBVH_WIDE == 0, "a lane per child");

/* A child of the node that the group makes; each lane has one, or none. */
struct child {
	float lo[3], hi[3];
	uint32_t node, first, count;      /* the binary node, and its primitives in the index */
	uint32_t left, right;             /* as in the binary node */
	float area;                       /* negative: it must not be opened, or there is none */
	uint32_t left_slots, right_slots; /* planned: slots of its halves if it is opened */
};

static __device__ __forceinline__ unsigned lane_of_group(void)
{
	return threadIdx.x % LBVH_WIDE;
}

/* Value of another lane of the group. */
static __device__ __forceinline__ uint32_t shuffle_group(uint32_t value, unsigned lane)
{
	return __shfl_sync(ALL_LANES, value, (int)lane, LBVH_WIDE);
}

/* The plan for a child that has `slots` slots.  The primitives of a leaf have one box, so its
 * halves are as good as any. */
static __device__ __forceinline__ void plan_child(child *c, const uint32_t *plan, uint32_t slots,
						  bool root)
{
	c->left_slots = c->left & LBVH_LEAF ? (c->count > LBVH_WIDE_LEAF ? slots / 2 : 0)
					    : lbvh_left_slots(plan[c->node], root ? 1 : slots);
	c->right_slots = slots - c->left_slots;
	c->area = (root || slots > 1) && c->left_slots ? 1 : -1;
}

static __device__ __forceinline__ void load_child(child *c, const lbvh_node *node, uint32_t i,
						  uint32_t first, uint32_t count)
{
	const lbvh_node b = lbvh_node_load(node, i);

	for (int d = 0; d < 3; d++) {
		c->lo[d] = b.lo[d];
		c->hi[d] = b.hi[d];
	}
	c->node = i;
	c->first = first;
	c->count = count;
	c->left = b.left;
	c->right = b.right;
	c->area = count <= LBVH_WIDE_LEAF ? -1 : lbvh_area(b.lo, b.hi);
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Load one half of an opened child.  The number of its left child gives the last leaf of that
 * child's range; the right child's primitives begin with the next leaf's.  Both halves of a leaf,
 * whose primitives have one code, get the leaf's box. */
static __device__ __forceinline__ void load_half(child *half, const lbvh_node *node,
						 uint32_t leaves, const child *opened, bool right)
{
	const uint32_t last =
		opened->left < leaves - 1 ? opened->left : opened->left - (leaves - 1);
	uint32_t left_count, number = right ? opened->right : opened->left;

	if (opened->left & LBVH_LEAF) {
		left_count =
			(opened->count / 2 + LBVH_WIDE_LEAF - 1) / LBVH_WIDE_LEAF * LBVH_WIDE_LEAF;
		number = opened->node;
	} else {
		left_count = (node[leaves + last].left & ~LBVH_LEAF) - opened->first;
	}
	load_child(half, node, number, right ? opened->first + left_count : opened->first,
		   right ? opened->count - left_count : left_count);
}

/* Open the child with the largest surface until there are eight, or only leaves.  Lane k of the
 * group gets child k.  All lanes call together; groups that are not ready get none.  Return the
 * number of children. */
template <bool PLANNED>
static __device__ __forceinline__ unsigned open_children(const lbvh_node *node,
							 const uint32_t *plan, uint32_t leaves,
							 bool ready, lbvh_wide_root root,
							 child *mine)
{
	const unsigned lane = lane_of_group(), shift = threadIdx.x % WARP - lane;
	unsigned count = ready;

	*mine = { {}, {}, 0, 0, 0, 0, 0, -1, 0, 0 };
	if (ready && lane == 0) {
		load_child(mine, node, root.node, root.first, root.count);
		if (PLANNED)
			plan_child(mine, plan, LBVH_WIDE, true);
	}
	for (unsigned round = 1; round < LBVH_WIDE; round++) {
		float area = mine->area;

#pragma unroll
		for (int step = 1; step < LBVH_WIDE; step *= 2)
			area = fmaxf(area, __shfl_xor_sync(ALL_LANES, area, step));
		if (!__any_sync(ALL_LANES, area >= 0))
			break;

		const unsigned equal = __ballot_sync(ALL_LANES, mine->area == area) >> shift;
		const unsigned largest = (unsigned)__ffs((int)equal) - 1; /* the first of equals */
		const child opened = { {},
				       {},
				       shuffle_group(mine->node, largest),
				       shuffle_group(mine->first, largest),
				       shuffle_group(mine->count, largest),
				       shuffle_group(mine->left, largest),
				       shuffle_group(mine->right, largest),
				       area,
				       PLANNED ? shuffle_group(mine->left_slots, largest) : 0,
				       PLANNED ? shuffle_group(mine->right_slots, largest) : 0 };

		/* The left half replaces the opened child, the right half comes last. */
		if (area >= 0 && (lane == largest || lane == count)) {
			load_half(mine, node, leaves, &opened, lane == count);
			if (PLANNED)
				plan_child(mine, plan,
					   lane == count ? opened.right_slots : opened.left_slots,
					   false);
		}
		count += area >= 0;
	}
	return count;
}

/* ---- quantization ------------------------------------------------------------------------- */

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

/* The most nodes of a tree over `count` triangles.  A plan may leave slots of a node free, so only
 * the binary tree limits it. */
static __host__ __device__ __forceinline__ size_t max_nodes(size_t count, bool planned)
{
	return planned ? count : 1 + 2 * count / (LBVH_WIDE_LEAF + 1) + count / 7;
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* Numbers of inner children, and of triangles in leaves. */
struct numbers {
	uint32_t nodes, triangles;
};

/* Allocate numbers for the children of the warp's groups.  Those of a group are consecutive: *base
 * is its first, and this lane's begin *offset later.  All lanes call together. */
static __device__ __forceinline__ void allocate(unsigned long long *made, numbers needed,
						numbers *base, numbers *offset)
{
	const uint32_t mine = needed.nodes << 16 | needed.triangles, inclusive = warp_scan(mine);
	const uint32_t total = __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	const uint32_t group = shuffle_group(inclusive - mine, 0);
	const uint32_t in_group = inclusive - mine - group;
	unsigned long long before = 0;

	if (threadIdx.x % WARP == 0 && total)
		before =
			atomicAdd(made, (unsigned long long)(total >> 16) << 32 | (total & 0xffff));
	*offset = { in_group >> 16, in_group & 0xffff };
	*base = { __shfl_sync(ALL_LANES, (uint32_t)(before >> 32), 0) + (group >> 16) + 1,
		  __shfl_sync(ALL_LANES, (uint32_t)before, 0) + (group & 0xffff) };
}

/* Four lanes have four bytes each; afterwards, lane k of the four has byte k of each lane. */
static __device__ __forceinline__ uint32_t transpose(uint32_t bytes)
{
	const bool odd = threadIdx.x % 2, high = threadIdx.x / 2 % 2;

	bytes = __byte_perm(bytes, __shfl_xor_sync(ALL_LANES, bytes, 1), odd ? 0x3715 : 0x6240);
	return __byte_perm(bytes, __shfl_xor_sync(ALL_LANES, bytes, 2), high ? 0x3276 : 0x5410);
}

/* Quantize the children's boxes and write the node, whose box is that of its binary node.  meta:
 * the byte of this lane's child, or 0 if it has none. */
static __device__ __forceinline__ void write_node(lbvh_wide_node *out, bool ready,
						  const lbvh_node *box, numbers base, uint32_t meta,
						  const child *mine)
{
	const unsigned lane = lane_of_group(), half = lane / 4;
	uint32_t *const rows = (uint32_t *)(void *)out->child; /* 8 bytes each: meta, planes */
	uint32_t exponents = 0, bytes[2] = { meta, 0 };        /* of this lane in rows 0-3, 4-7 */

#pragma unroll
	for (int d = 0; d < 3; d++) {
		const unsigned exponent = exponent_of(box->lo[d], box->hi[d]);

		exponents |= exponent << (8 * d);
		if (!meta)
			continue;
#pragma unroll
		for (int side = 0; side < 2; side++) {
			const int row = 1 + 2 * d + side;

			bytes[row / 4] |= (side ? plane_above(box->lo[d], exponent, mine->hi[d])
						: plane_below(box->lo[d], exponent, mine->lo[d]))
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
			make_uint4(__float_as_uint(box->lo[0]), __float_as_uint(box->lo[1]),
				   __float_as_uint(box->lo[2]), exponents);
		*(uint2 *)(void *)&out->first_node = make_uint2(base.nodes, base.triangles);
	}
}

/* A group of lanes makes nodes i, i + groups, ... as soon as their binary roots are there. */
template <bool PLANNED>
static __global__ void __launch_bounds__(BLOCK, PER_SM)
	collapse_kernel(lbvh_gpu_wide w, const lbvh_node *node, const uint32_t *plan,
			const lbvh_gpu_counters *binary, uint32_t primitives)
{
	const uint32_t leaves = (uint32_t)binary->leaves;
	const uint32_t nodes = (uint32_t)max_nodes(primitives, PLANNED);
	const unsigned shift = threadIdx.x % WARP / LBVH_WIDE * LBVH_WIDE;
	uint32_t i = blockIdx.x * GROUPS + threadIdx.x / LBVH_WIDE;

	if (blockIdx.x == 0 && threadIdx.x == 0) {
		w.root[0] = { 0, 0, primitives };
		gpu_st_release(lbvh_wide_held(&w, 0), 1u);
	}
	for (;;) {
		/* 1. Wait for the root of node i.  Lanes may see it at different times, and each
		 * must have seen it itself. */
		const uint32_t held = i < nodes ? gpu_ld_relaxed(lbvh_wide_held(&w, i)) : 0;
		const unsigned seen = __ballot_sync(ALL_LANES, held > 0) >> shift;
		const bool ready = (seen & EIGHT) == EIGHT;

		if (!__any_sync(ALL_LANES, ready)) {
			if (__any_sync(ALL_LANES,
				       (uint32_t)gpu_ld_relaxed(&w.counters->made) == primitives))
				break;
			__nanosleep(100);
			continue;
		}
		gpu_fence();

		/* 2. Open children; each lane has one. */
		const lbvh_wide_root root = ready ? w.root[i] : lbvh_wide_root{};
		const lbvh_node box = lbvh_node_load(node, root.node);
		child mine;
		const unsigned children =
			open_children<PLANNED>(node, plan, leaves, ready, root, &mine);
		const uint32_t held_below = held + children - 1;
		const bool is_child = lane_of_group() < children;
		const bool is_inner = is_child && mine.count > LBVH_WIDE_LEAF;

		/* 3. Allocate numbers for inner children, and for the triangles of leaves. */
		numbers base, offset;

		allocate(&w.counters->made, { is_inner, is_child && !is_inner ? mine.count : 0 },
			 &base, &offset);

		/* 4. Leave the roots of inner children to the groups that make them. */
		uint32_t meta = 0;

		if (is_inner) {
			const uint32_t number = base.nodes + offset.nodes;

			w.root[number] = { mine.node, mine.first, mine.count };
			gpu_st_release(lbvh_wide_held(&w, number), held_below);
			meta = lbvh_wide_inner(offset.nodes);
		} else if (is_child) {
			meta = lbvh_wide_leaf(offset.triangles, mine.count);
#pragma unroll
			for (uint32_t p = 0; p < LBVH_WIDE_LEAF; p++)
				if (p < mine.count)
					w.position[mine.first + p] =
						base.triangles + offset.triangles + p;
		}

		/* 5. Write the node. */
		write_node(w.node + i, ready, &box, base, meta, &mine);
		if (ready && lane_of_group() == 0 && gpu_ld_relaxed(&w.counters->held) < held_below)
			atomicMax(&w.counters->held, held_below);
		if (ready)
			i += gridDim.x * GROUPS;
	}
}

/* ---- host --------------------------------------------------------------------------------- */

/* A word per node follows the counters, so that one queued operation zeroes both. */
static size_t counters_and_held(size_t count, bool planned)
{
	return 1 +
	       gpu_blocks(max_nodes(count, planned) * sizeof(uint32_t), sizeof(lbvh_wide_counters));
}

gb_status lbvh_gpu_wide_init(lbvh_gpu_wide *wide, size_t count, bool planned, gb_error *err)
{
	gpu_alloc(&wide->node, max_nodes(count, planned), err);
	gpu_alloc(&wide->root, max_nodes(count, planned), err);
	gpu_alloc(&wide->position, count, err);
	gpu_alloc(&wide->triangle, count, err);
	return gpu_alloc(&wide->counters, counters_and_held(count, planned), err);
}

gb_status lbvh_gpu_wide_collapse(const lbvh_gpu_wide *wide, const lbvh_gpu *g, const uint32_t *plan,
				 gb_error *err)
{
	const size_t resident = (size_t)gpu_sm_count() * PER_SM;
	const size_t wanted = gpu_blocks(g->count, (size_t)PER_GROUP * GROUPS);

	if (gpu_zero(wide->counters, counters_and_held(g->count, plan), err) ||
	    CUDA_TRY(err,
		     gpu_launch_cooperative(plan ? collapse_kernel<true> : collapse_kernel<false>,
					    min(wanted, resident), BLOCK, 0, gpu_stream(), *wide,
					    g->node, plan, g->counters, (uint32_t)g->count)))
		return err->code;
	return lbvh_gpu_corners(g, wide->position, wide->triangle, err);
}
