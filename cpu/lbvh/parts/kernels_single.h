/* kernels_single.h -- part of kernels_body.h: one ray.
 *
 * One vector instruction a step tests the eight boxes of a node, or the eight triangles of a block.
 * walk_any() finds any hit in a subtree, trace_ray() answers a ray alone: each step waits for the
 * one before, which is the bound.
 */

struct ray {
	float origin[3], direction[3];
	/* The distance to the near and the far bound b is b * inverse + shift, with slack. */
	float inverse[3][2], shift[3][2];
	uint32_t side[3]; /* the bound that is met first: 0 lower, 1 upper */
	float near, t;    /* hits have near < distance <= t */
	uint32_t primitive;
};

/* Least component of a direction; smaller ones are replaced by it, so that the inverse and its
 * products with coordinates are finite. */
#define LEAST_COMPONENT 0x1p-80F

/* Such a ray may lie in the plane of a box face, which then must not bound.  The face is moved by
 * this much, whose product with the inverse is more than any distance. */
#define LEAST_THICKNESS 0x1p-36F

/* More than the relative rounding error of the product of a coordinate and an inverse. */
#define ERROR_OF_SHIFT 0x1p-22F

WORDS_FN F8 dot8(const F8 a[3], const F8 b[3])
{
	return f8_add(f8_add(f8_mul(a[0], b[0]), f8_mul(a[1], b[1])), f8_mul(a[2], b[2]));
}

WORDS_FN void cross8(const F8 a[3], const F8 b[3], F8 out[3])
{
	out[0] = f8_sub(f8_mul(a[1], b[2]), f8_mul(a[2], b[1]));
	out[1] = f8_sub(f8_mul(a[2], b[0]), f8_mul(a[0], b[2]));
	out[2] = f8_sub(f8_mul(a[0], b[1]), f8_mul(a[1], b[0]));
}

/* The children whose boxes the ray enters before ray->t, a bit each; *entry: at which distances. */
WORDS_FN unsigned enter8(const struct lbvh_wide_node *node, const struct ray *ray, F8 *entry)
{
	F8 near[3], far[3], last;

	for (int k = 0; k < 3; k++) {
		const size_t side = ray->side[k];

		near[k] = f8_fma(f8_load(node->bound[k][side]), f8_set(ray->inverse[k][0]),
				 f8_set(ray->shift[k][0]));
		far[k] = f8_fma(f8_load(node->bound[k][side ^ 1]), f8_set(ray->inverse[k][1]),
				f8_set(ray->shift[k][1]));
	}
	*entry = f8_upper(f8_upper(near[0], near[1]), f8_upper(near[2], f8_set(0)));
	last = f8_lower(f8_lower(far[0], far[1]), f8_lower(far[2], f8_set(ray->t)));
	return f8_le(*entry, last);
}

/* lbvh_intersect() of the ray and eight triangles. */
WORDS_FN void intersect8(const struct lbvh_block *block, struct ray *ray)
{
	F8 direction[3], edge1[3], edge2[3], s[3], p[3], q[3], inverse, u, v, w, at;
	float t[LBVH_WIDTH];
	unsigned bits;

	for (int k = 0; k < 3; k++) {
		edge1[k] = f8_load(block->edge1[k]);
		edge2[k] = f8_load(block->edge2[k]);
		s[k] = f8_sub(f8_set(ray->origin[k]), f8_load(block->corner[k]));
		direction[k] = f8_set(ray->direction[k]);
	}
	cross8(direction, edge2, p);
	inverse = f8_div(f8_set(1), dot8(edge1, p));
	u = f8_mul(dot8(s, p), inverse);
	cross8(s, edge1, q);
	v = f8_mul(dot8(direction, q), inverse);
	/* All three must be at least 0.  A NaN in u or v makes w NaN, which min() passes on. */
	w = f8_sub(f8_set(1), f8_add(u, v));
	at = f8_mul(dot8(edge2, q), inverse);
	bits = f8_le(f8_set(0), f8_min(u, f8_min(v, w))) & f8_le(at, f8_set(ray->t)) &
	       f8_lt(f8_set(ray->near), at);
	if (!bits)
		return;
	f8_store(t, at);
	for (; bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);
		const uint32_t primitive = block->primitive[i] & ~LBVH_MORE;

		if (t[i] > ray->near && lbvh_nearer(t[i], primitive, ray->t, ray->primitive)) {
			ray->t = t[i];
			ray->primitive = primitive;
		}
	}
}

WORDS_FN void visit_leaf(const struct lbvh_wide *wide, uint32_t at, struct ray *ray,
			 struct lbvh_counts *counts)
{
	const struct lbvh_block *block = wide->block + (at & ~LBVH_LEAF);

	do {
		counts->triangles += LBVH_WIDTH;
		intersect8(block, ray);
	} while (block++->primitive[0] & LBVH_MORE);
}

