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
	F8 edge1[3], edge2[3], s[3], p[3], q[3], inverse, u, v, w;
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
	bits = f8_le(f8_set(0), f8_min(u, f8_min(v, w)));
	if (!bits)
		return;
	f8_store(t, f8_mul(dot8(edge2, q), inverse));
	for (; bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);
		const uint32_t primitive = block->primitive[i] & ~LBVH_MORE;

		if (t[i] > ray->near && lbvh_nearer(t[i], primitive, ray->t, ray->primitive)) {
			ray->t = t[i];
			ray->primitive = primitive;
		}
	}
}

/* Put one more key into `count` ascending ones. */
WORDS_FN void insert_key(uint32_t *key, unsigned count, uint32_t one)
{
	for (; count > 0 && key[count - 1] > one; count--)
		key[count] = key[count - 1];
	key[count] = one;
}

/* Two keys, which are common, in ascending order without a branch to be guessed. */
WORDS_FN void sort_two(uint32_t key[2])
{
	const uint32_t first = key[0], second = key[1];

	key[0] = first < second ? first : second;
	key[1] = first < second ? second : first;
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

/* The children of a node that a ray enters: the nearest is the result, the others go on the stack,
 * the farthest first.  bits has at least one bit; one or two are what most nodes give. */
WORDS_FN uint32_t follow_nearest(const struct lbvh_wide_node *node, unsigned bits, F8 entry,
				 struct lbvh_entry **top)
{
	const int first = __builtin_ctz(bits);
	uint32_t key[LBVH_WIDTH], enter[LBVH_WIDTH];
	unsigned count = 2;

	bits &= bits - 1;
	if (!bits)
		return node->child[first];
	f8_keys(enter, entry);
	key[0] = enter[first];
	key[1] = enter[__builtin_ctz(bits)];
	sort_two(key);
	while ((bits &= bits - 1))
		insert_key(key, count++, enter[__builtin_ctz(bits)]);
	while (--count)
		*(*top)++ = (struct lbvh_entry){ node->child[key[count] % LBVH_WIDTH], key[count] };
	return node->child[key[0] % LBVH_WIDTH];
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
			const struct lbvh_wide_node *node = wide->node + at;
			F8 entry;
			const unsigned bits = enter8(node, ray, &entry);

			nodes++;
			if (bits) {
				at = follow_nearest(node, bits, entry, &top);
				continue;
			}
		}
		do {
			if (top == stack) {
				counts->nodes += nodes;
				counts->triangles += LBVH_WIDTH * blocks;
				return;
			}
			at = (--top)->child;
		} while ((top->key & ~UINT32_C(7)) > (union lbvh_distance){ ray->t }.bits);
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
