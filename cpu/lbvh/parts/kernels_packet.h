/* kernels_packet.h -- part of kernels_body.h: packets of 64 rays.
 *
 * 64 rays from one point, of neighbouring pixels, form a thin pyramid, and so do its four quarters
 * of 4 x 4 pixels.  A point's coordinates in it are a linear map of its position: its depth, and
 * the pixel times the depth.  A node's boxes are tested, all eight at once and quarter by quarter,
 * for their extent in these coordinates and for the distances that the intervals of the directions
 * allow.  The edge functions of a triangle are linear in the direction, hence in the pixel: their
 * values in the middle and their changes per pixel tell, for all eight triangles of a block at
 * once, which quarters they reach.  Each remaining pair of a triangle and a quarter is tested again
 * at the pixels themselves, with two products per function; few pairs reach the division and the
 * rounding of lbvh_intersect().  This pays where triangles are as small as pixels.
 *
 * The bound is arithmetic: nodes and triangles are read once for 64 rays, and prefetched when they
 * are pushed.
 *
 * Directions within a pyramid do not have unit length but a length of 1 or more, so that the
 * parameter where one of them enters a box is at most the distance.  All these tests are widened by
 * more than their rounding errors and those of lbvh_direction(): they may accept too much, never
 * too little.
 */

enum {
	QUARTERS = 4,
	QUARTER_EDGE = LBVH_PACKET_EDGE / 2,
	QUARTER = QUARTER_EDGE * QUARTER_EDGE, /* rays */
	ALL_QUARTERS = (1 << QUARTERS) - 1,
};

/* Bounds on rounding errors: of a component, relative to the sum of its terms; of an edge function,
 * relative to such a sum times the sizes of two vectors; of a place in the pyramid, relative to
 * such a sum times the size of one. */
#define ERROR_OF_DIRECTION 3e-7F
#define ERROR_OF_EDGE      1.5e-6F
#define ERROR_OF_PLACE     1e-6F

/* The directions of a packet along one axis. */
struct span {
	F8 entry, exit; /* inverses, for the least distance to a plane ahead and the largest to one
			 * that is left; mixed: the least positive and the greatest negative one */
	int side;       /* the bound of a box that is met first: 0 lower, 1 upper */
	bool mixed;     /* directions of both signs, or 0 */
};

struct bundle {
	struct span span[3];
	bool straight;                             /* no axis is mixed */
	_Alignas(32) float farthest[2 * QUARTERS]; /* largest t of a quarter's rays; stored twice */
	F8 eye[3], middle[3], across[3], down[3];  /* the pyramid's */
	/* to_place: from twice a point, relative to the eye, to its coordinates in the pyramid:
	 * point = depth middle + x across + y down.  reach: from the signed extents of a box to
	 * those in the pyramid.  Errors of a coordinate and of an edge function, relative to the
	 * input sizes. */
	F8 to_place[3][3], reach[3][3], place_error, edge_error;
	/* In the order of quarters. */
	_Alignas(64) float direction[3][LBVH_PACKET], inverse[3][LBVH_PACKET], t[LBVH_PACKET];
	uint32_t primitive[LBVH_PACKET];
};

/* Copy between the rows of a packet and those of its quarters; back: to the packet. */
WORDS_FN void by_quarters(void *quarters, void *rows, bool back)
{
	enum { ROW = QUARTER_EDGE * sizeof(float) };

	for (int i = 0; i < LBVH_PACKET / QUARTER_EDGE; i++) {
		const int quarter = i / QUARTER_EDGE, y = i % QUARTER_EDGE;
		char *const one = (char *)quarters + (size_t)i * ROW;
		char *const other = (char *)rows +
				    (size_t)(quarter / 2 * QUARTER_EDGE + y) * 2 * ROW +
				    (size_t)(quarter % 2) * ROW;

		memcpy(back ? other : one, back ? one : other, ROW);
	}
}