/* Prefetch a child: a node, or the first block of a leaf. */
WORDS_FN void prefetch_child(const struct lbvh_wide *wide, uint32_t child)
{
	enum { LINE = 64 };

	if (child & LBVH_LEAF) {
		const char *const at = (const char *)(wide->block + (child & ~LBVH_LEAF));

		for (size_t i = 0; i < sizeof(struct lbvh_block); i += LINE)
			__builtin_prefetch(at + i);
	} else {
		const char *const at = (const char *)(wide->node + child);

		for (size_t i = 0; i < sizeof(struct lbvh_wide_node); i += LINE)
			__builtin_prefetch(at + i);
	}
}

/* Push the children of a node that a ray enters, in no particular order. */
WORDS_FN struct lbvh_entry *follow_any(const struct lbvh_wide *wide, uint32_t at,
				       const struct ray *ray, struct lbvh_entry *top)
{
	const struct lbvh_wide_node *node = wide->node + at;
	unsigned bits;
	F8 entry;

	for (bits = enter8(node, ray, &entry); bits; bits &= bits - 1) {
		const uint32_t child = node->child[__builtin_ctz(bits)];

		prefetch_child(wide, child);
		*top++ = (struct lbvh_entry){ child, 0 };
	}
	return top;
}

/* Find any hit in the subtree `at`: set ray->primitive. */
WORDS_FN void walk_any(const struct lbvh_wide *wide, uint32_t at, struct ray *ray,
		       struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack;

	*top++ = (struct lbvh_entry){ at, 0 };
	while (top > stack && ray->primitive == LBVH_MISS) {
		at = (--top)->child;
		if (at & LBVH_LEAF) {
			visit_leaf(wide, at, ray, counts);
		} else {
			counts->nodes++;
			top = follow_any(wide, at, ray, top);
		}
	}
}

/* Set the distance along axis k to the near (side 0) or far bound (side 1), for a ray from
 * `origin`. */
WORDS_FN void aim_axis(struct ray *ray, int k, int side, float origin, float inverse)
{
	const float by = inverse * (side ? LBVH_SLACK : 1 / LBVH_SLACK);
	const float error = fabsf(origin * by) * ERROR_OF_SHIFT;

	ray->inverse[k][side] = by;
	ray->shift[k][side] = (side ? error : -error) - origin * by;
}

/* Set up a ray that has hit nothing yet. */
WORDS_FN void aim_ray(struct ray *ray, const float origin[3], const float direction[3], float near,
		      float far)
{
	for (int k = 0; k < 3; k++) {
		const bool parallel = fabsf(direction[k]) < LEAST_COMPONENT;
		const float inverse = 1 / (parallel ? LEAST_COMPONENT : direction[k]);
		const float aside = parallel ? LEAST_THICKNESS : 0;

		ray->origin[k] = origin[k];
		ray->direction[k] = direction[k];
		ray->side[k] = inverse < 0;
		aim_axis(ray, k, 0, origin[k] + aside, inverse);
		aim_axis(ray, k, 1, origin[k] - aside, inverse);
	}
	ray->near = near;
	ray->t = far;
	ray->primitive = LBVH_MISS;
}

/* Push the children of a node that a ray enters, the nearest last. */
WORDS_FN struct lbvh_entry *follow_nearest(const struct lbvh_wide_node *node, const struct ray *ray,
					   struct lbvh_entry *top)
{
	F8 entry;
	const unsigned bits = enter8(node, ray, &entry);

	(void)f8_sort(top, node->child, entry, bits);
	return top + __builtin_popcount(bits);
}

/* Find the nearest hit in the tree: set ray->t and ray->primitive.  A step waits for the choice
 * of its node, so the nearest child does not pass through the stack.  If it is the only one, as in
 * most nodes that have any, it is not compared with others: the processor predicts that. */
WORDS_FN void walk_nearest(const struct lbvh_wide *wide, struct ray *ray, struct lbvh_entry *stack,
			   struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack;
	uint32_t at = 0;

	for (;;) {
		if (at & LBVH_LEAF) {
			visit_leaf(wide, at, ray, counts);
		} else {
			const struct lbvh_wide_node *node = wide->node + at;
			F8 entry;
			const unsigned bits = enter8(node, ray, &entry);

			counts->nodes++;
			if (bits && !(bits & (bits - 1))) {
				at = node->child[__builtin_ctz(bits)];
				continue;
			}
			if (bits) {
				at = f8_sort(top, node->child, entry, bits);
				top += __builtin_popcount(bits) - 1;
				continue;
			}
		}
		do {
			if (top == stack)
				return;
			at = (--top)->child;
		} while (top->key > (union lbvh_distance){ ray->t }.bits);
	}
}

WORDS_ENTRY void trace_ray(const struct lbvh_wide *wide, struct lbvh_batch *batch, uint32_t i,
			   struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	const struct lbvh_ray *from = batch->ray + i;
	struct ray ray;

	aim_ray(&ray, from->origin, from->direction, from->near, from->far);
	if (batch->occluded)
		walk_any(wide, 0, &ray, stack, counts);
	else
		walk_nearest(wide, &ray, stack, counts);
	lbvh_batch_keep(batch, i, ray.t, ray.primitive);
}
