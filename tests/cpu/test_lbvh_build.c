/* test_lbvh_build.c -- the CPU builders of lbvh against each other. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "common/memory.h"
#include "cpu/lbvh/shared/trace.h"
#include "cpu/runtime/simd.h"
#include "tests/lbvh_work.h"
#include "tests/sanitized.h"

extern const struct gb_variant_ops lbvh_cpu_karras_bitonic, lbvh_cpu_karras_radix,
	lbvh_cpu_karras32, lbvh_cpu_apetrei, lbvh_cpu_ploc, lbvh_cpu_wide;

static const size_t sizes[] = { 1, 2, 3, 9, 33, 1000, 8193, UNLESS_SANITIZED(20011, 12001) };
/* Enough for all threads. */
enum { MANY = UNLESS_SANITIZED(20011, 9001) };

/* Bottom-up in one sweep, and top-down by binary search and passes, must give the same bytes. */
Test(lbvh_build, all_algorithms_build_one_tree)
{
	const struct gb_variant_ops *const others[] = { &lbvh_cpu_karras_radix, &lbvh_cpu_karras32,
							&lbvh_cpu_apetrei };

	for (size_t s = 0; s < GB_COUNT(scenes); s++)
		for (size_t n = 0; n < GB_COUNT(sizes); n++) {
			struct work a = set_up(scenes[s], sizes[n], 1);
			struct work b = set_up(scenes[s], sizes[n], 3);

			build(&a, &lbvh_cpu_karras_bitonic);
			for (size_t k = 0; k < GB_COUNT(others); k++) {
				build(&b, others[k]);
				cr_assert(memcmp(a.output, b.output, a.size) == 0, "%s %zu, %zu",
					  scenes[s], sizes[n], k);
			}
			tear_down(&a);
			tear_down(&b);
		}
}

/* The tree does not depend on the number of threads; codes and clusters do not depend on AVX2. */
Test(lbvh_build, one_tree_for_any_number_of_threads)
{
	const struct gb_variant_ops *const all[] = { &lbvh_cpu_karras_bitonic,
						     &lbvh_cpu_karras_radix, &lbvh_cpu_karras32,
						     &lbvh_cpu_apetrei, &lbvh_cpu_ploc };
	const int threads[] = { 2, 3, 8, 17 };

	for (size_t v = 0; v < GB_COUNT(all); v++)
		for (size_t t = 0; t < GB_COUNT(threads); t++) {
			struct work a = set_up(t ? "city" : "flake", MANY, 1);
			struct work b = set_up(t ? "city" : "flake", MANY, threads[t]);

			build(&a, all[v]);
			cpu_limit_simd(t ? CPU_VBMI2 : CPU_PLAIN);
			build(&b, all[v]);
			cpu_limit_simd(CPU_VBMI2);
			cr_assert(memcmp(a.output, b.output, a.size) == 0,
				  "builder %zu, %d threads", v, threads[t]);
			tear_down(&a);
			tear_down(&b);
		}
}

static double sah_cost(struct work *w, const struct gb_variant_ops *ops)
{
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	build(w, ops);
	cr_assert_eq(verify(w, &metrics, &err), GB_OK, "%s", err.message);
	return metric(&metrics, "sah_cost");
}

/* The SAH cost of a ray is lower in trees of clusters than in the tree of the codes.  The
 * bounds depend on the scene: clusters gain least in a soup of loose triangles. */
Test(lbvh_build, better_trees)
{
	const struct {
		const char *scene;
		double clusters; /* upper bound, relative to the tree of codes */
	} cases[] = { { "terrain", 0.86 }, { "knot", 0.92 }, { "flake", 0.87 },
		      { "city", 0.8 },     { "soup", 1.0 },  { "teapot", 0.96 } };

	for (size_t s = 0; s < UNLESS_SANITIZED(GB_COUNT(cases), 1); s++) {
		struct work w = set_up(cases[s].scene, 30000, 2);
		const double codes = sah_cost(&w, &lbvh_cpu_wide);
		const double clusters = sah_cost(&w, &lbvh_cpu_ploc);

		cr_expect(clusters < cases[s].clusters * codes,
			  "%s: %.2f by codes, %.2f by clusters", cases[s].scene, codes, clusters);
		tear_down(&w);
	}
}

/* A binary tree alone is not accepted for both: reset() drops the collapsed tree of the last
 * run. */
Test(lbvh_build, both_forms_are_required)
{
	const struct gb_variant_ops *const wide = &lbvh_cpu_wide;
	struct work w = set_up("knot", 700, 1);
	struct gb_metrics metrics = { 0 };
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state;

	cr_assert_eq(gb_state_create(wide, &w.params, w.in, &state, &err), GB_OK);
	cr_assert_eq(wide->run(state, &timer, &err), GB_OK);
	cr_assert_eq(wide->reset(state, 1, &err), GB_OK);
	cr_assert_eq(wide->download(state, w.output, &err), GB_OK);
	cr_expect_eq(verify(&w, &metrics, &err), GB_EVERIFY);
	cr_expect(strstr(err.message, "no tree"), "%s", err.message);
	gb_state_destroy(wide, state);
	tear_down(&w);
}

/* Scaling a scene by a power of two does not change the tree: there is no absolute threshold. */
Test(lbvh_build, no_absolute_threshold)
{
	const float scales[] = { 0x1p-40f, 0x1p-10f, 0x1p13f, 0x1p30f };

	for (size_t k = 0; k < GB_COUNT(scales); k++) {
		struct work a = set_up("knot", 3000, 2), b = set_up("knot", 3000, 2);

		for (size_t i = 0; i < 3 * b.in->vertex_count; i++)
			b.in->vertex[i] *= scales[k];
		build(&a, &lbvh_cpu_apetrei);
		build(&b, &lbvh_cpu_apetrei);
		cr_assert_eq(a.header->leaves, b.header->leaves);
		for (size_t i = 0; i < a.header->nodes; i++) {
			cr_assert_eq(a.node[i].left, b.node[i].left);
			cr_assert_eq(a.node[i].right, b.node[i].right);
		}
		tear_down(&a);
		tear_down(&b);
	}
}

/* ---- codes -------------------------------------------------------------------------------- */

/* Cells are clamped to the range of the grid, even if its extent is zero or nearly so. */
Test(lbvh_build, cells_stay_in_the_grid)
{
	const float extents[] = { 0, 1e-45f, 1e-38f, 1e-20f, 1, 1e12f };
	const float places[] = { 0, 0.5f, 1 };

	for (size_t e = 0; e < GB_COUNT(extents); e++) {
		const float lo[3] = { 0, -extents[e], 5 }, hi[3] = { extents[e], 0, 5 };
		const struct lbvh_grid grid = lbvh_grid_over(lo, hi, LBVH_BITS_63);

		for (size_t p = 0; p < GB_COUNT(places); p++) {
			const float x = extents[e] * places[p];
			const uint32_t cell = lbvh_cell(&grid, 0, x, x, LBVH_BITS_63);

			cr_assert(cell < 1U << LBVH_BITS_63);
			cr_assert(lbvh_cell(&grid, 1, -x, -x, LBVH_BITS_63) < 1U << LBVH_BITS_63);
			cr_assert_eq(lbvh_cell(&grid, 2, 5, 5, LBVH_BITS_63), 0);
			if (extents[e] >= 1e-20f && p == 2)
				cr_assert_eq(cell, (1U << LBVH_BITS_63) - 1);
		}
	}
}
