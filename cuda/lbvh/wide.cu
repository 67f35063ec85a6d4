/* wide.cu -- cuda/wide: build and traverse a tree of eight children a node.
 *
 * Build: the binary tree of apetrei, then its collapse (parts/collapse.cu) into a tree ready for
 * traversal, triangles included: what a library's scene build does.
 *
 * Trace: a thread per ray.  A step fetches one node of 96 bytes, finds which of the eight boxes the
 * ray enters, sorts them in registers, goes on with the nearest and puts the others on the stack.
 * Against stack: a third of the dependent fetches, and 12 bytes a box instead of 32.  The tree is
 * made by upload(), untimed, over 63-bit codes.
 *
 * Bound: latency of the fetches, and the issue of 48 planes a node at three instructions each.
 */
#include "common/memory.h"
#include "cuda/lbvh/parts/wide.h"

enum {
	STACK_LEVELS = 32,
	STACK = STACK_LEVELS * (LBVH_WIDE - 1) + 1, /* 1800 bytes */
};

#define NONE  UINT32_MAX
#define LARGE 0x1p96f
#define SLACK 0x1p-20f

/* 2^15 as a float: bits 8 to 15 count ones. */
#define HIDDEN_BITS 0x47000000u
#define HIDDEN      0x1p15f

struct state {
	struct lbvh_gpu_tracer tracer; /* first: shared operations take a state as one of these */
	enum lbvh_op op;
	struct lbvh_gpu_wide wide;
	struct lbvh_wide_counters last; /* of the last collapse, once it was waited for */
};

/* ---- device ------------------------------------------------------------------------------- */

struct lbvh_wide_tree {
	const struct lbvh_wide_node *node;
	const struct lbvh_corners *triangle;

	template <class STEPS>
	__device__ __forceinline__ void walk(struct lbvh_beam *beam, STEPS *steps) const;
};

/* The triangles from place `at` to the end of the leaf. */
template <class STEPS>
static __device__ __forceinline__ void test_leaf(const struct lbvh_corners *triangle, uint32_t at,
						 struct lbvh_beam *beam, STEPS *steps)
{
	uint32_t primitive;

	do {
		const struct lbvh_corners c = lbvh_corners_load(triangle + at++);

		primitive = c.primitive;
		steps->triangle(1);
		lbvh_beam_hit(beam, lbvh_intersect(beam->origin, beam->direction, c.a, c.b, c.c),
			      primitive & ~LBVH_LAST);
	} while (!(primitive & LBVH_LAST));
}

/* How a beam meets the planes of a grid: plane q lies at the distance
 *
 *	(HIDDEN + q) * (step * inverse) + ((grid's origin - eye) * inverse - HIDDEN * step * inverse)
 *
 * a product and a sum, where lbvh_beam_enter() takes four operations; HIDDEN + q are the byte's
 * eight bits in a float's mantissa.  Of those four it is off by less than 8 units of 2^-24 of
 * (|grid's origin| + |eye|) * |inverse|, and a 2^-8 of a plane.  Twice as much is taken from where the
 * beam enters, and added to where it leaves: no box is missed that lbvh_beam_enter() finds, with
 * its slack.  Where 0 * INFINITY or INFINITY - INFINITY is NaN, the plane does not bound. */
struct lens {
	float inverse[3]; /* finite, so that a beam along a plane is on one side of it */
	float slack[3];   /* |inverse| * 2^-20 */
	float eye[3];     /* the eye's part in the slack */
};

static __device__ __forceinline__ struct lens lens_of(const struct lbvh_beam *beam)
{
	struct lens lens;

	for (int d = 0; d < 3; d++) {
		lens.inverse[d] = fminf(fmaxf(beam->inverse[d], -LARGE), LARGE);
		lens.slack[d] = fabsf(lens.inverse[d]) * SLACK;
		lens.eye[d] = fabsf(beam->origin[d]) * lens.slack[d];
	}
	return lens;
}

/* HIDDEN + byte k of the words. */
static __device__ __forceinline__ float plane_of(uint2 words, int k)
{
	return __uint_as_float(__byte_perm(k < 4 ? words.x : words.y, HIDDEN_BITS,
					   0x7406 | (unsigned)(k % 4) << 4));
}

