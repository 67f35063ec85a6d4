/* lbvh_reference.c -- search of a simple tree for the nearest triangle of a ray.
 *
 * The tree shares no code with the builders under test.  qsort() sorts the primitives along a
 * curve, the sorted list is cut into equal shares, and the boxes of a complete binary tree over the
 * shares are computed bottom up.  The curve affects only the speed.
 */
#include "cli/benchmarks/lbvh/lbvh_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { LEAF_SIZE = 4, STACK = 64 };

/* A relative slack far above the rounding error of a slab test. */
#define SLACK 1e-5f

enum gb_status lbvh_reference_create(struct lbvh_input *in, bool trace, struct gb_error *err)
{
	struct lbvh_reference *r = gb_host_zalloc(1, sizeof *r, err);

	in->reference = r;
	if (!r)
		return err->code;
	r->rays = trace ? (size_t)in->edge * in->edge : LBVH_PROBES;
	r->leaves = 1;
	while (r->leaves * LEAF_SIZE < in->count)
		r->leaves *= 2;
	r->placed = gb_host_alloc(in->count, sizeof *r->placed, err);
	r->box = gb_host_alloc(2 * r->leaves, sizeof *r->box, err);
	r->t = gb_host_alloc(r->rays, sizeof *r->t, err);
	r->primitive = gb_host_alloc(r->rays, sizeof *r->primitive, err);
	if (trace)
		return err->code;
	r->stack = gb_host_alloc(in->count + 1, sizeof *r->stack, err);
	r->visited = gb_host_alloc(lbvh_mark_bytes(2 * in->count), 1, err);
	r->taken = gb_host_alloc(lbvh_mark_bytes(in->count), 1, err);
	return err->code;
}

/* ---- the tree ----------------------------------------------------------------------------- */

struct lbvh_box lbvh_scene_box(const struct lbvh_input *in)
{
	struct lbvh_box scene = lbvh_no_box();

	for (size_t p = 0; p < in->count; p++) {
		const struct lbvh_box b = lbvh_primitive_box(in->vertex, in->triangle, p);

		lbvh_grow(&scene, b.lo, b.hi);
	}
	return scene;
}

static int by_code(const void *a_, const void *b_)
{
	const struct lbvh_placed *a = a_, *b = b_;

	if (a->code != b->code)
		return a->code < b->code ? -1 : 1;
	return (a->primitive > b->primitive) - (a->primitive < b->primitive);
}

/* The first primitive of share `leaf`. */
static size_t share_begin(const struct lbvh_reference *r, size_t count, size_t leaf)
{
	return count / r->leaves * leaf + count % r->leaves * leaf / r->leaves;
}

static void place(const struct lbvh_input *in, struct lbvh_reference *r)
{
	const struct lbvh_box scene = lbvh_scene_box(in);
	const struct lbvh_grid grid = lbvh_grid_over(scene.lo, scene.hi, LBVH_BITS_63);

#pragma omp parallel for schedule(static)
	for (size_t p = 0; p < in->count; p++) {
		const struct lbvh_box b = lbvh_primitive_box(in->vertex, in->triangle, p);

		r->placed[p].code = lbvh_code_63(&grid, &b);
		r->placed[p].primitive = (uint32_t)p;
	}
	qsort(r->placed, in->count, sizeof *r->placed, by_code);
}

void lbvh_reference_build(const struct lbvh_input *in)
{
	struct lbvh_reference *r = in->reference;

	if (r->built)
		return;
	place(in, r);
#pragma omp parallel for schedule(static)
	for (size_t leaf = 0; leaf < r->leaves; leaf++) {
		struct lbvh_box *box = &r->box[r->leaves + leaf];
		const size_t end = share_begin(r, in->count, leaf + 1);

		*box = lbvh_no_box();
		for (size_t i = share_begin(r, in->count, leaf); i < end; i++) {
			const struct lbvh_box b = lbvh_primitive_box(in->vertex, in->triangle,
								     r->placed[i].primitive);

			lbvh_grow(box, b.lo, b.hi);
		}
	}
	for (size_t node = r->leaves; node-- > 1;) {
		r->box[node] = r->box[2 * node];
		lbvh_grow(&r->box[node], r->box[2 * node + 1].lo, r->box[2 * node + 1].hi);
	}
	r->built = true;
}

