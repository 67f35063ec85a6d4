/* test_lbvh_build.c -- the CPU builders of lbvh against each other, and the verifier of trees: a
 * right tree passes, and each planted fault is found and its place named.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/workloads/registry.h"
#include "common/lbvh.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"
#include "common/workload.h"
#include "cpu/simd.h"

extern const struct gb_variant_ops lbvh_cpu_karras_bitonic, lbvh_cpu_karras_radix,
	lbvh_cpu_karras64, lbvh_cpu_apetrei, lbvh_cpu_ploc;

static const char *const scenes[] = { "terrain", "knot", "flake",  "soup",   "city",
				      "teapot",  "flat", "points", "copies", "huge" };
static const size_t sizes[] = { 1, 2, 3, 9, 33, 1000, 8193, 20011 };

/* ---- building ----------------------------------------------------------------------------- */

/* A scene, its input and room for a tree over it. */
struct work {
	struct lbvh_params params;
	struct lbvh_input *in;
	void *output;
	size_t size;
	struct lbvh_tree_header *header;
	struct lbvh_node *node;
	uint32_t *index;
};

static struct work set_up(const char *scene, size_t primitives, int threads)
{
	struct work w = { .params = { .op = LBVH_BUILD,
				      .scene = scene,
				      .primitives = (int64_t)primitives,
				      .rays = 64,
				      .threads = threads,
				      .seed = 3 } };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_lbvh_workload.prepare(&w.params, &input, &err), GB_OK, "%s", err.message);
	w.in = input;
	w.size = gb_lbvh_workload.output_size(&w.params, input);
	w.output = calloc(w.size, 1);
	w.header = w.output;
	w.node = lbvh_build_nodes(w.output);
	w.index = lbvh_build_index(w.in, w.output);
	return w;
}

static void tear_down(struct work *w)
{
	gb_lbvh_workload.release(w->in);
	free(w->output);
}

static void build(struct work *w, const struct gb_variant_ops *ops)
{
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state;

	memset(w->output, 0, w->size);
	cr_assert_eq(gb_state_create(ops, &w->params, w->in, &state, &err), GB_OK, "%s",
		     err.message);
	/* Twice: the second must not depend on what the first left behind. */
	for (int k = 0; k < 2; k++)
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s", err.message);
	cr_assert_eq(ops->download(state, w->output, &err), GB_OK, "%s", err.message);
	gb_state_destroy(ops, state);
}

static enum gb_status verify(const struct work *w, struct gb_metrics *metrics, struct gb_error *err)
{
	*err = (struct gb_error){ 0 };
	return gb_lbvh_workload.verify(&w->params, w->in, 0, w->output, metrics, err);
}

static double metric(const struct gb_metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (gb_equal(metrics->item[i].name, name))
			return metrics->item[i].value;
	cr_assert(0, "there is no metric %s", name);
	return 0;
}

/* ---- builders ----------------------------------------------------------------------------- */

/* Bottom up in one sweep, and top down by binary search and passes: the same bytes. */
Test(lbvh_build, one_tree_whatever_the_way)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++)
		for (size_t n = 0; n < GB_COUNT(sizes); n++) {
			struct work a = set_up(scenes[s], sizes[n], 1);
			struct work b = set_up(scenes[s], sizes[n], 3);

			build(&a, &lbvh_cpu_karras_bitonic);
			build(&b, &lbvh_cpu_karras_radix);
			cr_assert(memcmp(a.output, b.output, a.size) == 0, "%s %zu: karras-radix",
				  scenes[s], sizes[n]);
			build(&b, &lbvh_cpu_apetrei);
			cr_assert(memcmp(a.output, b.output, a.size) == 0, "%s %zu: apetrei",
				  scenes[s], sizes[n]);
			tear_down(&a);
			tear_down(&b);
		}
}

/* The threads' parts leave no trace in the tree. */
Test(lbvh_build, one_tree_whatever_the_threads)
{
	const struct gb_variant_ops *const all[] = { &lbvh_cpu_karras_bitonic,
						     &lbvh_cpu_karras_radix, &lbvh_cpu_karras64,
						     &lbvh_cpu_apetrei, &lbvh_cpu_ploc };
	const int threads[] = { 2, 3, 8, 17 };

	for (size_t v = 0; v < GB_COUNT(all); v++)
		for (size_t t = 0; t < GB_COUNT(threads); t++) {
			struct work a = set_up("city", 20011, 1);
			struct work b = set_up("city", 20011, threads[t]);

			build(&a, all[v]);
			build(&b, all[v]);
			cr_assert(memcmp(a.output, b.output, a.size) == 0,
				  "builder %zu, %d threads", v, threads[t]);
			tear_down(&a);
			tear_down(&b);
		}
}

