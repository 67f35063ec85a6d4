/* test_lbvh_wide.cu -- the 80-byte nodes made by the collapse (cuda/lbvh/parts/wide.h), checked on
 * the host: consecutive children and triangles, each triangle once, boxes that contain their
 * subtrees; with a plan, the cost that was planned.
 *
 * Runs on a GPU or in the PTX executor; without either, all tests are skipped.
 */
#include <cmath>
#include <criterion/criterion.h>
#include <cstring>
#include <vector>

#include "cuda/lbvh/parts/wide.h"
extern "C" {
#include "datasets/mesh/scene.h"
}
#include "tests/cuda/gpu.h"

TestSuite(variants_lbvh_wide, .init = open_gpu, .fini = close_gpu);

/* ---- a build ------------------------------------------------------------------------------- */

/* The binary tree: the fastest build's, or the best one's; PLANNED: the best one's with a plan;
 * CODES: the same of a tree over codes; CHEAPEST: the cheaper of the two. */
enum kind { FASTEST, BEST, PLANNED, CODES, CHEAPEST };

/* A tree from the device. */
struct tree {
	std::vector<struct lbvh_wide_node> node;
	std::vector<struct lbvh_corners> triangle;
	uint32_t levels;
	struct lbvh_gpu_cost cost; /* planned, of the root */
	double area[2];            /* of all nodes of the binary tree, before and after moves */
};

struct state {
	struct lbvh_gpu gpu; /* first: lbvh_gpu_upload() */
	struct lbvh_gpu_wide wide;
	struct lbvh_gpu_order order;
};

static enum gb_status create(struct state *s, const void *params, const struct lbvh_input *in,
			     struct gb_error *err)
{
	const enum kind kind = *(const enum kind *)params;
	const unsigned best = kind == FASTEST ? 0 : (unsigned)LBVH_GPU_CODES_63;

	(void)lbvh_gpu_init(&s->gpu, in, best | LBVH_GPU_ARRIVED, err);
	(void)lbvh_gpu_order_init(&s->order, in->count, err);
	return lbvh_gpu_wide_init(&s->wide, in->count, kind >= PLANNED, err);
}

/* The sum of the surfaces of all inner nodes. */
static double area_of(const struct lbvh_gpu *g)
{
	struct lbvh_gpu_counters counters;
	std::vector<struct lbvh_node> node;
	struct gb_error err = {};
	double sum = 0;

	(void)gpu_download(&counters, g->counters, sizeof counters, &err);
	node.resize(counters.leaves - 1);
	(void)gpu_download(node.data(), g->node, node.size() * sizeof node[0], &err);
	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	for (const struct lbvh_node &n : node) {
		const double x = n.hi[0] - n.lo[0], y = n.hi[1] - n.lo[1], z = n.hi[2] - n.lo[2];

		sum += x * y + y * z + z * x;
	}
	return sum;
}

static enum gb_status make_binary(struct state *s, enum kind kind, double area[2],
				  struct gb_error *err)
{
	if (kind == FASTEST)
		return lbvh_gpu_fastest(&s->gpu, NULL, err);
	if (kind == CHEAPEST)
		return lbvh_gpu_cheapest(&s->gpu, &s->order, err);
	if (gpu_zero(s->order.cost, 1, err) ||
	    (kind == CODES ? lbvh_gpu_fastest : lbvh_gpu_best)(&s->gpu, NULL, err))
		return err->code;
	area[0] = area_of(&s->gpu);
	(void)lbvh_gpu_refine(&s->gpu, &s->order, err);
	area[1] = area_of(&s->gpu);
	return err->code;
}

static struct tree build(const struct lbvh_input *in, enum kind kind)
{
	struct lbvh_wide_counters made;
	struct gb_variant_ops ops = {};
	struct gb_error err = {};
	struct tree tree;
	void *state = NULL;

	ops.state_size = sizeof(struct state);
	ops.create = op<create>;
	(void)gb_state_create(&ops, &kind, in, &state, &err);

	struct state *const s = (struct state *)state;

	cr_assert(!err.code && !lbvh_gpu_upload(&s->gpu, &err) &&
			  !make_binary(s, kind, tree.area, &err) &&
			  !lbvh_gpu_wide_collapse(&s->wide, &s->gpu,
						  kind >= PLANNED ? s->order.plan : NULL, &err) &&
			  !gpu_download(&made, s->wide.counters, sizeof made, &err),
		  "%s", err.message);
	cr_expect_eq(made.triangles(), in->count);
	tree.levels = made.levels;
	tree.node.resize(made.nodes());
	tree.triangle.resize(in->count);
	(void)gpu_download(tree.node.data(), s->wide.node, made.nodes() * sizeof tree.node[0],
			   &err);
	if (kind >= PLANNED)
		(void)gpu_download(&tree.cost, s->order.cost, sizeof tree.cost, &err);
	(void)gpu_download(tree.triangle.data(), s->wide.triangle,
			   in->count * sizeof tree.triangle[0], &err);
	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	gb_state_destroy(&ops, state);
	return tree;
}

