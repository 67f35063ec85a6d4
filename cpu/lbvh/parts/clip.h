/* clip.h -- the parts of a triangle within a box and on the sides of a plane, for spatial.c.
 *
 * A part is a polygon in double precision.  Its box, a record (split_ways.h), is rounded outwards
 * and within that of the whole reference.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_CLIP_H
#define GPUBENCH_CPU_LBVH_PARTS_CLIP_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/lbvh.h"
#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/split_ways.h"

enum { CORNERS = 12 }; /* of a triangle cut by six planes and one more: 10 */

static inline uint32_t number_of(const struct lbvh_box *record)
{
	uint32_t number;

	memcpy(&number, &record->lo[3], sizeof number);
	return number - LBVH_SPLIT_NUMBER;
}

/* The first and the last bin of a reference on each axis.  One that ends on a plane is below it. */
static inline void bins_of(const struct lbvh_split_grid *g, const struct lbvh_box *record,
			   int32_t first[4], int32_t last[4])
{
	const LANES origin = lanes_load(g->origin), scale = lanes_load(g->scale);
	const LANES none = lanes_all(0), most = lanes_all((float)g->bins);
	const LANES lo = (lanes_load(record->lo) - origin) * scale;
	const LANES hi = (-lanes_load(record->hi) - origin) * scale;
	const LANES end = lanes_min(lanes_max(hi, none), most); /* a NaN becomes 0 */
	const lanes_int begin = lanes_whole(lanes_min(lanes_max(lo, none), most - 1));
	const lanes_int whole = lanes_whole(end);
	const lanes_int before = whole + (__builtin_convertvector(whole, LANES) >= end);
	const lanes_int later = before > begin;
	const lanes_int at = (before & later) | (begin & ~later);

	memcpy(first, &begin, sizeof begin);
	memcpy(last, &at, sizeof at);
}

struct polygon {
	double corner[CORNERS][3];
	int count;
};

/* The point of edge a b on the plane; on each axis it is between a and b. */
static inline void cross(const double a[3], const double b[3], int axis, double plane, double to[3])
{
	const double t = (plane - a[axis]) / (b[axis] - a[axis]);

	for (int k = 0; k < 3; k++) {
		const double lo = a[k] < b[k] ? a[k] : b[k], hi = a[k] < b[k] ? b[k] : a[k];
		const double at = a[k] + (b[k] - a[k]) * t;

		to[k] = at < lo ? lo : at > hi ? hi : at;
	}
	to[axis] = plane;
}

/* The part of a polygon below the plane or, if `above`, above it; empty if the polygon at most
 * touches that side. */
static inline void keep(const struct polygon *p, int axis, double plane, bool above,
			struct polygon *to)
{
	const double sign = above ? -1 : 1;
	bool within = false;

	to->count = 0;
	for (int i = 0; i < p->count && to->count < CORNERS - 1; i++) {
		const double *a = p->corner[i], *b = p->corner[i + 1 < p->count ? i + 1 : 0];
		const double from = (a[axis] - plane) * sign, next = (b[axis] - plane) * sign;

		within |= from < 0;
		if (from <= 0)
			memcpy(to->corner[to->count++], a, sizeof to->corner[0]);
		if ((from < 0 && next > 0) || (from > 0 && next < 0))
			cross(a, b, axis, plane, to->corner[to->count++]);
	}
	if (!within)
		to->count = 0;
}

/* The part of a primitive within its reference's box; the whole primitive in most cases. */
static inline void part_of(const struct lbvh_input *in, const struct lbvh_box *record,
			   struct polygon *part)
{
	const uint32_t *v = in->triangle + 3 * (size_t)number_of(record);
	struct polygon other;

	part->count = 3;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			part->corner[i][k] = (double)in->vertex[3 * (size_t)v[i] + (size_t)k];
	for (int k = 0; k < 3; k++)
		for (int side = 0; side < 2; side++) {
			const double plane = side ? -(double)record->hi[k] : (double)record->lo[k];
			bool outside = false;

			for (int i = 0; i < part->count; i++)
				outside |= side ? part->corner[i][k] > plane
						: part->corner[i][k] < plane;
			if (!outside)
				continue;
			keep(part, k, plane, !side, &other);
			/* Leave a part that only touches the box as it is. */
			if (other.count)
				*part = other;
		}
}

static inline float down(double a)
{
	const float near = (float)a;

	return (double)near > a ? nextafterf(near, -INFINITY) : near;
}

/* The record of a reference's part. */
static inline struct lbvh_box record_of(const struct polygon *part, const struct lbvh_box *whole)
{
	struct lbvh_box to = *whole;

	for (int k = 0; k < 3; k++) {
		double lo = INFINITY, hi = -INFINITY;

		for (int i = 0; i < part->count; i++) {
			lo = part->corner[i][k] < lo ? part->corner[i][k] : lo;
			hi = part->corner[i][k] > hi ? part->corner[i][k] : hi;
		}
		/* The zeros of records: 0 in lo, -0 in hi. */
		to.lo[k] = lbvh_max(down(lo), whole->lo[k]) + 0.0F;
		to.hi[k] = -0.0F - (0.0F - lbvh_max(down(-hi), whole->hi[k]));
	}
	return to;
}

#endif
