/* lbvh_kernels_packet.h -- a part of lbvh_kernels_body.h: 64 rays at a time.
 *
 * 64 rays from one point, of neighbouring pixels, are a thin pyramid.  A node's children are first
 * tested against the intervals that its directions span - eight boxes at once for all rays - and
 * only those that pass against the rays themselves, and that only until one enters.  The triangles
 * of a block are first tested against the four corner rays: the edge functions are linear in the
 * direction, so a triangle on whose outer side of an edge all four corners lie is hit by none.
 * That leaves few triangles for tests of 64 rays.  The bound is arithmetic: nodes and triangles are
 * read once for 64 rays.
 */

/* What the directions of a packet have in common along an axis. */
struct span {
	F8 low, high; /* the least and the largest inverse; of directions of both signs, those of
			 the least and the largest direction */
	F8 origin;
	int side;
	bool mixed; /* both signs, or 0 */
};

struct bundle {
	struct span span[3];
	bool straight;  /* no axis is mixed */
	float farthest; /* no ray's t is larger */
	F8 corner[4][3];
	float magnitude; /* the sum of the largest components of a direction */
	const float *eye;
	FW direction[3][VECTORS], inverse[3][VECTORS], t[VECTORS];
	uint32_t *primitive;
};

WORDS_FN void make_span(struct bundle *b, int k, float least, float most, float eye)
{
	struct span *span = &b->span[k];

	span->mixed = least <= 0 && most >= 0;
	span->side = most < 0;
	span->origin = f8_set(eye);
	if (span->mixed) {
		span->low = f8_set(least < 0 ? lbvh_max(inverse_of(least), -FLT_MAX) : -FLT_MAX);
		span->high = f8_set(most > 0 ? lbvh_min(inverse_of(most), FLT_MAX) : FLT_MAX);
	} else {
		span->low = f8_set(inverse_of(most));
		span->high = f8_set(inverse_of(least));
	}
	b->straight = b->straight && !span->mixed;
	b->magnitude += lbvh_max(-least, most);
}

WORDS_FN void make_bundle(struct bundle *b, const float eye[3], struct lbvh_packet *packet)
{
	static const int corner[4] = { 0, LBVH_PACKET_EDGE - 1, LBVH_PACKET - LBVH_PACKET_EDGE,
				       LBVH_PACKET - 1 };

	b->straight = true;
	b->magnitude = 0;
	b->farthest = INFINITY;
	b->eye = eye;
	b->primitive = packet->primitive;
	for (int k = 0; k < 3; k++) {
		const float *d = packet->direction[k];
		FW least = fw_load(d), most = least;
		float low[FW_LANES], high[FW_LANES];

		for (int v = 0; v < VECTORS; v++) {
			const FW one = fw_load(d + (size_t)v * FW_LANES);

			b->direction[k][v] = one;
			b->inverse[k][v] = fw_div(fw_set(1), fw_add(one, fw_set(0)));
			least = fw_min(least, one);
			most = fw_max(most, one);
		}
		fw_store(low, least);
		fw_store(high, most);
		for (int i = 1; i < FW_LANES; i++) {
			low[0] = lbvh_min(low[0], low[i]);
			high[0] = lbvh_max(high[0], high[i]);
		}
		make_span(b, k, low[0], high[0], eye[k]);
		for (int c = 0; c < 4; c++)
			b->corner[c][k] = f8_set(d[corner[c]]);
	}
	for (int v = 0; v < VECTORS; v++)
		b->t[v] = fw_set(INFINITY);
	for (int i = 0; i < LBVH_PACKET; i++)
		packet->primitive[i] = LBVH_MISS;
}

/* The children whose boxes some ray within the bundle's intervals may enter; in *first_entry where,
 * at the earliest. */
WORDS_FN unsigned enter_bundle(const struct lbvh_wide_node *node, const struct bundle *b,
			       F8 *first_entry)
{
	F8 entry = f8_set(0), last = f8_set(b->farthest);
	unsigned bits;

	for (int k = 0; k < 3; k++) {
		const struct span *span = &b->span[k];
		const F8 low = f8_sub(f8_load(node->bound[k][span->side]), span->origin);
		const F8 high = f8_sub(f8_load(node->bound[k][1 - span->side]), span->origin);

		if (span->mixed) {
			entry = f8_max(f8_max(f8_mul(low, span->high), f8_mul(high, span->low)),
				       entry);
		} else {
			entry = f8_max(f8_min(f8_mul(low, span->low), f8_mul(low, span->high)),
				       entry);
			last = f8_min(f8_max(f8_mul(high, span->low), f8_mul(high, span->high)),
				      last);
		}
	}
	*first_entry = entry;
	bits = f8_le(entry, f8_mul(last, f8_set(LBVH_SLACK)));
	/* What is mixed in all axes does not notice that a slot is empty. */
	return b->straight ? bits
			   : bits & f8_le(f8_load(node->bound[0][0]), f8_load(node->bound[0][1]));
}

/* A part of a bundle: vectors first .. last.  In a key, the lowest six bits. */
struct part {
	uint32_t first, last;
};

