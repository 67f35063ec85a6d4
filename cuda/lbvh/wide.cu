/* wide.cu -- step 6 of 6 (build): apetrei's tree collapsed to eight children per node.  And it is
 * step 3 of 3 (trace): eight boxes in bytes per node, incoherent rays in a queue.
 *
 * Build: the phases of apetrei.cu, then
 *	collapse   collapse_kernel (shared/collapse.cu), corners_kernel (shared/trace.cu)
 * make a tree ready for traversal, triangles included, as a library's scene build does.
 *
 * Trace: a lane per ray.  A step fetches one node of 80 bytes, finds which of the eight boxes the
 * ray enters, sorts them in registers, continues with the nearest and pushes the others.  Each
 * takes 8 bytes: a key, which has the distance and the child's byte, and the start of the sequence
 * that the byte counts in.  A child's place follows from these, so its fetch depends on no other
 * one.  Compared with stack, this takes a third of the dependent fetches, and 10 bytes per box
 * instead of 32.  upload() builds the tree, untimed: with --tree=best ploc's or one over codes, the
 * cheaper after moves (shared/refine.cu), collapsed by a plan (shared/order.cu); else apetrei's.
 *
 * Lanes are at different places of their stacks, so each word that one pushes to or pops from local
 * memory is a sector of its own.  Only children that wait are on the stack, and the first of them
 * lie in shared memory.  The driver reserves local memory for every thread that may be resident, so
 * the stack has room for usual trees, and the collapse counts the entries that a tree needs.  City
 * of 32768 triangles needs the most of the scenes that were tried, 71, and knot 50; knot of 262144
 * triangles needs 57.
 *
 * Coherent rays (primary, shadow) have a thread each.  Others end at different times, and a warp
 * would wait for its longest ray with a third of its lanes.  Their warps are persistent and refill
 * idle lanes from a queue of rays (Aila and Laine 2009).  A warp steps down while at least two
 * thirds of its busy lanes are at inner nodes, then tests leaves.  Coherent rays lose by a queue,
 * because lanes that are not in step fetch more sectors.
 *
 * The node format is that of Ylitie, Karras, Laine 2017.  They push one group of 8 bytes for all
 * children of a node that wait, in an order by octants, which needs no sort and a seventh of the
 * stack.  Groups whose children are ordered along their node's longest axis took 29 % more nodes
 * and 15 % more instructions for primary rays, 7 % and 17 % for bounces, and 3 % fewer instructions
 * for shadow rays (PTX executor, knot of 32768 triangles): a group has no distances, so children
 * are fetched even if a nearer hit was found.
 *
 * Bound: latency of the fetches, and the issue of 48 planes per node at three instructions each.
 */
#include "cuda/lbvh/shared/wide.h"

enum {
	STACK_ENTRIES = 128, /* 1 KiB */
	SHARED = 8,          /* children that wait in shared memory: 8 KiB per block */
	REFILL = 24,         /* busy lanes below which a warp takes new rays */
};

#define NONE  UINT32_MAX
#define LARGE 0x1p96f
#define SLACK 0x1p-20f

/* 2^15 as a float: its bit 8 has the value 1. */
#define BIAS_BITS 0x47000000U
#define BIAS      0x1p15f

/* ---- the boxes of a node ------------------------------------------------------------------ */

struct lbvh_wide_tree {
	const lbvh_wide_node *node;
	const lbvh_corners *triangle;
	uint32_t bias_bits; /* BIAS_BITS */

	template <class SEARCH>
	__device__ __forceinline__ void walk(lbvh_gpu_ray *ray, SEARCH *search) const;
};

/* A ray in relation to the planes of a quantized node.  Plane q lies at the distance
 *
 *	(BIAS + q) * (step * inverse) +
 *		((grid's origin - eye) * inverse - BIAS * step * inverse)
 *
 * This is a product and a sum, where lbvh_box_enter() takes four operations; BIAS + q has the
 * byte q in its mantissa.  The distance differs from that of lbvh_box_enter() by less than 8 units
 * of 2^-24 of (|grid's origin| + |eye|) * |inverse|, plus 2^-8 of a step.  Twice as much is
 * subtracted from the entry and added to the exit, so no box is missed that lbvh_box_enter() finds
 * with its slack.  If 0 * INFINITY or INFINITY - INFINITY makes a NaN, the plane does not bound.
 *
 * bias_bits is BIAS_BITS as a variable: __byte_perm() can take one constant, and with a second
 * each plane would cost a move. */
