/* test_lbvh_trace.c -- the CPU traversals of lbvh against all triangles one by one, bit for bit;
 * the collapse to wide trees; and faults that the comparison and the judge must find.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/lbvh.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"
#include "common/workload.h"
#include "cpu/lbvh_trace.h"
#include "cpu/lbvh_wide.h"
#include "datasets/scene.h"

extern const struct gb_workload gb_lbvh_workload;

static const struct gb_variant_ops *const traversals[] = { &lbvh_cpu_stack, &lbvh_cpu_stack2,
							   &lbvh_cpu_wide, &lbvh_cpu_packet };
static const char *const names[] = { "stack", "stack2", "wide", "packet" };

static enum lbvh_simd levels[] = { LBVH_PLAIN, LBVH_AVX2, LBVH_AVX512 };

/* ---- scenes ------------------------------------------------------------------------------- */

/* An input, and the hits that all triangles one by one give. */
struct scene {
	struct lbvh_params params;
	struct lbvh_input *in;
	float *t;
	uint32_t *primitive;
};

static void brute_force(struct scene *s)
{
	const struct lbvh_input *in = s->in;
	const size_t rays = (size_t)in->edge * in->edge;

	s->t = calloc(rays, sizeof *s->t);
	s->primitive = calloc(rays, sizeof *s->primitive);
	for (size_t i = 0; i < rays; i++) {
		float direction[3];

		lbvh_ray(&in->camera, (uint32_t)(i % in->edge), (uint32_t)(i / in->edge),
			 direction);
		s->t[i] = INFINITY;
		s->primitive[i] = LBVH_MISS;
		for (uint32_t p = 0; p < in->count; p++) {
			const uint32_t *v = in->triangle + 3 * (size_t)p;
			const float t = lbvh_intersect(
				in->camera.eye, direction, in->vertex + 3 * (size_t)v[0],
				in->vertex + 3 * (size_t)v[1], in->vertex + 3 * (size_t)v[2]);

			if (lbvh_nearer(t, p, s->t[i], s->primitive[i])) {
				s->t[i] = t;
				s->primitive[i] = p;
			}
		}
	}
}

static struct scene prepare(const char *name, size_t primitives, size_t edge)
{
	struct scene s = { .params = { .op = LBVH_TRACE,
				       .scene = name,
				       .primitives = (int64_t)primitives,
				       .rays = (int64_t)edge,
				       .threads = 2,
				       .seed = 5 } };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_lbvh_workload.prepare(&s.params, &input, &err), GB_OK, "%s", err.message);
	s.in = input;
	return s;
}

static struct scene make(const char *name, size_t primitives, size_t edge)
{
	struct scene s = prepare(name, primitives, edge);

	brute_force(&s);
	return s;
}

static void drop(struct scene *s)
{
	gb_lbvh_workload.release(s->in);
	free(s->t);
	free(s->primitive);
}

