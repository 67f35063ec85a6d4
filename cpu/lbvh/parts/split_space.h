/* split_space.h -- bins in space for spatial.c, written in the vector operations of a
 * split_words_*.h, as split_body.h is.
 *
 * The parts of a reference between the planes of a grid fill its bins ("chopped binning").  They
 * estimate costs: rounding, and what a reference has lost to cuts on other axes, do not count.
 */
#include "cpu/lbvh/parts/clip.h"

/* A triangle along an axis, its corners in order.  Places are counted from the grid's origin, which
 * is near: the plane at x meets an edge at start + step x. */
struct edges {
	PAIR start[3], step[3]; /* edges 0 2, 0 1 and 1 2 */
	PAIR middle[2];         /* no point, and corner 1 */
	float at;               /* place of corner 1 */
};

/* a, or b if `other`.  No branch, which would be unpredictable. */
SPLIT_FN size_t choose(size_t a, size_t b, bool other)
{
	return a ^ ((a ^ b) & (0 - (size_t)other));
}

SPLIT_FN void find_edges(struct edges *e, const struct lbvh_input *in, const uint32_t *triangle,
			 int axis, float origin)
{
	const size_t v0 = 3 * (size_t)triangle[0], v1 = 3 * (size_t)triangle[1];
	const size_t v2 = 3 * (size_t)triangle[2], all = v0 ^ v1 ^ v2;
	const float *const along = in->vertex + axis;
	const float a0 = along[v0], a1 = along[v1], a2 = along[v2];
	const size_t low = choose(v0, v1, a1 < a0);
	const size_t first = choose(low, v2, a2 < lbvh_min(a0, a1));
	const size_t last = choose(v0 ^ v1 ^ low, v2, lbvh_max(a0, a1) < a2);
	const size_t v[3] = { first, all ^ first ^ last, last };
	const float at[3] = { along[v[0]] - origin, along[v[1]] - origin, along[v[2]] - origin };
	PAIR corner[3];
	float each[4];

	for (int i = 0; i < 3; i++)
		corner[i] = pair_both(lanes_load(in->vertex + v[i]));
	lanes_store(each, lanes_over_length(lanes_all(1), (LANES){ at[0], at[0], at[1], 0 },
					    (LANES){ at[2], at[1], at[2], 0 }));
	for (int i = 0; i < 3; i++) {
		const int from = i == 2, to = 2 - (i == 1);

		e->step[i] = pair_times(pair_minus(corner[to], corner[from]), each[i]);
		e->start[i] = pair_minus(corner[from], pair_times(e->step[i], at[from]));
	}
	e->middle[0] = pair_all(FLT_MAX);
	e->middle[1] = corner[1];
	e->at = at[1];
}

/* The box around the line where a triangle meets a plane; half: 1 if that is beyond corner 1. */
SPLIT_FN PAIR line_at(const struct edges *e, float plane, int half)
{
	return pair_min(pair_plus(e->start[0], pair_times(e->step[0], plane)),
			pair_plus(e->start[1 + half], pair_times(e->step[1 + half], plane)));
}

/* Add the part of a reference from `from` to `end` to the bins of an axis. */
SPLIT_FN void add_parts(struct lbvh_box *bin, const float *plane, int first, int last,
			const struct edges *e, PAIR whole, float from, float end)
{
	int half = e->at < from;
	PAIR line = line_at(e, from, half);

	for (int i = first; i <= last; i++) {
		const float to = i < last ? plane[i + 1] : end;
		const int next_half = e->at <= to;
		const PAIR next = line_at(e, to, next_half);
		PAIR part = pair_min(line, next);

		part = pair_min(part, e->middle[next_half & ~half]);
		line = next;
		half = next_half;
		/* Within the reference's box.  The maximum drops a NaN, from a step too large. */
		part = pair_max(part, whole);
		pair_store(bin + i, pair_min(part, pair_load(bin + i)));
	}
}

SPLIT_ENTRY void way_space(struct lbvh_space *s, const struct lbvh_input *in,
			   const struct lbvh_box *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct lbvh_box *record = from + i;
		const uint32_t *triangle = in->triangle + 3 * (size_t)number_of(record);
		int32_t first[4], last[4];

		bins_of(&s->grid, record, first, last);
		for (int k = 0; k < 3; k++) {
			const float origin = s->grid.origin[k];
			struct lbvh_box *bin = s->bin[k];
			struct edges edges;

			s->enter[k][first[k]]++;
			s->leave[k][last[k]]++;
			if (first[k] < last[k]) {
				find_edges(&edges, in, triangle, k, origin);
				add_parts(bin, s->plane[k], first[k], last[k], &edges,
					  pair_load(record), record->lo[k] - origin,
					  -record->hi[k] - origin);
			} else {
				bin += first[k];
				pair_store(bin, pair_min(pair_load(bin), pair_load(record)));
			}
		}
	}
}
