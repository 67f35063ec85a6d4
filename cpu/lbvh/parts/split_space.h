/* split_space.h -- bins in space for spatial.c, written in the vector operations of a
 * split_words_*.h, as split_body.h is.
 *
 * The parts of a reference between the planes of a grid fill its bins ("chopped binning").  They
 * estimate costs: rounding, and what a reference has lost to cuts on other axes, do not count.
 */
#include "cpu/lbvh/parts/clip.h"

/* An edge along an axis: it meets the plane at x at start + step x.  Places are counted from the
 * grid's origin, which is near. */
struct edge {
	PAIR start, step;
};

/* A triangle, with its edges 0 1, 1 2 and 0 2, and for every axis the places and bins of its
 * corners, the inverse lengths of its edges, and the order of the corners, an index of orders. */
struct triangle {
	PAIR corner[3], side[3];
	float at[3][4], over[3][4];
	int32_t bin[3][4], order[4];
};

/* The edge between the outer corners, those before and after the middle corner, and that corner, by
 * the edges that do not fall: 1 for edge 0 1, 2 for 1 2, 4 for 0 2. */
static const uint8_t orders[8][4] = {
	{ 2, 1, 0, 1 }, { 1, 2, 0, 0 }, { 0, 1, 2, 2 }, { 0 },
	{ 0 },          { 0, 2, 1, 2 }, { 1, 0, 2, 0 }, { 2, 0, 1, 1 }
};

/* The corners of an edge. */
static inline int edge_from(int edge)
{
	return edge == 1;
}

static inline int edge_to(int edge)
{
	return 1 + (edge > 0);
}

SPLIT_FN void load_triangle(struct triangle *t, const struct lbvh_input *in, const uint32_t *number,
			    const struct lbvh_split_grid *grid)
{
	const LANES origin = lanes_load(grid->origin), scale = lanes_load(grid->scale);
	const LANES most = lanes_all((float)(grid->bins - 1));
	LANES at[3];
	lanes_int order;

	for (int i = 0; i < 3; i++) {
		const LANES corner = lanes_load(in->vertex + 3 * (size_t)number[i]);

		at[i] = corner - origin;
		t->corner[i] = pair_both(corner);
		lanes_store(t->at[i], at[i]);
		lanes_truncate(t->bin[i], lanes_min(lanes_max(at[i] * scale, lanes_all(0)), most));
	}
	for (int i = 0; i < 3; i++) {
		const int from = edge_from(i), to = edge_to(i);

		t->side[i] = pair_minus(t->corner[to], t->corner[from]);
		lanes_store(t->over[i], lanes_inverse(at[to] - at[from]));
	}
	order = ((at[1] >= at[0]) & 1) | ((at[2] >= at[1]) & 2) | ((at[2] >= at[0]) & 4);
	memcpy(t->order, &order, sizeof order);
}

/* The box around the line where a triangle meets a plane that crosses both edges. */
SPLIT_FN PAIR line_at(const struct edge *a, const struct edge *b, float plane)
{
	return pair_min(pair_plus(a->start, pair_times(a->step, plane)),
			pair_plus(b->start, pair_times(b->step, plane)));
}

SPLIT_FN void add_to_space(struct lbvh_box *bin, PAIR part)
{
	pair_store(bin, pair_min(part, pair_load(bin)));
}

/* Add the part of a reference from `from` to `end` to the bins first .. last of an axis. */
SPLIT_FN void add_parts(struct lbvh_box *bin, const float *plane, int first, int last,
			const struct triangle *t, int axis, PAIR whole, float from, float end)
{
	const uint8_t *order = orders[t->order[axis]];
	const unsigned middle = order[3];
	const float at = t->at[middle][axis];
	const int turn = t->bin[middle][axis];
	struct edge edge[3];
	const struct edge *outer = edge + order[0];
	const struct edge *before = edge + order[1], *after = edge + order[2];
	PAIR line, corner[2] = { pair_all(FLT_MAX), t->corner[middle] };

	for (int i = 0; i < 3; i++) {
		edge[i].step = pair_times(t->side[i], t->over[i][axis]);
		edge[i].start = pair_minus(t->corner[edge_from(i)],
					   pair_times(edge[i].step, t->at[edge_from(i)][axis]));
	}
	/* Boxes within the reference's.  A maximum drops a NaN, from a step too large. */
	add_to_space(bin + (turn < last ? turn : last),
		     pair_max(corner[(from <= at) & (at <= end)], whole));
	line = line_at(outer, at < from ? after : before, from);
	for (int i = first; i < last; i++) {
		const float to = plane[i + 1];
		const PAIR next = line_at(outer, at <= to ? after : before, to);

		add_to_space(bin + i, pair_max(pair_min(line, next), whole));
		line = next;
	}
	line = pair_min(line, line_at(outer, at <= end ? after : before, end));
	add_to_space(bin + last, pair_max(line, whole));
}

SPLIT_ENTRY void way_space(struct lbvh_space *s, const struct lbvh_input *in,
			   const struct lbvh_box *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct lbvh_box *record = from + i;
		struct triangle triangle;
		int32_t first[4], last[4];

		bins_of(&s->grid, record, first, last);
		load_triangle(&triangle, in, in->triangle + 3 * (size_t)number_of(record),
			      &s->grid);
		for (int k = 0; k < 3; k++) {
			s->enter[k][first[k]]++;
			s->leave[k][last[k]]++;
			if (first[k] < last[k])
				add_parts(s->bin[k], s->plane[k], first[k], last[k], &triangle, k,
					  pair_load(record), record->lo[k] - s->grid.origin[k],
					  -record->hi[k] - s->grid.origin[k]);
			else
				add_to_space(s->bin[k] + first[k], pair_load(record));
		}
	}
}
