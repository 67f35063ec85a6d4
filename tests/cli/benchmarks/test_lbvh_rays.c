/* test_lbvh_rays.c -- ray streams: origins, directions and order. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <omp.h>

#include "common/memory.h"
#include "common/text.h"
#include "tests/digest_of.h"
#include "tests/lbvh_scene.h"

static const enum lbvh_rays streams[] = { LBVH_SHADOW, LBVH_AMBIENT, LBVH_RANDOM, LBVH_BOUNCE };

struct box {
	double lo[3], hi[3], diagonal;
};

static struct box box_of(const struct lbvh_input *in)
{
	struct box b = { { 1e30, 1e30, 1e30 }, { -1e30, -1e30, -1e30 }, 0 };

	for (size_t i = 0; i < 9 * in->count; i++) {
		const float *v = in->vertex + 3 * (size_t)in->triangle[i / 3];
		const double x = (double)v[i % 3];

		b.lo[i % 3] = fmin(b.lo[i % 3], x);
		b.hi[i % 3] = fmax(b.hi[i % 3], x);
	}
	for (int k = 0; k < 3; k++)
		b.diagonal += (b.hi[k] - b.lo[k]) * (b.hi[k] - b.lo[k]);
	b.diagonal = sqrt(b.diagonal);
	return b;
}

/* ---- each ray ----------------------------------------------------------------------------- */

static void check_limits(const struct lbvh_ray *ray, enum lbvh_rays kind, const struct box *b)
{
	const double near = kind == LBVH_RANDOM ? 0 : 1e-4 * b->diagonal;
	double length = 0;

	for (int k = 0; k < 3; k++) {
		const double slack = 1e-6 * b->diagonal;

		length += (double)ray->direction[k] * (double)ray->direction[k];
		cr_assert(ray->origin[k] >= b->lo[k] - slack && ray->origin[k] <= b->hi[k] + slack);
	}
	cr_assert_float_eq(length, 1, 1e-6);
	cr_assert_float_eq(ray->near, near, 1e-6 * b->diagonal);
	cr_assert_gt(ray->far, ray->near);
	if (kind == LBVH_AMBIENT)
		cr_assert_float_eq(ray->far, b->diagonal / 10, 1e-6 * b->diagonal);
	cr_assert_eq(isinf(ray->far), kind == LBVH_RANDOM || kind == LBVH_BOUNCE);
}

/* The distance of the ray's end from the centre of the light, in its radii. */
static double off_light(const struct lbvh_ray *ray, const struct box *b)
{
	static const double away[3] = { 0.48, 0.8, 0.36 };
	double square = 0;

	for (int k = 0; k < 3; k++) {
		const double end =
			(double)ray->origin[k] + (double)ray->far * (double)ray->direction[k];
		const double middle = (b->lo[k] + b->hi[k]) / 2 + 0.75 * b->diagonal * away[k];

		square += (end - middle) * (end - middle);
	}
	return sqrt(square) / (b->diagonal / 20);
}

Test(lbvh_rays, each_kind)
{
	for (size_t i = 0; i < GB_COUNT(streams); i++)
		for (size_t k = 0; k < 2; k++) {
			struct scene s = prepare_stream(k ? "terrain" : "soup", 500, 37, streams[i],
							LBVH_OWN);
			const struct box b = box_of(s.in);

			cr_assert_eq(s.in->occlusion, streams[i] <= LBVH_AMBIENT);
			for (size_t r = 0; r < lbvh_ray_count(s.in); r++) {
				check_limits(&s.in->ray[r], streams[i], &b);
				if (streams[i] == LBVH_SHADOW)
					cr_assert_float_eq(off_light(&s.in->ray[r], &b), 1, 1e-3);
			}
			gb_lbvh_benchmark.release(s.in);
			cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), 0);
		}
}

/* ---- all kinds -------------------------------------------------------------------------- */

/* Rays depend on the parameters alone, not on threads, machines or versions, whose records are
 * compared. */
