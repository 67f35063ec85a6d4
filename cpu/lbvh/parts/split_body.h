/* split_body.h -- the operations of split_ways.h, written in the vector operations of a
 * split_words_*.h, which is included before.  SPLIT_WAYS is the name of the table to define.
 *
 * Small ranges take a large part of the time, because there are many more of them: their loops are
 * short, and a mispredicted branch costs as much as a loop.  In large ranges the bins take most of
 * the time, then the partition, then the centres.
 */

/* lbvh_extent and lbvh_split_grid in registers. */
struct extent {
	PAIR box;
	LANES centre_lo, centre_hi;
};

struct grid {
	LANES origin, scale;
	int bins;
};

/* ---- extents ------------------------------------------------------------------------------ */

SPLIT_FN PAIR box_around(const struct lbvh_box *box, size_t count)
{
	PAIR around = pair_all(FLT_MAX);

	for (size_t i = 0; i < count; i++)
		around = pair_min(around, pair_load(box + i));
	return around;
}

SPLIT_FN LANES centre_of(const struct lbvh_box *record)
{
	return lanes_load(record->lo) - lanes_load(record->hi);
}

/* The extent of records whose box is known.  Two accumulators alternate: with one, the latency of a
 * join would be the bound. */
SPLIT_FN struct extent extent_of(const struct lbvh_box *box, size_t count, PAIR around)
{
	LANES lo = lanes_all(FLT_MAX), hi = lanes_all(-FLT_MAX), also_lo = lo, also_hi = hi;

	for (size_t i = 0; i + 1 < count; i += 2) {
		const LANES one = centre_of(box + i), other = centre_of(box + i + 1);

		lo = lanes_min(lo, one);
		hi = lanes_max(hi, one);
		also_lo = lanes_min(also_lo, other);
		also_hi = lanes_max(also_hi, other);
	}
	if (count % 2) {
		lo = lanes_min(lo, centre_of(box + count - 1));
		hi = lanes_max(hi, centre_of(box + count - 1));
	}
	return (struct extent){ around, lanes_min(lo, also_lo), lanes_max(hi, also_hi) };
}

SPLIT_FN struct extent load_extent(const struct lbvh_extent *e)
{
	return (struct extent){ pair_load(&e->box), lanes_load(e->centre_lo),
				lanes_load(e->centre_hi) };
}

SPLIT_FN void store_extent(struct lbvh_extent *to, struct extent e)
{
	pair_store(&to->box, e.box);
	lanes_store(to->centre_lo, e.centre_lo);
	lanes_store(to->centre_hi, e.centre_hi);
}

/* Few primitives get few bins, because the sweeps would cost more than the boxes. */
SPLIT_FN struct grid grid_over(struct extent e, size_t count)
{
	const int bins = count < 96 ? 4 + (int)count / 8 : LBVH_SPLIT_BINS;

	return (struct grid){ e.centre_lo,
			      lanes_over_length(lanes_all((float)bins), e.centre_lo, e.centre_hi),
			      bins };
}

SPLIT_FN struct grid load_grid(const struct lbvh_split_grid *g)
{
	return (struct grid){ lanes_load(g->origin), lanes_load(g->scale), g->bins };
}

/* ---- bins --------------------------------------------------------------------------------- */

SPLIT_FN void add_to_bins(struct lbvh_bins *b, const int32_t cell[4], PAIR record)
{
	for (int k = 0; k < 3; k++)
		add_to_bin(b, k, cell[k], record);
}

/* A NaN place goes to bin 0: it stems from a centre at the origin and an extent too small for its
 * inverse. */
SPLIT_FN void fill_bins(struct lbvh_bins *b, const struct grid *g, const struct lbvh_box *box,
			size_t count)
{
	const LANES most = lanes_all((float)(g->bins - 1));
	int32_t cell[8];

	clear_bins(b, g->bins);
	for (size_t i = 0; i + 1 < count; i += 2) {
		const PAIR one = pair_load(box + i), other = pair_load(box + i + 1);

		cells_of_two(cell, one, other, g->origin, g->scale, most);
		add_to_bins(b, cell, one);
		add_to_bins(b, cell + 4, other);
	}
	if (count % 2) {
		const PAIR last = pair_load(box + count - 1);

		cells_of_two(cell, last, last, g->origin, g->scale, most);
		add_to_bins(b, cell, last);
	}
}

/* ---- ranges ------------------------------------------------------------------------------- */

