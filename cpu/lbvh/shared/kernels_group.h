/* kernels_group.h -- a part of kernels_body.h: a group of rays.
 *
 * Neighbouring rays take the same path through the upper tree.  A node's eight boxes are first
 * tested against a beam that bounds the group; each box that is left is then tested for all rays,
 * one per lane.  A stack entry holds the rays that enter.  Leaves are tested ray by ray, eight
 * triangles at a time: few rays enter the same leaf.
 */

enum { HALVES = LBVH_GROUP / 8, ALL_RAYS = (1 << LBVH_GROUP) - 1 };

/* Least component of a direction in a group, whose axes all use the error bound of the worst one; a
 * group with a smaller one is traced ray by ray. */
#define LEAST_OF_GROUP 0x1p-20F

/* The inverse of a component that bounds by its sign alone. */
#define STEEP 0x1p60F

struct group {
	/* In each lane, the distance to bound b is b * inverse + shift. */
	F8 inverse[3][HALVES], shift[3][HALVES];
	F8 error[HALVES]; /* bound on the error of the difference of two distances */
	_Alignas(32) float t[LBVH_GROUP]; /* the ends of the rays */
	float last;                       /* the largest of them */
	struct beam beam;                 /* enters all boxes that one of the rays enters */
	struct ray ray[LBVH_GROUP];
	unsigned waiting; /* rays that may still hit something, a bit each */
	bool one_origin;
};

WORDS_FN F8 size_of(F8 a)
{
	return f8_max(a, -a);
}

/* The largest or least of the lanes of both halves. */
WORDS_FN float most_of(const F8 a[HALVES])
{
	return f8_most(f8_max(a[0], a[1]));
}

WORDS_FN float least_of(const F8 a[HALVES])
{
	return -f8_most(f8_max(-a[0], -a[1]));
}

/* Set axis k of the beam: it meets the near bound as early as the earliest ray, and the far bound as
 * late as the latest.  end: where the rays end. */
WORDS_FN void join_axis(struct beam *beam, int k, const F8 origin[HALVES], const F8 inverse[HALVES],
			const F8 end[HALVES])
{
	const float slowest = least_of(inverse), fastest = most_of(inverse);
	const bool back = fastest < 0, mixed = slowest < 0 && !back;
	/* The near bound, then the far one. */
	float from[2] = { most_of(origin), least_of(origin) }, by[2] = { slowest, fastest };

	if (back) {
		from[0] = least_of(origin);
		from[1] = most_of(origin);
		by[0] = fastest;
		by[1] = slowest;
	} else if (mixed) { /* a box must overlap the extent of the rays */
		from[0] = lbvh_min(lbvh_max(most_of(end), from[0]), 2 * LBVH_COORDINATE_MAX);
		from[1] = lbvh_max(lbvh_min(least_of(end), from[1]), -2 * LBVH_COORDINATE_MAX);
		by[0] = by[1] = STEEP;
	}
	beam->side[k] = back;
	aim_axis(beam, k, 0, from[0], by[0]);
	aim_axis(beam, k, 1, from[1], by[1]);
}

/* Lanes past the last ray repeat the first.  False if a component is below LEAST_OF_GROUP. */
WORDS_FN bool make_group(struct group *g, const struct lbvh_ray *from, unsigned count)
{
	_Alignas(32) float origin[4][LBVH_GROUP], direction[3][LBVH_GROUP];
	unsigned small = 0, differing = 0;

	lanes_split_rays(from, count, LBVH_GROUP,
			 (float *const[]){ origin[0], origin[1], origin[2], origin[3] },
			 (float *const[]){ direction[0], direction[1], direction[2], g->t });
	for (unsigned i = 0; i < LBVH_GROUP; i++)
		g->ray[i] = set_out(from + (i < count ? i : 0));
	for (int h = 0; h < HALVES; h++)
		g->error[h] = f8_set(0);
	for (int k = 0; k < 3; k++) {
		F8 o[HALVES], d[HALVES], end[HALVES];

		for (int h = 0; h < HALVES; h++) {
			const ptrdiff_t first = (ptrdiff_t)8 * h;

			o[h] = f8_load(origin[k] + first);
			d[h] = f8_load(direction[k] + first);
			end[h] = f8_fma(d[h], f8_load(g->t + first), o[h]);
			small |= f8_le(size_of(d[h]), f8_set(LEAST_OF_GROUP));
			differing |= f8_le(o[h], f8_set(origin[k][0])) ^
				     f8_le(f8_set(origin[k][0]), o[h]);
			g->inverse[k][h] = 1 / d[h];
			g->shift[k][h] = -o[h] * g->inverse[k][h];
			g->error[h] = f8_max(g->error[h], size_of(g->shift[k][h]));
		}
		join_axis(&g->beam, k, o, g->inverse[k], end);
	}
	for (int h = 0; h < HALVES; h++)
		g->error[h] = g->error[h] * (2 * ERROR_OF_SHIFT);
	g->waiting = (1U << count) - 1;
	g->one_origin = !differing;
	return !small;
}