/* Batcher's odd-even merge sort of eight, in registers. */
static __device__ __forceinline__ void sort_eight(uint32_t key[LBVH_WIDE])
{
	constexpr unsigned char pair[19][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 0, 2 },
						{ 1, 3 }, { 4, 6 }, { 5, 7 }, { 1, 2 }, { 5, 6 },
						{ 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 }, { 2, 4 },
						{ 3, 5 }, { 1, 2 }, { 3, 4 }, { 5, 6 } };

	GPU_UNROLL
	for (int i = 0; i < 19; i++) {
		const uint32_t a = key[pair[i][0]], b = key[pair[i][1]];

		key[pair[i][0]] = min(a, b);
		key[pair[i][1]] = max(a, b);
	}
}

/* One of eight in registers: a load would be one more step before the next node's. */
static __device__ __forceinline__ uint32_t choose(const uint32_t child[LBVH_WIDE], uint32_t k)
{
	uint32_t four[4], two[2];

	GPU_UNROLL
	for (int i = 0; i < 4; i++)
		four[i] = k & 1 ? child[2 * i + 1] : child[2 * i];
	GPU_UNROLL
	for (int i = 0; i < 2; i++)
		two[i] = k & 2 ? four[2 * i + 1] : four[2 * i];
	return k & 4 ? two[1] : two[0];
}

/* Of the children whose boxes the beam enters, the nearest; the others go on the stack, nearer ones
 * on top.  NONE if it enters none. */
static __device__ __forceinline__ uint32_t open_node(const struct lbvh_wide_node *node,
						     const struct lbvh_beam *beam,
						     const struct lens *lens,
						     struct lbvh_waiting *stack, int *top)
{
	const uint4 *const from = (const uint4 *)(const void *)node;
	const uint4 head = from[0], low = from[1], high = from[2];
	const uint32_t child[LBVH_WIDE] = { low.x,  low.y,  low.z,  low.w,
					    high.x, high.y, high.z, high.w };
	const float origin[3] = { __uint_as_float(head.x), __uint_as_float(head.y),
				  __uint_as_float(head.z) };
	const float farthest = beam->t * LBVH_SLACK;
	uint2 near[3], far[3];
	float scale[3], near_at[3], far_at[3];
	uint32_t key[LBVH_WIDE];

	GPU_UNROLL
	for (int d = 0; d < 3; d++) {
		const uint4 planes = from[3 + d];
		const uint2 below = make_uint2(planes.x, planes.y);
		const uint2 above = make_uint2(planes.z, planes.w);
		const bool backwards = lens->inverse[d] < 0;
		const float step = __uint_as_float((head.w >> (8 * d) & 0xff) << 23);
		const float at = (origin[d] - beam->origin[d]) * lens->inverse[d];
		const float plane = step * lens->inverse[d];
		/* Infinite before HIDDEN * plane is, so that neither plane bounds then. */
		const float coarse = fabsf(plane * (2 * HIDDEN)) * (0x1p-7f / (2 * HIDDEN));
		const float off = fabsf(origin[d]) * lens->slack[d] + lens->eye[d] + coarse;

		near[d] = backwards ? above : below;
		far[d] = backwards ? below : above;
		scale[d] = plane;
		near_at[d] = at - off - HIDDEN * plane;
		far_at[d] = at + off - HIDDEN * plane;
	}
	GPU_UNROLL
	for (int k = 0; k < LBVH_WIDE; k++) {
		float entry = 0, last = farthest;

		GPU_UNROLL
		for (int d = 0; d < 3; d++) {
			entry = fmaxf(plane_of(near[d], k) * scale[d] + near_at[d], entry);
			last = fminf(plane_of(far[d], k) * scale[d] + far_at[d], last);
		}
		/* Distances order as their bits do, but for the lowest: the child's number. */
		key[k] = child[k] && entry <= last
				 ? (__float_as_uint(entry) & ~(LBVH_WIDE - 1U)) | (uint32_t)k
				 : NONE;
	}
	sort_eight(key);
	GPU_UNROLL
	for (int k = LBVH_WIDE - 1; k > 0; k--)
		if (key[k] != NONE)
			stack[(*top)++] = { __uint_as_float(key[k] & ~(LBVH_WIDE - 1U)),
					    node->child[key[k] % LBVH_WIDE] };
	return key[0] == NONE ? NONE : choose(child, key[0] % LBVH_WIDE);
}

template <class STEPS>
__device__ __forceinline__ void lbvh_wide_tree::walk(struct lbvh_beam *beam, STEPS *steps) const
{
	const struct lens lens = lens_of(beam);
	struct lbvh_waiting stack[STACK];
	uint32_t at = 0;
	int top = 0;

	for (;;) {
		if (at & LBVH_LEAF) {
			test_leaf(triangle, at & ~LBVH_LEAF, beam, steps);
		} else {
			steps->node();
			at = open_node(node + at, beam, &lens, stack, &top);
			if (at != NONE)
				continue;
		}
		if (!lbvh_beam_next(beam, stack, &top, &at))
			return;
	}
}