WORDS_FN void make_span(struct span *span, const struct lbvh_packet *packet, int k)
{
	const float half = (LBVH_PACKET_EDGE - 1) / 2.0F *
				   (fabsf(packet->across[k]) + fabsf(packet->down[k])) +
			   ERROR_OF_DIRECTION * packet->terms[k];
	const float low = packet->middle[k] - half, high = packet->middle[k] + half;

	span->mixed = low <= FLT_MIN && high >= -FLT_MIN;
	span->side = high < 0;
	if (span->mixed) {
		span->side = 0;
		span->entry = f8_set(high > FLT_MIN ? 1 / high : FLT_MAX);
		span->exit = f8_set(low < -FLT_MIN ? 1 / low : -FLT_MAX);
	} else {
		span->entry = f8_set(1 / (high < 0 ? low : high));
		span->exit = f8_set(1 / (high < 0 ? high : low));
	}
}

/* Half the inverse of the matrix of middle, across and down. */
WORDS_FN void make_places(struct bundle *b, const struct lbvh_packet *packet, float terms)
{
	float row[3][3], scale, error = 0;

	lbvh_cross(packet->across, packet->down, row[0]);
	lbvh_cross(packet->down, packet->middle, row[1]);
	lbvh_cross(packet->middle, packet->across, row[2]);
	scale = 0.5F / lbvh_dot(row[0], packet->middle);
	for (int k = 0; k < 3; k++)
		error = lbvh_max(fabsf(row[1][k]), lbvh_max(fabsf(row[2][k]), error));
	error *= fabsf(scale) * ERROR_OF_PLACE * terms;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			const float share = row[i][k] * scale, size = fabsf(share) + error;

			b->to_place[i][k] = f8_set(share);
			b->reach[i][k] = f8_set(b->span[k].side ? -size : size);
		}
	b->place_error = f8_set(error);
}

WORDS_FN void make_bundle(struct bundle *b, const float eye[3], struct lbvh_packet *packet)
{
	float terms = 0;

	b->straight = true;
	for (int k = 0; k < 3; k++) {
		make_span(&b->span[k], packet, k);
		b->straight = b->straight && !b->span[k].mixed;
		b->eye[k] = f8_set(eye[k]);
		b->middle[k] = f8_set(packet->middle[k]);
		b->across[k] = f8_set(packet->across[k]);
		b->down[k] = f8_set(packet->down[k]);
		terms += packet->terms[k];
		by_quarters(b->direction[k], packet->direction[k], false);
		for (int i = 0; i < LBVH_PACKET; i += FW_LANES) {
			const FW d = fw_load(b->direction[k] + i);

			fw_store(b->inverse[k] + i, fw_div(fw_set(1), fw_add(d, fw_set(0))));
		}
	}
	make_places(b, packet, terms);
	b->edge_error = f8_set(ERROR_OF_EDGE * terms);
	f8_store(b->farthest, f8_set(INFINITY));
	for (int i = 0; i < LBVH_PACKET; i += FW_LANES)
		fw_store(b->t + i, fw_set(INFINITY));
	memset(b->primitive, 0xff, sizeof b->primitive);
}

