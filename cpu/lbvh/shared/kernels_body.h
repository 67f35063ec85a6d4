/* kernels_body.h -- the kernels of kernels.h, written once and compiled per instruction set
 * (words.h).
 *
 * A step tests the eight boxes of a node, or the eight triangles of a block, with one vector
 * instruction.  The kernels differ in what they do while a step waits for the node that the one
 * before chose:
 *
 *	alone	nothing; the bound is the latency of a step
 *	turns	it takes steps of other rays; the bound is instructions
 *	group	it fetches and decides for 16 neighbours at once; the bound is the leaves
 */
#include <math.h>
#include <stdbool.h>

#include "cpu/lbvh/shared/lanes.h"
#include "cpu/lbvh/shared/words.h"

/* ---- boxes -------------------------------------------------------------------------------- */

/* The boxes of a node are tested against this: a ray, or the bounds of a group of rays. */
struct beam {
	/* The distance to the near and the far bound b is b * inverse + shift, with slack. */
	float inverse[3][2], shift[3][2];
	uint32_t side[3]; /* the bound that is met first: 0 lower, 1 upper */
};

/* Least component of a direction; smaller ones are replaced by it, so that the inverse and its
 * products with coordinates are finite. */
#define LEAST_COMPONENT 0x1p-80F

/* Such a ray may lie in the plane of a box face, which then must not bound.  The face is moved by
 * this much, whose product with the inverse is more than any distance. */
#define LEAST_THICKNESS 0x1p-36F

/* More than the relative rounding error of the product of a coordinate and an inverse. */
#define ERROR_OF_SHIFT 0x1p-22F

/* Set the distance along axis k to the near (side 0) or far bound (side 1), from `origin`. */
WORDS_FN void aim_axis(struct beam *beam, int k, int side, float origin, float inverse)
{
	const float by = inverse * (side ? LBVH_SLACK : 1 / LBVH_SLACK);
	const float error = fabsf(origin * by) * ERROR_OF_SHIFT;

	beam->inverse[k][side] = by;
	beam->shift[k][side] = (side ? error : -error) - origin * by;
}

/* Not inlined, so that the beam stays in memory: to broadcast from there costs nothing. */
WORDS_TARGET static __attribute__((noinline)) void aim(struct beam *beam, const float origin[3],
						       const float direction[3])
{
	for (int k = 0; k < 3; k++) {
		const bool parallel = fabsf(direction[k]) < LEAST_COMPONENT;
		const float inverse = 1 / (parallel ? LEAST_COMPONENT : direction[k]);
		const float aside = parallel ? LEAST_THICKNESS : 0;

		beam->side[k] = inverse < 0;
		aim_axis(beam, k, 0, origin[k] + aside, inverse);
		aim_axis(beam, k, 1, origin[k] - aside, inverse);
	}
}

/* The children whose boxes are entered before t, a bit each; *entry: at which distances. */
WORDS_FN unsigned enter(const struct lbvh_wide_node *node, const struct beam *beam, float t,
			F8 *entry)
{
	F8 near[3], far[3];

	for (int k = 0; k < 3; k++) {
		const uint32_t side = beam->side[k];

		near[k] = f8_fma(f8_load(node->bound[k][side]), f8_set(beam->inverse[k][0]),
				 f8_set(beam->shift[k][0]));
		far[k] = f8_fma(f8_load(node->bound[k][side ^ 1]), f8_set(beam->inverse[k][1]),
				f8_set(beam->shift[k][1]));
	}
	*entry = f8_max(f8_max(near[0], near[1]), f8_max(near[2], f8_set(0)));
	return f8_le(*entry, f8_min(f8_min(far[0], far[1]), f8_min(far[2], f8_set(t))));
}

/* ---- triangles ---------------------------------------------------------------------------- */

/* A ray, and its hit so far; its first members are those of a struct lbvh_ray. */
struct ray {
	float origin[3], near;
	float direction[3], t; /* hits have near < distance <= t */
	uint32_t primitive;
};

/* The values of lbvh_intersect() that depend on the origin and a block's triangles alone. */
struct facing {
	F8 s[3], q[3], t;
};

WORDS_FN struct ray set_out(const struct lbvh_ray *from)
{
	struct ray ray = { .primitive = LBVH_MISS };

	memcpy(&ray, from, sizeof *from);
	return ray;
}