/* ---- life --------------------------------------------------------------------------------- */

static struct lbvh_wide_tree tree_of(const struct state *s)
{
	return { s->wide.node, s->wide.triangle };
}

static enum gb_status count(const void *state, struct gb_error *err)
{
	const struct state *const s = (const struct state *)state;
	const struct lbvh_wide_tree tree = tree_of(s);

	return lbvh_gpu_trace_count(&s->tracer, &tree, err);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_input *const in = (const struct lbvh_input *)input;
	struct state *const s = (struct state *)state;
	size_t rays = LBVH_PROBES;

	s->op = (enum lbvh_op)((const struct lbvh_params *)params)->op;
	if (s->op == LBVH_TRACE)
		rays = (size_t)in->edge * in->edge;
	lbvh_gpu_tracer_init(&s->tracer, count, params, in, rays, err);
	(void)lbvh_gpu_wide_init(&s->wide, in->count, err);
	if (s->op == LBVH_BUILD)
		gb_memory_result(s->wide.counters, GB_WHOLE, 0);
	return err->code;
}

static enum gb_status build(struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	if (lbvh_gpu_fastest(&s->tracer.gpu, timer, err) != GB_OK)
		return err->code;
	lbvh_gpu_phase(timer, "collapse");
	return lbvh_gpu_wide_collapse(&s->wide, &s->tracer.gpu, err);
}

/* Wait for the tree, and see that the stack is deep enough for it.  Each level has a node, of which
 * there are fewer than primitives: more levels are no tree. */
static enum gb_status await_tree(struct state *s, struct gb_error *err)
{
	if (gpu_download(&s->last, s->wide.counters, sizeof s->last, err) != GB_OK)
		return err->code;
	if (s->last.levels > s->tracer.gpu.input->count)
		return gb_fail(err, GB_ERUNTIME, "the tree has %u levels of %zu primitives",
			       s->last.levels, (size_t)s->tracer.gpu.input->count);
	if (s->last.levels > STACK_LEVELS)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "the tree has %u levels of eight children; the stack holds %d",
			       s->last.levels, STACK_LEVELS);
	return GB_OK;
}

/* The mesh; to trace, also the tree. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *const s = (struct state *)state;

	if (lbvh_gpu_upload(&s->tracer.gpu, err) != GB_OK || s->op == LBVH_BUILD)
		return err->code;
	return build(s, NULL, err) == GB_OK ? await_tree(s, err) : err->code;
}

static enum gb_status trace(const struct state *s, const struct lbvh_camera *camera, uint32_t edge,
			    struct gb_error *err)
{
	const struct lbvh_wide_tree tree = tree_of(s);

	return lbvh_gpu_trace(&s->tracer, camera, edge, &tree, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *const s = (struct state *)state;
	const struct lbvh_input *const in = s->tracer.gpu.input;

	return s->op == LBVH_BUILD ? build(s, timer, err) : trace(s, &in->camera, in->edge, err);
}

/* Of a build: the hits of the probe's rays. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *const s = (struct state *)state;
	const struct lbvh_input *const in = s->tracer.gpu.input;
	struct lbvh_tree_header *const header = (struct lbvh_tree_header *)output;

	if (s->op == LBVH_TRACE)
		return lbvh_gpu_tracer_download(state, output, err);
	if (await_tree(s, err) != GB_OK || s->last.nodes == 0 ||
	    trace(s, &in->probe, LBVH_PROBE_EDGE, err) != GB_OK)
		return err->code;
	*header = {};
	header->kind = LBVH_PROBED;
	header->nodes = s->last.nodes;
	return lbvh_gpu_tracer_hits(&s->tracer, lbvh_build_probe_t(in, output),
				    lbvh_build_probe_primitive(in, output), err);
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *const s = (const struct state *)state;

	if (s->op == LBVH_TRACE)
		lbvh_gpu_tracer_metrics(state, metrics);
	gb_metric(metrics, "wide_nodes", s->last.nodes);
	gb_metric(metrics, "wide_depth", s->last.levels);
}

const struct gb_variant_ops lbvh_cuda_wide = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.metrics = metrics,
	.flags = GB_REPEATABLE,
};