double lbvh_reference_cost(const struct lbvh_input *in)
{
	const struct lbvh_reference *r = in->reference;
	double sum = 0, whole;

	lbvh_reference_build(in);
	whole = lbvh_area(r->box[1].lo, r->box[1].hi);
	for (size_t i = 1; i < r->leaves; i++)
		sum += lbvh_area(r->box[i].lo, r->box[i].hi);
	for (size_t i = 0; i < r->leaves; i++)
		sum += lbvh_area(r->box[r->leaves + i].lo, r->box[r->leaves + i].hi) *
		       (double)(share_begin(r, in->count, i + 1) - share_begin(r, in->count, i));
	return whole > 0 ? sum / whole : 0;
}

/* ---- rays --------------------------------------------------------------------------------- */

/* A lower bound on the distance at which the ray enters the box; INFINITY if that is beyond `far`.
 * The slack is far above the rounding error of a slab test.  `inverse` is 1 / direction. */
static float enter(const struct lbvh_box *box, const struct lbvh_ray *ray, const float inverse[3],
		   float far)
{
	float near = 0;

	for (int k = 0; k < 3; k++) {
		const float a = (box->lo[k] - ray->origin[k]) * inverse[k];
		const float b = (box->hi[k] - ray->origin[k]) * inverse[k];

		/* 0 / 0 is NaN, which compares false and leaves the interval alone. */
		if (a < b) {
			near = a > near ? a : near;
			far = b < far ? b : far;
		} else if (b <= a) {
			near = b > near ? b : near;
			far = a < far ? a : far;
		}
	}
	near -= near * SLACK;
	return near <= far + far * SLACK ? near : INFINITY;
}

/* Test the ray against the triangles of share `leaf`. */
static void test_share(const struct lbvh_input *in, const struct lbvh_ray *ray, size_t leaf,
		       float *best_t, uint32_t *best)
{
	const struct lbvh_reference *r = in->reference;
	const size_t end = share_begin(r, in->count, leaf + 1);

	for (size_t i = share_begin(r, in->count, leaf); i < end; i++) {
		const uint32_t p = r->placed[i].primitive;
		const float t = lbvh_meet(in, ray->origin, ray->direction, p);

		if (t > ray->near && lbvh_nearer(t, p, *best_t, *best)) {
			*best_t = t;
			*best = p;
		}
	}
}

float lbvh_reference_hit(const struct lbvh_input *in, const struct lbvh_ray *ray,
			 uint32_t *primitive)
{
	const struct lbvh_reference *r = in->reference;
	float inverse[3];
	size_t stack[STACK];
	int depth = 0;
	float best = ray->far;

	for (int k = 0; k < 3; k++)
		inverse[k] = 1 / ray->direction[k];
	*primitive = LBVH_MISS;
	if (enter(&r->box[1], ray, inverse, best) < INFINITY)
		stack[depth++] = 1;
	while (depth > 0) {
		const size_t node = stack[--depth];
		float near[2];

		if (enter(&r->box[node], ray, inverse, best) == INFINITY)
			continue;
		if (node >= r->leaves) {
			test_share(in, ray, node - r->leaves, &best, primitive);
			continue;
		}
		near[0] = enter(&r->box[2 * node], ray, inverse, best);
		near[1] = enter(&r->box[2 * node + 1], ray, inverse, best);
		const size_t second = near[0] <= near[1]; /* the farther child waits */

		if (near[second] < INFINITY)
			stack[depth++] = 2 * node + second;
		if (near[!second] < INFINITY)
			stack[depth++] = 2 * node + !second;
	}
	return *primitive == LBVH_MISS ? INFINITY : best;
}