Test(lbvh_rays, known)
{
	static const struct {
		const char *scene;
		uint64_t digest[LBVH_KINDS]; /* rays as given, unless primary, then sorted */
	} known[] = {
		{ "city",
		  { UINT64_C(0xe164d5d77e873242), UINT64_C(0x80bfafd60842c100),
		    UINT64_C(0xeca6829d4ffae8b0), UINT64_C(0x1f0a4d59b6cc2770),
		    UINT64_C(0x7333cd1f4043bd2c) } },
		{ "points",
		  { UINT64_C(0x9a0616f47299e6f7), UINT64_C(0xf302543d4e0ccc38),
		    UINT64_C(0x5032cdd8b5b98418), UINT64_C(0xc2dcd15677f2b814),
		    UINT64_C(0x1e1527f2b81fd078) } },
	};

	for (size_t i = 0; i < GB_COUNT(known); i++)
		for (int kind = LBVH_PRIMARY; kind < LBVH_KINDS; kind++) {
			uint64_t digest = 0;

			omp_set_num_threads(1 + 4 * (kind % 2));
			for (int order = kind == LBVH_PRIMARY; order < LBVH_ORDERS; order++) {
				struct scene s =
					prepare_stream(known[i].scene, 600, 70, kind, order);

				digest = digest_of(digest, s.in->ray,
						   lbvh_ray_count(s.in) * sizeof *s.in->ray);
				gb_lbvh_benchmark.release(s.in);
			}
			cr_expect_eq(digest, known[i].digest[kind],
				     "%s, kind %d: UINT64_C(0x%016" PRIx64 ")", known[i].scene,
				     kind, digest);
		}
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct lbvh_ray));
}

/* The sort key: octant, then Morton code. */
static uint64_t place_of(const struct lbvh_ray *ray, const struct box *b)
{
	uint64_t key = 0;

	for (int k = 0; k < 3; k++)
		key = key << 1 | (ray->direction[k] < 0);
	for (int bit = 9; bit >= 0; bit--)
		for (int k = 0; k < 3; k++) {
			const float lo = (float)b->lo[k], hi = (float)b->hi[k];
			const float cell = (2 * ray->origin[k] - 2 * lo) * (512 / (hi - lo));
			const uint32_t at = cell > 0 ? (uint32_t)fminf(cell, 1023) : 0;

			key = key << 1 | (at >> bit & 1);
		}
	return key;
}

Test(lbvh_rays, sorting_permutes_the_rays)
{
	for (int kind = LBVH_PRIMARY; kind < LBVH_KINDS; kind++) {
		struct scene given = prepare_stream("flake", 900, 50, kind, LBVH_OWN);
		struct scene sorted = prepare_stream("flake", 900, 50, kind, LBVH_SPATIAL);
		const struct box b = box_of(sorted.in);
		const size_t rays = lbvh_ray_count(sorted.in);
		struct lbvh_ray *all = malloc(rays * sizeof *all);

		for (size_t i = 0; i + 1 < rays; i++)
			cr_assert_leq(place_of(&sorted.in->ray[i], &b),
				      place_of(&sorted.in->ray[i + 1], &b), "kind %d, ray %zu",
				      kind, i);
		for (size_t i = 0; i < rays; i++)
			all[i] = lbvh_trace_ray(given.in, i);
		qsort(all, rays, sizeof *all, by_bytes);
		qsort(sorted.in->ray, rays, sizeof *all, by_bytes);
		cr_assert(memcmp(all, sorted.in->ray, rays * sizeof *all) == 0, "kind %d", kind);
		free(all);
		gb_lbvh_benchmark.release(given.in);
		gb_lbvh_benchmark.release(sorted.in);
	}
}

/* A build has no rays, and unsorted primary rays are those of the camera. */
Test(lbvh_rays, only_if_requested)
{
	struct scene image = prepare("flake", 100, 8);
	struct lbvh_params params = image.params;
	struct gb_error err = { 0 };
	void *input;

	cr_assert_null(image.in->ray);
	gb_lbvh_benchmark.release(image.in);
	params.op = LBVH_BUILD;
	params.rays_kind = LBVH_SHADOW;
	cr_assert_eq(gb_lbvh_benchmark.prepare(&params, &input, &err), GB_OK, "%s", err.message);
	cr_assert_null(((struct lbvh_input *)input)->ray);
	cr_assert_not(((struct lbvh_input *)input)->occlusion);
	gb_lbvh_benchmark.release(input);
}
