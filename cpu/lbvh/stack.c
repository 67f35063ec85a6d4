/* stack.c -- cpu/stack, cpu/stack2: single-ray traversal of a binary tree with a stack.
 *
 * The nearer of two children that are hit is followed and the other one pushed (Aila and Laine; the
 * paper does the same).  Nodes are the paper's, of 32 bytes; a step fetches both children to test
 * their boxes.  The bound is latency.
 *
 * stack follows the paper's description of Hippie (section 5.3): one tree, and the corners of the
 * triangles stored in leaf order, so that a leaf is one contiguous block.
 *
 * stack2 is the paper's two-level traversal with indexed vertices.  As in its ISceneObject (section
 * 5.3), there is a tree over instances; an instance places a mesh that has its own tree.  A ray
 * that enters an instance's box is transformed to the mesh's space and walks the mesh's tree.  Its
 * direction is not normalised there, so that distances keep their meaning.  A leaf names primitives
 * and these name vertices: two indirections before the first coordinate, which `stack` avoids.  The
 * scene has one instance with the identity transform, so the hits are those of all other
 * traversals.
 */
#include <math.h>
#include <string.h>

#include "common/lbvh_types.h"
#include "common/memory.h"
#include "cpu/lbvh/shared/trace.h"

/* ---- one ray and a tree ------------------------------------------------------------------- */

/* A pending node, and the distance at which the ray enters its box. */
struct waiting {
	uint32_t child;
	float t;
};

struct beam {
	float origin[3], direction[3], inverse[3];
	float near, t; /* hits have near < distance <= t */
	uint32_t primitive;
	bool any; /* any hit will do */
};

static inline void beam_aim(struct beam *beam)
{
	for (int k = 0; k < 3; k++)
		beam->inverse[k] = 1 / (beam->direction[k] + 0.0F);
}

/* The distance at which the beam enters a box before beam->t, or INFINITY.  If a component of the
 * direction is 0 and the origin lies on a plane of the box, 0 * INFINITY is NaN.  lbvh_max() and
 * lbvh_min() drop a NaN in their first argument, so that plane does not bound. */
static inline float beam_enter(const struct lbvh_node *box, const struct beam *beam)
{
	float entry = 0, last = beam->t;

	for (int k = 0; k < 3; k++) {
		const float lo = (box->lo[k] - beam->origin[k]) * beam->inverse[k];
		const float hi = (box->hi[k] - beam->origin[k]) * beam->inverse[k];
		const int backwards = beam->inverse[k] < 0;

		entry = lbvh_max(backwards ? hi : lo, entry);
		last = lbvh_min(backwards ? lo : hi, last);
	}
	return entry <= last * LBVH_SLACK ? entry : INFINITY;
}

/* Make (t, primitive) the beam's hit if it is nearer. */
static inline void beam_hit(struct beam *beam, float t, uint32_t primitive)
{
	if (t > beam->near && lbvh_nearer(t, primitive, beam->t, beam->primitive)) {
		beam->t = t;
		beam->primitive = primitive;
	}
}

/* Call leaf(context, node, beam) for each leaf that the beam enters, nearest first.  Stop when no
 * leaf left can hold a nearer hit or, with beam->any, at the first hit.  stack has as many entries
 * as the tree has levels. */
static inline __attribute__((always_inline)) void beam_walk(
	const struct lbvh_node *node, struct beam *beam, struct waiting *stack, uint64_t *nodes,
	void (*leaf)(void *context, const struct lbvh_node *node, struct beam *beam), void *context)
{
	struct waiting *top = stack;
	uint32_t at = 0;

	if (isinf(beam_enter(node, beam)))
		return;
	for (;;) {
		const struct lbvh_node *const here = node + at;

		if (here->left & LBVH_LEAF) {
			leaf(context, here, beam);
			if (beam->any && beam->primitive != LBVH_MISS)
				return;
		} else {
			const float left = beam_enter(node + here->left, beam);
			const float right = beam_enter(node + here->right, beam);
			const int left_first = left <= right;
			const float near = left_first ? left : right;
			const float far = left_first ? right : left;

			++*nodes;
			if (far < INFINITY)
				*top++ = (struct waiting){ left_first ? here->right : here->left,
							   far };
			if (near < INFINITY) {
				at = left_first ? here->left : here->right;
				continue;
			}
		}
		do {
			if (top == stack)
				return;
			at = (--top)->child;
		} while (top->t > beam->t * LBVH_SLACK);
	}
}