SPLIT_FN void partition(const struct lbvh_box *from, struct lbvh_box *to, size_t count,
			const struct grid *g, const struct lbvh_plane *plane, uint32_t left,
			uint32_t right)
{
	const LANES place = lanes_all(plane->place);

	for (size_t i = 0; i < count; i++) {
		const PAIR record = pair_load(from + i);
		const LANES at = (centre_of(from + i) - g->origin) * g->scale;
		const uint32_t is_right = lanes_reach(at, place) >> plane->axis & 1;

		/* No branch, which would be unpredictable. */
		pair_store(to + (left ^ ((left ^ right) & (0 - is_right))), record);
		right += is_right;
		left += 1 - is_right;
	}
}

/* Half the surface of a box. */
SPLIT_FN float area_of(PAIR box)
{
	float size[4];

	lanes_store(size, pair_lo(box) + pair_negated_hi(box));
	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

SPLIT_FN void set_node(struct lbvh_node *node, PAIR box, uint32_t left, uint32_t right)
{
	lanes_store_node(node, pair_lo(box), -0.0F - pair_negated_hi(box), left, right);
}

SPLIT_FN void keep_number(uint32_t *index, const struct lbvh_box *box)
{
	uint32_t number;

	memcpy(&number, &box->lo[3], sizeof number);
	*index = number - LBVH_SPLIT_NUMBER;
}

/* The records of a range, and where those of its halves go. */
SPLIT_FN struct lbvh_box *records(const struct lbvh_cpu *cpu, const struct lbvh_range *r)
{
	return (r->level % 2 ? cpu->box_spare : cpu->box) + r->first;
}

SPLIT_FN struct lbvh_box *records_below(const struct lbvh_cpu *cpu, const struct lbvh_range *r)
{
	return (r->level % 2 ? cpu->box : cpu->box_spare) + r->first;
}

SPLIT_FN uint32_t make_leaf(struct lbvh_cpu *cpu, const struct lbvh_range *r, PAIR box,
			    struct lbvh_node *node)
{
	const struct lbvh_box *from = records(cpu, r);

	set_node(node, box, LBVH_LEAF | r->first, r->count);
	for (uint32_t i = 0; i < r->count; i++)
		keep_number(cpu->index + r->first + i, from + i);
	return 1;
}

/* Make the subtree of one or two primitives, whose box is known; returns the number of nodes. */
SPLIT_FN uint32_t make_least(struct lbvh_cpu *cpu, const struct lbvh_range *r, PAIR box,
			     struct lbvh_node *node, uint32_t to)
{
	const struct lbvh_box *from = records(cpu, r);
	const PAIR left = pair_load(from), right = pair_load(from + r->count - 1);
	const float surface = area_of(box);

	keep_number(cpu->index + r->first, from);
	keep_number(cpu->index + r->first + r->count - 1, from + r->count - 1);
	if (r->count == 1 || !(surface + (area_of(left) + area_of(right)) < surface * 2)) {
		set_node(node + to, box, LBVH_LEAF | r->first, r->count);
		return 1;
	}
	set_node(node + to, box, to + 1, to + 2);
	set_node(node + to + 1, left, LBVH_LEAF | r->first, 1);
	set_node(node + to + 2, right, LBVH_LEAF | (r->first + 1), 1);
	return 3;
}

/* Find the cheapest plane of a range between the bins of g; side: the boxes on its two sides. */
SPLIT_FN struct lbvh_plane find_plane(const struct lbvh_box *box, uint32_t count,
				      const struct grid *g, PAIR side[2])
{
	struct lbvh_bins b;

	fill_bins(&b, g, box, count);
	return sweep(&b, g->bins, count, side);
}

/* Make the subtree of a range of three primitives or more, whose box is known, in node[to ..].
 * Returns the number after its last node. */
SPLIT_ENTRY uint32_t make_subtree(struct lbvh_cpu *cpu, const struct lbvh_range r, PAIR around,
				  struct lbvh_node *node, uint32_t to)
{
	const struct lbvh_box *box = records(cpu, &r);
	struct lbvh_plane plane = { INFINITY, 3, 0, r.count / 2 };
	struct lbvh_range half = { r.first, 0, r.level + 1 };
	struct grid g = { .bins = 0 };
	const float surface = area_of(around);
	const uint32_t top = to++;
	PAIR side[2];

	if (r.level < LBVH_SPLIT_DEEP) {
		g = grid_over(extent_of(box, r.count, around), r.count);
		plane = find_plane(box, r.count, &g, side);
	}
	if (r.count <= LBVH_SPLIT_LEAF && !(surface + plane.cost < surface * (float)r.count))
		return top + make_leaf(cpu, &r, around, node + top);
	if (plane.axis < 3) {
		partition(box, records_below(cpu, &r), r.count, &g, &plane, 0, plane.left);
	} else {
		memcpy(records_below(cpu, &r), box, r.count * sizeof *box);
		side[0] = box_around(box, plane.left);
		side[1] = box_around(box + plane.left, r.count - plane.left);
	}
	for (int i = 0; i < 2; i++) {
		const uint32_t child = to;

		half.first += half.count;
		half.count = i ? r.count - plane.left : plane.left;
		to = half.count > 2 ? make_subtree(cpu, half, side[i], node, to)
				    : to + make_least(cpu, &half, side[i], node, to);
		if (i)
			set_node(node + top, around, top + 1, child);
	}
	return to;
}

/* ---- the table ---------------------------------------------------------------------------- */

SPLIT_ENTRY void way_number(struct lbvh_box *box, size_t begin, size_t end)
{
	const LANES zero = lanes_all(0), negative_zero = lanes_all(-0.0F);

	for (size_t i = begin; i < end; i++) {
		const uint32_t number = LBVH_SPLIT_NUMBER + (uint32_t)i;

		lanes_store(box[i].lo, lanes_load(box[i].lo) + zero);
		lanes_store(box[i].hi, negative_zero - (lanes_load(box[i].hi) + zero));
		memcpy(&box[i].lo[3], &number, sizeof number);
		box[i].hi[3] = 0;
	}
}

SPLIT_ENTRY void way_extent(struct lbvh_extent *e, const struct lbvh_box *box, size_t count)
{
	store_extent(e, extent_of(box, count, box_around(box, count)));
}

SPLIT_ENTRY void way_join_extents(struct lbvh_extent *e, const struct lbvh_extent *with)
{
	const struct extent a = load_extent(e), b = load_extent(with);

	store_extent(e,
		     (struct extent){ pair_min(a.box, b.box), lanes_min(a.centre_lo, b.centre_lo),
				      lanes_max(a.centre_hi, b.centre_hi) });
}

SPLIT_ENTRY void way_grid(struct lbvh_split_grid *g, const struct lbvh_extent *e, size_t count)
{
	const struct grid made = grid_over(load_extent(e), count);

	lanes_store(g->origin, made.origin);
	lanes_store(g->scale, made.scale);
	g->bins = made.bins;
}

SPLIT_ENTRY void way_bins(struct lbvh_bins *b, const struct lbvh_split_grid *g,
			  const struct lbvh_box *box, size_t count)
{
	const struct grid loaded = load_grid(g);

	fill_bins(b, &loaded, box, count);
}

SPLIT_ENTRY void way_join_bins(struct lbvh_bins *b, const struct lbvh_bins *with, int bins)
{
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++)
			join_bin(b, k, i, with);
}