/* A scene of our own triangles, seen from eye towards target. */
static struct scene compose(const float (*corner)[3], size_t triangles, struct gb_view view,
			    size_t edge)
{
	struct scene s = prepare("soup", triangles, edge);

	gb_host_free(s.in->vertex);
	s.in->vertex = gb_host_zalloc(9 * triangles + 4, sizeof(float), NULL);
	memcpy(s.in->vertex, corner, 36 * triangles);
	s.in->vertex_count = 3 * triangles;
	for (uint32_t i = 0; i < 3 * triangles; i++)
		s.in->triangle[i] = i;
	s.in->camera = gb_view_camera(&view, (uint32_t)edge);
	brute_force(&s);
	return s;
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* Hits of a traversal, to be freed. */
static void *trace(const struct scene *s, const struct gb_variant_ops *ops)
{
	struct gb_error err = { 0 };
	void *state = NULL, *output = malloc(lbvh_trace_size(s->in));

	memset(output, 0xa5, lbvh_trace_size(s->in));
	cr_assert_eq(ops->create(&state, &s->params, s->in, &err), GB_OK, "%s", err.message);
	cr_assert_eq(ops->run(state, NULL, &err), GB_OK, "%s", err.message);
	cr_assert_eq(ops->download(state, output, &err), GB_OK, "%s", err.message);
	ops->destroy(state);
	return output;
}

/* Rays whose distance or primitive is not the right one. */
static size_t differing(const struct scene *s, void *output)
{
	const float *t = lbvh_trace_t(output);
	const uint32_t *primitive = lbvh_trace_primitive(s->in, output);
	size_t count = 0;

	for (size_t i = 0; i < (size_t)s->in->edge * s->in->edge; i++)
		count += memcmp(t + i, s->t + i, sizeof *t) || primitive[i] != s->primitive[i];
	return count;
}

static void check(const struct scene *s, const char *what)
{
	for (size_t i = 0; i < GB_COUNT(traversals); i++) {
		void *output = trace(s, traversals[i]);
		const size_t count = differing(s, output);

		cr_assert_eq(count, 0, "%s, %s: %zu of %u rays differ", what, names[i], count,
			     s->in->edge * s->in->edge);
		free(output);
	}
}

static size_t hits(const struct scene *s)
{
	size_t count = 0;

	for (size_t i = 0; i < (size_t)s->in->edge * s->in->edge; i++)
		count += s->primitive[i] != LBVH_MISS;
	return count;
}

ParameterizedTestParameters(lbvh_trace, every_scene)
{
	return cr_make_param_array(enum lbvh_simd, levels, GB_COUNT(levels));
}

ParameterizedTest(enum lbvh_simd *level, lbvh_trace, every_scene)
{
	static const char *const scenes[] = { "terrain", "knot", "flake", "soup",   "city",
					      "teapot",  "flat", "huge",  "copies", "points" };

	lbvh_cpu_limit_simd(*level);
	for (size_t i = 0; i < GB_COUNT(scenes); i++) {
		struct scene s = make(scenes[i], 1201, 45);
		const bool visible = strcmp(scenes[i], "points") != 0;

		cr_assert_eq(hits(&s) > 0, visible, "%s", scenes[i]);
		check(&s, scenes[i]);
		drop(&s);
	}
}

ParameterizedTestParameters(lbvh_trace, every_size)
{
	return cr_make_param_array(enum lbvh_simd, levels, GB_COUNT(levels));
}

/* Few triangles, and images that end within a packet or a tile. */
ParameterizedTest(enum lbvh_simd *level, lbvh_trace, every_size)
{
	static const size_t primitives[] = { 1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 73 };
	static const size_t edges[] = { 1, 2, 7, 8, 9, 31, 32, 33, 65 };

	lbvh_cpu_limit_simd(*level);
	for (size_t i = 0; i < GB_COUNT(primitives); i++)
		for (size_t k = 0; k < GB_COUNT(edges); k++) {
			struct scene s = make("soup", primitives[i], edges[k]);

			s.params.threads = 1 + (int64_t)(i + k) % 5;
			check(&s, "soup");
			drop(&s);
		}
}

/* No absolute epsilon anywhere: a scene in millimetres or in leagues has the same hits. */
Test(lbvh_trace, scales)
{
	static const float scales[] = { 1e-6F, 1e-3F, 1, 1e4F, 1e8F };
	size_t expected = 0;

	for (size_t i = 0; i < GB_COUNT(scales); i++) {
		struct scene s = prepare("flake", 2000, 64);

		for (size_t k = 0; k < 3 * s.in->vertex_count; k++)
			s.in->vertex[k] *= scales[i];
		for (int k = 0; k < 3; k++)
			s.in->camera.eye[k] *= scales[i];
		brute_force(&s);
		check(&s, "scaled flake");
		if (i == 0)
			expected = hits(&s);
		cr_assert(hits(&s) + 1 >= expected && hits(&s) <= expected + 1);
		drop(&s);
	}
}

/* ---- rays that are hard on slab tests ----------------------------------------------------- */

/* A square lattice of triangles in the plane z = 0, corners at whole numbers. */
static struct scene lattice(const double eye[3], const double target[3], size_t edge)
{
	enum { SIDE = 8 };
	static float corner[6 * SIDE * SIDE][3];
	struct gb_view view = { .up = { 0, 1, 0 }, .fov = 60 };
	size_t n = 0;

	memcpy(view.eye, eye, sizeof view.eye);
	memcpy(view.target, target, sizeof view.target);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			for (int k = 0; k < 6; k++, n++) {
				static const int dx[6] = { 0, 1, 1, 0, 1, 0 };
				static const int dy[6] = { 0, 0, 1, 0, 1, 1 };

				corner[n][0] = (float)(x + dx[k] - SIDE / 2);
				corner[n][1] = (float)(y + dy[k] - SIDE / 2);
				corner[n][2] = 0;
			}
	return compose(corner, n / 3, view, edge);
}

/* Directions with components of 0, of both signs within a packet, from points on the planes of
 * boxes, along the plane of the triangles, and from within it. */
Test(lbvh_trace, axes)
{
	static const double eyes[][3] = { { 0, 0, 5 }, { 0.5, 0.5, 5 }, { -4, -4, 3 }, { 1, 2, -2 },
					  { 0, 0, 0 }, { 9, 0, 0 },     { 0.25, 0, 0 } };
	static const double ahead[][3] = { { 0, 0, -1 }, { 0, 0, 1 },  { 1, 0, 0 },
					   { -1, 0, 0 }, { 1, 0, -1 }, { 1, 1, -1 } };

	for (size_t i = 0; i < GB_COUNT(levels); i++)
		for (size_t e = 0; e < GB_COUNT(eyes); e++)
			for (size_t a = 0; a < GB_COUNT(ahead); a++) {
				double target[3];

				for (int k = 0; k < 3; k++)
					target[k] = eyes[e][k] + ahead[a][k];
				struct scene s = lattice(eyes[e], target, 17 + e % 2);

				lbvh_cpu_limit_simd(levels[i]);
				check(&s, "lattice");
				drop(&s);
			}
}

/* A closed surface seen from within: rays that slip through between neighbours are counted.  The
 * test of a triangle does not know its neighbours, so there may be a few. */
Test(lbvh_trace, watertight)
{
	enum { ROWS = 40, COLUMNS = 60 };
	static float corner[6 * ROWS * COLUMNS][3];
	const struct gb_view view = {
		.eye = { 0.1, 0.2, -0.3 }, .target = { 0.4, 0.1, 1 }, .up = { 0, 1, 0 }, .fov = 120
	};
	struct scene s;
	size_t n = 0, missed;

	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++)
			for (int k = 0; k < 6; k++, n++) {
				static const int dr[6] = { 0, 1, 1, 0, 1, 0 };
				static const int dc[6] = { 0, 0, 1, 0, 1, 1 };
				const double a = M_PI * (r + dr[k]) / ROWS;
				const double b = 2 * M_PI * ((c + dc[k]) % COLUMNS) / COLUMNS;

				corner[n][0] = (float)(sin(a) * cos(b));
				corner[n][1] = (float)cos(a);
				corner[n][2] = (float)(sin(a) * sin(b));
			}
	s = compose(corner, n / 3, view, 160);
	check(&s, "inside of a sphere");
	missed = 160 * 160 - hits(&s);
	fprintf(stderr, "lbvh: %zu of %d rays slip out of a sphere\n", missed, 160 * 160);
	cr_assert_leq(missed, 2);
	drop(&s);
}

