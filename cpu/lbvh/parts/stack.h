/* stack.h -- the walk through a binary tree with a stack, one ray at a time: what stack and
 * stack2 share.
 *
 * Of two children that are entered the nearer is followed and the other one put on the stack (Aila
 * and Laine's and the paper's way).
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_STACK_H
#define GPUBENCH_CPU_LBVH_PARTS_STACK_H

#include <math.h>

#include "common/lbvh.h"
#include "cpu/lbvh/parts/trace.h"

/* ---- one ray and a tree ------------------------------------------------------------------- */

/* A node that waits, and where its box is entered. */
struct lbvh_waiting {
	uint32_t child;
	float t;
};

struct lbvh_beam {
	float origin[3], direction[3], inverse[3];
	float near, t; /* hits are beyond near, and no farther than t */
	uint32_t primitive;
	bool any; /* the first hit that is found will do */
};

static inline void lbvh_beam_aim(struct lbvh_beam *beam)
{
	for (int k = 0; k < 3; k++)
		beam->inverse[k] = 1 / (beam->direction[k] + 0.0F);
}

/* The distance at which the beam enters a box before beam->t, or INFINITY.  Where a component of
 * the direction is 0 and the origin on a plane of the box, 0 * INFINITY is NaN: lbvh_max() and
 * lbvh_min() drop it, being their first argument, and the plane does not bound. */
static inline float lbvh_beam_enter(const struct lbvh_node *box, const struct lbvh_beam *beam)
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
static inline void lbvh_beam_hit(struct lbvh_beam *beam, float t, uint32_t primitive)
{
	if (t > beam->near && lbvh_nearer(t, primitive, beam->t, beam->primitive)) {
		beam->t = t;
		beam->primitive = primitive;
	}
}

/* Call leaf(context, leaf's node, beam) for the leaves that the beam enters, the nearer ones
 * first, as long as one may hold a nearer hit, or until one holds any if that will do.  stack has
 * as many entries as the tree levels. */
static inline __attribute__((always_inline)) void lbvh_beam_walk(
	const struct lbvh_node *node, struct lbvh_beam *beam, struct lbvh_waiting *stack,
	uint64_t *nodes,
	void (*leaf)(void *context, const struct lbvh_node *node, struct lbvh_beam *beam),
	void *context)
{
	struct lbvh_waiting *top = stack;
	uint32_t at = 0;

	if (isinf(lbvh_beam_enter(node, beam)))
		return;
	for (;;) {
		const struct lbvh_node *const here = node + at;

		if (here->left & LBVH_LEAF) {
			leaf(context, here, beam);
			if (beam->any && beam->primitive != LBVH_MISS)
				return;
		} else {
			const float left = lbvh_beam_enter(node + here->left, beam);
			const float right = lbvh_beam_enter(node + here->right, beam);
			const int left_first = left <= right;
			const float near = left_first ? left : right;
			const float far = left_first ? right : left;

			++*nodes;
			if (far < INFINITY)
				*top++ = (struct lbvh_waiting){ left_first ? here->right
									   : here->left,
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

/* ---- rays one after the other ------------------------------------------------------------- */

/* What is done with a beam that has hit nothing yet. */
typedef void lbvh_beam_fn(void *context, struct lbvh_beam *beam);

/* Call trace(context, beam) for each ray of a batch, and keep its hit. */
static inline __attribute__((always_inline)) void lbvh_beam_batch(struct lbvh_batch *batch,
								  lbvh_beam_fn *trace,
								  void *context)
{
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct lbvh_ray *ray = batch->ray + i;
		struct lbvh_beam beam = { .near = ray->near,
					  .t = ray->far,
					  .primitive = LBVH_MISS,
					  .any = batch->occluded != NULL };

		for (int k = 0; k < 3; k++) {
			beam.origin[k] = ray->origin[k];
			beam.direction[k] = ray->direction[k];
		}
		lbvh_beam_aim(&beam);
		trace(context, &beam);
		lbvh_batch_keep(batch, i, beam.t, beam.primitive);
	}
}

/* ---- the variants ------------------------------------------------------------------------- */

/* What their state begins with. */
struct lbvh_stack {
	struct lbvh_tracer tracer;  /* first: its operations take a state as one of these */
	struct lbvh_cpu cpu;        /* the tree */
	struct lbvh_waiting *entry; /* threads * room */
	size_t room;
};

/* Memory and the tree; only for the operation trace.  extra: entries beyond the tree's levels. */
enum gb_status lbvh_stack_init(struct lbvh_stack *s, const void *params, const void *input,
			       struct lbvh_ways ways, size_t extra, struct gb_error *err);

#endif
