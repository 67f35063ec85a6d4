/* test_lbvh_hits.c -- the verifier of lbvh hits: faults in traced rays that it must find, and how
 * many it tolerates.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/lbvh/lbvh_reference.h"
#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/text.h"
#include "tests/lbvh_scene.h"

extern const struct gb_variant_ops lbvh_cpu_wide, lbvh_cpu_stack;

static enum gb_status verify(const struct scene *s, const void *output, struct gb_error *err)
{
	struct gb_metrics metrics = { 0 };

	*err = (struct gb_error){ 0 };
	return gb_lbvh_benchmark.verify(&s->params, s->in, 0, output, &metrics, err);
}

/* One ray in 100 000 may differ for our variants, one in 10 000 and one more for a library. */
Test(lbvh_verify, rays_that_may_differ)
{
	static const struct {
		size_t edge, allowed;
		uint32_t arithmetic;
	} row[] = {
		{ 40, 1, 0 },
		{ 316, 1, 0 },
		{ 317, 2, 0 },
		{ 99, 2, LBVH_FOREIGN },
		{ 100, 2, LBVH_FOREIGN },
		{ 101, 3, LBVH_COARSE },
	};

	for (size_t k = 0; k < GB_COUNT(row); k++) {
		struct scene s = prepare("terrain", 500, row[k].edge);
		void *output = trace(&s, &lbvh_cpu_wide);
		uint32_t *primitive = lbvh_trace_primitive(s.in, output);
		struct gb_error err;
		char words[100];
		size_t faults = 0;

		*lbvh_trace_arithmetic(s.in, output) = row[k].arithmetic;
		for (size_t i = 0; faults <= row[k].allowed; i++)
			if (primitive[i] != LBVH_MISS) {
				cr_assert_eq(verify(&s, output, &err), GB_OK, "%s", err.message);
				lbvh_trace_t(output)[i] *= 2;
				faults++;
			}
		(void)snprintf(words, sizeof words,
			       "%zu of %zu rays do not hit what they should (%zu may, at edges)",
			       faults, row[k].edge * row[k].edge, row[k].allowed);
		cr_assert_eq(verify(&s, output, &err), GB_EVERIFY);
		cr_assert(strstr(err.message, words), "%s", err.message);
		free(output);
		gb_lbvh_benchmark.release(s.in);
	}
}

/* The number of rays that differ if the only one, which meets a triangle at 4, is `by` (relative)
 * farther away. */
static double differing_if(uint32_t arithmetic, float slope, double by)
{
	/* The angle between the ray and the plane has the tangent `slope`. */
	const float corner[3][3] = { { -1, -slope, -1 }, { 1, -slope, -1 }, { 0, slope, 1 } };
	const struct gb_view view = { .eye = { 0, 0, 4 }, .up = { 0, 1, 0 }, .fov = 60 };
	struct scene s = compose(corner, 1, view, 1);
	void *output = trace(&s, &lbvh_cpu_wide);
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };

	cr_assert_float_eq(s.t[0], 4, 1e-3);
	*lbvh_trace_t(output) = (float)((double)s.t[0] * (1 + by));
	*lbvh_trace_arithmetic(s.in, output) = arithmetic;
	(void)gb_lbvh_benchmark.verify(&s.params, s.in, 0, output, &metrics, &err);
	free(output);
	drop(&s);
	cr_assert_str_eq(metrics.item[1].name, "differing_rays");
	return metrics.item[1].value;
}

/* Distances may differ by 1e-4; in foreign arithmetic by 16 * 2^-24 * |e1| * |e2| * (|s| + t) / det
 * on triangles seen from the side, and by at most 1 %; coarse ones by 1 % on all. */
