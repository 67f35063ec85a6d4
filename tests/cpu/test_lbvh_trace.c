/* test_lbvh_trace.c -- the CPU traversals of lbvh against brute force over all triangles, bit for
 * bit.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/memory.h"
#include "common/text.h"
#include "cpu/lbvh/shared/trace.h"
#include "cpu/lbvh/shared/wide.h"
#include "datasets/mesh/scene.h"
#include "tests/lbvh_scene.h"
#include "tests/metric.h"
#include "tests/sanitized.h"

extern const struct gb_variant_ops lbvh_cpu_stack, lbvh_cpu_stack2, lbvh_cpu_wide;

static const struct {
	const struct gb_variant_ops *ops;
	const char *name;
	enum lbvh_calls calls;
} traversals[] = { { &lbvh_cpu_stack, "stack", LBVH_ALL_RAYS },
		   { &lbvh_cpu_stack2, "stack2", LBVH_ALL_RAYS },
		   { &lbvh_cpu_wide, "wide", LBVH_ALL_RAYS },
		   { &lbvh_cpu_wide, "wide, 1 ray", LBVH_ONE_RAY },
		   { &lbvh_cpu_wide, "wide, 16 rays", LBVH_16_RAYS } };

static enum cpu_simd levels[] = { CPU_PLAIN, CPU_AVX2, CPU_AVX512 };

/* The traversals from `first` on with every instruction set. */
static void check_from(const struct scene *s, const char *what, size_t first)
{
	for (size_t i = 0; i < GB_COUNT(levels) * GB_COUNT(traversals); i++) {
		const size_t k = i % GB_COUNT(traversals);
		struct scene by = *s;
		void *output;
		size_t count;

		if (k < first)
			continue;
		cpu_limit_simd(levels[i / GB_COUNT(traversals)]);
		by.params.rays_per_call = traversals[k].calls;
		output = trace(&by, traversals[k].ops);
		count = differing(s, output);
		cr_assert_eq(count, 0, "%s, %s: %zu of %u rays differ", what, traversals[k].name,
			     count, s->in->edge * s->in->edge);
		free(output);
	}
}

static void check(const struct scene *s, const char *what)
{
	check_from(s, what, 0);
}

static size_t hits(const struct scene *s)
{
	size_t count = 0;

	for (size_t i = 0; i < (size_t)s->in->edge * s->in->edge; i++)
		count += s->primitive[i] != LBVH_MISS;
	return count;
}

/* Few triangles, and images that end within a call or a tile. */
Test(lbvh_trace, every_size)
{
	static const size_t primitives[] = { 1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 73 };
	static const size_t edges[] = { 1, 2, 7, 8, 9, 31, 32, 33, 65 };

	for (size_t i = 0; i < GB_COUNT(primitives); i++)
		for (size_t k = 0; k < GB_COUNT(edges); k += UNLESS_SANITIZED(1, 2)) {
			struct scene s = make("soup", primitives[i], edges[k]);

			s.params.threads = 1 + (int64_t)(i + k) % 5;
			check(&s, "soup");
			drop(&s);
		}
}

/* Streams with lengths that end within a batch, a word or a call. */
Test(lbvh_trace, every_kind_of_ray)
{
	static const char *const scenes[] = { "terrain", "knot", "soup",   "city",
					      "flat",    "huge", "copies", "points" };
	static const size_t edges[] = { 1, 5, 6, 8, 33 };

	for (size_t i = 0; i < GB_COUNT(scenes); i++)
		for (int kind = LBVH_PRIMARY; kind <= LBVH_BOUNCE; kind++) {
			const enum lbvh_order order = kind && i % 2 ? LBVH_OWN : LBVH_SPATIAL;
			struct scene s = prepare_stream(scenes[i], UNLESS_SANITIZED(900, 300),
							edges[(i + (size_t)kind) % GB_COUNT(edges)],
							kind, order);

			cr_assert(s.in->ray);
			brute_force(&s);
			check(&s, scenes[i]);
			drop(&s);
		}
}