/* Without AVX2 codes and clusters are the same. */
Test(lbvh_build, plain_code_builds_alike)
{
	const struct gb_variant_ops *const all[] = { &lbvh_cpu_apetrei, &lbvh_cpu_ploc };

	for (size_t v = 0; v < GB_COUNT(all); v++) {
		struct work a = set_up("flake", 20011, 2), b = set_up("flake", 20011, 2);

		build(&a, all[v]);
		cpu_limit_simd(CPU_PLAIN);
		build(&b, all[v]);
		cpu_limit_simd(CPU_VBMI2);
		cr_assert(memcmp(a.output, b.output, a.size) == 0, "builder %zu", v);
		tear_down(&a);
		tear_down(&b);
	}
}

/* Clusters, refined, cost a ray less than the codes' tree by a tenth; but in a soup of loose
 * triangles, where a full sweep over all planes saves 8 %. */
Test(lbvh_build, clusters_are_better_trees)
{
	const struct {
		const char *scene;
		double at_most;
	} cases[] = { { "terrain", 0.8 }, { "knot", 0.86 }, { "flake", 0.85 },
		      { "city", 0.75 },   { "soup", 0.98 }, { "teapot", 0.9 } };

	for (size_t s = 0; s < GB_COUNT(cases); s++) {
		struct work w = set_up(cases[s].scene, 30000, 2);
		struct gb_metrics codes = { 0 }, clusters = { 0 };
		struct gb_error err;

		build(&w, &lbvh_cpu_apetrei);
		cr_assert_eq(verify(&w, &codes, &err), GB_OK, "%s", err.message);
		build(&w, &lbvh_cpu_ploc);
		cr_assert_eq(verify(&w, &clusters, &err), GB_OK, "%s", err.message);
		cr_expect(metric(&clusters, "sah_cost") <
				  cases[s].at_most * metric(&codes, "sah_cost"),
			  "%s: %.2f by codes, %.2f by clusters", cases[s].scene,
			  metric(&codes, "sah_cost"), metric(&clusters, "sah_cost"));
		tear_down(&w);
	}
}

/* Scaled scenes make the same tree, a power of two exactly the same: nothing is absolute. */
Test(lbvh_build, no_absolute_measure)
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

/* Centres that agree share a leaf, however many: 2^16 and more copies. */
Test(lbvh_build, copies_share_one_leaf)
{
	struct work w = set_up("copies", 70000, 2);
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	build(&w, &lbvh_cpu_karras_radix);
	cr_assert_eq(verify(&w, &metrics, &err), GB_OK, "%s", err.message);
	cr_assert_eq(w.header->leaves, 1);
	cr_assert_eq(w.node[0].left, LBVH_LEAF);
	cr_assert_eq(w.node[0].right, 70000);
	tear_down(&w);
}

/* A 30-bit code along a line: 1024 cells of one axis, and no leaf is without a primitive. */
Test(lbvh_build, flat_scenes_use_two_axes)
{
	struct work w = set_up("flat", 20000, 2);
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	build(&w, &lbvh_cpu_apetrei);
	cr_assert_eq(verify(&w, &metrics, &err), GB_OK, "%s", err.message);
	cr_assert(w.header->leaves > 9000, "%u leaves", w.header->leaves);
	tear_down(&w);
}

/* ---- codes -------------------------------------------------------------------------------- */

Test(lbvh_build, codes_interleave_their_cells)
{
	for (int bits = LBVH_BITS_30; bits <= LBVH_BITS_63; bits += LBVH_BITS_63 - LBVH_BITS_30)
		for (uint32_t v = 1; v < 1U << bits; v = v * 3 + 1) {
			const uint64_t spread =
				bits == LBVH_BITS_30 ? lbvh_spread_10(v) : lbvh_spread_21(v);

			for (int k = 0; k < bits; k++)
				cr_assert_eq(spread >> (3 * k) & 7, v >> k & 1);
		}
}

/* Cells are kept in range by whatever a grid may be, also one of no or hardly any extent. */
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

/* ---- the verifier ------------------------------------------------------------------------- */

/* Expect a refusal in these words. */
static void fault(struct work *w, const char *words)
{
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	cr_assert_eq(verify(w, &metrics, &err), GB_EVERIFY, "the fault was not found");
	cr_assert(strstr(err.message, words), "the message is: %s\nit lacks: %s", err.message,
		  words);
	tear_down(w);
}

static struct work right_tree(void)
{
	struct work w = set_up("terrain", 500, 1);
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	build(&w, &lbvh_cpu_apetrei);
	cr_assert_eq(verify(&w, &metrics, &err), GB_OK, "%s", err.message);
	cr_assert(w.header->leaves > 100);
	return w;
}