/* All instruction sets make the rays of lbvh_ray(). */
Test(lbvh_trace, rays)
{
	struct scene s = prepare("knot", 100, 77);

	for (size_t i = 0; i < GB_COUNT(levels); i++) {
		const struct lbvh_kernels *kernels;

		lbvh_cpu_limit_simd(levels[i]);
		kernels = lbvh_cpu_kernels();
		for (uint32_t y = 0; y < 77; y += 8)
			for (uint32_t x = 0; x < 77; x += 8) {
				struct lbvh_packet packet = { .x = x, .y = y };

				kernels->rays(&s.in->camera, 77, &packet);
				for (uint32_t r = 0; r < LBVH_PACKET; r++) {
					const uint32_t u = x + r % 8 < 77 ? x + r % 8 : 76;
					const uint32_t v = y + r / 8 < 77 ? y + r / 8 : 76;
					float d[3];

					lbvh_ray(&s.in->camera, u, v, d);
					for (int k = 0; k < 3; k++)
						cr_assert_eq(packet.direction[k][r], d[k]);
				}
			}
	}
	gb_lbvh_workload.release(s.in);
}

/* ---- wide trees --------------------------------------------------------------------------- */

/* What a walk over a wide tree has seen. */
struct census {
	const struct lbvh_wide *wide;
	const struct lbvh_input *in;
	unsigned *seen; /* per primitive */
	unsigned depth;
};