struct quantized_ray {
	float inverse[3]; /* finite, so that a ray parallel to a plane is on one side of it */
	uint32_t bias_bits;
};

static __device__ __forceinline__ quantized_ray quantize_ray(const lbvh_gpu_ray *ray,
							     const lbvh_wide_tree *tree)
{
	quantized_ray quantized;

	for (int d = 0; d < 3; d++)
		quantized.inverse[d] = fminf(fmaxf(ray->inverse[d], -LARGE), LARGE);
	quantized.bias_bits = tree->bias_bits;
	return quantized;
}

/* BIAS + byte k of the words. */
static __device__ __forceinline__ float plane_of(uint2 words, int k, uint32_t bias)
{
	return __uint_as_float(
		__byte_perm(k < 4 ? words.x : words.y, bias, 0x7406 | (unsigned)(k % 4) << 4));
}

/* Batcher's odd-even merge sort of eight keys, in registers. */
static __device__ __forceinline__ void sort_eight(uint32_t key[LBVH_WIDE])
{
	constexpr unsigned char pair[19][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 0, 2 },
						{ 1, 3 }, { 4, 6 }, { 5, 7 }, { 1, 2 }, { 5, 6 },
						{ 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 }, { 2, 4 },
						{ 3, 5 }, { 1, 2 }, { 3, 4 }, { 5, 6 } };

#pragma unroll
	for (int i = 0; i < 19; i++) {
		const uint32_t a = key[pair[i][0]], b = key[pair[i][1]];

		key[pair[i][0]] = min(a, b);
		key[pair[i][1]] = max(a, b);
	}
}

/* The keys of the children whose boxes the ray enters, NONE for the others.  A key is the bits of
 * the distance, which order as distances do, with the child's byte as the lowest one.  children:
 * the node's second vector. */
static __device__ __forceinline__ void enter_boxes(const uint4 *from, uint4 children,
						   const lbvh_gpu_ray *ray,
						   const quantized_ray *quantized,
						   uint32_t key[LBVH_WIDE])
{
	const uint4 head = from[0];
	const float origin[3] = { __uint_as_float(head.x), __uint_as_float(head.y),
				  __uint_as_float(head.z) };
	const float farthest = ray->t * LBVH_SLACK;
	uint2 near[3], far[3];
	float scale[3], near_at[3], far_at[3];

#pragma unroll
	for (int d = 0; d < 3; d++) {
		const uint4 planes = from[2 + d];
		const uint2 below = make_uint2(planes.x, planes.y);
		const uint2 above = make_uint2(planes.z, planes.w);
		const bool backwards = quantized->inverse[d] < 0;
		const float step = __uint_as_float((head.w >> (8 * d) & 0xff) << 23);
		const float plane = step * quantized->inverse[d];
		const float at =
			fmaf(-BIAS, plane, (origin[d] - ray->origin[d]) * quantized->inverse[d]);
		/* This overflows before BIAS * plane does; then neither plane bounds. */
		const float coarse = fabsf(plane * (2 * BIAS)) * (0x1p-7f / SLACK / (2 * BIAS));
		const float off = fmaf(fabsf(origin[d]) + fabsf(ray->origin[d]),
				       fabsf(quantized->inverse[d]), coarse);

		near[d] = backwards ? above : below;
		far[d] = backwards ? below : above;
		scale[d] = plane;
		near_at[d] = fmaf(-SLACK, off, at);
		far_at[d] = fmaf(SLACK, off, at);
	}
#pragma unroll
	for (int k = 0; k < LBVH_WIDE; k++) {
		float entry = 0, last = farthest;

#pragma unroll
		for (int d = 0; d < 3; d++) {
			entry = fmaxf(plane_of(near[d], k, quantized->bias_bits) * scale[d] +
					      near_at[d],
				      entry);
			last = fminf(plane_of(far[d], k, quantized->bias_bits) * scale[d] +
					     far_at[d],
				     last);
		}
		key[k] = entry <= last ? __byte_perm(__float_as_uint(entry),
						     k < 4 ? children.z : children.w,
						     0x3214 + (unsigned)k % 4)
				       : NONE;
	}
}

