/* split_space.h -- bins in space for spatial.c, written in the vector operations of a
 * split_words_*.h, as split_body.h is.
 *
 * The parts of a reference between the planes of a grid fill its bins ("chopped binning").  They
 * estimate costs: rounding, and what a reference has lost to cuts on other axes, do not count.
 */
#include "cpu/lbvh/parts/clip.h"

/* A triangle along an axis: its corners in order, and the steps of its edges. */
struct edges {
	PAIR corner[4]; /* the last one has no point */
	PAIR step[3];   /* edges 0 2, 0 1 and 1 2 */
	float at[3];
};

SPLIT_FN void find_edges(struct edges *e, const struct lbvh_input *in, const uint32_t *triangle,
			 int axis)
{
	const float *v[3], *low, *high, *middle;
	float each[4];

	for (int i = 0; i < 3; i++)
		v[i] = in->vertex + 3 * (size_t)triangle[i];
	low = v[1][axis] < v[0][axis] ? v[1] : v[0];
	high = v[1][axis] < v[0][axis] ? v[0] : v[1];
	middle = v[2][axis] < low[axis] ? low : v[2];
	low = v[2][axis] < low[axis] ? v[2] : low;
	v[0] = low;
	v[1] = high[axis] < middle[axis] ? high : middle;
	v[2] = high[axis] < middle[axis] ? middle : high;
	for (int i = 0; i < 3; i++) {
		e->corner[i] = pair_both(lanes_load(v[i]));
		e->at[i] = v[i][axis];
	}
	e->corner[3] = pair_all(FLT_MAX);
	lanes_store(each,
		    lanes_over_length(lanes_all(1), (LANES){ e->at[0], e->at[0], e->at[1], 0 },
				      (LANES){ e->at[2], e->at[1], e->at[2], 0 }));
	e->step[0] = pair_times(pair_minus(e->corner[2], e->corner[0]), each[0]);
	e->step[1] = pair_times(pair_minus(e->corner[1], e->corner[0]), each[1]);
	e->step[2] = pair_times(pair_minus(e->corner[2], e->corner[1]), each[2]);
}

/* The box around the line where a triangle meets a plane. */
SPLIT_FN PAIR line_at(const struct edges *e, float plane)
{
	const int edge = e->at[1] <= plane;

	return pair_min(
		pair_plus(e->corner[0], pair_times(e->step[0], plane - e->at[0])),
		pair_plus(e->corner[edge], pair_times(e->step[1 + edge], plane - e->at[edge])));
}

/* Add the parts of a reference to the bins of an axis. */
SPLIT_FN void add_parts(struct lbvh_box *bin, const float *plane, int axis, int first, int last,
			const struct edges *e, const struct lbvh_box *record)
{
	const PAIR whole = pair_load(record);
	float from = record->lo[axis], to;
	PAIR line = line_at(e, from);

	for (int i = first; i <= last; i++, from = to) {
		PAIR next, part;

		to = i < last ? plane[i + 1] : -record->hi[axis];
		next = line_at(e, to);
		part = pair_min(line, next);
		part = pair_min(part, e->corner[3 - 2 * ((from <= e->at[1]) & (e->at[1] <= to))]);
		line = next;
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
			struct lbvh_box *bin = s->bin[k];
			struct edges edges;

			s->enter[k][first[k]]++;
			s->leave[k][last[k]]++;
			if (first[k] < last[k]) {
				find_edges(&edges, in, triangle, k);
				add_parts(bin, s->plane[k], k, first[k], last[k], &edges, record);
			} else {
				bin += first[k];
				pair_store(bin, pair_min(pair_load(bin), pair_load(record)));
			}
		}
	}
}