#define PART_BITS UINT32_C(63)

WORDS_FN struct part part_of(uint32_t key)
{
	return (struct part){ key & 7, key >> 3 & 7 };
}

WORDS_FN uint32_t part_bits(struct part part)
{
	return part.first | part.last << 3;
}

/* Whether a ray of vector v enters the box whose planes are at low and high, seen from the eye. */
WORDS_FN bool enters(const FW low[3], const FW high[3], const struct bundle *b, uint32_t v)
{
	FW entry = fw_set(0), last = b->t[v];

	for (int k = 0; k < 3; k++) {
		const FW near = fw_mul(low[k], b->inverse[k][v]);
		const FW far = fw_mul(high[k], b->inverse[k][v]);

		entry = fw_max(b->straight ? near : fw_min(far, near), entry);
		last = fw_min(b->straight ? far : fw_max(near, far), last);
	}
	return fw_le(entry, fw_mul(last, fw_set(LBVH_SLACK)));
}

/* The least part of *part with all rays that enter child i; whether there are any. */
WORDS_FN bool enter_rays(const struct lbvh_wide_node *node, int i, const struct bundle *b,
			 struct part *part)
{
	FW low[3], high[3];

	for (int k = 0; k < 3; k++) {
		const int side = b->span[k].side;

		low[k] = fw_set(node->bound[k][side][i] - b->eye[k]);
		high[k] = fw_set(node->bound[k][1 - side][i] - b->eye[k]);
	}
	while (!enters(low, high, b, part->first))
		if (part->first++ == part->last)
			return false;
	while (part->last > part->first && !enters(low, high, b, part->last))
		part->last--;
	return true;
}

/* The triangles of a block that a ray within the four corners may hit.  Edge functions of the
 * corners that are negative by more than their rounding errors decide. */
WORDS_FN unsigned facing(const struct lbvh_block *block, const struct bundle *b, float q_out[3][8],
			 float t_out[8])
{
	const F8 slack = f8_set(-4e-6F * b->magnitude), zero = f8_set(0);
	F8 edge1[3], edge2[3], s[3], p[3], q[3], normal[3];
	F8 size1 = zero, size2 = zero, size = zero, top_u, top_v, top_w, most, least;

	for (int k = 0; k < 3; k++) {
		edge1[k] = f8_load(block->edge1[k]);
		edge2[k] = f8_load(block->edge2[k]);
		s[k] = f8_sub(f8_set(b->eye[k]), f8_load(block->corner[k]));
		size1 = f8_add(size1, f8_abs(edge1[k]));
		size2 = f8_add(size2, f8_abs(edge2[k]));
		size = f8_add(size, f8_abs(s[k]));
	}
	cross8(edge2, s, p);
	cross8(s, edge1, q);
	cross8(edge2, edge1, normal);
	for (int k = 0; k < 3; k++)
		f8_store(q_out[k], q[k]);
	f8_store(t_out, dot8(edge2, q));
	top_u = top_v = top_w = most = f8_set(-INFINITY);
	least = f8_set(INFINITY);
	for (int c = 0; c < 4; c++) {
		const F8 determinant = dot8(b->corner[c], normal);
		const F8 sign = f8_select(f8_set(1), f8_set(-1), f8_lt(determinant, zero));
		const F8 u = f8_mul(dot8(b->corner[c], p), sign);
		const F8 v = f8_mul(dot8(b->corner[c], q), sign);

		top_u = f8_max(u, top_u);
		top_v = f8_max(v, top_v);
		top_w = f8_max(f8_sub(f8_mul(determinant, sign), f8_add(u, v)), top_w);
		most = f8_max(determinant, most);
		least = f8_min(determinant, least);
	}
	/* Seen from both sides: nothing can be told. */
	const F8 normal_size = f8_mul(f8_mul(size1, size2), slack);
	const unsigned edge_on = f8_le(least, f8_sub(zero, normal_size)) & f8_le(normal_size, most);
	const F8 slack_u = f8_mul(f8_mul(size, size2), slack);
	const F8 slack_v = f8_mul(f8_mul(size, size1), slack);

	return edge_on | (f8_le(slack_u, top_u) & f8_le(slack_v, top_v) &
			  f8_le(f8_add(f8_add(slack_u, slack_v), normal_size), top_w));
}

/* lbvh_intersect() of the rays of a part and triangle i; whether one hit. */
WORDS_FN bool intersect_rays(const struct lbvh_block *block, int i, struct bundle *b,
			     struct part part, float q[3][8], float height)
{
	const FW qx = fw_set(q[0][i]), qy = fw_set(q[1][i]), qz = fw_set(q[2][i]);
	FW edge1[3], edge2[3], s[3];
	bool any = false;

