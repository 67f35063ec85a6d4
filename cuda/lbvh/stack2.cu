/* stack2.cu -- step 1 of 3 (trace): the paper's, two levels and vertices through indices.
 *
 * As in cpu/lbvh/stack.c (section 5.3), the upper tree is over instances, each a mesh with its
 * placement and a tree of its own.  A ray that enters an instance's box is transformed to the
 * mesh's space, where the direction keeps its length so that distances mean the same, and walks the
 * mesh's tree.  A leaf names primitives, and these name vertices: two dependent fetches before the
 * first coordinate, which `stack` avoids.  The scene has one instance with the identity as its
 * placement.  The walk is the paper's, the coordinates do not change, and so the hits are those of
 * all other traversals.
 *
 * Bound: latency, as in stack, with two more dependent fetches for every triangle tested.
 */
#include "cuda/lbvh/shared/trace.h"

enum { TOP_LEVELS = 1, BLOCK = 32 };

/* A mesh and its placement. */
struct instance {
	float inverse[3][4]; /* from the scene's space to the mesh's */
	const lbvh_node *node;
	const uint32_t *index, *triangle;
	const float *vertex;
};

/* Triangles through indices. */
struct lbvh_stack2_mesh {
	const instance *instance;

	template <class SEARCH>
	__device__ __forceinline__ void test(uint32_t first, uint32_t count, lbvh_gpu_ray *ray,
					     SEARCH *search) const
	{
		search->triangle(count);
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t p = instance->index[first + i];
			const uint32_t *const v = instance->triangle + 3 * (size_t)p;

			search->hit(ray,
				    lbvh_intersect(ray->origin, ray->direction,
						   instance->vertex + 3 * (size_t)v[0],
						   instance->vertex + 3 * (size_t)v[1],
						   instance->vertex + 3 * (size_t)v[2]),
				    p);
		}
	}
};

/* The leaves of the upper tree. */
struct lbvh_stack2_instances {
	const instance *instance;
	lbvh_stack_entry *stack; /* for the meshes' trees, above the upper one's */

	template <class SEARCH>
	__device__ __forceinline__ void test(uint32_t first, uint32_t count, lbvh_gpu_ray *ray,
					     SEARCH *search) const
	{
		for (uint32_t i = first; i < first + count; i++) {
			const lbvh_stack2_mesh mesh = { instance + i };
			lbvh_gpu_ray local;

			for (int k = 0; k < 3; k++) {
				const float *const row = instance[i].inverse[k];

				local.origin[k] = lbvh_add(lbvh_dot(row, ray->origin), row[3]);
				local.direction[k] = lbvh_dot(row, ray->direction);
			}
			lbvh_gpu_ray_start(&local);
			local.near = ray->near;
			local.t = ray->t;
			local.primitive = ray->primitive;
			lbvh_walk_binary(instance[i].node, &mesh, stack, &local, search);
			ray->t = local.t;
			ray->primitive = local.primitive;
		}
	}
};

struct lbvh_stack2_tree {
	const lbvh_node *top;
	const instance *instance;

	template <class SEARCH>
	__device__ __forceinline__ void walk(lbvh_gpu_ray *ray, SEARCH *search) const
	{
		lbvh_stack_entry stack[(int)TOP_LEVELS + (int)LBVH_STACK];
		const lbvh_stack2_instances leaves = { instance, stack + (int)TOP_LEVELS };

		lbvh_walk_binary(top, &leaves, stack, ray, search);
	}
};

struct stack2_state {
	lbvh_gpu_tracer tracer; /* first: shared operations cast a state to it */
	lbvh_node *top;         /* the tree over instances: one leaf */
	instance *instance;     /* one */

	lbvh_stack2_tree tree(void) const
	{
		return { top, instance };
	}
};

/* One thread: set up the scene's only instance and the tree over it. */
static __global__ void place_kernel(lbvh_gpu g, lbvh_node *top, instance *instance)
{
	if (threadIdx.x != 0)
		return;
	for (int k = 0; k < 3; k++)
		for (int j = 0; j < 4; j++)
			instance->inverse[k][j] = k == j;
	instance->node = g.node;
	instance->index = g.index;
	instance->triangle = g.triangle;
	instance->vertex = g.vertex;
	top[0] = g.node[0];
	top[0].left = LBVH_LEAF;
	top[0].right = 1;
}

static gb_status create(stack2_state *s, const lbvh_params *params, const lbvh_input *in,
			gb_error *err)
{
	(void)lbvh_gpu_trace_create(s, params, in, err);
	(void)gpu_alloc(&s->top, 1, err);
	return gpu_alloc(&s->instance, 1, err);
}

/* Upload the mesh and build the trees. */
static gb_status upload(stack2_state *s, gb_error *err)
{
	lbvh_gpu *const g = &s->tracer.gpu;

	if (lbvh_gpu_tracer_upload(&s->tracer, err) || lbvh_gpu_fastest(g, NULL, err))
		return err->code;
	place_kernel<<<1, BLOCK, 0, gpu_stream()>>>(*g, s->top, s->instance);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return gpu_wait(err);
}

extern "C" const gb_variant_ops lbvh_cuda_stack2 = {
	.state_size = sizeof(stack2_state),
	.create = op<create>,
	.upload = op<upload>,
	.run = op<lbvh_gpu_trace_run<stack2_state>>,
	.download = op<lbvh_gpu_tracer_download>,
	.metrics = op<lbvh_gpu_tracer_metrics>,
	.flags = GB_REPEATABLE,
};