/* Find the largest end of a ray. */
WORDS_FN void find_last(struct group *g)
{
	const F8 t[HALVES] = { f8_load(g->t), f8_load(g->t + 8) };

	g->last = most_of(t);
}

/* The rays that enter box i of a node, as bits. */
WORDS_FN unsigned enter_box(const struct lbvh_wide_node *node, unsigned i, const struct group *g)
{
	unsigned rays = 0;

	for (int h = 0; h < HALVES; h++) {
		F8 entry = f8_set(0), last = f8_load(g->t + (ptrdiff_t)8 * h);

		for (int k = 0; k < 3; k++) {
			const F8 low = f8_fma(f8_set(node->bound[k][0][i]), g->inverse[k][h],
					      g->shift[k][h]);
			const F8 high = f8_fma(f8_set(node->bound[k][1][i]), g->inverse[k][h],
					       g->shift[k][h]);

			entry = f8_max(f8_min(low, high), entry);
			last = f8_min(f8_max(low, high), last);
		}
		last = f8_fma(last, f8_set(LBVH_SLACK * LBVH_SLACK), g->error[h]);
		rays |= f8_le(entry, last) << 8 * h;
	}
	return rays;
}

/* Push the children of a node that some of `rays` enter, with those rays, the nearest last. */
WORDS_FN struct lbvh_entry *follow(const struct lbvh_wide_node *node, const struct group *g,
				   unsigned rays, struct lbvh_entry *top)
{
	struct lbvh_entry *const stack = top;
	float distance[LBVH_WIDTH];
	unsigned bits;
	F8 entry;

	bits = enter(node, &g->beam, g->last, &entry);
	f8_store(distance, entry);
	for (; bits; bits &= bits - 1) {
		const unsigned i = (unsigned)__builtin_ctz(bits);
		const unsigned some = enter_box(node, i, g) & rays;
		const uint32_t key = (bits_of(distance[i]) & ~(uint32_t)ALL_RAYS) | some;
		struct lbvh_entry *to = top;

		if (!some)
			continue;
		for (; to > stack && to[-1].key < key; to--)
			*to = to[-1];
		*to = (struct lbvh_entry){ node->child[i], key };
		top++;
	}
	return top;
}

/* `rays` is not empty. */
WORDS_FN void visit_block(const struct lbvh_block *block, struct group *g, unsigned rays, bool any,
			  struct lbvh_counts *counts)
{
	struct facing f;
	bool other = false, nearer = false;

	face(block, g->ray[__builtin_ctz(rays)].origin, &f);
	for (; rays; rays &= rays - 1, other = !g->one_origin) {
		const unsigned i = (unsigned)__builtin_ctz(rays);

		counts->triangles += LBVH_WIDTH;
		if (!intersect(block, &f, other, &g->ray[i]))
			continue;
		g->t[i] = g->ray[i].t;
		nearer = true;
		if (any)
			g->waiting &= ~(1U << i);
	}
	if (nearer)
		find_last(g);
}

WORDS_FN void walk_group(const struct lbvh_wide *wide, struct group *g, bool any,
			 struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack;

	*top++ = (struct lbvh_entry){ 0, g->waiting };
	while (top > stack) {
		const struct lbvh_entry next = *--top;
		const unsigned rays = next.key & g->waiting;

		if (!rays || (next.key & ~(uint32_t)ALL_RAYS) > bits_of(g->last))
			continue;
		if (next.child & LBVH_LEAF) {
			const struct lbvh_block *block = wide->block + (next.child & ~LBVH_LEAF);
			unsigned left = rays;

			do {
				visit_block(block, g, left, any, counts);
				left &= g->waiting;
			} while (block++->primitive[0] & LBVH_MORE && left);
		} else {
			counts->nodes++;
			top = follow(wide->node + next.child, g, rays, top);
		}
	}
}

WORDS_TARGET static void trace_group(const struct lbvh_wide *wide, struct lbvh_batch *batch,
				     uint32_t first, uint32_t end, struct lbvh_entry *stack,
				     struct lbvh_counts *counts)
{
	struct group g;

	if (!make_group(&g, batch->ray + first, end - first)) {
		trace_alone(wide, batch, first, end, stack, counts);
		return;
	}
	find_last(&g);
	if (batch->occluded)
		walk_group(wide, &g, true, stack, counts);
	else
		walk_group(wide, &g, false, stack, counts);
	for (uint32_t i = first; i < end; i++)
		lbvh_batch_keep(batch, i, g.ray[i - first].t, g.ray[i - first].primitive);
}
