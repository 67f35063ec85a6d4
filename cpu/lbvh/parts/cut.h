/* cut.h -- planes in space for spatial.c: the cheapest one by the bins, and the sides of the
 * references that it meets.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_CUT_H
#define GPUBENCH_CPU_LBVH_PARTS_CUT_H

#include <float.h>
#include <math.h>

#include "cpu/lbvh/parts/clip.h"
#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/split_ways.h"

enum {
	BINS = LBVH_SPACE_BINS,
	MANY = 8192, /* references from which a range has all bins */
};

/* A plane in space, and what is on its sides. */
struct cut {
	float cost;
	int axis, bin; /* the first bin above the plane */
	float plane;
	struct lbvh_split_grid grid;
	struct lbvh_box side[2];
	uint32_t count[2];
};

/* ---- boxes -------------------------------------------------------------------------------- */

static inline struct lbvh_box no_record(void)
{
	const float most = FLT_MAX;

	return (struct lbvh_box){ { most, most, most, 0 }, { most, most, most, 0 } };
}

static inline struct lbvh_box join(struct lbvh_box a, const struct lbvh_box *b)
{
	lanes_store(a.lo, lanes_min(lanes_load(a.lo), lanes_load(b->lo)));
	lanes_store(a.hi, lanes_min(lanes_load(a.hi), lanes_load(b->hi)));
	return a;
}

/* Half the surface of a record; 0 if it is empty. */
static inline float area(const struct lbvh_box *record)
{
	float size[4];

	lanes_store(size,
		    lanes_max(-lanes_load(record->hi) - lanes_load(record->lo), lanes_all(0)));
	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

static inline float overlap(const struct lbvh_box *a, const struct lbvh_box *b)
{
	struct lbvh_box both;

	lanes_store(both.lo, lanes_max(lanes_load(a->lo), lanes_load(b->lo)));
	lanes_store(both.hi, lanes_max(lanes_load(a->hi), lanes_load(b->hi)));
	return area(&both);
}

/* ---- planes in space ---------------------------------------------------------------------- */

/* Find the cheapest plane of an axis. */
static inline void sweep(const struct lbvh_space *s, int axis, struct cut *best)
{
	const int bins = s->grid.bins;
	struct lbvh_box right[BINS], left = no_record();
	uint32_t before = 0, after[BINS], sum = 0;

	right[bins - 1] = s->bin[axis][bins - 1];
	for (int i = bins - 1; i > 0; i--) {
		sum += s->leave[axis][i];
		after[i] = sum;
		right[i - 1] = join(right[i], &s->bin[axis][i - 1]);
	}
	for (int i = 1; i < bins; i++) {
		float cost;

		left = join(left, &s->bin[axis][i - 1]);
		before += s->enter[axis][i - 1];
		cost = area(&left) * (float)before + area(&right[i]) * (float)after[i];
		if (before && after[i] && cost < best->cost)
			*best = (struct cut){ .cost = cost,
					      .axis = axis,
					      .bin = i,
					      .plane = s->grid.origin[axis] + s->plane[axis][i],
					      .side = { left, right[i] },
					      .count = { before, after[i] } };
	}
}

/* Empty the bins of a range in space. */
static inline void clear_space(struct lbvh_space *s, uint32_t count, const struct lbvh_box *around)
{
	/* As many bins as split.c makes; twice as many for large ranges, where a few references in
	 * more bins make cheaper trees. */
	const int bins = count < 96 ? 4 + (int)count / 8 : count < MANY ? LBVH_SPLIT_BINS : BINS;
	const LANES lo = lanes_load(around->lo), size = -lanes_load(around->hi) - lo;

	s->grid.bins = bins;
	lanes_store(s->grid.origin, lo);
	lanes_store(s->grid.scale, lanes_over_length(lanes_all((float)bins), lo, lo + size));
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++) {
			s->plane[k][i] = size[k] * ((float)i / (float)bins);
			s->bin[k][i] = no_record();
			s->enter[k][i] = s->leave[k][i] = 0;
		}
}

static inline void join_space(struct lbvh_space *s, const struct lbvh_space *with)
{
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < s->grid.bins; i++) {
			s->bin[k][i] = join(s->bin[k][i], &with->bin[k][i]);
			s->enter[k][i] += with->enter[k][i];
			s->leave[k][i] += with->leave[k][i];
		}
}

static inline struct cut find_cut(const struct lbvh_space *s)
{
	struct cut best = { .cost = INFINITY };

	for (int k = 0; k < 3; k++)
		sweep(s, k, &best);
	best.grid = s->grid;
	return best;
}

/* Move a reference on both sides of a cut: to the left, to the right, or a part to each.  Returns a
 * bit per side. */
static inline unsigned unsplit(struct cut *cut, const struct lbvh_box *whole)
{
	const struct lbvh_box left = join(cut->side[0], whole), right = join(cut->side[1], whole);
	const float a = area(&cut->side[0]), b = area(&cut->side[1]);
	const float m = (float)cut->count[0], n = (float)cut->count[1];
	const float both = a * m + b * n;
	const float only_left = area(&left) * m + b * (n - 1);
	const float only_right = a * (m - 1) + area(&right) * n;

	if (both <= only_left && both <= only_right)
		return 3;
	if (only_left <= only_right && cut->count[1] > 1) {
		cut->side[0] = left;
		cut->count[1]--;
		return 1;
	}
	if (cut->count[0] > 1) {
		cut->side[1] = right;
		cut->count[0]--;
		return 2;
	}
	return 3;
}

/* The sides of a reference on both sides of a cut, one bit each, and its records there. */
static inline unsigned divide(struct cut *cut, const struct lbvh_input *in,
			      const struct lbvh_box *whole, struct lbvh_box part[2])
{
	struct polygon all, side[2];
	unsigned sides;

	part[0] = part[1] = *whole;
	part_of(in, whole, &all);
	for (int i = 0; i < 2; i++)
		keep(&all, cut->axis, (double)cut->plane, i, &side[i]);
	/* The box may be on both sides by rounding alone.  Neither side may lose its last one. */
	if (!side[0].count || !side[1].count) {
		sides = side[1].count ? 2 : 1;
		if (cut->count[2 - sides] == 1)
			sides = 3 - sides;
		cut->count[2 - sides]--;
		return sides;
	}
	sides = unsplit(cut, whole);
	for (int i = 0; i < 2 && sides == 3; i++)
		part[i] = record_of(&side[i], whole);
	return sides;
}

#endif
