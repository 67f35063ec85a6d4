/* test_lbvh_vary.c -- variations of the inputs of lbvh: exchanged triangles of a build, exchanged
 * rays of a stream, a shifted camera of an image; every variant is right on them.
 */
#include "cli/workloads/lbvh/reference.h"
#include "tests/cli/workloads/varied.h"
#include "tests/lbvh_work.h"

#ifdef GPUBENCH_SIMT
enum { TRIANGLES = 500, EDGE = 32 };
#else
enum { TRIANGLES = 2000, EDGE = 48 };
#endif

enum { ARRAYS = 6 };

static struct lbvh_params params_of(const char *scene, enum lbvh_op op, enum lbvh_rays kind,
				    enum lbvh_order order)
{
	return (struct lbvh_params){ .op = (int64_t)op,
				     .scene = scene,
				     .primitives = TRIANGLES,
				     .rays = EDGE,
				     .rays_kind = (int64_t)kind,
				     .rays_order = (int64_t)order,
				     .threads = 2,
				     .seed = 3 };
}

static void list_arrays(const struct lbvh_input *in, struct piece piece[ARRAYS])
{
	piece[0] = (struct piece){ in->triangle, 3 * in->count * sizeof *in->triangle };
	piece[1] = (struct piece){ in->vertex, 3 * in->vertex_count * sizeof *in->vertex };
	piece[2] = (struct piece){ in->ray, in->ray ? lbvh_ray_count(in) * sizeof *in->ray : 0 };
	piece[3] = (struct piece){ &in->camera, sizeof in->camera };
	piece[4] = (struct piece){ &in->probe, sizeof in->probe };
	piece[5] = (struct piece){ &in->edge, sizeof in->edge };
}

/* Equal triangles have no variations, and no ray hits points. */
static bool shows(const char *scene)
{
	return !gb_equal(scene, "copies") && !gb_equal(scene, "points");
}

Test(lbvh_vary, bytes)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++)
		for (int kind = -1; kind < LBVH_KINDS; kind++) {
			const struct lbvh_params params =
				params_of(scenes[s], kind < 0 ? LBVH_BUILD : LBVH_TRACE,
					  kind < 0 ? LBVH_PRIMARY : (enum lbvh_rays)kind,
					  s % 2 ? LBVH_SORTED : LBVH_GIVEN);
			struct trial t = start_trial(&gb_lbvh_workload, &params);
			struct piece piece[ARRAYS];

			list_arrays(t.input, piece);
			check_bytes(&t, piece, ARRAYS, true, true);
			end_trial(&t);
		}
}

/* One coordinate of equal triangles differs.  Those from 0 to 3 have partners, 4 has none. */
Test(lbvh_vary, triangles_that_differ)
{
	for (uint32_t k = 0; k < 5 * 9 * 2; k++) {
		struct lbvh_params params =
			params_of("copies", LBVH_BUILD, LBVH_PRIMARY, LBVH_GIVEN);
		struct trial t;
		struct lbvh_input *in;

		params.primitives = 5;
		t = start_trial(&gb_lbvh_workload, &params);
		in = t.input;
		cr_assert_geq(in->vertex_count, 15);
		for (uint32_t i = 0; i < 15; i++) {
			in->triangle[i] = i;
			for (uint32_t x = 0; x < 3; x++) /* the box is from 0 to 1 */
				in->vertex[3 * i + x] = i % 3 == x;
		}
		cr_expect_not(vary(&t, 5));
		in->vertex[k / 2] += k % 2 ? 2 : -2;
		cr_expect_eq(vary(&t, 6), k < 4 * 9 * 2, "number %u", k);
		end_trial(&t);
	}
}

/* A single ray has none to change places with. */
Test(lbvh_vary, one_ray)
{
	struct lbvh_params params = params_of("terrain", LBVH_TRACE, LBVH_RANDOM, LBVH_GIVEN);

	for (int64_t edge = 1; edge < 3; edge++) {
		struct trial t;

		params.rays = edge;
		t = start_trial(&gb_lbvh_workload, &params);
		cr_expect_eq(vary(&t, 5), edge > 1);
		end_trial(&t);
	}
}

/* An exchange, near or far, keeps the set of items; a shift is less than half a pixel, and not next
 * to none. */