/* The triangles that a block holds must lie in the box they are entered by; a neighbour's need
 * not, so each primitive must do so at least once. */
static void count_block(struct census *c, const struct lbvh_block *block, const float lo[3],
			const float hi[3])
{
	for (int i = 0; i < LBVH_WIDTH; i++) {
		const uint32_t p = block->primitive[i] & ~LBVH_MORE;
		bool inside = true;

		if (block->primitive[i] == LBVH_MISS)
			continue;
		cr_assert_lt(p, c->in->count);
		const struct lbvh_box b = lbvh_primitive_box(c->in->vertex, c->in->triangle, p);
		for (int k = 0; k < 3; k++)
			inside = inside && lo[k] <= b.lo[k] && b.hi[k] <= hi[k];
		c->seen[p] += inside;
	}
}

static void take_census(struct census *c, uint32_t at, unsigned level, const float lo[3],
			const float hi[3])
{
	const struct lbvh_wide_node *node = c->wide->node + at;

	cr_assert_lt(at, c->wide->node_count);
	if (level > c->depth)
		c->depth = level;
	for (int i = 0; i < LBVH_WIDTH; i++) {
		float low[3], high[3];

		for (int k = 0; k < 3; k++) {
			low[k] = node->bound[k][0][i];
			high[k] = node->bound[k][1][i];
		}
		if (low[0] > high[0])
			continue;
		for (int k = 0; k < 3; k++)
			cr_assert(lo[k] <= low[k] && high[k] <= hi[k]);
		if (node->child[i] & LBVH_LEAF) {
			const struct lbvh_block *block =
				c->wide->block + (node->child[i] & ~LBVH_LEAF);

			do {
				cr_assert_lt((size_t)(block - c->wide->block),
					     c->wide->block_count);
				count_block(c, block, low, high);
			} while (block++->primitive[0] & LBVH_MORE);
		} else {
			take_census(c, node->child[i], level + 1, low, high);
		}
	}
}

static void check_wide(const struct lbvh_wide *wide, const struct lbvh_input *in)
{
	static const float lo[3] = { -INFINITY, -INFINITY, -INFINITY };
	static const float hi[3] = { INFINITY, INFINITY, INFINITY };
	struct census c = { wide, in, calloc(in->count, sizeof *c.seen), 0 };

	cr_assert_leq(wide->node_count, wide->node_room);
	cr_assert_leq(wide->block_count, wide->block_room);
	take_census(&c, 0, 1, lo, hi);
	for (size_t p = 0; p < in->count; p++)
		cr_assert_geq(c.seen[p], 1, "primitive %zu is nowhere", p);
	cr_assert_eq(c.depth, wide->depth);
	free(c.seen);
}

/* From trees over codes and from clustered ones, with few and many threads, small and large
 * leaves. */
Test(lbvh_wide, collapse)
{
	static const char *const scenes[] = { "terrain", "city", "soup", "copies", "flat" };
	static const size_t sizes[] = { 1, 8, 9, 100, 4097, 20000 };

	for (size_t i = 0; i < GB_COUNT(scenes) * GB_COUNT(sizes); i++) {
		struct scene s =
			prepare(scenes[i % GB_COUNT(scenes)], sizes[i / GB_COUNT(scenes)], 8);
		struct gb_error err = { 0 };
		struct lbvh_wide wide;
		struct lbvh_cpu cpu = { 0 };
		unsigned depth;
		const int threads = 1 + (int)i % 3;

		s.params.threads = threads;
		lbvh_wide_init(&wide, s.in->count, threads, &err);
		lbvh_cpu_init(&cpu, &s.params, s.in, LBVH_CPU_BEST, &err);
		cr_assert_eq(err.code, GB_OK);
		lbvh_cpu_best(&cpu, NULL);
		for (unsigned leaf = 1; leaf <= LBVH_WIDTH; leaf += 7) {
			lbvh_wide_collapse(&wide, s.in, cpu.node, cpu.index, cpu.leaves, leaf);
			if (leaf == LBVH_WIDTH)
				check_wide(&wide, s.in);
		}
		lbvh_cpu_release(&cpu);
		cpu = (struct lbvh_cpu){ 0 };
		cr_assert_eq(lbvh_tracer_tree(&cpu, &s.params, s.in, &depth, &err), GB_OK);
		lbvh_wide_collapse(&wide, s.in, cpu.node, cpu.index, 0, LBVH_WIDTH);
		check_wide(&wide, s.in);
		lbvh_cpu_release(&cpu);
		lbvh_wide_release(&wide);
		gb_lbvh_workload.release(s.in);
	}
}

