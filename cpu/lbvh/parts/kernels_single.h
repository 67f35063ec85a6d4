/* kernels_single.h -- a part of kernels_body.h: one ray after the other.
 *
 * The eight boxes of a node are tested by one vector instruction a step; the children that are
 * entered are followed in the order of their distances.  So are the eight triangles of a block.
 */

struct ray {
	F8 origin[3], direction[3];
	/* The distance to the near and the far bound b is b inverse + shift, with slack. */
	F8 inverse[3][2], shift[3][2];
	int side[3];   /* the bound that is met first: 0 lower, 1 upper */
	float near, t; /* hits are beyond near, and no farther than t */
	uint32_t primitive;
};

/* A component of a direction that is smaller counts as so large, so that its inverse and the products
 * of that and coordinates are finite. */
#define LEAST_COMPONENT 0x1p-80F

/* Such a ray may lie in a plane of a box, which then does not bound: it is taken to be as thick as
 * this, whose product with the inverse is more than any distance. */
#define LEAST_THICKNESS 0x1p-36F

/* What rounding may change the product of a coordinate and an inverse by, and more, in parts of
 * it. */
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

/* The children whose boxes the ray enters before ray->t, a bit each; where, in *entry. */
WORDS_FN unsigned enter8(const struct lbvh_wide_node *node, const struct ray *ray, F8 *entry)
{
	F8 near[3], far[3], last;

	for (int k = 0; k < 3; k++) {
		const int side = ray->side[k];

		near[k] =
			f8_fma(f8_load(node->bound[k][side]), ray->inverse[k][0], ray->shift[k][0]);
		far[k] = f8_fma(f8_load(node->bound[k][1 - side]), ray->inverse[k][1],
				ray->shift[k][1]);
	}
	*entry = f8_max(f8_max(near[0], near[1]), f8_max(near[2], f8_set(0)));
	last = f8_min(f8_min(far[0], far[1]), f8_min(far[2], f8_set(ray->t)));
	return f8_le(*entry, last);
}

