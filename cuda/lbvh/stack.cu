/* stack.cu -- step 2 of 3 (trace): a binary tree on one level, with triangles in place.
 *
 * One thread per ray walks the tree with a stack: lbvh_walk_binary() (shared/trace.h).
 *
 * The paper describes Hippie in this way (section 5.3): there is one tree, and the corners of its
 * triangles are stored in the order of the leaves.  upload() builds the tree, untimed, over 63-bit
 * codes.  A leaf is then a primitive or close copies of one, and the stack is as deep as the tree
 * can be, 64 levels.  If the ray enters both children, the walk continues with the nearer one and
 * pushes the other.
 *
 * Bound: latency of dependent 64-byte fetches, hidden by as many warps as are resident.
 */
#include "cuda/lbvh/shared/trace.h"

/* Triangles in place. */
struct lbvh_stack_leaves {
	const lbvh_corners *triangle;

	template <class SEARCH>
	__device__ __forceinline__ void test(uint32_t first, uint32_t count, lbvh_gpu_ray *ray,
					     SEARCH *search) const
	{
		search->triangle(count);
		for (uint32_t i = 0; i < count; i++) {
			const lbvh_corners c = lbvh_corners_load(triangle + first + i);

			search->hit(ray, lbvh_intersect(ray->origin, ray->direction, c.a, c.b, c.c),
				    c.primitive);
		}
	}
};

struct lbvh_stack_tree {
	const lbvh_node *node;
	lbvh_stack_leaves leaves;

	template <class SEARCH>
	__device__ __forceinline__ void walk(lbvh_gpu_ray *ray, SEARCH *search) const
	{
		lbvh_stack_entry stack[LBVH_STACK];

		lbvh_walk_binary(node, &leaves, stack, ray, search);
	}
};

struct stack_state {
	lbvh_gpu_tracer tracer; /* first: shared operations cast a state to it */
	lbvh_corners *triangle; /* in the order of the tree's index */

	lbvh_stack_tree tree(void) const
	{
		return { tracer.gpu.node, { triangle } };
	}
};

static gb_status create(stack_state *s, const lbvh_params *params, const lbvh_input *in,
			gb_error *err)
{
	(void)lbvh_gpu_trace_create(s, params, in, err);
	return gpu_alloc(&s->triangle, in->count, err);
}

/* Upload the mesh and build the tree. */
static gb_status upload(stack_state *s, gb_error *err)
{
	lbvh_gpu *const g = &s->tracer.gpu;

	if (lbvh_gpu_tracer_upload(&s->tracer, err) || lbvh_gpu_fastest(g, NULL, err) ||
	    lbvh_gpu_corners(g, NULL, s->triangle, err))
		return err->code;
	return gpu_wait(err);
}

extern "C" const gb_variant_ops lbvh_cuda_stack = {
	.state_size = sizeof(stack_state),
	.create = op<create>,
	.upload = op<upload>,
	.run = op<lbvh_gpu_trace_run<stack_state>>,
	.download = op<lbvh_gpu_tracer_download>,
	.metrics = op<lbvh_gpu_tracer_metrics>,
	.flags = GB_REPEATABLE,
};