/* A leaf of several primitives. */
static struct lbvh_node *crowded_leaf(struct work *w)
{
	for (size_t i = w->header->leaves - 1; i < w->header->nodes; i++)
		if (w->node[i].right > 1)
			return &w->node[i];
	cr_assert(0);
	return NULL;
}

Test(lbvh_verify, no_tree_at_all)
{
	struct work w = right_tree();

	memset(w.output, 0, w.size);
	fault(&w, "no tree: kind 0");
}

Test(lbvh_verify, wrong_counts)
{
	struct work w = right_tree();

	w.header->nodes--;
	fault(&w, "L leaves have 2 L - 1");
	w = right_tree();
	w.header->leaves = 0;
	fault(&w, "0 leaves");
	w = right_tree();
	w.header->leaves = 501;
	w.header->nodes = 1001;
	fault(&w, "501 leaves");
}

Test(lbvh_verify, children_out_of_range)
{
	struct work w = right_tree();

	w.node[3].right = w.header->nodes;
	fault(&w, "node 3 has the children");
}

Test(lbvh_verify, a_cycle)
{
	struct work w = right_tree();

	w.node[w.node[0].left].left = 0;
	fault(&w, "node 0 is reached twice");
}

Test(lbvh_verify, two_parents)
{
	struct work w = right_tree();

	w.node[0].left = w.node[0].right;
	fault(&w, "is reached twice");
}

Test(lbvh_verify, a_tree_of_inner_nodes_only)
{
	struct work w = right_tree();

	for (uint32_t i = 0; i < w.header->nodes; i++) {
		w.node[i].left = 2 * i + 1 < w.header->nodes ? 2 * i + 1 : i;
		w.node[i].right = 2 * i + 2 < w.header->nodes ? 2 * i + 2 : i;
	}
	fault(&w, "");
}

Test(lbvh_verify, a_leaf_beyond_the_primitives)
{
	struct work w = right_tree();

	w.node[w.header->nodes - 1].right++;
	fault(&w, "primitives from");
	w = right_tree();
	w.node[w.header->nodes - 1].right = 0;
	fault(&w, "holds 0 primitives");
}

Test(lbvh_verify, a_primitive_that_is_none)
{
	struct work w = right_tree();

	w.index[7] = 500;
	fault(&w, "a primitive that is none of 500");
}

Test(lbvh_verify, a_primitive_twice)
{
	struct work w = right_tree();

	w.index[7] = w.index[8];
	fault(&w, "is in two places");
}

Test(lbvh_verify, a_primitive_left_out)
{
	struct work w = right_tree();

	crowded_leaf(&w)->right--;
	fault(&w, "is in no leaf");
}

Test(lbvh_verify, equal_codes_out_of_order)
{
	struct work w = right_tree();
	const struct lbvh_node *leaf = crowded_leaf(&w);
	uint32_t *index = w.index + (leaf->left & ~LBVH_LEAF), swap = index[0];

	index[0] = index[1];
	index[1] = swap;
	fault(&w, "after");
}

Test(lbvh_verify, a_box_too_small)
{
	struct work w = right_tree();

	w.node[0].hi[1] = nextafterf(w.node[0].hi[1], -INFINITY);
	fault(&w, "the box of node 0 is");
}

Test(lbvh_verify, a_box_too_large)
{
	struct work w = right_tree();

	w.node[w.header->nodes - 1].lo[2] =
		nextafterf(w.node[w.header->nodes - 1].lo[2], -INFINITY);
	fault(&w, "the box of");
}

Test(lbvh_verify, a_box_that_is_no_number)
{
	struct work w = right_tree();

	w.node[5].lo[0] = NAN;
	fault(&w, "the box of node");
}

Test(lbvh_verify, an_inverted_box)
{
	struct work w = right_tree();
	const float swap = w.node[9].lo[0];

	w.node[9].lo[0] = w.node[9].hi[0];
	w.node[9].hi[0] = swap;
	fault(&w, "the box of");
}

/* A tree given by its hits: two wrong ones are too many. */
Test(lbvh_verify, wrong_probes)
{
	struct work w = right_tree();
	float *t = lbvh_build_probe_t(w.in, w.output);
	uint32_t *primitive = lbvh_build_probe_primitive(w.in, w.output);

	w.header->kind = LBVH_PROBED;
	for (size_t i = 0; i < LBVH_PROBES; i++) {
		t[i] = INFINITY;
		primitive[i] = LBVH_MISS;
	}
	fault(&w, "rays do not hit what they should");
}

/* ---- hits --------------------------------------------------------------------------------- */