WORDS_FN F8 dot8(const F8 a[3], const F8 b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

WORDS_FN void cross8(const F8 a[3], const F8 b[3], F8 out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

WORDS_FN void load3(const float from[3][LBVH_WIDTH], F8 to[3])
{
	for (int k = 0; k < 3; k++)
		to[k] = f8_load(from[k]);
}

WORDS_FN void face(const struct lbvh_block *block, const float origin[3], struct facing *f)
{
	F8 edge1[3], edge2[3];

	load3(block->edge1, edge1);
	load3(block->edge2, edge2);
	for (int k = 0; k < 3; k++)
		f->s[k] = f8_set(origin[k]) - f8_load(block->corner[k]);
	cross8(f->s, edge1, f->q);
	f->t = dot8(edge2, f->q);
}

/* lbvh_intersect() of a ray and the triangles of a block; true if the ray has a nearer hit now.  f:
 * what they have in common with the last ray or, if `other`, is computed for this one. */
WORDS_FN bool intersect(const struct lbvh_block *block, struct facing *f, bool other,
			struct ray *ray)
{
	F8 direction[3], edge1[3], edge2[3], p[3], inverse, u, v, w, at;
	float t[LBVH_WIDTH];
	bool nearer = false;
	unsigned bits;

	load3(block->edge1, edge1);
	load3(block->edge2, edge2);
	for (int k = 0; k < 3; k++)
		direction[k] = f8_set(ray->direction[k]);
	cross8(direction, edge2, p);
	inverse = 1 / dot8(edge1, p);
	if (other)
		face(block, ray->origin, f);
	u = dot8(f->s, p) * inverse;
	v = dot8(direction, f->q) * inverse;
	/* All three must be at least 0.  A NaN in u or v makes w NaN, which f8_min() passes on. */
	w = 1 - (u + v);
	at = f->t * inverse;
	bits = f8_le(f8_set(0), f8_min(u, f8_min(v, w))) & f8_le(at, f8_set(ray->t)) &
	       f8_le(f8_set(ray->near), at);
	if (!bits)
		return false;
	f8_store(t, at);
	for (; bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);
		const uint32_t primitive = block->primitive[i] & ~LBVH_MORE;

		if (t[i] > ray->near && lbvh_nearer(t[i], primitive, ray->t, ray->primitive)) {
			ray->t = t[i];
			ray->primitive = primitive;
			nearer = true;
		}
	}
	return nearer;
}

WORDS_FN void visit_leaf(const struct lbvh_wide *wide, uint32_t at, struct ray *ray,
			 struct lbvh_counts *counts)
{
	const struct lbvh_block *block = wide->block + (at & ~LBVH_LEAF);

	do {
		struct facing f;

		counts->triangles += LBVH_WIDTH;
		(void)intersect(block, &f, true, ray);
	} while (block++->primitive[0] & LBVH_MORE);
}

/* The order of distances is that of their bits: they are not negative. */
WORDS_FN uint32_t bits_of(float t)
{
	return ((union {
		       float t;
		       uint32_t bits;
	       }){ t })
		.bits;
}

/* ---- a ray alone -------------------------------------------------------------------------- */

/* Find the nearest hit or, with `any`, some hit.  A step waits for the choice of
 * its node, so the nearest child does not pass through the stack.  If it is the only one, as in
 * most nodes that have any, it is not compared with others: the processor predicts that. */
WORDS_FN void walk(const struct lbvh_wide *wide, struct ray *ray, bool any,
		   struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack;
	struct beam beam;
	uint32_t at = 0;

	aim(&beam, ray->origin, ray->direction);
	for (;;) {
		if (at & LBVH_LEAF) {
			visit_leaf(wide, at, ray, counts);
			if (any && ray->primitive != LBVH_MISS)
				return;
		} else {
			const struct lbvh_wide_node *node = wide->node + at;
			F8 entry;
			const unsigned bits = enter(node, &beam, ray->t, &entry);

			counts->nodes++;
			if (bits && !(bits & (bits - 1))) {
				at = node->child[__builtin_ctz(bits)];
				continue;
			}
			if (bits) {
				at = f8_sort(top, node->child, entry, bits);
				top += __builtin_popcount(bits) - 1;
				continue;
			}
		}
		do {
			if (top == stack)
				return;
			at = (--top)->child;
		} while (top->key > bits_of(ray->t));
	}
}

WORDS_TARGET static void trace_alone(const struct lbvh_wide *wide, struct lbvh_batch *batch,
				     uint32_t first, uint32_t end, struct lbvh_entry *stack,
				     struct lbvh_counts *counts)
{
	for (uint32_t i = first; i < end; i++) {
		struct ray ray = set_out(batch->ray + i);

		walk(wide, &ray, batch->occluded, stack, counts);
		lbvh_batch_keep(batch, i, ray.t, ray.primitive);
	}
}

/* ---- rays in turns -------------------------------------------------------------------------
 *
 * LBVH_TURNS rays are in flight, and each takes one step per round, nodes first, then leaves (AMAC:
 * Kocberber, Falsafi, Grot, "Asynchronous memory access chaining", 2015).  A ray's next node or
 * block is prefetched a round ahead, and the processor overlaps the steps of several rays.  A
 * mispredicted branch would end the overlap, so a step has hardly any: the children that are
 * entered, however many, are sorted onto the stack and the nearest is popped; an array index
 * distinguishes nodes and leaves. */

/* The bottom entry of a stack: the end of a ray's walk. */
#define THE_END UINT32_MAX

/* A ray in flight. */
struct walker {
	_Alignas(64) struct beam beam;
	struct ray ray;
	struct lbvh_entry *stack, *top;
	uint32_t at;    /* its next node or leaf */
	uint32_t index; /* the ray's number in the batch */
};

/* The walkers whose next step is a node [0] or a leaf [1]. */
struct round {
	uint32_t count[2];
	uint8_t walker[2][LBVH_TURNS];
};

struct crowd {
	const struct lbvh_wide *wide;
	struct lbvh_batch *batch;
	uint32_t next, end; /* rays to start */
	/* [0]: nodes, [1]: blocks. */
	const char *place[2];
	size_t size[2];
	struct walker walker[LBVH_TURNS];
};

/* Start a walker on the next ray; false if there is none.  Not inlined: its code is longer than a
 * round's. */
WORDS_TARGET static __attribute__((noinline)) bool start(struct crowd *c, struct walker *w)
{
	if (c->next == c->end)
		return false;
	w->ray = set_out(c->batch->ray + c->next);
	aim(&w->beam, w->ray.origin, w->ray.direction);
	w->index = c->next++;
	w->at = 0;
	w->top = w->stack;
	*w->top++ = (struct lbvh_entry){ THE_END, 0 };
	return true;
}

/* Prefetch a node or the first block of a leaf, without a branch. */
WORDS_FN void prefetch_step(const struct crowd *c, uint32_t at)
{
	enum { LINE = 64 };
	const unsigned leaf = at >> 31;
	const char *const place = c->place[leaf] + (at & ~LBVH_LEAF) * c->size[leaf];

	for (size_t i = 0; i < sizeof(struct lbvh_block); i += LINE)
		__builtin_prefetch(place + i);
}

/* Add a walker to a round.  If its ray is finished, it starts on the next one. */
WORDS_FN void go_on(struct crowd *c, uint8_t i, struct round *round)
{
	struct walker *w = c->walker + i;
	const uint32_t t = bits_of(w->ray.t);
	unsigned leaf;

	do
		w->at = (--w->top)->child;
	while (w->top->key > t);
	if (w->at == THE_END) {
		lbvh_batch_keep(c->batch, w->index, w->ray.t, w->ray.primitive);
		if (!start(c, w))
			return;
	}
	leaf = w->at >> 31;
	prefetch_step(c, w->at);
	round->walker[leaf][round->count[leaf]++] = i;
}

/* Take a round of steps.  Walkers that continue are in the next round. */
WORDS_FN void take_round(struct crowd *c, const struct round *now, struct round *next, bool any,
			 struct lbvh_counts *counts)
{
	next->count[0] = next->count[1] = 0;
	for (uint32_t i = 0; i < now->count[0]; i++) {
		struct walker *w = c->walker + now->walker[0][i];
		const struct lbvh_wide_node *node = c->wide->node + w->at;
		F8 entry;
		const unsigned bits = enter(node, &w->beam, w->ray.t, &entry);

		(void)f8_sort(w->top, node->child, entry, bits);
		w->top += __builtin_popcount(bits);
		go_on(c, now->walker[0][i], next);
	}
	counts->nodes += now->count[0];
	for (uint32_t i = 0; i < now->count[1]; i++) {
		struct walker *w = c->walker + now->walker[1][i];

		visit_leaf(c->wide, w->at, &w->ray, counts);
		if (any && w->ray.primitive != LBVH_MISS)
			w->top = w->stack + 1;
		go_on(c, now->walker[1][i], next);
	}
}

WORDS_TARGET static void trace_turns(const struct lbvh_wide *wide, struct lbvh_batch *batch,
				     uint32_t first, uint32_t end, struct lbvh_entry *stack,
				     struct lbvh_counts *counts)
{
	struct crowd c = { .wide = wide,
			   .batch = batch,
			   .next = first,
			   .end = end,
			   .place = { (const char *)wide->node, (const char *)wide->block },
			   .size = { sizeof *wide->node, sizeof *wide->block } };
	struct round a = { 0 }, b;

	for (unsigned i = 0; i < LBVH_TURNS; i++) {
		c.walker[i].stack = stack + i * lbvh_ray_room(wide);
		if (!start(&c, c.walker + i))
			break;
		a.walker[0][a.count[0]++] = (uint8_t)i;
	}
	while (a.count[0] | a.count[1]) {
		take_round(&c, &a, &b, batch->occluded, counts);
		take_round(&c, &b, &a, batch->occluded, counts);
	}
}

#include "cpu/lbvh/shared/kernels_group.h"

const struct lbvh_kernels KERNELS = { trace_alone, trace_turns, trace_group };
