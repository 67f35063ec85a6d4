/* test_lbvh_hits.c -- the verifier of lbvh hits: faults in traced rays that it must find, and how
 * many it tolerates.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/lbvh.h"
#include "common/text.h"
#include "common/workload.h"
#include "tests/lbvh_scene.h"

extern const struct gb_variant_ops lbvh_cpu_wide, lbvh_cpu_stack;

static enum gb_status verify(const struct scene *s, const void *output, struct gb_error *err)
{
	struct gb_metrics metrics = { 0 };

	*err = (struct gb_error){ 0 };
	return gb_lbvh_workload.verify(&s->params, s->in, 0, output, &metrics, err);
}

/* Correct hits pass.  One ray in 100 000 may differ by grazing an edge, no more. */
Test(lbvh_verify, hits)
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
			cr_assert_eq(verify(&s, output, &err) == GB_OK, !fault || faults == 1,
				     "fault %d, %d times: %s", fault, faults, err.message);
			free(output);
		}
	drop(&s);
}

/* One ray in 20 000 may differ for a library, one in 100 000 for our variants. */
Test(lbvh_verify, foreign)
{
	struct scene s = make("terrain", 2000, 150); /* 22 500 rays */
	void *output = trace(&s, &lbvh_cpu_wide);
	float *t = lbvh_trace_t(output);
	uint32_t *primitive = lbvh_trace_primitive(s.in, output);
	struct gb_error err;
	int faults = 0;

	for (size_t i = 0; faults < 2; i++)
		if (primitive[i] != LBVH_MISS) {
			t[i] *= 2;
			faults++;
		}
	cr_assert_eq(verify(&s, output, &err), GB_EVERIFY);
	*lbvh_trace_arithmetic(s.in, output) = LBVH_FOREIGN;
	cr_assert_eq(verify(&s, output, &err), GB_OK, "%s", err.message);
	free(output);
	drop(&s);
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
		struct scene s = prepare_stream("terrain", 2000, 40, fault[i].kind, LBVH_GIVEN);
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
	struct scene s = prepare_stream("terrain", 2000, 41, LBVH_SHADOW, LBVH_GIVEN);
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
		struct scene s = prepare_stream("terrain", 2000, 41, LBVH_SHADOW, LBVH_GIVEN);
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