/* For values that need not be the same for all instruction sets. */
WORDS_FN F8 dot8_fast(const F8 a[3], const F8 b[3])
{
	return f8_fma(a[0], b[0], f8_fma(a[1], b[1], f8_mul(a[2], b[2])));
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* out[0] and out[1] are not negative where boxes reach into the pixels of the first and second
 * quarter along x or y.  The boxes' coordinates are -low .. high. */
WORDS_FN void reach_into(F8 low, F8 high, F8 shallow, F8 deep, F8 out[2])
{
	out[0] = f8_min(f8_add(high, deep), f8_sub(low, shallow));
	out[1] = f8_min(f8_sub(high, shallow), f8_add(low, deep));
}

/* The boxes of a node as seen from the eye of a bundle. */
struct seen {
	F8 entry, last;        /* earliest entry and latest exit of a ray */
	F8 centre[3], size[3]; /* twice the centre; extent, signed as the directions are */
};

WORDS_FN void see(const struct lbvh_wide_node *node, const struct bundle *b, struct seen *seen)
{
	seen->entry = f8_set(0);
	seen->last = f8_set(INFINITY);
	for (int k = 0; k < 3; k++) {
		const struct span *span = &b->span[k];
		const F8 near = f8_sub(f8_load(node->bound[k][span->side]), b->eye[k]);
		const F8 far = f8_sub(f8_load(node->bound[k][1 - span->side]), b->eye[k]);

		seen->entry = f8_max(f8_mul(near, span->entry), seen->entry);
		if (span->mixed)
			seen->entry = f8_max(f8_mul(far, span->exit), seen->entry);
		else
			seen->last = f8_min(f8_mul(far, span->exit), seen->last);
		seen->centre[k] = f8_add(near, far);
		seen->size[k] = f8_sub(far, near);
	}
}

/* The children whose boxes some ray may enter: bit 8 q + i for quarter q and child i.  *entry: the
 * earliest entries. */
WORDS_FN uint32_t enter_bundle(const struct lbvh_wide_node *node, const struct bundle *b, F8 *entry)
{
	F8 column[2], row[2], depth, reach, shallow, deep, error;
	struct seen seen;
	uint32_t bits = 0;
	unsigned all;

	see(node, b, &seen);
	*entry = seen.entry;
	all = f8_le(seen.entry, f8_mul(seen.last, f8_set(LBVH_SLACK)));
	/* If all axes are mixed, the test above does not reject empty slots. */
	if (!b->straight)
		all &= f8_le(f8_load(node->bound[0][0]), f8_load(node->bound[0][1]));
	depth = dot8_fast(b->to_place[0], seen.centre);
	reach = dot8_fast(b->reach[0], seen.size);
	/* Depth times the pixel nearest to the middle, and times the farthest. */
	shallow = f8_mul(f8_sub(depth, reach), f8_set(0.5F));
	deep = f8_mul(f8_add(depth, reach), f8_set((LBVH_PACKET_EDGE - 1) / 2.0F));
	error = f8_add(f8_add(f8_abs(seen.centre[0]), f8_abs(seen.centre[1])),
		       f8_abs(seen.centre[2]));
	error = f8_mul(error, b->place_error);
	for (int i = 0; i < 2; i++) {
		const F8 place = dot8_fast(b->to_place[1 + i], seen.centre);
		const F8 most = f8_add(dot8_fast(b->reach[1 + i], seen.size), error);

		reach_into(f8_sub(most, place), f8_add(most, place), shallow, deep,
			   i ? row : column);
	}
	for (int q = 0; q < QUARTERS; q++) {
		const F8 farthest = f8_set(b->farthest[q] * LBVH_SLACK);

		bits |= (all & f8_le(f8_set(0), f8_min(column[q % 2], row[q / 2])) &
			 f8_le(seen.entry, farthest))
			<< 8 * q;
	}
	return bits;
}

/* Each quarter of a set as eight bits. */
WORDS_FN uint32_t spread_quarters(uint32_t quarters)
{
	return ((quarters * 0x00204081U) & 0x01010101U) * 0xff;
}

/* The quarters of child i: bits i, 8 + i, 16 + i, 24 + i moved to bits 0 .. 3. */
WORDS_FN uint32_t quarters_of(uint32_t bits, uint32_t i)
{
	return (uint32_t)((bits >> i & 0x01010101U) * 0x10204080U) >> 28;
}

/* Insert a key into `count` ascending ones. */
WORDS_FN void insert_key(uint32_t *key, unsigned count, uint32_t one)
{
	for (; count > 0 && key[count - 1] > one; count--)
		key[count] = key[count - 1];
	key[count] = one;
}

/* Sort two keys, the common case, without a branch to mispredict. */
WORDS_FN void sort_two(uint32_t key[2])
{
	const uint32_t first = key[0], second = key[1];

	key[0] = first < second ? first : second;
	key[1] = first < second ? second : first;
}

/* Find the children of a node that rays of the quarters in at->key may enter: the nearest goes to
 * *at, the others on the stack.  False if there is none. */
WORDS_FN bool follow_bundle(const struct lbvh_wide *wide, const struct lbvh_wide_node *node,
			    const struct bundle *b, struct lbvh_entry *at, struct lbvh_entry **top)
{
	uint32_t key[LBVH_WIDTH] = { 0, UINT32_MAX }, enter[LBVH_WIDTH];
	unsigned count = 0;
	F8 entry;
	const uint32_t bits =
		enter_bundle(node, b, &entry) & spread_quarters(at->key & ALL_QUARTERS);

	if (!bits)
		return false;
	f8_keys(enter, entry);
	for (uint32_t any = (bits | bits >> 8 | bits >> 16 | bits >> 24) & 0xff; any;
	     any &= any - 1)
		key[count++] = enter[__builtin_ctz(any)];
	sort_two(key);
	for (unsigned i = 2; i < count; i++)
		insert_key(key, i, key[i]);
	while (count--) {
		const uint32_t i = key[count] % LBVH_WIDTH;

		*at = (struct lbvh_entry){ node->child[i], (key[count] & ~(uint32_t)ALL_QUARTERS) |
								   quarters_of(bits, i) };
		prefetch_child(wide, at->child);
		if (count)
			*(*top)++ = *at;
	}
	return true;
}

/* ---- triangles ---------------------------------------------------------------------------- */

/* A linear function of the direction: its value in the middle of the pyramid, and its change per
 * pixel. */
struct linear {
	F8 middle, across, down;
};

/* Values of a block that all rays share. */
struct facing {
	/* s, q and height of lbvh_intersect(). */
	float s[3][LBVH_WIDTH], q[3][LBVH_WIDTH], height[LBVH_WIDTH];
	/* u, v and w times the determinant's magnitude: the value in the middle plus an error, and
	 * the changes per pixel. */
	float edge[3][3][LBVH_WIDTH];
};

WORDS_FN struct linear linear_of(const F8 normal[3], const struct bundle *b)
{
	return (struct linear){ dot8_fast(b->middle, normal), dot8_fast(b->across, normal),
				dot8_fast(b->down, normal) };
}

WORDS_FN struct linear sub_linear(struct linear a, struct linear b)
{
	return (struct linear){ f8_sub(a.middle, b.middle), f8_sub(a.across, b.across),
				f8_sub(a.down, b.down) };
}

/* Multiply a function by `sign` and add an error; INFINITY where edge_on.  most: its maximum in
 * each quarter. */
WORDS_FN void widen(struct linear f, F8 sign, F8 error, unsigned edge_on, float out[3][LBVH_WIDTH],
		    F8 most[QUARTERS])
{
	const F8 share = f8_set((QUARTER_EDGE - 1) / 2.0F), two = f8_set(QUARTER_EDGE / 2.0F);
	F8 left, right, top;

	f.middle = f8_select(f8_fma(f.middle, sign, error), f8_set(INFINITY), edge_on);
	f.across = f8_mul(f.across, sign);
	f.down = f8_mul(f.down, sign);
	f8_store(out[0], f.middle);
	f8_store(out[1], f.across);
	f8_store(out[2], f.down);
	top = f8_fma(f8_add(f8_abs(f.across), f8_abs(f.down)), share, f.middle);
	f.across = f8_mul(f.across, two);
	f.down = f8_mul(f.down, two);
	left = f8_sub(top, f.across);
	right = f8_add(top, f.across);
	most[0] = f8_sub(left, f.down);
	most[1] = f8_sub(right, f.down);
	most[2] = f8_add(left, f.down);
	most[3] = f8_add(right, f.down);
}

/* The triangles of a block that a ray may hit: bit 8 q + i for quarter q and triangle i. */
WORDS_FN uint32_t face(const struct lbvh_block *block, const struct bundle *b,
		       struct facing *facing)
{
	F8 edge1[3], edge2[3], s[3], p[3], q[3], normal[3], most[3][QUARTERS];
	F8 size1 = f8_set(0), size2 = f8_set(0), size = f8_set(0), sign, error, error_u, error_v,
	   tilt;
	struct linear u, v, determinant;
	uint32_t bits = 0;
	unsigned edge_on;

	for (int k = 0; k < 3; k++) {
		edge1[k] = f8_load(block->edge1[k]);
		edge2[k] = f8_load(block->edge2[k]);
		s[k] = f8_sub(b->eye[k], f8_load(block->corner[k]));
		size1 = f8_add(size1, f8_abs(edge1[k]));
		size2 = f8_add(size2, f8_abs(edge2[k]));
		size = f8_add(size, f8_abs(s[k]));
		f8_store(facing->s[k], s[k]);
	}
	cross8(edge2, s, p);
	cross8(s, edge1, q);
	cross8(edge2, edge1, normal);
	for (int k = 0; k < 3; k++)
		f8_store(facing->q[k], q[k]);
	f8_store(facing->height, dot8(edge2, q));
	determinant = linear_of(normal, b);
	u = linear_of(p, b);
	v = linear_of(q, b);
	sign = f8_select(f8_set(1), f8_set(-1), f8_lt(determinant.middle, f8_set(0)));
	size = f8_mul(size, b->edge_error);
	error_u = f8_mul(size, size2);
	error_v = f8_mul(size, size1);
	error = f8_mul(f8_mul(size1, size2), b->edge_error);
	/* The determinant may change its sign within the packet: such a triangle is not ruled
	 * out. */
	tilt = f8_mul(f8_add(f8_abs(determinant.across), f8_abs(determinant.down)),
		      f8_set((LBVH_PACKET_EDGE - 1) / 2.0F));
	edge_on = f8_le(f8_abs(determinant.middle), f8_add(tilt, error));
	widen(u, sign, error_u, edge_on, facing->edge[0], most[0]);
	widen(v, sign, error_v, edge_on, facing->edge[1], most[1]);
	widen(sub_linear(sub_linear(determinant, u), v), sign,
	      f8_add(f8_add(error_u, error_v), error), edge_on, facing->edge[2], most[2]);
	for (int n = 0; n < QUARTERS; n++)
		/* A NaN in u or v makes w NaN, which min() passes on. */
		bits |= f8_le(f8_set(0), f8_min(most[0][n], f8_min(most[1][n], most[2][n])))
			<< 8 * n;
	return bits;
}

/* Positions of a packet's rays in its pyramid, in the order of quarters. */
#define FOUR_X(x)    (x), (x) + 1, (x) + 2, (x) + 3
#define FOUR_Y(y)    (y), (y), (y), (y)
#define QUARTER_X(x) FOUR_X(x), FOUR_X(x), FOUR_X(x), FOUR_X(x)
#define QUARTER_Y(y) FOUR_Y(y), FOUR_Y((y) + 1), FOUR_Y((y) + 2), FOUR_Y((y) + 3)

static const _Alignas(64) float place_x[LBVH_PACKET] = { QUARTER_X(-3.5F), QUARTER_X(0.5F),
							 QUARTER_X(-3.5F), QUARTER_X(0.5F) };
static const _Alignas(64) float place_y[LBVH_PACKET] = { QUARTER_Y(-3.5F), QUARTER_Y(-3.5F),
							 QUARTER_Y(0.5F), QUARTER_Y(0.5F) };

/* True if one of the rays from `first` on may hit triangle i. */
WORDS_FN bool may_hit(const struct facing *facing, unsigned i, size_t first)
{
	const FW x = fw_load(place_x + first), y = fw_load(place_y + first);
	FW edge[3];

	for (int k = 0; k < 3; k++)
		edge[k] = fw_fma(
			x, fw_set(facing->edge[k][1][i]),
			fw_fma(y, fw_set(facing->edge[k][2][i]), fw_set(facing->edge[k][0][i])));
	return fw_le(fw_set(0), fw_min(edge[0], fw_min(edge[1], edge[2]))) != 0;
}

/* List the pairs of quarters and triangles in `bits` that may hit, as first ray * 8 + triangle. */
WORDS_FN unsigned candidates(const struct facing *facing, uint32_t bits,
			     uint32_t out[QUARTERS * LBVH_WIDTH * QUARTER / FW_LANES])
{
	unsigned count = 0;

	for (; bits; bits &= bits - 1) {
		const unsigned at = (unsigned)__builtin_ctz(bits), i = at % LBVH_WIDTH;

		for (unsigned k = 0; k < QUARTER; k += FW_LANES) {
			const unsigned first = at / LBVH_WIDTH * QUARTER + k;

			out[count] = first * LBVH_WIDTH + i;
			count += may_hit(facing, i, first);
		}
	}
	return count;
}

/* 1 + the relative distance by which a ray may miss a box and still hit a triangle in it. */
#define PASSING 1.00001F

/* The rays from `first` on that pass through the box of a triangle.  If a thin triangle is seen
 * nearly edge-on, rounding lets lbvh_intersect() find hits far beyond its corners.  A tree that is
 * entered ray by ray loses them at the boxes; here they must not depend on a quarter. */
WORDS_FN unsigned pass_box(const struct bundle *b, size_t first, const FW edge1[3],
			   const FW edge2[3], const FW s[3])
{
	FW entry = fw_set(0), last = fw_set(INFINITY);

	for (int k = 0; k < 3; k++) {
		const FW inverse = fw_load(b->inverse[k] + first);
		const FW low = fw_sub(fw_min(fw_min(edge1[k], edge2[k]), fw_set(0)), s[k]);
		const FW high = fw_sub(fw_max(fw_max(edge1[k], edge2[k]), fw_set(0)), s[k]);
		const FW one = fw_mul(low, inverse), other = fw_mul(high, inverse);

		entry = fw_max(fw_min(other, one), entry);
		last = fw_min(fw_max(one, other), last);
	}
	return fw_le(entry, fw_mul(last, fw_set(PASSING)));
}

/* lbvh_intersect() of the rays from `first` on and triangle i; true if one hit. */
WORDS_FN bool intersect_rays(const struct lbvh_block *block, int i, const struct facing *facing,
			     struct bundle *b, size_t first)
{
	const FW x = fw_load(b->direction[0] + first), y = fw_load(b->direction[1] + first);
	const FW z = fw_load(b->direction[2] + first), nearest = fw_load(b->t + first);
	FW edge1[3], edge2[3], s[3], q[3], p[3], determinant, inverse, u, v, w, t;
	const uint32_t primitive = block->primitive[i] & ~LBVH_MORE;
	uint32_t *const best = b->primitive + first;
	unsigned bits, equal;

	for (int k = 0; k < 3; k++) {
		edge1[k] = fw_set(block->edge1[k][i]);
		edge2[k] = fw_set(block->edge2[k][i]);
		s[k] = fw_set(facing->s[k][i]);
		q[k] = fw_set(facing->q[k][i]);
	}
	p[0] = fw_sub(fw_mul(y, edge2[2]), fw_mul(z, edge2[1]));
	p[1] = fw_sub(fw_mul(z, edge2[0]), fw_mul(x, edge2[2]));
	p[2] = fw_sub(fw_mul(x, edge2[1]), fw_mul(y, edge2[0]));
	determinant = fw_add(fw_add(fw_mul(edge1[0], p[0]), fw_mul(edge1[1], p[1])),
			     fw_mul(edge1[2], p[2]));
	inverse = fw_div(fw_set(1), determinant);
	u = fw_mul(fw_add(fw_add(fw_mul(s[0], p[0]), fw_mul(s[1], p[1])), fw_mul(s[2], p[2])),
		   inverse);
	v = fw_mul(fw_add(fw_add(fw_mul(x, q[0]), fw_mul(y, q[1])), fw_mul(z, q[2])), inverse);
	w = fw_sub(fw_set(1), fw_add(u, v));
	t = fw_mul(fw_set(facing->height[i]), inverse);
	bits = fw_le(fw_set(0), fw_min(u, fw_min(v, w)));
	bits &= fw_lt(fw_set(0), t) & fw_le(t, nearest) & fw_lt(t, fw_set(INFINITY));
	if (!bits)
		return false;
	bits &= pass_box(b, first, edge1, edge2, s);
	/* At equal distances the smaller primitive counts. */
	for (equal = bits & fw_eq(t, nearest); equal; equal &= equal - 1)
		if (primitive > best[__builtin_ctz(equal)])
			bits &= ~(1U << __builtin_ctz(equal));
	fw_store(b->t + first, fw_select(nearest, t, bits));
	fw_put(best, primitive, bits);
	return true;
}

/* Recompute the farthest hit of each of some quarters. */
WORDS_FN void find_farthest(struct bundle *b, uint32_t quarters)
{
	for (; quarters; quarters &= quarters - 1) {
		const int q = __builtin_ctz(quarters);
		FW most = fw_load(b->t + (size_t)q * QUARTER);

		for (int i = FW_LANES; i < QUARTER; i += FW_LANES)
			most = fw_max(most, fw_load(b->t + (size_t)q * QUARTER + i));
		b->farthest[q] = b->farthest[QUARTERS + q] = fw_most(most);
	}
}

WORDS_FN void intersect_block(const struct lbvh_block *block, struct bundle *b, uint32_t quarters)
{
	uint32_t list[QUARTERS * LBVH_WIDTH * QUARTER / FW_LANES], changed = 0;
	struct facing facing;
	const uint32_t bits = face(block, b, &facing) & spread_quarters(quarters);
	const unsigned count = candidates(&facing, bits, list);

	for (unsigned n = 0; n < count; n++) {
		const size_t first = list[n] / LBVH_WIDTH;

		changed |= (uint32_t)intersect_rays(block, (int)(list[n] % LBVH_WIDTH), &facing, b,
						    first)
			   << first / QUARTER;
	}
	find_farthest(b, changed);
}

/* ---- the walk ----------------------------------------------------------------------------- */

/* Pop the next entry that a ray may still need; false if there is none. */
WORDS_FN bool pop(const struct bundle *b, const struct lbvh_entry *stack, struct lbvh_entry **top,
		  struct lbvh_entry *at)
{
	const F8 farthest = f8_mul(f8_load(b->farthest), f8_set(LBVH_SLACK));

	while (*top > stack) {
		union lbvh_distance entry;
		uint32_t quarters;

		*at = *--*top;
		entry.bits = at->key & ~(uint32_t)ALL_QUARTERS;
		quarters = f8_le(f8_set(entry.t), farthest) & at->key & ALL_QUARTERS;
		if (quarters) {
			at->key = quarters;
			return true;
		}
	}
	return false;
}

WORDS_ENTRY void trace_packet(const struct lbvh_wide *wide, const float eye[3],
			      struct lbvh_packet *packet, struct lbvh_entry *stack,
			      struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack, at = { 0, ALL_QUARTERS };
	uint64_t nodes = 0, blocks = 0;
	struct bundle b;

	make_bundle(&b, eye, packet);
	for (;;) {
		if (at.child & LBVH_LEAF) {
			const struct lbvh_block *block = wide->block + (at.child & ~LBVH_LEAF);

			do {
				blocks++;
				intersect_block(block, &b, at.key & ALL_QUARTERS);
			} while (block++->primitive[0] & LBVH_MORE);
		} else {
			nodes++;
			if (follow_bundle(wide, wide->node + at.child, &b, &at, &top))
				continue;
		}
		if (!pop(&b, stack, &top, &at))
			break;
	}
	counts->nodes += nodes;
	counts->triangles += LBVH_WIDTH * blocks;
	by_quarters(b.t, packet->t, true);
	by_quarters(b.primitive, packet->primitive, true);
}
