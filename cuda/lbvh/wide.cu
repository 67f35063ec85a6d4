/* wide.cu -- cuda/wide: build and traverse a tree of eight children a node.
 *
 * Build: the binary tree of apetrei, then its collapse (parts/collapse.cu) into a tree ready for
 * traversal, triangles included: what a library's scene build does.
 *
 * Trace: a thread per ray.  A step fetches one node of 96 bytes, finds which of the eight boxes the
 * ray enters, and puts those on the stack with the nearest on top.  Against stack: a third of the
 * dependent fetches, and 12 bytes a box instead of 32.  The tree is made by upload(), untimed,
 * over 63-bit codes.
 *
 * Bound: latency of the fetches, and the issue of 48 planes a node, some 250 instructions a step.
 */
#include "common/memory.h"
#include "cuda/lbvh/parts/wide.h"

enum {
	STACK_LEVELS = 32,
	STACK = STACK_LEVELS * (LBVH_WIDE - 1) + 1, /* 1800 bytes */
};

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

	__device__ __forceinline__ void walk(struct lbvh_beam *beam,
					     struct lbvh_steps *steps) const;
};

/* The triangles from place `at` to the end of the leaf. */
static __device__ __forceinline__ void test_leaf(const struct lbvh_corners *triangle, uint32_t at,
						 struct lbvh_beam *beam, struct lbvh_steps *steps)
{
	uint32_t primitive;

	do {
		const struct lbvh_corners c = lbvh_corners_load(triangle + at++);

		primitive = c.primitive;
		steps->triangles++;
		lbvh_beam_hit(beam, lbvh_intersect(beam->origin, beam->direction, c.a, c.b, c.c),
			      primitive & ~LBVH_LAST);
	} while (!(primitive & LBVH_LAST));
}

static __device__ __forceinline__ float byte_of(uint2 words, int k)
{
	return (float)((k < 4 ? words.x : words.y) >> (8 * (k % 4)) & 0xff);
}

/* Put the children whose boxes the beam enters on the stack, the nearest on top. */
static __device__ __forceinline__ void open_node(const struct lbvh_wide_node *node,
						 const struct lbvh_beam *beam,
						 struct lbvh_waiting *stack, int *top)
{
	const uint4 *const from = (const uint4 *)(const void *)node;
	const uint4 head = from[0], low = from[1], high = from[2];
	const uint32_t child[LBVH_WIDE] = { low.x,  low.y,  low.z,  low.w,
					    high.x, high.y, high.z, high.w };
	const float origin[3] = { __uint_as_float(head.x), __uint_as_float(head.y),
				  __uint_as_float(head.z) };
	const int base = *top;
	uint4 planes[3];
	float step[3];

	for (int d = 0; d < 3; d++) {
		planes[d] = from[3 + d];
		step[d] = __uint_as_float((head.w >> (8 * d) & 0xff) << 23);
	}
	for (int k = 0; k < LBVH_WIDE; k++) {
		float lo[3], hi[3];

		if (!child[k])
			break;
		for (int d = 0; d < 3; d++) {
			const uint2 below = make_uint2(planes[d].x, planes[d].y);
			const uint2 above = make_uint2(planes[d].z, planes[d].w);

			lo[d] = lbvh_add(origin[d], lbvh_mul(byte_of(below, k), step[d]));
			hi[d] = lbvh_add(origin[d], lbvh_mul(byte_of(above, k), step[d]));
		}

		const float t = lbvh_beam_enter(beam, lo, hi);
		int place = *top;

		if (t == INFINITY)
			continue;
		for (; place > base && stack[place - 1].t < t; place--)
			stack[place] = stack[place - 1];
		stack[place] = { t, child[k] };
		++*top;
	}
}

__device__ __forceinline__ void lbvh_wide_tree::walk(struct lbvh_beam *beam,
						     struct lbvh_steps *steps) const
{
	struct lbvh_waiting stack[STACK];
	uint32_t at = 0;
	int top = 0;

	do {
		if (at & LBVH_LEAF) {
			test_leaf(triangle, at & ~LBVH_LEAF, beam, steps);
		} else {
			steps->nodes++;
			open_node(node + at, beam, stack, &top);
		}
	} while (lbvh_beam_next(beam, stack, &top, &at));
}

/* ---- life --------------------------------------------------------------------------------- */

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_input *const in = (const struct lbvh_input *)input;
	struct state *const s = (struct state *)state;
	size_t rays = LBVH_PROBES;

	s->op = (enum lbvh_op)((const struct lbvh_params *)params)->op;
	if (s->op == LBVH_TRACE)
		rays = (size_t)in->edge * in->edge;
	lbvh_gpu_tracer_init(&s->tracer, params, in, rays, err);
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
	const struct lbvh_wide_tree tree = { s->wide.node, s->wide.triangle };

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