/* lbvh_intersect() of the ray and eight triangles. */
WORDS_FN void intersect8(const struct lbvh_block *block, struct ray *ray)
{
	F8 edge1[3], edge2[3], s[3], p[3], q[3], inverse, u, v, w, at;
	float t[LBVH_WIDTH];
	unsigned bits;

	for (int k = 0; k < 3; k++) {
		edge1[k] = f8_load(block->edge1[k]);
		edge2[k] = f8_load(block->edge2[k]);
		s[k] = f8_sub(ray->origin[k], f8_load(block->corner[k]));
	}
	cross8(ray->direction, edge2, p);
	inverse = f8_div(f8_set(1), dot8(edge1, p));
	u = f8_mul(dot8(s, p), inverse);
	cross8(s, edge1, q);
	v = f8_mul(dot8(ray->direction, q), inverse);
	/* All three at least 0; a NaN in u or v makes one of w, which min() passes on. */
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

/* Ask for what a child is: a node, or the first block of a leaf.  Of the child that is next as well:
 * whether that is a node or a leaf is guessed, and a wrong guess would delay the loads. */
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

/* What follows a node: the children that a ray enters. */
struct follow {
	const struct lbvh_wide *wide;
	const struct lbvh_wide_node *node;
	unsigned bits;           /* children, at least one */
	struct lbvh_entry **top; /* of the stack */
};

/* The nearest of two children, the other goes on the stack.  Without a branch to be guessed. */
WORDS_FN uint32_t follow_two(const struct follow *f, F8 entry)
{
	const unsigned i = (unsigned)__builtin_ctz(f->bits);
	const unsigned k = (unsigned)__builtin_ctz(f->bits & (f->bits - 1));
	float enter[LBVH_WIDTH];
	unsigned near, far;

	f8_store(enter, entry);
	near = enter[k] < enter[i] ? k : i;
	far = i ^ k ^ near;
	prefetch_child(f->wide, f->node->child[near]);
	prefetch_child(f->wide, f->node->child[far]);
	*(*f->top)++ = (struct lbvh_entry){ f->node->child[far],
					    (union lbvh_distance){ enter[far] }.bits };
	return f->node->child[near];
}

/* The nearest child is the result, the others go on the stack, the farthest first.  One or two are
 * what most nodes give. */
WORDS_FN uint32_t follow_nearest(const struct follow *f, F8 entry)
{
	const unsigned rest = f->bits & (f->bits - 1);
	struct lbvh_entry *to = *f->top, *last;

	if (!rest) {
		const uint32_t only = f->node->child[__builtin_ctz(f->bits)];

		prefetch_child(f->wide, only);
		return only;
	}
	if (!(rest & (rest - 1)))
		return follow_two(f, entry);
	f8_sort(to, f->node->child, entry, f->bits);
	last = to + __builtin_popcount(rest);
	*f->top = last;
	prefetch_child(f->wide, last->child);
	for (; to < last; to++)
		prefetch_child(f->wide, to->child);
	return last->child;
}

WORDS_FN void push(const struct follow *f, uint32_t child)
{
	prefetch_child(f->wide, child);
	*(*f->top)++ = (struct lbvh_entry){ child, 0 };
}

/* The same in no order. */
WORDS_FN uint32_t follow_any(struct follow *f)
{
	const uint32_t first = f->node->child[__builtin_ctz(f->bits)];

	while ((f->bits &= f->bits - 1))
		push(f, f->node->child[__builtin_ctz(f->bits)]);
	return first;
}

/* The children of a node that the ray enters: one is *at, the others are on the stack.  Whether
 * there is one. */
WORDS_FN bool follow(const struct lbvh_wide *wide, const struct ray *ray, bool any, uint32_t *at,
		     struct lbvh_entry **top)
{
	struct follow f = { .wide = wide, .node = wide->node + *at, .top = top };
	F8 entry;

	f.bits = enter8(f.node, ray, &entry);
	if (!f.bits)
		return false;
	*at = any ? follow_any(&f) : follow_nearest(&f, entry);
	return true;
}

/* Find, in the subtree `at`, the nearest hit or, with `any`, whether there is one: some primitive. */
WORDS_FN void walk_single(const struct lbvh_wide *wide, uint32_t at, struct ray *ray, bool any,
			  struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack;
	uint64_t nodes = 0;

	for (;;) {
		if (at & LBVH_LEAF) {
			visit_leaf(wide, at, ray, counts);
			if (any && ray->primitive != LBVH_MISS)
				top = stack;
		} else {
			nodes++;
			if (follow(wide, ray, any, &at, &top))
				continue;
		}
		do {
			if (top == stack) {
				counts->nodes += nodes;
				return;
			}
			at = (--top)->child;
		} while (!any && top->key > (union lbvh_distance){ ray->t }.bits);
	}
}

/* The distance along axis k to the near or (side 1) the far bound, of a ray from `origin`. */
WORDS_FN void aim_axis(struct ray *ray, int k, int side, float origin, float inverse)
{
	const float by = inverse * (side ? LBVH_SLACK : 1 / LBVH_SLACK);
	const float error = fabsf(origin * by) * ERROR_OF_SHIFT;

	ray->inverse[k][side] = f8_set(by);
	ray->shift[k][side] = f8_set((side ? error : -error) - origin * by);
}

/* A ray that has hit nothing yet. */
WORDS_FN void aim_ray(struct ray *ray, const float origin[3], const float direction[3], float near,
		      float far)
{
	for (int k = 0; k < 3; k++) {
		const bool parallel = fabsf(direction[k]) < LEAST_COMPONENT;
		const float inverse = 1 / (parallel ? LEAST_COMPONENT : direction[k]);
		const float aside = parallel ? LEAST_THICKNESS : 0;

		ray->origin[k] = f8_set(origin[k]);
		ray->direction[k] = f8_set(direction[k]);
		ray->side[k] = inverse < 0;
		aim_axis(ray, k, 0, origin[k] + aside, inverse);
		aim_axis(ray, k, 1, origin[k] - aside, inverse);
	}
	ray->near = near;
	ray->t = far;
	ray->primitive = LBVH_MISS;
}

WORDS_ENTRY void trace_single(const struct lbvh_wide *wide, const float eye[3],
			      struct lbvh_packet *packet, struct lbvh_entry *stack,
			      struct lbvh_counts *counts)
{
	for (uint32_t y = 0; y < packet->height; y++)
		for (uint32_t x = 0; x < packet->width; x++) {
			const uint32_t i = y * LBVH_PACKET_EDGE + x;
			const float direction[3] = { packet->direction[0][i],
						     packet->direction[1][i],
						     packet->direction[2][i] };
			struct ray ray;

			aim_ray(&ray, eye, direction, 0, INFINITY);
			walk_single(wide, 0, &ray, false, stack, counts);
			packet->t[i] = ray.t;
			packet->primitive[i] = ray.primitive;
		}
}

WORDS_ENTRY void trace_batch(const struct lbvh_wide *wide, struct lbvh_batch *batch,
			     struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	for (uint32_t i = 0; i < batch->count; i++) {
		const struct lbvh_ray *from = batch->ray + i;
		struct ray ray;

		aim_ray(&ray, from->origin, from->direction, from->near, from->far);
		if (batch->occlusion)
			walk_single(wide, 0, &ray, true, stack, counts);
		else
			walk_single(wide, 0, &ray, false, stack, counts);
		lbvh_batch_keep(batch, i, ray.t, ray.primitive);
	}
}