/* ---- traversal, one thread per ray -------------------------------------------------------- */

/* Test a triangle of a leaf and the `more` that follow. */
template <class SEARCH>
static __device__ __forceinline__ void test_leaf(const lbvh_corners *triangle, uint32_t more,
						 lbvh_gpu_ray *ray, SEARCH *search)
{
	do {
		const lbvh_corners c = lbvh_corners_load(triangle++);

		search->triangle(1);
		search->hit(ray, lbvh_intersect(ray->origin, ray->direction, c.a, c.b, c.c),
			    c.primitive);
	} while (more--);
}

/* Names a child: the key's lowest byte, as in lbvh_wide_node, and the start of its sequence. */
struct alignas(8) child_ref {
	uint32_t key, first;
};

static __device__ __forceinline__ uint32_t number_of(child_ref child)
{
	return child.first + (child.key >> 3 & 31);
}

/* The child with this key of a node whose second vector is `children`. */
static __device__ __forceinline__ child_ref child_of(uint4 children, uint32_t key)
{
	return { key, key & 1 ? children.x : children.y };
}

/* A lane's stack.  The first SHARED children lie in shared memory, LBVH_TRACE_BLOCK apart. */
struct child_stack {
	child_ref *shared, *local;

	__device__ __forceinline__ void put(int i, child_ref child) const
	{
		if (i < SHARED)
			shared[i * LBVH_TRACE_BLOCK] = child;
		else
			local[i - SHARED] = child;
	}
	__device__ __forceinline__ child_ref get(int i) const
	{
		return i < SHARED ? shared[i * LBVH_TRACE_BLOCK] : local[i - SHARED];
	}
};

static __device__ __forceinline__ child_stack stack_with(child_ref local[STACK_ENTRIES - SHARED])
{
	__shared__ child_ref shared[(int)SHARED * (int)LBVH_TRACE_BLOCK];

	return { shared + threadIdx.x, local };
}

/* Push all children of a node but the nearest, the farthest first. */
static __device__ __forceinline__ void push(const child_stack *stack, uint32_t *top, uint4 children,
					    const uint32_t key[LBVH_WIDE])
{
#pragma unroll
	for (int k = LBVH_WIDE - 1; k > 0; k--)
		if (key[k] != NONE)
			stack->put((int)(*top)++, child_of(children, key[k]));
}

/* Pop the next waiting child that may still hold a nearer hit; false if there is none. */
static __device__ __forceinline__ bool pop(const lbvh_gpu_ray *ray, const child_stack *stack,
					   uint32_t *top, child_ref *child)
{
	while (*top) {
		*child = stack->get((int)--*top);
		if (__uint_as_float(child->key & ~0xffU) <= ray->t * LBVH_SLACK)
			return true;
	}
	return false;
}

/* Go on to the nearest child that the ray enters, and push the others; the key is 0 if there is
 * none. */
template <class SEARCH>
static __device__ __forceinline__ void descend(const lbvh_wide_tree *tree, const lbvh_gpu_ray *ray,
					       const quantized_ray *quantized,
					       const child_stack *stack, uint32_t *top,
					       child_ref *child, SEARCH *search)
{
	const uint4 *const from = (const uint4 *)(const void *)(tree->node + number_of(*child));
	const uint4 children = from[1];
	uint32_t key[LBVH_WIDE];

	search->node();
	enter_boxes(from, children, ray, quantized, key);
	sort_eight(key);
	if (key[1] != NONE)
		push(stack, top, children, key);
	*child = child_of(children, key[0] == NONE ? 0 : key[0]);
}

