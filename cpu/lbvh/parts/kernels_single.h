/* kernels_single.h -- a part of kernels_body.h: one ray after the other.
 *
 * The eight boxes of a node are tested by one vector instruction a step; the children that are
 * entered are followed in the order of their distances.  So are the eight triangles of a block.
 */

struct ray {
	F8 origin[3], direction[3];
	F8 inverse[3][2]; /* for the near and the far bound, with slack */
	int side[3];      /* the bound that is met first: 0 lower, 1 upper */
	float near, t;    /* hits are beyond near, and no farther than t */
	uint32_t primitive;
};

/* Slab tests and directions with a component of 0: its inverse is +INFINITY, never -INFINITY, and
 * the distance to a plane that the origin lies on is then 0 * INFINITY, a NaN.  min() and max() are
 * given their arguments in an order that drops NaN, so that such a plane does not bound. */
WORDS_FN float inverse_of(float d)
{
	return 1 / (d + 0.0F);
}

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

		near[k] = f8_mul(f8_sub(f8_load(node->bound[k][side]), ray->origin[k]),
				 ray->inverse[k][0]);
		far[k] = f8_mul(f8_sub(f8_load(node->bound[k][1 - side]), ray->origin[k]),
				ray->inverse[k][1]);
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

/* Ask for what a child is: the first lines of memory of a node or a block, which are the boxes, or
 * corners and edges. */
WORDS_FN void prefetch_child(const struct lbvh_wide *wide, uint32_t child)
{
	enum { LINE = 64 };
	const char *const at = child & LBVH_LEAF
				       ? (const char *)(wide->block + (child & ~LBVH_LEAF))
				       : (const char *)(wide->node + child);

	for (size_t i = 0; i < sizeof(struct lbvh_block); i += LINE)
		__builtin_prefetch(at + i);
}

/* What follows a node: the children that a ray enters. */
struct follow {
	const struct lbvh_wide *wide;
	const struct lbvh_wide_node *node;
	float enter[LBVH_WIDTH]; /* how far off */
	unsigned bits;           /* children not looked at yet */
	struct lbvh_entry **top; /* of the stack */
};

/* The next child as one number: its distance above its number. */
WORDS_FN uint64_t next_child(struct follow *f)
{
	const int i = __builtin_ctz(f->bits);

	f->bits &= f->bits - 1;
	return (uint64_t)(union lbvh_distance){ f->enter[i] }.bits << 32 | f->node->child[i];
}

/* Two of them in ascending order without a branch to be guessed. */
WORDS_FN void order(uint64_t *a, uint64_t *b)
{
	const uint64_t first = *a < *b ? *a : *b, second = *a < *b ? *b : *a;

	*a = first;
	*b = second;
}

WORDS_FN void push(const struct follow *f, uint64_t child)
{
	prefetch_child(f->wide, (uint32_t)child);
	*(*f->top)++ = (struct lbvh_entry){ (uint32_t)child, (uint32_t)(child >> 32) };
}

/* One more, on top of `first` and what was pushed since, the farthest first. */
WORDS_FN void insert_entry(const struct follow *f, const struct lbvh_entry *first, uint64_t child)
{
	struct lbvh_entry *to = *f->top;

	push(f, child);
	for (; to > first && to[-1].key < child >> 32; to--) {
		const struct lbvh_entry farther = to[0];

		to[0] = to[-1];
		to[-1] = farther;
	}
}

/* Five children and more, four of which are there in order. */
WORDS_FN uint32_t follow_many(struct follow *f, const uint64_t four[4])
{
	const struct lbvh_entry *const first = *f->top;

	for (int i = 4; i-- > 0;)
		push(f, four[i]);
	while (f->bits)
		insert_entry(f, first, next_child(f));
	return (--*f->top)->child;
}

/* The nearest child is the result, the others go on the stack, the farthest first.  bits has at
 * least one bit; one or two are what most nodes give. */
WORDS_FN uint32_t follow_nearest(struct follow *f, F8 entry)
{
	uint64_t child[4];
	int count = 0;

	if (!(f->bits & (f->bits - 1)))
		return f->node->child[__builtin_ctz(f->bits)];
	f8_store(f->enter, entry);
	child[count++] = next_child(f);
	do {
		child[count] = next_child(f);
		for (int i = count++; i > 0; i--)
			order(&child[i - 1], &child[i]);
	} while (f->bits && count < 4);
	if (f->bits)
		return follow_many(f, child);
	while (--count)
		push(f, child[count]);
	return (uint32_t)child[0];
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

/* Find the nearest hit or, with `any`, whether there is one: some primitive. */
WORDS_FN void walk_single(const struct lbvh_wide *wide, struct ray *ray, bool any,
			  struct lbvh_entry *stack, struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack;
	uint64_t nodes = 0, blocks = 0;
	uint32_t at = 0;

	for (;;) {
		if (at & LBVH_LEAF) {
			const struct lbvh_block *block = wide->block + (at & ~LBVH_LEAF);

			do {
				blocks++;
				intersect8(block, ray);
			} while (block++->primitive[0] & LBVH_MORE);
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
				counts->triangles += LBVH_WIDTH * blocks;
				return;
			}
			at = (--top)->child;
		} while (!any && top->key > (union lbvh_distance){ ray->t }.bits);
	}
}

/* A ray that has hit nothing yet. */
WORDS_FN void aim_ray(struct ray *ray, const float origin[3], const float direction[3], float near,
		      float far)
{
	for (int k = 0; k < 3; k++) {
		const float inverse = inverse_of(direction[k]);

		ray->origin[k] = f8_set(origin[k]);
		ray->direction[k] = f8_set(direction[k]);
		ray->inverse[k][0] = f8_set(inverse * (1 / LBVH_SLACK));
		ray->inverse[k][1] = f8_set(inverse * LBVH_SLACK);
		ray->side[k] = inverse < 0;
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
			walk_single(wide, &ray, false, stack, counts);
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
			walk_single(wide, &ray, true, stack, counts);
		else
			walk_single(wide, &ray, false, stack, counts);
		lbvh_batch_keep(batch, i, ray.t, ray.primitive);
	}
}
