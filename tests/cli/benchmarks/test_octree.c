/* test_octree.c -- the verifier of octree: its reference is compared with a tree built by halving
 * boxes; a correct result passes, and each planted fault is found and named.
 */
#include "cli/benchmarks/octree/octree_reference.h"

#include <unistd.h>

#include "common/octree_types.h"
#include "tests/cli/benchmarks/trial.h"
#include "tests/file_of.h"

extern const struct gb_variant_ops octree_cpu_seq;

/* ---- the box ------------------------------------------------------------------------------ */

static struct octree_box box(float x0, float y0, float z0, float x1, float y1, float z1)
{
	const float low[3] = { x0, y0, z0 }, high[3] = { x1, y1, z1 };

	return octree_box_of(low, high);
}

Test(octree_box, is_the_smallest_of_its_kind)
{
	struct octree_box b = box(-1, -1, -1, 0.99F, 0.99F, 0.99F);

	cr_assert(b.size == 2 && b.corner[0] == -1 && b.corner[1] == -1 && b.corner[2] == -1);
	b = box(-1, -1, -1, 1, 0, 0); /* the upper bound is exclusive */
	cr_assert(b.size == 4 && b.corner[0] == -2 && b.corner[1] == -2);
	b = box(-22.8F, 1, 5, 22.7F, 2, 6);
	cr_assert(b.size == 64 && b.corner[0] == -32 && b.corner[1] == 0);
	b = box(500000, 4000000, 100, 500100, 4000100, 130);
	cr_assert(b.size == 256 && b.corner[0] == 499968 && b.corner[1] == 4000000);
}

Test(octree_box, takes_any_floats)
{
	const float big = 3.4e38F, tiny = 1e-45F;
	const float values[] = { 0,  tiny, -tiny, 1e-30F, -1e-30F, 1,
				 -1, 0.3F, 1e30F, -1e30F, big,     -big };

	for (size_t i = 0; i < GB_COUNT(values); i++)
		for (size_t j = 0; j < GB_COUNT(values); j++) {
			const float low = fminf(values[i], values[j]);
			const float high = fmaxf(values[i], values[j]);
			const struct octree_box b = box(low, -1, low, high, 1, high);

			cr_assert(b.corner[0] <= (double)low && isfinite(b.scale));
			cr_assert(octree_cells(&b, 0, low) < 1U << 21);
			cr_assert(octree_cells(&b, 0, high) < 1U << 21, "%g %g", (double)low,
				  (double)high);
			cr_assert(octree_cells(&b, 0, low) <= octree_cells(&b, 0, high));
		}
}

Test(octree_box, digits_of_a_key)
{
	const struct octree_box b = box(0, 0, 0, 0.9F, 0.9F, 0.9F);
	const uint64_t key = octree_key(&b, 0.5F, 0.25F, 0.75F);

	cr_assert_eq(b.size, 1);
	cr_assert_eq(octree_digit(key, 0), 1 + 4);
	cr_assert_eq(octree_digit(key, 1), 2 + 4);
	cr_assert_eq(octree_digit(key, 2), 0);
	cr_assert_eq(octree_cell(key, 0), 1);
	cr_assert_eq(octree_cell(key, 2), (1 << 3 | 5) << 3 | 6);
	cr_assert_eq(octree_cell(key, 21) >> 57, 64 + (5 << 3 | 6));
	cr_assert_eq(octree_spread(0x1fffff), UINT64_C(0x1249249249249249));
	cr_assert_eq(octree_body(octree_body(12345)), 12345);
	cr_assert(octree_body(0) < OCTREE_FREE && octree_body(INT32_MAX - 2) > OCTREE_LOCKED);
}

/* ---- the shape, by halving boxes ----------------------------------------------------------- */

struct halving {
	const struct octree_input *in;
	struct octree_shape shape;
	double depths;
};