Test(lbvh_verify, rounding)
{
	const double flat = 16 * 0x1p-24 * 2 * sqrt(5) * (sqrt(26) + 4) / 4 / 4; /* times slope */
	const struct {
		uint32_t arithmetic;
		float slope;
		double least; /* difference that is too large */
	} row[] = {
		{ 0, 1, 1e-4 },
		{ 0, 0x1p-8F, 1e-4 },
		{ LBVH_FOREIGN, 1, 1e-4 },
		{ LBVH_FOREIGN, 0x1p-8F, flat * 0x1p8 },
		{ LBVH_FOREIGN, 0x1p-16F, 1e-2 },
		{ LBVH_COARSE, 1, 1e-2 },
		{ LBVH_COARSE, 0x1p-8F, 1e-2 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		for (int sign = -1; sign < 2; sign += 2)
			for (int wrong = 0; wrong < 2; wrong++)
				cr_expect_eq(
					differing_if(row[i].arithmetic, row[i].slope,
						     sign * (0.97 + 0.06 * wrong) * row[i].least),
					wrong, "row %zu, %d", i, sign);
}

/* ---- streams ------------------------------------------------------------------------------ */

/* The output of a traversal that reads changed rays. */
static void *trace_other(const struct scene *s, void (*change)(struct lbvh_ray *ray, size_t rays))
{
	const size_t rays = lbvh_ray_count(s->in);
	struct lbvh_ray *right = s->in->ray, *wrong = malloc(rays * sizeof *wrong);
	void *output;

	memcpy(wrong, right, rays * sizeof *wrong);
	change(wrong, rays);
	s->in->ray = wrong;
	output = trace(s, &lbvh_cpu_wide);
	s->in->ray = right;
	free(wrong);
	return output;
}

static void change_nothing(struct lbvh_ray *ray, size_t rays)
{
}

static void swap_rays(struct lbvh_ray *ray, size_t rays)
{
	for (size_t i = 0; i < rays / 4; i++) {
		const struct lbvh_ray one = ray[i];

		ray[i] = ray[rays - 1 - i];
		ray[rays - 1 - i] = one;
	}
}

static void ignore_far(struct lbvh_ray *ray, size_t rays)
{
	for (size_t i = 0; i < rays; i++)
		ray[i].far = INFINITY;
}

static void ignore_near(struct lbvh_ray *ray, size_t rays)
{
	for (size_t i = 0; i < rays; i++)
		ray[i].near = 0;
}

Test(lbvh_verify, streams_of_other_rays)
{
	static const struct {
		void (*change)(struct lbvh_ray *ray, size_t rays);
		enum lbvh_rays kind;
		enum gb_status status;
	} fault[] = {
		{ change_nothing, LBVH_SHADOW, GB_OK },   { change_nothing, LBVH_AMBIENT, GB_OK },
		{ change_nothing, LBVH_RANDOM, GB_OK },   { change_nothing, LBVH_BOUNCE, GB_OK },
		{ swap_rays, LBVH_SHADOW, GB_EVERIFY },   { swap_rays, LBVH_RANDOM, GB_EVERIFY },
		{ swap_rays, LBVH_BOUNCE, GB_EVERIFY },   { ignore_far, LBVH_AMBIENT, GB_EVERIFY },
		{ ignore_near, LBVH_BOUNCE, GB_EVERIFY }, { ignore_near, LBVH_SHADOW, GB_EVERIFY },
	};

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		struct scene s = prepare_stream("terrain", 2000, 40, fault[i].kind, LBVH_OWN);
		void *output = trace_other(&s, fault[i].change);
		struct gb_error err;

		cr_assert_eq(verify(&s, output, &err), fault[i].status, "fault %zu: %s", i,
			     err.message);
		cr_assert(fault[i].status == GB_OK || strstr(err.message, "first ray "), "%s",
			  err.message);
		free(output);
		drop(&s);
	}
}

/* One bit may depend on an edge.  Two are wrong, and so is one that belongs to no ray. */
Test(lbvh_verify, occlusion_bits)
{
	struct scene s = prepare_stream("terrain", 2000, 41, LBVH_SHADOW, LBVH_OWN);
	void *output = trace(&s, &lbvh_cpu_stack);
	uint32_t *bits = lbvh_trace_bits(output);
	struct gb_error err;

	bits[3] ^= 1 << 7;
	cr_assert_eq(verify(&s, output, &err), GB_OK, "%s", err.message);
	bits[9] ^= 1;
	cr_assert_eq(verify(&s, output, &err), GB_EVERIFY);
	cr_assert(strstr(err.message, "2 of 1681 rays are wrongly occluded or not"), "%s",
		  err.message);
	cr_assert(strstr(err.message, "first ray 103: "), "%s", err.message);
	bits[3] ^= 1 << 7;
	bits[9] ^= 1;
	bits[1681 / 32] |= UINT32_C(1) << 31;
	cr_assert_eq(verify(&s, output, &err), GB_EVERIFY);
	cr_assert(strstr(err.message, "behind the last of 1681"), "%s", err.message);
	free(output);
	drop(&s);
}

/* Both kinds of fault are found: rays that are not occluded but should be, and the reverse. */
Test(lbvh_verify, occlusion_in_both_directions)
{
	for (uint32_t occluded = 0; occluded < 2; occluded++) {
		struct scene s = prepare_stream("terrain", 2000, 41, LBVH_SHADOW, LBVH_OWN);
		void *output = trace(&s, &lbvh_cpu_stack);
		uint32_t *bits = lbvh_trace_bits(output);
		struct gb_error err;
		int faults = 0;

		for (size_t i = 0; i < 1681 && faults < 9; i++)
			if ((bits[i / 32] >> i % 32 & 1) == occluded) {
				bits[i / 32] ^= UINT32_C(1) << i % 32;
				faults++;
			}
		cr_assert(faults == 9);
		cr_assert_eq(verify(&s, output, &err), GB_EVERIFY);
		cr_assert(strstr(err.message, "9 of 1681 rays are wrongly occluded or not"), "%s",
			  err.message);
		free(output);
		drop(&s);
	}
}

/* ---- pictures ----------------------------------------------------------------------------- */
