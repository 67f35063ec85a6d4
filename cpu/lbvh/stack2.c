/* stack2.c -- cpu/stack2: the paper's traversal: two levels, vertices through indices.
 *
 * As the paper's ISceneObject (section 5.3): a tree over instances, each a placement of a mesh with
 * a tree of its own.  A ray that enters an instance's box is taken to the mesh's space, where the
 * direction keeps its length so that distances mean the same, and walks the mesh's tree.  A leaf
 * names primitives, those name vertices: two indirections before the first coordinate, which is
 * what `stack` leaves out.  The scene has one instance, at its own place: the walk is the paper's,
 * the coordinates do not change, and so the hits are those of all other traversals.
 */
#include "cpu/lbvh/parts/stack.h"

#include "common/memory.h"

/* A mesh and where it stands. */
struct instance {
	float inverse[3][4]; /* from the scene's space to the mesh's */
	const struct lbvh_input *mesh;
	const struct lbvh_node *node;
	const uint32_t *index;
};

enum { TOP_LEVELS = 1 };

struct state {
	struct lbvh_stack common;
	struct lbvh_node top[1]; /* the tree over instances: one leaf */
	struct instance instance[1];
};

/* What the walk of a ray needs: in the upper tree, or in that of `instance`. */
struct walk {
	const struct state *state;
	const struct instance *instance;
	struct lbvh_waiting *stack;
	struct lbvh_counts *counts;
};

static void test_triangles(void *context, const struct lbvh_node *leaf, struct lbvh_beam *beam)
{
	const struct walk *w = context;
	const struct lbvh_input *mesh = w->instance->mesh;
	const uint32_t *index = w->instance->index + (leaf->left & ~LBVH_LEAF);

	w->counts->triangles += leaf->right;
	for (uint32_t i = 0; i < leaf->right; i++) {
		const uint32_t *v = mesh->triangle + 3 * (size_t)index[i];

		lbvh_beam_hit(beam,
			      lbvh_intersect(beam->origin, beam->direction,
					     mesh->vertex + 3 * (size_t)v[0],
					     mesh->vertex + 3 * (size_t)v[1],
					     mesh->vertex + 3 * (size_t)v[2]),
			      index[i]);
	}
}

/* The beam as the instance's mesh sees it. */
static struct lbvh_beam into(const struct instance *instance, const struct lbvh_beam *beam)
{
	struct lbvh_beam local = {
		.near = beam->near, .t = beam->t, .primitive = beam->primitive, .any = beam->any
	};

	for (int k = 0; k < 3; k++) {
		local.origin[k] =
			lbvh_dot(instance->inverse[k], beam->origin) + instance->inverse[k][3];
		local.direction[k] = lbvh_dot(instance->inverse[k], beam->direction);
	}
	lbvh_beam_aim(&local);
	return local;
}

static void enter_instances(void *context, const struct lbvh_node *leaf, struct lbvh_beam *beam)
{
	const struct walk *w = context;

	for (uint32_t i = 0; i < leaf->right; i++) {
		const struct instance *instance =
			w->state->instance + (leaf->left & ~LBVH_LEAF) + i;
		struct walk below = { w->state, instance, w->stack + TOP_LEVELS, w->counts };
		struct lbvh_beam local = into(instance, beam);

		lbvh_beam_walk(instance->node, &local, below.stack, &w->counts->nodes,
			       test_triangles, &below);
		beam->t = local.t;
		beam->primitive = local.primitive;
	}
}

static void trace_ray(void *context, struct lbvh_beam *beam)
{
	struct walk *w = context;

	lbvh_beam_walk(w->state->top, beam, w->stack, &w->counts->nodes, enter_instances, w);
}

static void trace_batch(const void *state, int thread, struct lbvh_batch *batch,
			struct lbvh_counts *counts)
{
	const struct state *s = state;
	struct walk walk = { s, NULL, s->common.entry + (size_t)thread * s->common.room, counts };

	lbvh_beam_batch(batch, trace_ray, &walk);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct lbvh_ways ways = { NULL, trace_batch };
	struct state *s = state;

	if (lbvh_stack_init(&s->common, params, input, ways, TOP_LEVELS, err))
		return err->code;
	if (gb_memory_is_dry())
		return GB_OK;
	s->instance[0] = (struct instance){
		.inverse = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } },
		.mesh = input,
		.node = s->common.cpu.node,
		.index = s->common.cpu.index,
	};
	s->top[0] = s->common.cpu.node[0];
	s->top[0].left = LBVH_LEAF;
	s->top[0].right = 1;
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_stack2 = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