/* Recurse into the bodies list[0 .. n - 1], which share a cell. */
static void halve(struct halving *h, uint32_t *list, size_t n, int level, uint64_t cell,
		  const double corner[3], double size)
{
	const struct octree_input *in = h->in;
	uint32_t *part = malloc((n + 1) * sizeof *part);

	h->shape.nodes++;
	h->shape.hash += octree_hash_node(cell);
	for (int d = 0; d < 8; d++) {
		const double half = size / 2;
		const double low[3] = { corner[0] + (d & 1 ? half : 0),
					corner[1] + (d & 2 ? half : 0),
					corner[2] + (d & 4 ? half : 0) };
		size_t count = 0;

		for (size_t i = 0; i < n; i++) {
			const double x = (double)in->x[list[i]], y = (double)in->y[list[i]];
			const double z = (double)in->z[list[i]];

			if ((x >= corner[0] + half) == (d & 1) &&
			    (y >= corner[1] + half) == (d >> 1 & 1) &&
			    (z >= corner[2] + half) == (d >> 2))
				part[count++] = list[i];
		}
		if (!count)
			continue;
		if (count > (size_t)in->bucket && level < OCTREE_DEEPEST) {
			halve(h, part, count, level + 1, cell << 3 | (uint64_t)d, low, half);
			continue;
		}
		h->shape.leaves++;
		h->depths += (double)count * (level + 1);
		h->shape.max_depth =
			level + 1 > h->shape.max_depth ? level + 1 : h->shape.max_depth;
		for (size_t i = 0; i < count; i++)
			h->shape.hash += octree_hash_body(cell << 3 | (uint64_t)d, part[i]);
	}
	free(part);
}

static void check_shape(struct octree_params params)
{
	struct trial t = start_trial(&gb_octree_benchmark, &params);
	const struct octree_input *in = t.input;
	uint32_t *all = malloc((in->count + 1) * sizeof *all);
	struct halving h = { .in = in };

	for (size_t i = 0; i < in->count; i++)
		all[i] = (uint32_t)i;
	halve(&h, all, in->count, 0, 1, in->verifier->box.corner, in->verifier->box.size);
	cr_assert_eq(in->tree.nodes, h.shape.nodes);
	cr_assert_eq(in->tree.leaves, h.shape.leaves);
	cr_assert_eq(in->tree.max_depth, h.shape.max_depth);
	cr_assert(fabs(in->tree.mean_depth * (double)in->count - h.depths) <
		  1e-6 * h.depths + 1e-9);
	cr_assert_eq(in->tree.hash, h.shape.hash);
	end_trial(&t);
	free(all);
}

Test(octree_reference, agrees_with_halving)
{
	static const int64_t counts[] = { 0, 1, 2, 3, 17, 100, 1000, 12000 };
	static const int64_t buckets[] = { 1, 2, 16, 32 };

	for (int64_t d = OCTREE_PLUMMER; d < OCTREE_DISTRIBUTIONS; d++)
		for (size_t c = 0; c < GB_COUNT(counts); c++)
			for (size_t b = 0; b < GB_COUNT(buckets); b++)
				check_shape((struct octree_params){ .distribution = d,
								    .count = counts[c],
								    .bucket = buckets[b],
								    .order = (int64_t)(c + b) % 3,
								    .seed = 5 });
}

/* The nodes that a builder may allocate: those of the tree and some more. */
Test(octree_reference, pool)
{
	static const int64_t count[] = { 0, 100 };
	/* A dry run expects half a node for each clustered body, fewer with buckets up to 4. */
	static const int64_t dry[][2] = {
		{ 1, 400000 }, { 2, 200000 }, { 4, 100000 }, { 5, 100000 }, { 32, 100000 }
	};

	for (size_t i = 0; i < GB_COUNT(count); i++) {
		struct octree_params params = { .count = count[i], .bucket = 1 };
		struct trial t = start_trial(&gb_octree_benchmark, &params);
		const struct octree_input *in = t.input;

		cr_expect_eq(in->pool, in->tree.nodes + in->count, "%zu nodes for %zu bodies",
			     in->pool, in->count);
		end_trial(&t);
	}
	gb_memory_set_dry(true);
	for (size_t i = 0; i < GB_COUNT(dry); i++) {
		const struct octree_params params = { .distribution = OCTREE_CLUSTERED,
						      .count = 800000,
						      .bucket = dry[i][0] };
		struct gb_error err = { 0 };
		void *input;

		cr_assert_eq(gb_octree_benchmark.prepare(&params, &input, &err), GB_OK);
		cr_expect_eq(((struct octree_input *)input)->pool,
			     1 + (size_t)dry[i][1] + OCTREE_SLACK, "bucket %d", (int)dry[i][0]);
		gb_octree_benchmark.release(input);
	}
	gb_memory_set_dry(false);
}