Test(lbvh_vary, amounts)
{
	struct lbvh_params params = params_of("terrain", LBVH_BUILD, LBVH_PRIMARY, LBVH_GIVEN);
	struct trial t = start_trial(&gb_lbvh_workload, &params);
	struct lbvh_input *in = t.input;
	uint32_t *before = malloc(3 * in->count * sizeof *before);
	struct lbvh_camera camera;
	double least = 1, most[2][2] = { { 0 } }; /* to the left and right, up and down */
	size_t exchanged = 0;

	memcpy(before, in->triangle, 3 * in->count * sizeof *before);
	for (int far = 2; far >= 0; far--) {
		const uint64_t key = far == 1 ? 12 | GB_FAR_VARIATION : 12;
		const size_t apart = lbvh_apart(in, key);

		cr_expect(far == 1 ? 2 * apart <= in->count && 4 * apart > in->count : apart == 2);
		(void)vary(&t, key);
		exchanged = 0;
		for (size_t i = 0; i < in->count; i++) {
			const size_t from = gb_exchange_source(key, i, in->count, apart);

			cr_assert_eq(memcmp(in->triangle + 3 * i, before + 3 * from, 12), 0);
			exchanged += from != i;
		}
		cr_assert(exchanged > in->count * 4 / 10 && exchanged < in->count * 6 / 10);
	}
	(void)vary(&t, 0);
	cr_expect_eq(memcmp(in->triangle, before, 3 * in->count * sizeof *before), 0);
	free(before);
	end_trial(&t);
	params.op = LBVH_TRACE;
	t = start_trial(&gb_lbvh_workload, &params);
	in = t.input;
	camera = in->camera;
	for (uint64_t key = 1; key < 200; key++) {
		double shift[3], uu = 0, uv = 0, vv = 0, su = 0, sv = 0, u, v;

		(void)vary(&t, key);
		cr_assert_arr_eq(in->camera.eye, camera.eye, sizeof camera.eye);
		cr_assert_arr_eq(in->camera.dx, camera.dx, sizeof camera.dx);
		cr_assert_arr_eq(in->camera.dy, camera.dy, sizeof camera.dy);
		for (int k = 0; k < 3; k++) {
			shift[k] = (double)in->camera.corner[k] - (double)camera.corner[k];
			uu += (double)camera.dx[k] * (double)camera.dx[k];
			uv += (double)camera.dx[k] * (double)camera.dy[k];
			vv += (double)camera.dy[k] * (double)camera.dy[k];
			su += shift[k] * (double)camera.dx[k];
			sv += shift[k] * (double)camera.dy[k];
		}
		u = (su * vv - sv * uv) / (uu * vv - uv * uv);
		v = (sv * uu - su * uv) / (uu * vv - uv * uv);
		least = fmin(least, fmin(fabs(u), fabs(v)));
		most[0][u > 0] = fmax(most[0][u > 0], fabs(u));
		most[1][v > 0] = fmax(most[1][v > 0], fabs(v));
	}
	cr_assert(least > 0.124 && least < 0.135, "%g", least);
	for (int i = 0; i < 4; i++)
		cr_assert(most[i / 2][i % 2] > 0.48 && most[i / 2][i % 2] < 0.501, "%g",
			  most[i / 2][i % 2]);
	end_trial(&t);
}

/* ---- variants ----------------------------------------------------------------------------- */

Test(variants_lbvh_vary, builds)
{
	size_t checked = 0;

	for (size_t s = 0; s < GB_COUNT(scenes); s++) {
		const struct lbvh_params params =
			params_of(scenes[s], LBVH_BUILD, LBVH_PRIMARY, LBVH_GIVEN);
		struct trial t = start_trial(&gb_lbvh_workload, &params);

		cr_assert_eq(vary(&t, 5), !gb_equal(scenes[s], "copies"), "%s", scenes[s]);
		checked += check_variants(&t, shows(scenes[s]));
		end_trial(&t);
	}
	cr_assert(checked > 0);
}

Test(variants_lbvh_vary, images)
{
	static const char *const seen[] = { "terrain", "city", "soup", "flake", "points" };
	size_t checked = 0;

	for (size_t s = 0; s < GB_COUNT(seen); s++) {
		const struct lbvh_params params =
			params_of(seen[s], LBVH_TRACE, LBVH_PRIMARY, LBVH_GIVEN);
		struct trial t = start_trial(&gb_lbvh_workload, &params);

		checked += check_variants(&t, shows(seen[s]));
		end_trial(&t);
	}
	cr_assert(checked > 0);
}