/* ---- the check ----------------------------------------------------------------------------- */

struct box {
	float lo[3], hi[3];
};

static struct box box_of(const struct lbvh_wide_node *node, unsigned k)
{
	struct box b;

	for (int d = 0; d < 3; d++) {
		const float step = ldexpf(1, node->exponent[d] - 127);

		b.lo[d] = lbvh_add(node->origin[d], lbvh_mul(node->bound[d][0][k], step));
		b.hi[d] = lbvh_add(node->origin[d], lbvh_mul(node->bound[d][1][k], step));
	}
	return b;
}

static bool holds(const struct box *b, const float point[3])
{
	for (int d = 0; d < 3; d++)
		if (!(b->lo[d] <= point[d] && point[d] <= b->hi[d]))
			return false;
	return true;
}

struct check {
	const struct lbvh_input *in;
	const struct tree *tree;
	std::vector<bool> seen_node, seen_triangle; /* by number; by primitive */
	const char *fault;                          /* the first; NULL: none */
};

static void expect(struct check *c, bool right, const char *fault)
{
	if (!right && !c->fault)
		c->fault = fault;
}

/* Triangle number `at`, which the boxes must contain. */
static void check_triangle(struct check *c, uint32_t at, const std::vector<struct box> &around)
{
	const struct lbvh_corners t = c->tree->triangle[at];
	const float *const corner[3] = { t.a, t.b, t.c };

	if (t.primitive >= c->in->count)
		return expect(c, false, "a triangle that is none");
	expect(c, !c->seen_triangle[t.primitive], "a triangle twice");
	c->seen_triangle[t.primitive] = true;
	for (int k = 0; k < 3; k++) {
		const uint32_t v = c->in->triangle[3 * (size_t)t.primitive + k];

		expect(c, memcmp(corner[k], c->in->vertex + 3 * (size_t)v, 12) == 0,
		       "a corner of another triangle");
		for (const struct box &b : around)
			expect(c, holds(&b, corner[k]), "a triangle outside its box");
	}
}

/* Check node i and its subtree. */
static void check_node(struct check *c, uint32_t i, std::vector<struct box> *around)
{
	uint32_t nodes = 0, triangles = 0;

	if (i >= c->tree->node.size() || c->seen_node[i])
		return expect(c, false, "a node twice, or one that is none");

	const struct lbvh_wide_node *const node = &c->tree->node[i];

	c->seen_node[i] = true;
	for (unsigned k = 0; k < LBVH_WIDE && node->child[k]; k++) {
		const unsigned child = node->child[k], count = (child >> 1 & 3) + 1;

		around->push_back(box_of(node, k));
		if (child & 1) {
			expect(c, child >> 3 == nodes, "nodes that are not in a row");
			check_node(c, node->first_node + nodes++, around);
		} else {
			expect(c, (child >> 3) - 1 == triangles, "triangles that are not in a row");
			for (unsigned t = 0; t < count; t++, triangles++)
				if (node->first_triangle + triangles < c->tree->triangle.size())
					check_triangle(c, node->first_triangle + triangles,
						       *around);
		}
		around->pop_back();
	}
}

/* The first fault of the tree, or NULL. */
static const char *fault_in(const struct lbvh_input *in, const struct tree *tree)
{
	struct check c = { in, tree, {}, {}, NULL };
	std::vector<struct box> around;

	c.seen_node.resize(tree->node.size());
	c.seen_triangle.resize(in->count);
	check_node(&c, 0, &around);
	for (const bool seen : c.seen_node)
		expect(&c, seen, "a node that nothing leads to");
	for (const bool seen : c.seen_triangle)
		expect(&c, seen, "a triangle that is in no leaf");
	return c.fault;
}

/* Add the costs of node i and its subtree to *cost; return the box of its triangles. */
static struct box add_cost(const struct tree *t, uint32_t i, double *cost)
{
	const struct lbvh_wide_node *const node = &t->node[i];
	struct box all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	uint32_t nodes = 0, triangles = 0;
	const auto widen = [](struct box *box, const float *lo, const float *hi) {
		for (int d = 0; d < 3; d++) {
			box->lo[d] = fminf(box->lo[d], lo[d]);
			box->hi[d] = fmaxf(box->hi[d], hi[d]);
		}
	};
	const auto area = [](const struct box *box) {
		const double x = box->hi[0] - box->lo[0], y = box->hi[1] - box->lo[1];
		const double z = box->hi[2] - box->lo[2];

		return x * y + y * z + z * x;
	};

	for (unsigned k = 0; k < LBVH_WIDE && node->child[k]; k++) {
		const unsigned child = node->child[k], count = (child >> 1 & 3) + 1;
		struct box box = { { INFINITY, INFINITY, INFINITY },
				   { -INFINITY, -INFINITY, -INFINITY } };

		if (child & 1) {
			box = add_cost(t, node->first_node + nodes++, cost);
		} else {
			for (unsigned j = 0; j < count; j++, triangles++) {
				const struct lbvh_corners c =
					t->triangle[node->first_triangle + triangles];

				widen(&box, c.a, c.a);
				widen(&box, c.b, c.b);
				widen(&box, c.c, c.c);
			}
			*cost += area(&box) * (double)LBVH_TRIANGLE_COST * count;
		}
		widen(&all, box.lo, box.hi);
	}
	*cost += area(&all);
	return all;
}