/* ---- faults -------------------------------------------------------------------------------- */

struct scene {
	struct octree_params params;
	struct trial trial;
	struct octree_input *in;
	struct octree_output *out;
	int32_t *next;
};

/* A correct tree from cpu/seq. */
static void set_up(struct scene *s, struct octree_params params)
{
	const struct gb_variant_ops *ops = &octree_cpu_seq;
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state = NULL;

	s->params = params;
	s->trial = start_trial(&gb_octree_benchmark, &s->params);
	s->in = s->trial.input;
	s->out = s->trial.output;
	s->next = octree_output_next(s->in, s->out);
	cr_assert_eq(gb_state_create(ops, &s->params, s->in, &state, &err), GB_OK);
	cr_assert_eq(ops->run(state, &timer, &err), GB_OK);
	cr_assert_eq(ops->download(state, s->out, &err), GB_OK);
	gb_state_destroy(ops, state);
	expect_of(&s->trial, 0, NULL);
}

/* An octant for which is(value) holds, from row first_row on. */
static int32_t *find(const struct scene *s, bool (*is)(int32_t value), int64_t first_row)
{
	for (int64_t row = first_row; row < s->out->rows; row++)
		for (int d = 0; d < 8; d++)
			if (is(s->out->child[row][d]))
				return &s->out->child[row][d];
	cr_assert(false, "no such octant");
	return NULL;
}

static bool is_leaf(int32_t value)
{
	return value < OCTREE_FREE;
}

static bool is_node(int32_t value)
{
	return value > 0;
}

Test(octree_faults, the_whole_pool_may_be_used)
{
	struct scene s;

	set_up(&s, (struct octree_params){ .count = 3000, .bucket = 1, .seed = 2 });
	s.out->rows = (int64_t)s.in->pool;
	expect_of(&s.trial, 0, NULL);
	end_trial(&s.trial);
}

/* A chain of nodes that is longer than the keys, and one that is too short for its leaf. */
Test(octree_faults, at_the_end_of_keys)
{
	for (int fault = 0; fault < 2; fault++) {
		struct scene s;
		int32_t root = 0, *node = &root;

		set_up(&s, (struct octree_params){ .count = 100,
						   .bucket = 1,
						   .seed = 2,
						   .distribution = OCTREE_COINCIDENT });
		for (int level = 0; level < OCTREE_DEEPEST; level++)
			node = find(&s, is_node, *node);
		if (fault)
			*node = *find(&s, is_leaf, *node);
		else
			*find(&s, is_leaf, *node) = (int32_t)s.out->rows++;
		refuse(&s.trial,
		       fault ? "the leaf at level 20, * has 100 bodies, more than the bucket's 1"
			     : "there is a node at level 21, *, where keys end");
	}
}

/* Faults deep in a tree that several threads verify. */
Test(octree_faults, in_a_large_tree)
{
	struct scene s;
	int32_t *leaf;
	int32_t was;

	set_up(&s, (struct octree_params){ .count = 60000, .bucket = 1, .seed = 3 });
	leaf = find(&s, is_leaf, s.out->rows - 100);
	was = *leaf;
	*leaf = OCTREE_FREE;
	expect_of(&s.trial, 0, "is not in the tree");
	*leaf = octree_body(60000);
	expect_of(&s.trial, 0, "of 60000 bodies");
	*leaf = 7;
	expect_of(&s.trial, 0, "is in the tree twice");
	*leaf = was;
	refuse(&s.trial, NULL);
}

/* ---- messages ------------------------------------------------------------------------------ */

/* Three bodies: at (0, 0, 0) in a leaf of the root, at (0.6, 0.6, 0.6) and (0.9, 0.9, 0.9) in the
 * leaves of node 1. */
