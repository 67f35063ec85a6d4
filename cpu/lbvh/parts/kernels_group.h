/* kernels_group.h -- part of kernels_body.h: neighbouring rays of a stream together, one per lane.
 *
 * The rays of a group start near each other, as those of neighbouring pixels do, and so take the
 * same path through the upper tree, whatever their directions.  A node's eight boxes are first
 * tested at once against a ray that bounds the group; each box that is left is then tested for all
 * rays at once.  A stack entry holds the rays that enter; a few rays continue one by one.  Leaves
 * are tested ray by ray, eight triangles at a time: more than a few rays hardly ever enter the same
 * leaf.
 *
 * This pays only if any hit will do.  Nearest hits need an order of the children that suits all
 * rays of a group, and the rays of such streams, after a reflection, have none.
 *
 * The bound is the leaves: the rays share the cost of a node.
 */

/* A group of at most FW_LANES rays. */
struct group {
	FW inverse[3], shift[3]; /* the distance to bound b is b * inverse + shift */
	FW error;                /* bound on the error of the difference of two such distances */
	FW far;                  /* the rays' ends */
	struct ray common;       /* a ray that enters all boxes that one of them enters */
	const struct lbvh_ray *ray;
	unsigned waiting; /* rays that have hit nothing yet, one bit each */
	bool alone;       /* a component is below LEAST_OF_GROUP: rays go one by one */
};

/* Least component of a direction in a group: all axes use the error bound of the worst one. */
#define LEAST_OF_GROUP 0x1p-20F

/* So many rays or fewer continue one by one.  Tuned with 16 lanes on shadow and ambient rays of
 * teapot and terrain. */
#define FEW 3

/* The inverse of a component that bounds by its sign alone. */
#define STEEP 0x1p60F

WORDS_FN float least(FW a)
{
	return -fw_most(fw_sub(fw_set(0), a));
}

WORDS_FN FW size_of(FW a)
{
	return fw_max(a, fw_sub(fw_set(0), a));
}

/* Set axis k of the ray that enters what any of the rays enters: it meets the near bound as early
 * as the earliest of them, and the far bound as late as the latest. */
WORDS_FN void join_axis(struct ray *common, int k, FW origin, FW inverse, FW end)
{
	const float slowest = least(inverse), fastest = fw_most(inverse);
	const bool back = fastest < 0, mixed = slowest < 0 && !back;
	/* The near bound, then the far one. */
	float from[2] = { fw_most(origin), least(origin) }, by[2] = { slowest, fastest };

	if (back) {
		from[0] = least(origin);
		from[1] = fw_most(origin);
		by[0] = fastest;
		by[1] = slowest;
	} else if (mixed) {
		/* Directions of both signs: a box must overlap the extent of the rays. */
		from[0] = lbvh_min(fw_most(fw_max(origin, end)), 2 * LBVH_COORDINATE_MAX);
		from[1] = lbvh_max(least(fw_min(origin, end)), -2 * LBVH_COORDINATE_MAX);
		by[0] = by[1] = STEEP;
	}
	common->side[k] = back;
	aim_axis(common, k, 0, from[0], by[0]);
	aim_axis(common, k, 1, from[1], by[1]);
}

/* Lanes past the last ray repeat the first. */
WORDS_FN void make_group(struct group *g, const struct lbvh_ray *ray, unsigned count)
{
	_Alignas(64) float origin[3][FW_LANES], direction[3][FW_LANES], far[FW_LANES];
	unsigned small = 0;

	for (unsigned i = 0; i < FW_LANES; i++) {
		const struct lbvh_ray *from = ray + (i < count ? i : 0);

		for (int k = 0; k < 3; k++) {
			origin[k][i] = from->origin[k];
			direction[k][i] = from->direction[k];
		}
		far[i] = from->far;
	}
	g->ray = ray;
	g->waiting = (1U << count) - 1;
	g->far = fw_load(far);
	g->error = fw_set(0);
	g->common.t = fw_most(g->far);
	for (int k = 0; k < 3; k++) {
		const FW o = fw_load(origin[k]), d = fw_load(direction[k]);
		const FW inverse = fw_div(fw_set(1), d);

		small |= fw_lt(size_of(d), fw_set(LEAST_OF_GROUP));
		g->inverse[k] = inverse;
		g->shift[k] = fw_mul(fw_sub(fw_set(0), o), inverse);
		g->error = fw_max(g->error, size_of(g->shift[k]));
		join_axis(&g->common, k, o, inverse, fw_fma(d, g->far, o));
	}
	g->error = fw_mul(g->error, fw_set(2 * ERROR_OF_SHIFT));
	g->alone = small != 0;
}