/* A scene of few triangles and the image of it that a search through all triangles makes. */
struct image {
	struct lbvh_params params;
	struct lbvh_input *in;
	void *output;
	size_t rays;
	float *t;
	uint32_t *primitive;
};

static struct image brute_force(const char *scene, size_t primitives, uint32_t edge)
{
	struct image m = { .params = { .op = LBVH_TRACE,
				       .scene = scene,
				       .primitives = (int64_t)primitives,
				       .rays = edge,
				       .seed = 1 },
			   .rays = (size_t)edge * edge };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_lbvh_workload.prepare(&m.params, &input, &err), GB_OK, "%s", err.message);
	m.in = input;
	m.output = calloc(gb_lbvh_workload.output_size(&m.params, input), 1);
	m.t = lbvh_trace_t(m.output);
	m.primitive = lbvh_trace_primitive(m.in, m.output);
	for (size_t i = 0; i < m.rays; i++) {
		float direction[3];

		lbvh_ray(&m.in->camera, (uint32_t)(i % edge), (uint32_t)(i / edge), direction);
		m.t[i] = INFINITY;
		m.primitive[i] = LBVH_MISS;
		for (uint32_t p = 0; p < m.in->count; p++) {
			const uint32_t *corner = m.in->triangle + 3 * (size_t)p;
			const float t = lbvh_intersect(m.in->camera.eye, direction,
						       m.in->vertex + 3 * (size_t)corner[0],
						       m.in->vertex + 3 * (size_t)corner[1],
						       m.in->vertex + 3 * (size_t)corner[2]);

			if (lbvh_nearer(t, p, m.t[i], m.primitive[i])) {
				m.t[i] = t;
				m.primitive[i] = p;
			}
		}
	}
	return m;
}

static void release_image(struct image *m)
{
	gb_lbvh_workload.release(m->in);
	free(m->output);
}

static enum gb_status verify_image(const struct image *m, struct gb_metrics *metrics,
				   struct gb_error *err)
{
	*err = (struct gb_error){ 0 };
	return gb_lbvh_workload.verify(&m->params, m->in, 0, m->output, metrics, err);
}

/* The reference's search misses nothing, on no kind of scene. */
Test(lbvh_verify, the_reference_is_a_search_through_all)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++) {
		struct image m = brute_force(scenes[s], 700, 64);
		struct gb_metrics metrics = { 0 };
		struct gb_error err;

		cr_assert_eq(verify_image(&m, &metrics, &err), GB_OK, "%s: %s", scenes[s],
			     err.message);
		cr_assert_eq(metric(&metrics, "differing_rays"), 0, "%s", scenes[s]);
		cr_assert(gb_equal(scenes[s], "points") || metric(&metrics, "hits") > 100, "%s",
			  scenes[s]);
		release_image(&m);
	}
}

static void hit_farther(struct image *m, size_t i)
{
	m->t[i] *= 1.001f;
}

static void hit_another(struct image *m, size_t i)
{
	m->primitive[i] = (m->primitive[i] + 50) % (uint32_t)m->in->count;
}

static void hit_none_there_is(struct image *m, size_t i)
{
	m->primitive[i] = (uint32_t)m->in->count;
}

static void miss(struct image *m, size_t i)
{
	m->t[i] = INFINITY;
	m->primitive[i] = LBVH_MISS;
}

static void miss_by_half(struct image *m, size_t i)
{
	m->t[i] = INFINITY;
}

static void invent(struct image *m, size_t i)
{
	m->t[i] = 1;
	m->primitive[i] = 0;
}

/* One ray may graze an edge; what is wrong with two is found. */
Test(lbvh_verify, wrong_hits)
{
	void (*const faults[])(struct image *, size_t) = { hit_farther,       hit_another,
							   hit_none_there_is, miss,
							   miss_by_half,      invent };

	for (size_t f = 0; f < GB_COUNT(faults); f++)
		for (int count = 1; count <= 2; count++) {
			struct image m = brute_force("terrain", 200, 64);
			struct gb_metrics metrics = { 0 };
			struct gb_error err;
			int planted = 0;

			for (size_t i = 0; planted < count; i++)
				if ((m.primitive[i] == LBVH_MISS) == (faults[f] == invent)) {
					faults[f](&m, i);
					planted++;
				}
			cr_assert_eq(verify_image(&m, &metrics, &err),
				     count == 1 ? GB_OK : GB_EVERIFY, "fault %zu: %s", f,
				     err.message);
			cr_assert_eq(metric(&metrics, "differing_rays"), count,
				     "fault %zu: %g of %d", f, metric(&metrics, "differing_rays"),
				     count);
			release_image(&m);
		}
}