	for (int k = 0; k < 3; k++) {
		edge1[k] = fw_set(block->edge1[k][i]);
		edge2[k] = fw_set(block->edge2[k][i]);
		s[k] = fw_set(b->eye[k] - block->corner[k][i]);
	}
	for (uint32_t n = part.first; n <= part.last; n++) {
		const FW x = b->direction[0][n], y = b->direction[1][n], z = b->direction[2][n];
		const FW px = fw_sub(fw_mul(y, edge2[2]), fw_mul(z, edge2[1]));
		const FW py = fw_sub(fw_mul(z, edge2[0]), fw_mul(x, edge2[2]));
		const FW pz = fw_sub(fw_mul(x, edge2[1]), fw_mul(y, edge2[0]));
		const FW determinant = fw_add(fw_add(fw_mul(edge1[0], px), fw_mul(edge1[1], py)),
					      fw_mul(edge1[2], pz));
		const FW inverse = fw_div(fw_set(1), determinant);
		const FW u =
			fw_mul(fw_add(fw_add(fw_mul(s[0], px), fw_mul(s[1], py)), fw_mul(s[2], pz)),
			       inverse);
		const FW v = fw_mul(fw_add(fw_add(fw_mul(x, qx), fw_mul(y, qy)), fw_mul(z, qz)),
				    inverse);
		const FW w = fw_sub(fw_set(1), fw_add(u, v));
		const FW t = fw_mul(fw_set(height), inverse);
		const uint32_t primitive = block->primitive[i] & ~LBVH_MORE;
		uint32_t *const best = b->primitive + (size_t)n * FW_LANES;
		unsigned bits = fw_le(fw_set(0), fw_min(u, fw_min(v, w))), equal;

		if (!bits)
			continue;
		bits &= fw_lt(fw_set(0), t) & fw_le(t, b->t[n]) & fw_lt(t, fw_set(INFINITY));
		/* Of equal distances the smaller primitive counts. */
		for (equal = bits & fw_eq(t, b->t[n]); equal; equal &= equal - 1)
			if (primitive > best[__builtin_ctz(equal)])
				bits &= ~(1U << __builtin_ctz(equal));
		b->t[n] = fw_select(b->t[n], t, bits);
		fw_put(best, primitive, bits);
		any = any || bits;
	}
	return any;
}

WORDS_FN void intersect_block(const struct lbvh_block *block, struct bundle *b, struct part part)
{
	float q[3][LBVH_WIDTH], height[LBVH_WIDTH];
	bool any = false;

	for (unsigned bits = facing(block, b, q, height); bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);

		any |= intersect_rays(block, i, b, part, q, height[i]);
	}
	if (any) {
		FW farthest = b->t[0];
		float t[FW_LANES];

		for (int v = 1; v < VECTORS; v++)
			farthest = fw_max(farthest, b->t[v]);
		fw_store(t, farthest);
		for (int i = 1; i < FW_LANES; i++)
			t[0] = lbvh_max(t[0], t[i]);
		b->farthest = t[0];
	}
}

/* The children of a node that a ray of the bundle's part in at->key enters: the nearest
 * goes to *at, the others on the stack.  Whether there is one. */
WORDS_FN bool follow_bundle(const struct lbvh_wide_node *node, const struct bundle *b,
			    struct lbvh_entry *at, struct lbvh_entry **top)
{
	const struct part whole = part_of(at->key);
	uint32_t key[LBVH_WIDTH], enter[LBVH_WIDTH];
	struct part part[LBVH_WIDTH];
	unsigned count = 0, bits;
	F8 entry;

	bits = enter_bundle(node, b, &entry);
	f8_keys(enter, entry);
	for (; bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);

		part[i] = whole;
		if (enter_rays(node, i, b, &part[i]))
			key[count++] = enter[i];
	}
	if (!count)
		return false;
	sort_keys(key, count);
	while (count--) {
		const uint32_t i = key[count] % LBVH_WIDTH;

		*at = (struct lbvh_entry){ node->child[i],
					   (key[count] & ~PART_BITS) | part_bits(part[i]) };
		if (count)
			*(*top)++ = *at;
	}
	return true;
}

WORDS_FN void trace_packet(const struct lbvh_wide *wide, const float eye[3],
			   struct lbvh_packet *packet, struct lbvh_entry *stack,
			   struct lbvh_counts *counts)
{
	struct lbvh_entry *top = stack, at = { 0, part_bits((struct part){ 0, VECTORS - 1 }) };
	uint64_t nodes = 0, blocks = 0;
	struct bundle b;

	make_bundle(&b, eye, packet);
	for (;;) {
		if (at.child & LBVH_LEAF) {
			const struct lbvh_block *block = wide->block + (at.child & ~LBVH_LEAF);

			do {
				blocks++;
				intersect_block(block, &b, part_of(at.key));
			} while (block++->primitive[0] & LBVH_MORE);
		} else {
			nodes++;
			if (follow_bundle(wide->node + at.child, &b, &at, &top))
				continue;
		}
		do {
			if (top == stack) {
				counts->nodes += nodes;
				counts->triangles += LBVH_WIDTH * blocks;
				for (int v = 0; v < VECTORS; v++)
					fw_store(packet->t + (size_t)v * FW_LANES, b.t[v]);
				return;
			}
			at = *--top;
		} while ((at.key & ~PART_BITS) > bits_of(b.farthest * LBVH_SLACK));
	}
}