/* A tree that is all depth: leaf i and the rest, for all i.  Nodes 2 i + 1 and 2 i + 2. */
static struct lbvh_node *make_chain(const struct lbvh_input *in)
{
	struct lbvh_node *node = calloc(2 * in->count, sizeof *node);

	for (size_t i = in->count; i-- > 0;) {
		const struct lbvh_box b = lbvh_primitive_box(in->vertex, in->triangle, i);
		const bool last = i + 1 == in->count;
		struct lbvh_node *inner = node + 2 * i, *leaf = last ? inner : inner + 1;

		memcpy(leaf->lo, b.lo, sizeof leaf->lo);
		memcpy(leaf->hi, b.hi, sizeof leaf->hi);
		leaf->left = LBVH_LEAF | (uint32_t)i;
		leaf->right = 1;
		if (last)
			continue;
		inner->left = (uint32_t)(2 * i + 1);
		inner->right = (uint32_t)(2 * i + 2);
		for (int k = 0; k < 3; k++) {
			inner->lo[k] = lbvh_min(b.lo[k], node[2 * i + 2].lo[k]);
			inner->hi[k] = lbvh_max(b.hi[k], node[2 * i + 2].hi[k]);
		}
	}
	return node;
}

static uint32_t *count_up(size_t count)
{
	uint32_t *index = calloc(count, sizeof *index);

	for (uint32_t i = 0; i < count; i++)
		index[i] = i;
	return index;
}

/* The hits of both kernels through a wide tree that is not the builders'. */
static size_t differing_kernel(const struct scene *s, const struct lbvh_wide *wide, bool packets)
{
	const struct lbvh_kernels *kernels = lbvh_cpu_kernels();
	struct lbvh_entry *stack = calloc(lbvh_stack_room(wide), sizeof *stack);
	struct lbvh_counts counts = { 0, 0 };
	size_t count = 0;

	for (uint32_t y = 0; y < s->in->edge; y += LBVH_PACKET_EDGE)
		for (uint32_t x = 0; x < s->in->edge; x += LBVH_PACKET_EDGE) {
			struct lbvh_packet p = { .x = x, .y = y };

			kernels->rays(&s->in->camera, s->in->edge, &p);
			(packets ? kernels->packet : kernels->single)(wide, s->in->camera.eye, &p,
								      stack, &counts);
			for (uint32_t r = 0; r < LBVH_PACKET; r++) {
				const size_t at = (size_t)(y + r / 8) * s->in->edge + x + r % 8;

				if (r % 8 < p.width && r / 8 < p.height)
					count += p.t[r] != s->t[at] ||
						 p.primitive[r] != s->primitive[at];
			}
		}
	free(stack);
	return count;
}

/* No tree is too deep for the stack: it is as large as the tree asks for.  The chain also takes
 * more nodes than any other tree. */
Test(lbvh_wide, deep)
{
	struct scene s = make("soup", 5000, 24);
	struct lbvh_node *node = make_chain(s.in);
	uint32_t *index = count_up(s.in->count);
	struct gb_error err = { 0 };
	struct lbvh_wide wide;

	cr_assert_eq(lbvh_depth(node), 5000);
	lbvh_wide_init(&wide, s.in->count, 2, &err);
	lbvh_wide_collapse(&wide, s.in, node, index, 0, LBVH_WIDTH);
	cr_assert_gt(wide.depth, 700);
	check_wide(&wide, s.in);
	cr_assert_eq(differing_kernel(&s, &wide, false), 0);
	cr_assert_eq(differing_kernel(&s, &wide, true), 0);
	lbvh_wide_release(&wide);
	free(index);
	free(node);
	drop(&s);
}