template <class SEARCH>
__device__ __forceinline__ void lbvh_wide_tree::walk(lbvh_gpu_ray *ray, SEARCH *search) const
{
	const quantized_ray quantized = quantize_ray(ray, this);
	child_ref local[STACK_ENTRIES - SHARED];
	const child_stack stack = stack_with(local);
	child_ref child = { lbvh_wide_inner(0), 0 };
	uint32_t top = 0;

	do {
		/* All lanes advance to their next leaf before any lane tests one. */
		while (child.key & 1)
			descend(this, ray, &quantized, &stack, &top, &child, search);
		if (child.key & 0xff)
			test_leaf(triangle + number_of(child) - 1, child.key >> 1 & 3, ray, search);
		if (search->done(ray))
			return;
	} while (pop(ray, &stack, &top, &child));
}

/* ---- traversal, persistent warps and a queue of rays -------------------------------------- */

/* A lane's ray, and where it is in the tree. */
struct traversal {
	lbvh_gpu_ray ray;
	quantized_ray quantized;
	child_ref child;    /* its key is 0 if the ray has ended */
	uint32_t top;       /* children that wait on the stack */
	uint32_t ray_index; /* NONE: there is none */
};

/* The next WARP rays of the queue; a number that is too large if there are none.  A warp's first
 * group has the warp's number.  Each warp fetches until there is none, so there are as many fetches
 * as groups, and the last one clears the counter for the next launch. */
static __device__ __forceinline__ uint32_t take_group(uint32_t *queue, uint32_t groups)
{
	const uint32_t warps = gridDim.x * (LBVH_TRACE_BLOCK / WARP);
	uint32_t before;

	if (groups <= warps)
		return groups;
	before = atomicAdd(queue, 1u);
	if (before == groups - 1)
		gpu_st_relaxed(queue, 0u);
	return warps + before;
}

static __device__ __forceinline__ void start_ray(const lbvh_gpu_tracer *tracer,
						 const lbvh_wide_tree *tree, uint32_t ray_index,
						 traversal *w)
{
	w->ray_index = ray_index;
	w->ray = lbvh_gpu_ray_load(tracer->ray + ray_index);
	w->quantized = quantize_ray(&w->ray, tree);
	w->child = { lbvh_wide_inner(0), 0 };
}

/* Store the answer.  The bits of a group are 0 before its first ray starts. */
template <lbvh_query QUERY>
static __device__ __forceinline__ void finish_ray(const lbvh_gpu_tracer *tracer, const traversal *w)
{
	const bool hit = w->ray.primitive != LBVH_MISS;

	if (QUERY == LBVH_NEAREST) {
		tracer->t[w->ray_index] = hit ? w->ray.t : INFINITY;
		tracer->primitive[w->ray_index] = w->ray.primitive;
	} else if (hit) {
		atomicOr(&tracer->bits[w->ray_index / WARP], 1u << w->ray_index % WARP);
	}
}

/* Advance the warp's rays until its leaves are tested.  `busy` lanes have rays. */
template <class SEARCH>
static __device__ __forceinline__ void advance(const lbvh_wide_tree *tree, int busy,
					       const child_stack *stack, traversal *w,
					       SEARCH *search)
{
	while (3 * __popc(__ballot_sync(ALL_LANES, w->child.key & 1)) >= 2 * busy)
		if (w->child.key & 1) {
			descend(tree, &w->ray, &w->quantized, stack, &w->top, &w->child, search);
			if (!w->child.key && !pop(&w->ray, stack, &w->top, &w->child))
				w->child.key = 0;
		}
	if (w->child.key && !(w->child.key & 1)) {
		test_leaf(tree->triangle + number_of(w->child) - 1, w->child.key >> 1 & 3, &w->ray,
			  search);
		if (search->done(&w->ray))
			w->top = 0;
		if (!pop(&w->ray, stack, &w->top, &w->child))
			w->child.key = 0;
	}
}