/* ---- meshes -------------------------------------------------------------------------------- */

struct mesh {
	struct lbvh_input in;
	std::vector<float> vertex;
	std::vector<uint32_t> triangle;
};

static float random_float(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) * 0x1p-24f;
}

/* Small triangles at `places` random places; some are equal if there are fewer places than
 * triangles. */
static void make_mesh(struct mesh *m, uint32_t count, uint32_t places)
{
	uint32_t state = count;

	for (uint32_t v = 0; v < 3 * places; v++) {
		float at[3];

		for (int d = 0; d < 3; d++)
			at[d] = v % 3 == 0 ? 10 * random_float(&state)
					   : m->vertex[3 * (v - v % 3) + (uint32_t)d] +
						     .1f * random_float(&state);
		m->vertex.insert(m->vertex.end(), at, at + 3);
	}
	for (uint32_t i = 0; i < 3 * count; i++)
		m->triangle.push_back(i / 3 % places * 3 + i % 3);
	m->vertex.push_back(0); /* may be read */
	m->in = {};
	m->in.count = count;
	m->in.vertex_count = 3 * places;
	m->in.vertex = m->vertex.data();
	m->in.triangle = m->triangle.data();
}

static const struct {
	uint32_t count, places;
} meshes[] = { { 1, 1 },     { 4, 4 },   { 5, 5 },       { 5, 1 },   { 33, 33 },
	       { 300, 300 }, { 300, 7 }, { 1500, 1500 }, { 1500, 1 } };

Test(variants_lbvh_wide, nodes_hold_each_triangle_once)
{
	for (const auto &m : meshes) {
		struct mesh mesh;

		make_mesh(&mesh, m.count, m.places);

		for (const enum kind kind : { FASTEST, PLANNED }) {
			const struct tree tree = build(&mesh.in, kind);
			const char *const fault = fault_in(&mesh.in, &tree);

			cr_expect(fault == NULL, "%u triangles at %u places: %s", m.count, m.places,
				  fault);
			cr_expect(tree.levels >= 1 && tree.levels <= 11, "%u levels", tree.levels);
		}
	}
}

/* Moves make the binary tree cheaper.  The wide tree has the cost that was planned for the root,
 * which is below that of opening the largest box first. */
Test(variants_lbvh_wide, plans_are_followed)
{
	for (const uint32_t count : { 9u, 300u, 1500u }) {
		struct mesh mesh;
		double cost = 0, unplanned = 0;

		make_mesh(&mesh, count, count);

		const struct tree tree = build(&mesh.in, PLANNED);

		cr_expect_eq(build(&mesh.in, BEST).area[1], tree.area[1],
			     "%u triangles: moves depend on the schedule", count);
		cr_expect(tree.area[1] < (count < 300 ? 1.000001 : 0.97) * tree.area[0],
			  "%u triangles: surfaces %g, before moves %g", count, tree.area[1],
			  tree.area[0]);
		(void)add_cost(&tree, 0, &cost);
		cr_expect(fabs(cost / (double)tree.cost.least[0] - 1) < 1e-4,
			  "%u triangles cost %g, not %g", count, cost, (double)tree.cost.least[0]);

		const struct tree other = build(&mesh.in, BEST);

		(void)add_cost(&other, 0, &unplanned);
		cr_expect(cost < unplanned, "%u triangles cost %g, %g without a plan", count, cost,
			  unplanned);
	}
}

/* The cheaper of the two moved trees is kept, and each is the cheaper one of some scene. */
Test(variants_lbvh_wide, the_cheapest_tree_is_kept)
{
	static const struct {
		const char *scene;
		bool codes; /* the tree over codes is cheaper */
	} cases[] = { { "city", false }, { "flat", true }, { "copies", false } };

	for (const auto &c : cases) {
		struct gb_error err = {};
		struct lbvh_input in = {};
		struct gb_view view;
		struct gb_mesh mesh;

		cr_assert(!gb_scene_make(c.scene, 1500, 1, &mesh, &view, &err), "%s", err.message);
		in.count = mesh.count;
		in.vertex_count = mesh.vertex_count;
		in.vertex = mesh.vertex;
		in.triangle = mesh.triangle;

		const float clusters = build(&in, PLANNED).cost.least[0];
		const float codes = build(&in, CODES).cost.least[0];
		const float kept = build(&in, CHEAPEST).cost.least[0];

		cr_expect_eq(codes < clusters, c.codes, "%s: %g, over codes %g", c.scene,
			     (double)clusters, (double)codes);
		cr_expect_eq(kept, c.codes ? codes : clusters, "%s: %g of %g and %g", c.scene,
			     (double)kept, (double)clusters, (double)codes);
		gb_mesh_release(&mesh);
	}
}
