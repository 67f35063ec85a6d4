/* parts.c -- cutting of triangles by the faces of boxes (parts.h). */
#include "cli/workloads/lbvh/parts.h"

#include <math.h>

/* A convex polygon.  A triangle cut by faces of boxes has at most six sides more. */
enum { CORNERS = 16 };

struct polygon {
	double corner[CORNERS][3];
	int count;
};

struct bounds {
	double lo[3], hi[3];
};

/* The list of boxes of one primitive. */
struct cover {
	const struct lbvh_node *node;
	uint32_t *list;
	double slack[3];
};

static struct polygon polygon_of(const struct lbvh_input *in, size_t p, double largest[3])
{
	struct polygon polygon = { .count = 3 };

	for (size_t k = 0; k < 3; k++)
		largest[k] = 0;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++) {
			const double at =
				(double)in->vertex[3 * (size_t)in->triangle[3 * p + i] + k];

			polygon.corner[i][k] = at;
			largest[k] = fabs(at) > largest[k] ? fabs(at) : largest[k];
		}
	return polygon;
}

static struct bounds bounds_of(const struct polygon *p)
{
	struct bounds b;

	for (int k = 0; k < 3; k++) {
		b.lo[k] = INFINITY;
		b.hi[k] = -INFINITY;
		for (int i = 0; i < p->count; i++) {
			b.lo[k] = p->corner[i][k] < b.lo[k] ? p->corner[i][k] : b.lo[k];
			b.hi[k] = p->corner[i][k] > b.hi[k] ? p->corner[i][k] : b.hi[k];
		}
	}
	return b;
}

static void add_corner(struct polygon *to, const double corner[3])
{
	if (to->count == CORNERS)
		return;
	for (int k = 0; k < 3; k++)
		to->corner[to->count][k] = corner[k];
	to->count++;
}

/* The part with coordinates up to `face` on an axis (sign 1), or from there on (sign -1). */
static struct polygon cut(const struct polygon *p, int axis, double face, double sign)
{
	struct polygon part = { .count = 0 };

	for (int i = 0; i < p->count; i++) {
		const double *a = p->corner[i], *b = p->corner[(i + 1) % p->count];
		const double from = sign * (a[axis] - face), to = sign * (b[axis] - face);
		double on[3];

		if (from <= 0)
			add_corner(&part, a);
		if (!((from < 0 && to > 0) || (from > 0 && to < 0)))
			continue;
		for (int k = 0; k < 3; k++)
			on[k] = a[k] + (b[k] - a[k]) * (from / (from - to));
		on[axis] = face;
		add_corner(&part, on);
	}
	return part;
}

bool lbvh_part_box(const struct lbvh_input *in, size_t p, const float lo[3], const float hi[3],
		   double part_lo[3], double part_hi[3], double largest[3])
{
	struct polygon part = polygon_of(in, p, largest);
	struct bounds b;

	for (int k = 0; k < 3; k++) {
		part = cut(&part, k, (double)hi[k] + LBVH_PART_SLACK * largest[k], 1);
		part = cut(&part, k, (double)lo[k] - LBVH_PART_SLACK * largest[k], -1);
	}
	b = bounds_of(&part);
	for (int k = 0; k < 3; k++) {
		part_lo[k] = b.lo[k];
		part_hi[k] = b.hi[k];
	}
	return part.count > 0;
}

/* ---- cover -------------------------------------------------------------------------------- */

/* True if a box holds all of b. */
static bool holds(const struct cover *c, const struct lbvh_node *n, const struct bounds *b)
{
	for (int k = 0; k < 3; k++)
		if (!((double)n->lo[k] <= b->lo[k] + c->slack[k] &&
		      (double)n->hi[k] >= b->hi[k] - c->slack[k]))
			return false;
	return true;
}

static bool meets(const struct cover *c, const struct lbvh_node *n, const struct bounds *b)
{
	for (int k = 0; k < 3; k++)
		if (!((double)n->lo[k] <= b->hi[k] + c->slack[k] &&
		      (double)n->hi[k] >= b->lo[k] - c->slack[k]))
			return false;
	return true;
}

/* Consider a face of a box as the place of a cut: that with the largest smaller side is best. */
static void consider(const struct cover *c, const struct bounds *b, int axis, double face,
		     double *side, int *best_axis, double *best)
{
	const double below = face - b->lo[axis], above = b->hi[axis] - face;
	const double smaller = below < above ? below : above;

	if (smaller > c->slack[axis] && smaller > *side) {
		*side = smaller;
		*best_axis = axis;
		*best = face;
	}
}

/* True if the first `count` boxes of the list hold all of a polygon.  If none of them does alone,
 * the polygon is cut at a face. */
static bool covered(const struct cover *c, const struct polygon *p, size_t count)
{
	const struct bounds b = bounds_of(p);
	struct polygon part;
	double side = 0, face = 0;
	size_t near = 0;
	int axis = 3;

	for (size_t i = 0; i < count; i++) {
		const uint32_t leaf = c->list[i];
		const struct lbvh_node *n = c->node + leaf;

		if (holds(c, n, &b))
			return true;
		if (!meets(c, n, &b))
			continue;
		c->list[i] = c->list[near];
		c->list[near++] = leaf;
		for (int k = 0; k < 3; k++) {
			consider(c, &b, k, (double)n->lo[k], &side, &axis, &face);
			consider(c, &b, k, (double)n->hi[k], &side, &axis, &face);
		}
	}
	if (axis == 3)
		return false;
	part = cut(p, axis, face, 1);
	if (!covered(c, &part, near))
		return false;
	part = cut(p, axis, face, -1);
	return covered(c, &part, near);
}

bool lbvh_part_covered(const struct lbvh_input *in, size_t p, const struct lbvh_node *node,
		       uint32_t *list, size_t count)
{
	struct cover c = { .node = node };
	const struct polygon polygon = polygon_of(in, p, c.slack);

	c.list = list;
	for (int k = 0; k < 3; k++)
		c.slack[k] *= LBVH_PART_SLACK;
	return covered(&c, &polygon, count);
}