/* Trace a stream.  Only the warp that takes a group writes its bits. */
template <lbvh_query QUERY>
static __global__ void lbvh_queue_kernel(lbvh_gpu_tracer tracer, lbvh_wide_tree tree,
					 uint32_t *queue)
{
	const uint32_t lane = threadIdx.x % WARP, rays = (uint32_t)tracer.rays;
	const uint32_t groups = rays / WARP + (rays % WARP != 0);
	lbvh_search<false, QUERY> search = {};
	child_ref local[STACK_ENTRIES - SHARED];
	const child_stack stack = stack_with(local);
	traversal mine = {};
	uint32_t group = blockIdx.x * (LBVH_TRACE_BLOCK / WARP) + threadIdx.x / WARP;
	uint32_t taken = 0; /* rays of the group */
	bool empty = false; /* the queue */

	mine.ray_index = NONE;
	for (;;) {
		/* 1. Advance while enough lanes have rays, or no other rays are left. */
		const unsigned busy_lanes = __ballot_sync(ALL_LANES, mine.child.key != 0);
		const int busy = __popc(busy_lanes);

		if (busy && (empty || busy >= REFILL)) {
			advance(&tree, busy, &stack, &mine, &search);
			continue;
		}

		/* 2. Lanes whose rays have ended store the answers and take the next rays of the
		 * group. */
		__syncwarp(); /* bits are cleared before they are set */
		group = __shfl_sync(ALL_LANES, group, 0);
		empty = group >= groups;
		if (QUERY == LBVH_ANY && !taken && !empty && lane == 0)
			tracer.bits[group] = 0;
		if (!mine.child.key) {
			const uint32_t k = taken + (uint32_t)__popc(~busy_lanes & lanes_below());

			if (mine.ray_index != NONE)
				finish_ray<QUERY>(&tracer, &mine);
			mine.ray_index = NONE;
			if (!empty && k < WARP && group * WARP + k < rays)
				start_ray(&tracer, &tree, group * WARP + k, &mine);
		}
		if (!busy && empty)
			break;

		/* 3. If all rays of the group are taken, take the next group. */
		taken += (uint32_t)(WARP - busy);
		if (taken >= WARP && !empty) {
			taken = 0;
			if (lane == 0)
				group = take_group(queue, groups);
		}
	}
}

/* ---- operations --------------------------------------------------------------------------- */

struct wide_state {
	lbvh_gpu_tracer tracer; /* first: shared operations cast a state to it */
	lbvh_op op;
	lbvh_gpu_wide wide;
	bool best; /* trace the best tree */
	lbvh_gpu_order order;
	lbvh_wide_counters last; /* counts of the last collapse, set by await_tree() */
	uint32_t *queue; /* groups of rays that were fetched; 0 between launches; NULL: not used */
	unsigned blocks; /* of the queue's kernel that the device holds */

	lbvh_wide_tree tree(void) const
	{
		return { wide.node, wide.triangle, BIAS_BITS };
	}
};

typedef void queue_kernel(lbvh_gpu_tracer tracer, lbvh_wide_tree tree, uint32_t *queue);

/* The kernel for the nearest hits, or any hits, of a stream. */
static queue_kernel *kernel_for(const lbvh_input *in)
{
	return in->occlusion ? lbvh_queue_kernel<LBVH_ANY> : lbvh_queue_kernel<LBVH_NEAREST>;
}

static gb_status create(wide_state *s, const lbvh_params *params, const lbvh_input *in,
			gb_error *err)
{
	s->op = (lbvh_op)params->op;
	lbvh_gpu_tracer_init(&s->tracer, lbvh_gpu_trace_count<wide_state>, params, in,
			     s->op == LBVH_TRACE ? lbvh_ray_count(in) : (size_t)LBVH_PROBES, err);
	s->tracer.kernel = lbvh_gpu_trace_kernel<lbvh_wide_tree>(in);
	s->best = s->op == LBVH_TRACE && params->tree == LBVH_BEST_TREE;
	(void)lbvh_gpu_wide_init(&s->wide, in->count, s->best, err);
	if (s->best)
		(void)lbvh_gpu_order_init(&s->order, in->count, err);
	if (in->ray && params->rays_kind > LBVH_SHADOW) {
		s->tracer.kernel = (const void *)kernel_for(in);
		gpu_alloc_zeroed(&s->queue, 1, err);
		s->blocks = gpu_resident_blocks(kernel_for(in), LBVH_TRACE_BLOCK, 0,
						gpu_blocks(s->tracer.rays, LBVH_TRACE_BLOCK));
	}
	if (s->op == LBVH_BUILD)
		gb_memory_result(s->wide.counters, GB_WHOLE, 0);
	return err->code;
}