SPLIT_ENTRY struct lbvh_plane way_plane(const struct lbvh_bins *b, const struct lbvh_split_grid *g,
					uint32_t count, struct lbvh_box side[2])
{
	PAIR both[2] = { pair_all(0), pair_all(0) };
	const struct lbvh_plane plane = sweep(b, g->bins, count, both);

	pair_store(&side[0], both[0]);
	pair_store(&side[1], both[1]);
	return plane;
}

SPLIT_ENTRY uint32_t way_left(const struct lbvh_bins *b, const struct lbvh_plane *plane)
{
	uint32_t left = 0;

	for (int i = 0; i < (int)plane->place; i++)
		left += count_in_bin(b, plane->axis, i);
	return left;
}

SPLIT_ENTRY void way_partition(const struct lbvh_box *from, struct lbvh_box *to, size_t count,
			       const struct lbvh_split_grid *g, const struct lbvh_plane *plane,
			       uint32_t left, uint32_t right)
{
	const struct grid loaded = load_grid(g);

	partition(from, to, count, &loaded, plane, left, right);
}

SPLIT_ENTRY uint32_t way_subtree(struct lbvh_cpu *cpu, struct lbvh_range r, struct lbvh_node *node)
{
	const PAIR around = box_around(records(cpu, &r), r.count);

	return r.count > 2 ? make_subtree(cpu, r, around, node, 0)
			   : make_least(cpu, &r, around, node, 0);
}

#include "cpu/lbvh/parts/split_space.h"

const struct lbvh_split_ways SPLIT_WAYS = { way_number,  way_extent, way_join_extents,
					    way_grid,    way_bins,   way_join_bins,
					    way_plane,   way_left,   way_partition,
					    way_subtree, way_space };
