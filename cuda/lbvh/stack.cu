/* stack.cu -- cuda/stack: a thread per ray walks the binary tree with a stack, one level,
 * vertices in place.
 *
 * What the paper says of Hippie (section 5.3): there is one tree, and the corners of a leaf's
 * triangles lie one behind the other in the order of the leaves.  The tree is made by upload(),
 * untimed: 63-bit codes, so that a leaf is a primitive or close copies of one, and its levels, at
 * most 64, are the depth of the stack.  Of two children that are entered the nearer is followed
 * and the other one put on the stack.
 *
 * Bound: latency of dependent 64-byte fetches, hidden by as many warps as there are; with some 50
 * nodes a ray in cache about 1 G rays/s are expected on an H200 for a mesh of 1 M triangles.
 */
#include "cuda/lbvh/parts/trace.h"

struct state {
	struct lbvh_gpu_tracer tracer; /* first: shared operations take a state as one of these */
	struct lbvh_corners *triangle; /* in the order of the tree's index */
};

/* Triangles in place. */
struct lbvh_stack_leaves {
	const struct lbvh_corners *triangle;

	template <class SEARCH>
	__device__ __forceinline__ void test(uint32_t first, uint32_t count, struct lbvh_beam *beam,
					     SEARCH *search) const
	{
		search->triangle(count);
		for (uint32_t i = 0; i < count; i++) {
			const struct lbvh_corners c = lbvh_corners_load(triangle + first + i);

			search->hit(beam,
				    lbvh_intersect(beam->origin, beam->direction, c.a, c.b, c.c),
				    c.primitive);
		}
	}
};

struct lbvh_stack_tree {
	const struct lbvh_node *node;
	struct lbvh_stack_leaves leaves;

	template <class SEARCH>
	__device__ __forceinline__ void walk(struct lbvh_beam *beam, SEARCH *search) const
	{
		struct lbvh_waiting stack[LBVH_STACK];

		lbvh_walk_binary(node, &leaves, stack, beam, search);
	}
};

static struct lbvh_stack_tree tree_of(const struct state *s)
{
	return { s->tracer.gpu.node, { s->triangle } };
}

static enum gb_status count(const void *state, struct gb_error *err)
{
	const struct state *const s = (const struct state *)state;
	const struct lbvh_stack_tree tree = tree_of(s);

	return lbvh_gpu_trace_count(&s->tracer, &tree, err);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_input *const in = (const struct lbvh_input *)input;
	struct state *const s = (struct state *)state;

	if (lbvh_gpu_wants_trace(params, err) != GB_OK)
		return err->code;
	lbvh_gpu_tracer_init(&s->tracer, count, params, in, (size_t)in->edge * in->edge, err);
	return gpu_alloc(&s->triangle, in->count, sizeof *s->triangle, err);
}

/* The mesh, and the tree from it. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *const s = (struct state *)state;
	struct lbvh_gpu *const g = &s->tracer.gpu;

	if (lbvh_gpu_tracer_upload(&s->tracer, err) != GB_OK ||
	    lbvh_gpu_fastest(g, NULL, err) != GB_OK ||
	    lbvh_gpu_corners(g, NULL, s->triangle, err) != GB_OK)
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *const s = (struct state *)state;
	const struct lbvh_stack_tree tree = tree_of(s);

	return lbvh_gpu_trace(&s->tracer, &tree, err);
}

extern "C" const struct gb_variant_ops lbvh_cuda_stack = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = lbvh_gpu_tracer_download,
	.metrics = lbvh_gpu_tracer_metrics,
	.flags = GB_REPEATABLE,
};