static gb_status build(wide_state *s, gb_timer *timer, gb_error *err)
{
	if (lbvh_gpu_fastest(&s->tracer.gpu, timer, err) != GB_OK)
		return err->code;
	gb_phase(timer, "collapse");
	return lbvh_gpu_wide_collapse(&s->wide, &s->tracer.gpu, NULL, err);
}

/* Wait for the tree; check that it has all triangles and fits the stack.  Children that a
 * traversal holds have different primitives, so more mean a broken tree. */
static gb_status await_tree(wide_state *s, gb_error *err)
{
	if (gpu_download(&s->last, s->wide.counters, sizeof s->last, err) != GB_OK)
		return err->code;
	if (s->last.held > s->tracer.gpu.input->count)
		return gb_fail(err, GB_ERUNTIME,
			       "a traversal holds %u children, more than the tree's %zu primitives",
			       s->last.held, (size_t)s->tracer.gpu.input->count);
	if (s->last.held > STACK_ENTRIES)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a traversal holds up to %u children; its stack has %d entries",
			       s->last.held, STACK_ENTRIES);
	if (s->last.triangles() != s->tracer.gpu.input->count)
		return gb_fail(err, GB_ERUNTIME, "the tree has %u triangles instead of %zu",
			       s->last.triangles(), (size_t)s->tracer.gpu.input->count);
	return GB_OK;
}

/* Upload the mesh; for a trace, also build the tree. */
static gb_status upload(wide_state *s, gb_error *err)
{
	lbvh_gpu *const g = &s->tracer.gpu;

	if (lbvh_gpu_tracer_upload(&s->tracer, err) != GB_OK || s->op == LBVH_BUILD)
		return err->code;
	if (!s->best)
		return build(s, NULL, err) == GB_OK ? await_tree(s, err) : err->code;
	if (lbvh_gpu_cheapest(g, &s->order, err) ||
	    lbvh_gpu_wide_collapse(&s->wide, g, s->order.plan, err))
		return err->code;
	return await_tree(s, err);
}

static gb_status run(wide_state *s, gb_timer *timer, gb_error *err)
{
	if (s->op == LBVH_BUILD)
		return build(s, timer, err);
	if (!s->queue)
		return lbvh_gpu_trace_run(s, timer, err);
	kernel_for(s->tracer.gpu.input)<<<s->blocks, LBVH_TRACE_BLOCK, 0, gpu_stream()>>>(
		s->tracer, s->tree(), s->queue);
	return CUDA_TRY(err, cudaGetLastError());
}

/* A build returns the hits of the probe's rays. */
static gb_status download(wide_state *s, lbvh_tree_header *header, gb_error *err)
{
	const lbvh_input *const in = s->tracer.gpu.input;

	if (s->op == LBVH_TRACE)
		return lbvh_gpu_tracer_download(&s->tracer, header, err);
	if (await_tree(s, err) != GB_OK || s->last.nodes() == 0 ||
	    lbvh_gpu_trace_image(&s->tracer, &in->probe, LBVH_PROBE_EDGE, s->tree(), err) != GB_OK)
		return err->code;
	*header = {};
	header->kind = LBVH_PROBED;
	header->nodes = s->last.nodes();
	return lbvh_gpu_tracer_hits(&s->tracer, lbvh_build_probe_t(in, header),
				    lbvh_build_probe_primitive(in, header), err);
}

static void metrics(wide_state *s, gb_metrics *metrics)
{
	if (s->op == LBVH_TRACE)
		lbvh_gpu_tracer_metrics(&s->tracer, metrics);
}

extern "C" const gb_variant_ops lbvh_cuda_wide = {
	.state_size = sizeof(wide_state),
	.create = op<create>,
	.upload = op<upload>,
	.run = op<run>,
	.download = op<download>,
	.metrics = op<metrics>,
	.flags = GB_REPEATABLE,
};