/* ---- batches of rays ---------------------------------------------------------------------- */

/* Trace one beam that has hit nothing yet. */
typedef void beam_fn(void *context, struct beam *beam);

/* Trace each ray of a batch and store its hit. */
static inline __attribute__((always_inline)) void beam_batch(struct lbvh_batch *batch,
							     beam_fn *trace, void *context)
{
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct lbvh_ray *ray = batch->ray + i;
		struct beam beam = { .near = ray->near,
				     .t = ray->far,
				     .primitive = LBVH_MISS,
				     .any = batch->occluded != NULL };

		for (int k = 0; k < 3; k++) {
			beam.origin[k] = ray->origin[k];
			beam.direction[k] = ray->direction[k];
		}
		beam_aim(&beam);
		trace(context, &beam);
		lbvh_batch_keep(batch, i, beam.t, beam.primitive);
	}
}

/* ---- both variants ------------------------------------------------------------------------ */

struct corners {
	float a[3], b[3], c[3];
	uint32_t primitive;
};

/* A mesh and its placement. */
struct instance {
	float inverse[3][4]; /* from scene space to mesh space */
	const struct lbvh_input *mesh;
	const struct lbvh_node *node;
	const uint32_t *index;
};

enum { TOP_LEVELS = 1 };

struct state {
	struct lbvh_tracer tracer; /* must be first: a state is passed as a tracer */
	struct lbvh_cpu cpu;       /* the tree */
	struct waiting *entry;     /* threads * room */
	size_t room;
	struct corners *triangle; /* stack only: in the order of cpu.index */
	struct lbvh_node top[1];  /* stack2 only: the tree over instances, one leaf */
	struct instance instance[1];
};

/* A walk through one tree: that of `instance`, or the upper or only tree if it is NULL. */
struct walk {
	const struct state *state;
	const struct instance *instance;
	struct waiting *stack;
	struct lbvh_counts *counts;
};

static struct walk walk_of(const struct state *s, int thread, struct lbvh_counts *counts)
{
	return (struct walk){ s, NULL, s->entry + (size_t)thread * s->room, counts };
}

/* Allocate memory and build the tree; only for --op=trace.  extra: stack entries beyond the tree's
 * levels. */
static enum gb_status create_both(struct state *s, const void *params, const void *input,
				  lbvh_batch_fn *batch, size_t extra, struct gb_error *err)
{
	unsigned depth;

	if (lbvh_wants_trace(params, err) ||
	    lbvh_tracer_init(&s->tracer, params, input, batch, err) ||
	    lbvh_tracer_tree(&s->cpu, params, input, &depth, err))
		return err->code;
	s->room = depth + extra;
	s->entry = gb_host_alloc(s->room * (size_t)s->tracer.threads, sizeof *s->entry, err);
	return err->code;
}

/* ---- cpu/stack ---------------------------------------------------------------------------- */

static void test_leaf(void *context, const struct lbvh_node *leaf, struct beam *beam)
{
	const struct walk *w = context;
	const struct corners *triangle = w->state->triangle + (leaf->left & ~LBVH_LEAF);

	w->counts->triangles += leaf->right;
	for (uint32_t i = 0; i < leaf->right; i++, triangle++)
		beam_hit(beam,
			 lbvh_intersect(beam->origin, beam->direction, triangle->a, triangle->b,
					triangle->c),
			 triangle->primitive);
}

static void trace_ray(void *context, struct beam *beam)
{
	struct walk *w = context;

	beam_walk(w->state->cpu.node, beam, w->stack, &w->counts->nodes, test_leaf, w);
}

static void trace_batch(const void *state, int thread, struct lbvh_batch *batch,
			struct lbvh_counts *counts)
{
	struct walk walk = walk_of(state, thread, counts);

	beam_batch(batch, trace_ray, &walk);
}