/* Ends of intervals: a hit at `far` counts, a hit at `near` does not. */
Test(lbvh_trace, intervals)
{
	for (int kind = LBVH_AMBIENT; kind <= LBVH_RANDOM; kind++) {
		struct scene s = prepare_stream("flake", 2000, 33, kind, LBVH_OWN);
		size_t moved = 0;

		brute_force(&s);
		for (size_t i = 0; i < lbvh_ray_count(s.in); i++) {
			if (s.primitive[i] == LBVH_MISS)
				continue;
			if (i % 2)
				s.in->ray[i].far = s.t[i];
			else
				s.in->ray[i].near = s.t[i];
			moved++;
		}
		cr_assert(moved > 100, "kind %d: %zu", kind, moved);
		free(s.t);
		free(s.primitive);
		brute_force(&s);
		check(&s, "intervals");
		drop(&s);
	}
}

/* There is no absolute epsilon: scaled scenes have the same hits. */
Test(lbvh_trace, scales)
{
	static const float scales[] = { 1e-6F, 1e-3F, 1, 1e4F, 1e8F };
	size_t expected = 0;

	for (size_t i = 0; i < GB_COUNT(scales); i++) {
		struct scene s =
			prepare("flake", UNLESS_SANITIZED(2000, 800), UNLESS_SANITIZED(64, 33));

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

/* ---- difficult rays for slab tests ----------------------------------------------------------- */

/* A square lattice of triangles in the plane z = 0, with corners at integers.  Each turn moves x to
 * y, y to z and z to x. */
static struct scene lattice(const double eye[3], const double target[3], size_t edge, int turn)
{
	enum { SIDE = 8 };
	static float corner[6 * SIDE * SIDE][3];
	struct gb_view view = { .fov = 60 };
	const int x_to = turn % 3, y_to = (turn + 1) % 3, z_to = (turn + 2) % 3;
	size_t n = 0;

	view.up[y_to] = 1;
	for (int k = 0; k < 3; k++) {
		view.eye[(turn + k) % 3] = eye[k];
		view.target[(turn + k) % 3] = target[k];
	}
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			for (int k = 0; k < 6; k++, n++) {
				static const int dx[6] = { 0, 1, 1, 0, 1, 0 };
				static const int dy[6] = { 0, 0, 1, 0, 1, 1 };

				corner[n][x_to] = (float)(x + dx[k] - SIDE / 2);
				corner[n][y_to] = (float)(y + dy[k] - SIDE / 2);
				corner[n][z_to] = 0;
			}
	return compose(corner, n / 3, view, edge);
}

/* Directions with components of 0, with both signs in a group, from points on the planes of boxes,
 * along the plane of the triangles and from within it.  Turned, because a box may forget a NaN in
 * one component at the next. */
Test(lbvh_trace, axes)
{
	static const double eyes[][3] = { { 0, 0, 5 }, { 0.5, 0.5, 5 }, { -4, -4, 3 }, { 1, 2, -2 },
					  { 0, 0, 0 }, { 9, 0, 0 },     { 0.25, 0, 0 } };
	static const double ahead[][3] = { { 0, 0, -1 }, { 0, 0, 1 },  { 1, 0, 0 },
					   { -1, 0, 0 }, { 1, 0, -1 }, { 1, 1, -1 } };

	for (size_t e = 0; e < GB_COUNT(eyes); e++)
		for (size_t a = 0; a < GB_COUNT(ahead); a++) {
			double target[3];

			for (int k = 0; k < 3; k++)
				target[k] = eyes[e][k] + ahead[a][k];
			for (int turn = 0; turn < (e < 2 ? 3 : 1); turn++) {
				struct scene s = lattice(eyes[e], target,
							 UNLESS_SANITIZED(17, 9) + e % 2, turn);

				check(&s, "lattice");
				drop(&s);
			}
		}
}

/* A direction for ray i of a difficult stream: along axes, or nearly, with all signs in turn, or so
 * that adjacent rays share the signs of some components.  Some are barely longer than the least
 * that a group accepts. */
static void hard_direction(size_t i, int how, float d[3])
{
	static const float small[] = { 0, -0.0F, 1e-38F, -1e-12F, 9e-7F, 1e-6F, -2e-6F };
	double length = 0;

	for (int k = 0; k < 3; k++) {
		const uint32_t word = (uint32_t)(i * 3 + (size_t)k + 1) * UINT32_C(2654435761);
		const float size = 0.01F + (float)(word >> 8 & 0xffff) / 65536;

		d[k] = word >> 24 & 1 && how & 1 << k ? -size : size;
		length += (double)d[k] * (double)d[k];
	}
	for (int k = 0; k < 3; k++)
		d[k] = (float)((double)d[k] / sqrt(length));
	if (how & 8 && i % 3 == 0)
		d[i / 3 % 3] = small[i / 9 % GB_COUNT(small)];
	if (how & 16)
		for (size_t k = 0; k < 3; k++)
			d[k] = k == i / 64 % 3 ? (i & 1 ? 1 : -1) : 0;
}

/* Aim at a point on an edge of the lattice, so that rounding decides on boxes.  Far from the origin
 * coordinates are large compared with distances. */
static void aim_at_edge(size_t i, int turn, float away, struct lbvh_ray *ray)
{
	const double place[3] = { (double)(i % 9) - 4, (double)(i / 9 % 65) / 8 - 4, 0 };
	double d[3], length = 0;

	for (int k = 0; k < 3; k++) {
		const int to = (turn + k) % 3;

		ray->origin[to] = away + (k == 2 ? 2 : (float)(i % 13) / 4 - 1);
		d[to] = place[k] + (double)away - (double)ray->origin[to];
		length += d[to] * d[to];
	}
	for (int k = 0; k < 3; k++)
		ray->direction[k] = (float)(d[k] / sqrt(length));
}

/* Rays with little in common, from the planes and corners of boxes, with near and infinite ends:
 * any hit of each.  Excludes the two-child traversals, where such a ray can graze a triangle but
 * miss its box. */
Test(lbvh_trace, hard_groups)
{
	enum { EDGE = 33, AIMED = 32 };
	static const float scales[] = { 1e-6F, 1, 1e8F };

	for (int how = 0; how <= AIMED; how++)
		for (int turn = 0; turn < 3; turn++) {
			const double eye[3] = { 0, 0, 5 }, target[3] = { 0, 0, 0 };
			const float scale = how < AIMED ? scales[turn] : 1;
			const float away = how < AIMED ? 0 : 1000;
			struct scene s = lattice(eye, target, EDGE, turn);
			struct gb_error err = { 0 };

			for (size_t k = 0; k < 3 * s.in->vertex_count; k++)
				s.in->vertex[k] = scale * s.in->vertex[k] + away;
			gb_memory_own(s.in);
			s.in->ray = gb_host_alloc(EDGE * EDGE, sizeof *s.in->ray, &err);
			gb_memory_own(NULL);
			s.in->occlusion = true;
			for (size_t i = 0; i < EDGE * EDGE; i++) {
				struct lbvh_ray *ray = s.in->ray + i;

				hard_direction(i, how, ray->direction);
				for (size_t k = 0; k < 3; k++)
					ray->origin[k] =
						scale * ((float)((i / 7 + k * 5) % 17) / 2 - 4) +
						away;
				if (how == AIMED)
					aim_at_edge(i, turn, away, ray);
				ray->near = 0;
				ray->far =
					i / 48 % 3 == 0 ? INFINITY : scale * (float)(1 + i % 4 * 3);
			}
			free(s.t);
			free(s.primitive);
			brute_force(&s);
			cr_expect(how & 16 || hits(&s) > 50, "%d: %zu", how, hits(&s));
			check_from(&s, "hard group", 2);
			drop(&s);
		}
}