Test(lbvh_wide, too_deep_is_told)
{
	struct scene s = prepare("soup", LBVH_DEPTH_MAX + 10, 8);
	struct lbvh_node *node = make_chain(s.in);

	cr_assert_gt(lbvh_depth(node), LBVH_DEPTH_MAX);
	free(node);
	gb_lbvh_workload.release(s.in);
}

/* ---- planted faults ----------------------------------------------------------------------- */

/* A box that is too small, a child that is lost, a triangle out of its place: the comparison
 * with all triangles finds each. */
Test(lbvh_wide, planted_faults)
{
	struct scene s = make("knot", 3000, 64);
	struct gb_error err = { 0 };
	struct lbvh_wide wide;
	struct lbvh_cpu cpu = { 0 };
	unsigned depth;

	s.params.threads = 1;
	lbvh_wide_init(&wide, s.in->count, 1, &err);
	lbvh_tracer_tree(&cpu, &s.params, s.in, &depth, &err);
	cr_assert_eq(err.code, GB_OK);
	for (int packets = 0; packets < 2; packets++)
		for (int fault = 0; fault < 4; fault++) {
			lbvh_wide_collapse(&wide, s.in, cpu.node, cpu.index, 0, LBVH_WIDTH);
			for (int i = 0; i < LBVH_WIDTH; i++) {
				float *lo = &wide.node[0].bound[1][0][i];
				float *hi = &wide.node[0].bound[1][1][i];

				if (fault == 1 && *lo < *hi)
					*hi = *lo + 0.5F * (*hi - *lo);
				if (fault == 2 && i < 4)
					*lo = INFINITY;
			}
			for (size_t b = 0; b < wide.block_count && fault == 3; b++)
				if (wide.block[b].primitive[0] < s.in->count)
					wide.block[b].edge1[0][0] *= 0.5F;
			cr_assert_eq(differing_kernel(&s, &wide, packets) > 0, fault > 0,
				     "fault %d", fault);
		}
	lbvh_cpu_release(&cpu);
	lbvh_wide_release(&wide);
	drop(&s);
}

static enum gb_status judge(const struct scene *s, const void *output, struct gb_error *err)
{
	struct gb_metrics metrics = { 0 };

	*err = (struct gb_error){ 0 };
	return gb_lbvh_workload.verify(&s->params, s->in, 0, output, &metrics, err);
}

/* The judge of hits passes right ones, and lets one ray in 20 000 graze an edge, not more. */
Test(lbvh_judge, hits)
{
	struct scene s = make("terrain", 2000, 40);
	const size_t rays = 1600;
	struct gb_error err;
	size_t at[2] = { 0, 0 };

	for (size_t i = rays; i-- > 0;)
		if (s.primitive[i] != LBVH_MISS) {
			at[1] = at[0];
			at[0] = i;
		}
	for (int fault = 0; fault < 6; fault++)
		for (int faults = 1; faults <= 2; faults++) {
			void *output = trace(&s, &lbvh_cpu_wide);
			float *t = lbvh_trace_t(output);
			uint32_t *primitive = lbvh_trace_primitive(s.in, output);

			for (int i = 0; i < faults; i++) {
				float *const hit = t + at[i];

				*hit = fault == 1   ? *hit * 1.01F
				       : fault == 2 ? INFINITY
				       : fault == 3 ? NAN
				       : fault == 4 ? -*hit
						    : *hit;
				if (fault == 2)
					primitive[at[i]] = LBVH_MISS;
				if (fault == 5)
					primitive[at[i]] = (primitive[at[i]] + 1000) % 2000;
			}
			cr_assert_eq(judge(&s, output, &err) == GB_OK, !fault || faults == 1,
				     "fault %d, %d times: %s", fault, faults, err.message);
			free(output);
		}
	drop(&s);
}