Test(variants_lbvh_vary, streams)
{
	size_t checked = 0;

	for (int kind = LBVH_PRIMARY; kind < LBVH_KINDS; kind++) {
		const struct lbvh_params params = params_of(
			kind % 2 ? "terrain" : "city", LBVH_TRACE, (enum lbvh_rays)kind,
			kind == LBVH_PRIMARY || kind == LBVH_BOUNCE ? LBVH_SORTED : LBVH_GIVEN);
		struct trial t = start_trial(&gb_lbvh_workload, &params);

		checked += check_variants(&t, true);
		end_trial(&t);
	}
	cr_assert(checked > 0);
}

/* ---- the verifier ------------------------------------------------------------------------- */

extern const struct gb_variant_ops lbvh_cpu_wide;

static void *make_state(struct trial *t, const struct gb_variant *v)
{
	struct gb_error err = { 0 };
	void *state;

	cr_assert_eq(gb_state_create(v->ops, t->params, t->input, &state, &err), GB_OK, "%s",
		     err.message);
	return state;
}

/* Faults in an image from a shifted camera that is larger than the rows compared. */
Test(lbvh_vary, faults_in_a_large_image)
{
	enum { WIDE = 800 };
	struct lbvh_params params = params_of("terrain", LBVH_TRACE, LBVH_PRIMARY, LBVH_GIVEN);
	const struct gb_variant wide = { .name = "wide", .ops = &lbvh_cpu_wide };
	struct trial t;
	void *state;
	float *distance;
	uint32_t *primitive;
	size_t found = 0;

	params.rays = WIDE;
	t = start_trial(&gb_lbvh_workload, &params);
	state = make_state(&t, &wide);
	run_on(&t, &wide, state, 5, 6);
	distance = t.output;
	primitive = (uint32_t *)t.output + (size_t)WIDE * WIDE;
	expect_on(&t, &wide, 5, true);
	expect_on(&t, &wide, 0, false); /* the picture of the unshifted camera */
	/* All rays of a row miss: one row in each twelve is compared. */
	for (size_t row = WIDE / 24 * 12; row < WIDE / 24 * 12 + 12; row++) {
		struct gb_metrics metrics = { 0 };
		struct gb_error err = { 0 };

		run_on(&t, &wide, state, 5, 6);
		for (size_t i = row * WIDE; i < (row + 1) * WIDE; i++) {
			distance[i] = INFINITY;
			primitive[i] = LBVH_MISS;
		}
		found +=
			t.workload->verify(t.params, t.input, 0, t.output, &metrics, &err) != GB_OK;
	}
	cr_expect_eq(found, 1);
	/* A distance that is wrong is found in any row. */
	for (size_t row = WIDE / 2; row < WIDE / 2 + 3; row++) {
		run_on(&t, &wide, state, 5, 6);
		for (size_t i = row * WIDE; i < (row + 1) * WIDE; i++)
			distance[i] *= 1.001F;
		expect_on(&t, &wide, 5, false);
	}
	/* So is a triangle that is not met, or none, also by other arithmetic. */
	run_on(&t, &wide, state, 5, 6);
	*lbvh_trace_arithmetic(t.input, t.output) = LBVH_FOREIGN;
	for (size_t row = WIDE / 2; row < WIDE / 2 + 4; row++) {
		uint32_t *const hit = primitive + row * WIDE, right[WIDE];

		memcpy(right, hit, sizeof right);
		for (size_t i = 0; i < WIDE; i++)
			if (hit[i] != LBVH_MISS)
				hit[i] = row % 2 ? (hit[i] + TRIANGLES / 2) % TRIANGLES
						 : (uint32_t)((struct lbvh_input *)t.input)->count;
		expect_on(&t, &wide, 5, false);
		memcpy(hit, right, sizeof right);
	}
	expect_on(&t, &wide, 5, true);
	/* Few are allowed and counted, whether they are in rows that are compared or not. */
	run_on(&t, &wide, state, 5, 6);
	for (size_t row = WIDE / 2; row < WIDE / 2 + 5; row++) {
		size_t i = row * WIDE;

		while (primitive[i] == LBVH_MISS)
			i++;
		distance[i] *= 1.001F;
	}
	expect_of(&t, 0, NULL);
	cr_assert_str_eq(t.metrics.item[1].name, "differing_rays");
	cr_assert_eq(t.metrics.item[1].value, 5);
	gb_state_destroy(wide.ops, state);
	end_trial(&t);
}