static void place_corners(struct state *s)
{
	const struct lbvh_input *in = s->tracer.input;

#pragma omp parallel for num_threads(s->tracer.threads) schedule(static)
	for (size_t i = 0; i < s->cpu.count; i++) {
		const uint32_t p = s->cpu.index[i], *v = in->triangle + 3 * (size_t)p;
		struct corners *to = s->triangle + i;

		memcpy(to->a, in->vertex + 3 * (size_t)v[0], sizeof to->a);
		memcpy(to->b, in->vertex + 3 * (size_t)v[1], sizeof to->b);
		memcpy(to->c, in->vertex + 3 * (size_t)v[2], sizeof to->c);
		to->primitive = p;
	}
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	if (create_both(s, params, input, trace_batch, 0, err))
		return err->code;
	s->triangle = gb_host_alloc(s->cpu.count, sizeof *s->triangle, err);
	if (s->triangle && !gb_memory_is_dry())
		place_corners(s);
	return err->code;
}

const struct gb_variant_ops lbvh_cpu_stack = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};

/* ---- cpu/stack2 --------------------------------------------------------------------------- */

static void test_triangles(void *context, const struct lbvh_node *leaf, struct beam *beam)
{
	const struct walk *w = context;
	const struct lbvh_input *mesh = w->instance->mesh;
	const uint32_t *index = w->instance->index + (leaf->left & ~LBVH_LEAF);

	w->counts->triangles += leaf->right;
	for (uint32_t i = 0; i < leaf->right; i++) {
		const uint32_t *v = mesh->triangle + 3 * (size_t)index[i];

		beam_hit(beam,
			 lbvh_intersect(
				 beam->origin, beam->direction, mesh->vertex + 3 * (size_t)v[0],
				 mesh->vertex + 3 * (size_t)v[1], mesh->vertex + 3 * (size_t)v[2]),
			 index[i]);
	}
}

/* The beam in the space of the instance's mesh. */
static struct beam into(const struct instance *instance, const struct beam *beam)
{
	struct beam local = {
		.near = beam->near, .t = beam->t, .primitive = beam->primitive, .any = beam->any
	};

	for (int k = 0; k < 3; k++) {
		local.origin[k] =
			lbvh_dot(instance->inverse[k], beam->origin) + instance->inverse[k][3];
		local.direction[k] = lbvh_dot(instance->inverse[k], beam->direction);
	}
	beam_aim(&local);
	return local;
}

static void enter_instances(void *context, const struct lbvh_node *leaf, struct beam *beam)
{
	const struct walk *w = context;

	for (uint32_t i = 0; i < leaf->right; i++) {
		const struct instance *instance =
			w->state->instance + (leaf->left & ~LBVH_LEAF) + i;
		struct walk below = { w->state, instance, w->stack + TOP_LEVELS, w->counts };
		struct beam local = into(instance, beam);

		beam_walk(instance->node, &local, below.stack, &w->counts->nodes, test_triangles,
			  &below);
		beam->t = local.t;
		beam->primitive = local.primitive;
	}
}

static void trace_ray2(void *context, struct beam *beam)
{
	struct walk *w = context;

	beam_walk(w->state->top, beam, w->stack, &w->counts->nodes, enter_instances, w);
}

static void trace_batch2(const void *state, int thread, struct lbvh_batch *batch,
			 struct lbvh_counts *counts)
{
	struct walk walk = walk_of(state, thread, counts);

	beam_batch(batch, trace_ray2, &walk);
}

static enum gb_status create2(void *state, const void *params, const void *input,
			      struct gb_error *err)
{
	struct state *s = state;

	if (create_both(s, params, input, trace_batch2, TOP_LEVELS, err) || gb_memory_is_dry())
		return err->code;
	s->instance[0] = (struct instance){
		.inverse = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } },
		.mesh = input,
		.node = s->cpu.node,
		.index = s->cpu.index,
	};
	s->top[0] = s->cpu.node[0];
	s->top[0].left = LBVH_LEAF;
	s->top[0].right = 1;
	return GB_OK;
}

const struct gb_variant_ops lbvh_cpu_stack2 = {
	.state_size = sizeof(struct state),
	.create = create2,
	.run = lbvh_tracer_run,
	.download = lbvh_tracer_download,
	.metrics = lbvh_tracer_metrics,
	.flags = GB_REPEATABLE,
};