/* The rays that enter box i of a node, as bits. */
WORDS_FN unsigned enter_lanes(const struct lbvh_wide_node *node, unsigned i, const struct group *g)
{
	FW entry = fw_set(0), last = g->far;

	for (int k = 0; k < 3; k++) {
		const FW low = fw_fma(fw_set(node->bound[k][0][i]), g->inverse[k], g->shift[k]);
		const FW high = fw_fma(fw_set(node->bound[k][1][i]), g->inverse[k], g->shift[k]);

		entry = fw_max(fw_min(low, high), entry);
		last = fw_min(fw_max(low, high), last);
	}
	return fw_le(entry, fw_fma(last, fw_set(LBVH_SLACK * LBVH_SLACK), g->error));
}

/* Trace `rays` through a subtree one by one; return those that hit something. */
WORDS_FN unsigned any_below(const struct lbvh_wide *wide, const struct lbvh_ray *from, uint32_t at,
			    unsigned rays, struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	unsigned hit = 0;

	for (; rays; rays &= rays - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rays);
		struct ray ray;

		aim_ray(&ray, from[i].origin, from[i].direction, from[i].near, from[i].far);
		walk_any(wide, at, &ray, stack, counts);
		hit |= (unsigned)(ray.primitive != LBVH_MISS) << i;
	}
	return hit;
}

/* The same for a leaf. */
WORDS_FN unsigned any_in_leaf(const struct lbvh_wide *wide, const struct lbvh_ray *from,
			      uint32_t at, unsigned rays, struct lbvh_counts *counts)
{
	unsigned hit = 0;

	for (; rays; rays &= rays - 1) {
		const unsigned i = (unsigned)__builtin_ctz(rays);
		struct ray ray = { .near = from[i].near, .t = from[i].far, .primitive = LBVH_MISS };

		for (int k = 0; k < 3; k++) {
			ray.origin[k] = from[i].origin[k];
			ray.direction[k] = from[i].direction[k];
		}
		visit_leaf(wide, at, &ray, counts);
		hit |= (unsigned)(ray.primitive != LBVH_MISS) << i;
	}
	return hit;
}

/* Push the children of a node that some of `rays` enter, with those rays. */
WORDS_FN struct lbvh_entry *follow_group(const struct lbvh_wide *wide, const struct group *g,
					 uint32_t at, unsigned rays, struct lbvh_entry *top)
{
	const struct lbvh_wide_node *node = wide->node + at;
	unsigned bits;
	F8 entry;

	for (bits = enter8(node, &g->common, &entry); bits; bits &= bits - 1) {
		const unsigned i = (unsigned)__builtin_ctz(bits);
		const unsigned some = enter_lanes(node, i, g) & rays;

		if (some) {
			prefetch_child(wide, node->child[i]);
			*top++ = (struct lbvh_entry){ node->child[i], some };
		}
	}
	return top;
}

/* Return the rays that hit something. */
WORDS_FN unsigned walk_group(const struct lbvh_wide *wide, struct group *g,
			     struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	const unsigned all = g->waiting;
	struct lbvh_entry *top = stack;

	*top++ = (struct lbvh_entry){ 0, all };
	while (top > stack) {
		const uint32_t at = (--top)->child;
		const unsigned rays = top->key & g->waiting;

		if (!rays)
			continue;
		if (at & LBVH_LEAF) {
			g->waiting &= ~any_in_leaf(wide, g->ray, at, rays, counts);
		} else if (g->alone || __builtin_popcount(rays) <= FEW) {
			g->waiting &= ~any_below(wide, g->ray, at, rays, top, counts);
		} else {
			counts->nodes++;
			top = follow_group(wide, g, at, rays, top);
		}
	}
	return all & ~g->waiting;
}

WORDS_ENTRY void trace_groups(const struct lbvh_wide *wide, struct lbvh_batch *batch,
			      struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	for (uint32_t first = 0; first < batch->count; first += FW_LANES) {
		const uint32_t left = batch->count - first;
		struct group g;

		make_group(&g, batch->ray + first, left < FW_LANES ? left : FW_LANES);
		batch->occluded[first / 32] |= walk_group(wide, &g, stack, counts) << first % 32;
	}
}