static void set_up_three(struct scene *s, int64_t bucket)
{
	static const char text[] = "0,0,0\n0.9,0.9,0.9\n0.6,0.6,0.6\n";
	const char *path = file_of(".csv", text, sizeof text - 1);

	set_up(s, (struct octree_params){ .file = path, .bucket = bucket });
	(void)unlink(path);
	s->out->rows = 2;
	for (int d = 0; d < 8; d++)
		s->out->child[0][d] = s->out->child[1][d] = OCTREE_FREE;
	s->out->child[0][0] = octree_body(0);
	s->out->child[0][7] = 1;
	s->out->child[1][0] = octree_body(2);
	s->out->child[1][7] = octree_body(1);
	for (int i = 0; i < 3; i++)
		s->next[i] = -1;
}

Test(octree_faults, messages)
{
	static const struct {
		int row, octant; /* row -1: next body of `octant` */
		int32_t value;
		const char *words;
	} fault[] = {
		{ 1, 3, 1, "node 1 is in the tree twice, here at level 2, octants 7 3" },
		{ 0, 7, 2,
		  "the node at level 1, octants 7 is number 2, which is not among 1 .. 1" },
		{ 1, 0, 0,
		  "the node at level 2, octants 7 0 is number 0, which is not among 1 .. 1" },
		{ 1, 0, -2 - 3, "the leaf at level 2, octants 7 0 has a body 3, of 3 bodies" },
		{ 1, 3, -2 - 0, "body 0 is in the tree twice, here at level 2, octants 7 3" },
		{ 0, 0, OCTREE_FREE, "body 0 of 3 is not in the tree" },
		{ 1, 0, OCTREE_FREE, "body 2 of 3 is not in the tree" },
		{ -1, 0, 2,
		  "the leaf at level 1, octants 0 has 2 bodies, more than the bucket's 1" },
		{ -1, 2, 1,
		  "the leaf at level 2, octants 7 0 has 2 bodies, more than the bucket's 1" },
		{ -1, 1, -7, "the leaf at level 2, octants 7 7 has a body -7, of 3 bodies" },
		{ -1, 0, 0, "body 0 is in the tree twice, here at level 1, octants 0" },
		{ 1, 0, OCTREE_LOCKED, "the leaf at level 2, octants 7 0 has a body" },
	};
	struct scene s;

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		set_up_three(&s, 1);
		*(fault[i].row < 0 ? &s.next[fault[i].octant]
				   : &s.out->child[fault[i].row][fault[i].octant]) = fault[i].value;
		refuse(&s.trial, fault[i].words);
	}
	set_up_three(&s, 1);
	expect_of(&s.trial, 0, NULL);
	cr_expect_eq(metric_of(&s.trial, "nodes"), 2);
	cr_expect_eq(metric_of(&s.trial, "leaves"), 3);
	cr_expect_eq(metric_of(&s.trial, "max_depth"), 2);
	cr_expect_float_eq(metric_of(&s.trial, "mean_depth"), 5 / 3.0, 1e-12);
	cr_expect_eq(metric_of(&s.trial, "pool_nodes"), 2);
	s.out->rows = 6;
	expect_of(&s.trial, 0, "the output has 6 nodes, of 5");
	s.out->rows = 0;
	expect_of(&s.trial, 0, "the output has 0 nodes, of 5");
	s.out->rows = 2;
	s.out->child[1][0] = octree_body(1);
	s.out->child[1][7] = octree_body(2);
	expect_of(&s.trial, 0,
		  "body 1 at (0.899999976, 0.899999976, 0.899999976) is in the leaf at level 2, "
		  "octants 7 0, which is not where it belongs");
	s.out->child[1][0] = OCTREE_FREE;
	s.out->child[1][3] = octree_body(2);
	s.out->child[1][7] = octree_body(1);
	expect_of(&s.trial, 0, "octants 7 3, which is not where it belongs");
	s.out->child[1][3] = OCTREE_FREE;
	s.out->child[1][0] = octree_body(2);
	s.in->tree.hash ^= 1;
	refuse(&s.trial, "2 nodes and 3 leaves instead of 2 and 3; the structural hash differs");
	set_up_three(&s, 1);
	memset(s.out, GB_POISON, s.trial.size);
	refuse(&s.trial, "nodes, of 5");
	set_up_three(&s, 2);
	refuse(&s.trial, "the node at level 1, octants 7 has 2 bodies, which one leaf could have");
}
