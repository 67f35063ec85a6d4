/* split_body.h -- the ways of split_ways.h, in the words of split_words_*.h, which is included
 * before.  SPLIT_WAYS is the table to define.
 *
 * Small ranges are most of the work: there are as many of up to 8 primitives as of all other sizes,
 * times ten.
 */

/* What stays in registers of lbvh_extent and lbvh_split_grid. */
struct extent {
	PAIR box;
	LANES centre_lo, centre_hi;
};

struct grid {
	LANES origin, scale;
	int bins;
};

/* ---- extents ------------------------------------------------------------------------------ */

SPLIT_FN LANES centre_of(PAIR record)
{
	return lanes_sub(pair_lo(record), pair_negated_hi(record));
}

SPLIT_FN struct extent extent_of(const struct lbvh_box *box, size_t count)
{
	struct extent e = { pair_all(FLT_MAX), lanes_all(FLT_MAX), lanes_all(-FLT_MAX) };

	for (size_t i = 0; i < count; i++) {
		const PAIR record = pair_load(box + i);
		const LANES centre = centre_of(record);

		e.box = pair_min(e.box, record);
		e.centre_lo = lanes_min(e.centre_lo, centre);
		e.centre_hi = lanes_max(e.centre_hi, centre);
	}
	return e;
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

/* Few bins for few primitives, where the sweeps cost more than the boxes. */
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

/* A place that is a NaN is in bin 0: of a centre at the origin, an extent too small for its
 * inverse. */
SPLIT_FN void fill_bins(struct lbvh_bins *b, const struct grid *g, const struct lbvh_box *box,
			size_t count)
{
	const LANES most = lanes_all((float)(g->bins - 1));

	for (size_t i = 0; i < count; i += CELLS) {
		const size_t some = count - i < CELLS ? count - i : CELLS;
		_Alignas(64) int32_t cell[4 * CELLS];

		cells_of(cell, box + i, count - i, g->origin, g->scale, most);
		for (size_t j = 0; j < some; j++) {
			const PAIR record = pair_load(box + i + j);

			for (int k = 0; k < 3; k++)
				add_to_bin(b, k, cell[4 * j + (size_t)k], record);
		}
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
		const LANES at = lanes_mul(lanes_sub(centre_of(record), g->origin), g->scale);
		const uint32_t is_right = lanes_reach(at, place) >> plane->axis & 1;

		/* No branch, which would be a guess. */
		pair_store(to + (left ^ ((left ^ right) & (0 - is_right))), record);
		right += is_right;
		left += 1 - is_right;
	}
}

/* Half the surface of a box. */
SPLIT_FN float area_of(PAIR box)
{
	float size[4];

	lanes_store(size, lanes_add(pair_lo(box), pair_negated_hi(box)));
	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

SPLIT_FN void set_node(struct lbvh_node *node, PAIR box, uint32_t left, uint32_t right)
{
	lanes_store_node(node, pair_lo(box), lanes_sub(lanes_all(-0.0F), pair_negated_hi(box)),
			 left, right);
}

SPLIT_FN void keep_number(uint32_t *index, const struct lbvh_box *box)
{
	uint32_t number;

	memcpy(&number, &box->lo[3], sizeof number);
	*index = number - LBVH_SPLIT_NUMBER;
}

/* The primitives of a range, and where its halves go. */
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

/* One primitive or two; returns how many nodes. */
SPLIT_FN uint32_t make_least(struct lbvh_cpu *cpu, const struct lbvh_range *r,
			     struct lbvh_node *node, uint32_t to)
{
	const struct lbvh_box *from = records(cpu, r);
	const PAIR left = pair_load(from), right = pair_load(from + r->count - 1);
	const PAIR box = pair_min(left, right);
	const float surface = area_of(box);

	if (r->count == 1 || !(surface + (area_of(left) + area_of(right)) < surface * 2))
		return make_leaf(cpu, r, box, node + to);
	set_node(node + to, box, to + 1, to + 2);
	set_node(node + to + 1, left, LBVH_LEAF | r->first, 1);
	set_node(node + to + 2, right, LBVH_LEAF | (r->first + 1), 1);
	keep_number(cpu->index + r->first, from);
	keep_number(cpu->index + r->first + 1, from + 1);
	return 3;
}

/* The subtree over a range into node[to ..]; returns the number after its last. */
SPLIT_ENTRY uint32_t make_subtree(struct lbvh_cpu *cpu, struct lbvh_range r, struct lbvh_node *node,
				  uint32_t to)
{
	const struct lbvh_box *box = records(cpu, &r);
	struct lbvh_plane plane = { INFINITY, 3, 0, r.count / 2 };
	struct grid g = { .bins = 0 };
	struct extent e;
	float surface;
	uint32_t right;

	if (r.count <= 2)
		return to + make_least(cpu, &r, node, to);
	e = extent_of(box, r.count);
	if (r.level < LBVH_SPLIT_DEEP) {
		struct lbvh_bins b;

		g = grid_over(e, r.count);
		clear_bins(&b, g.bins);
		fill_bins(&b, &g, box, r.count);
		plane = sweep(&b, g.bins, r.count);
	}
	surface = area_of(e.box);
	if (r.count <= LBVH_SPLIT_LEAF && !(surface + plane.cost < surface * (float)r.count))
		return to + make_leaf(cpu, &r, e.box, node + to);
	if (plane.axis < 3)
		partition(box, records_below(cpu, &r), r.count, &g, &plane, 0, plane.left);
	else
		memcpy(records_below(cpu, &r), box, r.count * sizeof *box);
	right = make_subtree(cpu, (struct lbvh_range){ r.first, plane.left, r.level + 1 }, node,
			     to + 1);
	set_node(node + to, e.box, to + 1, right);
	return make_subtree(
		cpu, (struct lbvh_range){ r.first + plane.left, r.count - plane.left, r.level + 1 },
		node, right);
}

/* ---- the ways ----------------------------------------------------------------------------- */

SPLIT_ENTRY void way_number(struct lbvh_box *box, size_t begin, size_t end)
{
	const LANES zero = lanes_all(0), negative_zero = lanes_all(-0.0F);

	for (size_t i = begin; i < end; i++) {
		const uint32_t number = LBVH_SPLIT_NUMBER + (uint32_t)i;

		lanes_store(box[i].lo, lanes_add(lanes_load(box[i].lo), zero));
		lanes_store(box[i].hi,
			    lanes_sub(negative_zero, lanes_add(lanes_load(box[i].hi), zero)));
		memcpy(&box[i].lo[3], &number, sizeof number);
		box[i].hi[3] = 0;
	}
}

SPLIT_ENTRY void way_extent(struct lbvh_extent *e, const struct lbvh_box *box, size_t count)
{
	store_extent(e, extent_of(box, count));
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

	clear_bins(b, g->bins);
	fill_bins(b, &loaded, box, count);
}

SPLIT_ENTRY void way_join_bins(struct lbvh_bins *b, const struct lbvh_bins *with, int bins)
{
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++)
			join_bin(b, k, i, with);
}

SPLIT_ENTRY struct lbvh_plane way_plane(const struct lbvh_bins *b, const struct lbvh_split_grid *g,
					uint32_t count)
{
	return sweep(b, g->bins, count);
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
	return make_subtree(cpu, r, node, 0);
}

const struct lbvh_split_ways SPLIT_WAYS = { way_number, way_extent, way_join_extents,
					    way_grid,   way_bins,   way_join_bins,
					    way_plane,  way_left,   way_partition,
					    way_subtree };
