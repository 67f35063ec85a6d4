/* test_cbt_vary.c -- variations of the trees of cbt: they keep the number of leaves on each level,
 * and the requests of all frames follow the leaves; every variant is right on a variation.
 */
#include "common/cbt.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/swaps.h"
#include "datasets/trees/terrain.h"
#include "datasets/trees/trees.h"
#include "tests/cli/workloads/varied.h"

enum { FRAMES = 5, ARRAYS = 2 + 2 * FRAMES };

static struct cbt_params params_of(int64_t op, int64_t depth, int64_t shape, double fill)
{
	return (struct cbt_params){ .op = op,
				    .depth = depth,
				    .shape = shape,
				    .fill = fill,
				    .frames = FRAMES,
				    .threads = 2,
				    .seed = 4 };
}

static size_t list_arrays(const struct cbt_input *in, struct piece piece[ARRAYS])
{
	size_t count = 0;

	piece[count++] = (struct piece){ in->field, in->field_words * sizeof *in->field };
	if (in->heap)
		piece[count++] = (struct piece){ in->heap, in->heap_words * sizeof *in->heap };
	for (size_t f = 0; f < in->frames; f++) {
		const struct cbt_frame *frame = &in->frame[f];
		const size_t bytes = ((frame->leaves + 63) / 64 + 1) * sizeof *frame->split;

		piece[count++] = (struct piece){ frame->split, bytes };
		piece[count++] = (struct piece){ frame->merge, bytes };
	}
	return count;
}

/* Leaves on each level, and their total. */
struct levels {
	size_t leaves[CBT_MAX_DEPTH + 1], total;
};

static struct levels levels_of(const uint64_t *field, unsigned depth)
{
	struct levels levels = { { 0 }, 0 };

	for (uint64_t x = 0; x < UINT64_C(1) << depth; levels.total++)
		levels.leaves[cbt_level(gb_tree_leaf(field, depth, &x))]++;
	return levels;
}

static void expect_levels(const uint64_t *field, unsigned depth, const struct levels *levels)
{
	const struct levels now = levels_of(field, depth);

	cr_assert_eq(memcmp(&now, levels, sizeof now), 0);
}

static void expect_heap(const struct cbt_input *in)
{
	uint64_t *heap = malloc(in->heap_words * sizeof *heap);

	gb_trees_reduce(in->field, in->depth, heap);
	cr_assert_eq(memcmp(in->heap, heap, in->heap_words * sizeof *heap), 0);
	free(heap);
}

/* Apply all frames to a copy of the field.  The trees have the levels of the original's trees or,
 * if `store`, these levels are stored. */
static void walk_frames(struct cbt_input *in, bool terrain, bool store,
			struct levels levels[FRAMES + 1])
{
	const size_t bytes = in->field_words * sizeof *in->field;
	uint64_t *field = malloc(bytes);

	memcpy(field, in->field, bytes);
	for (size_t f = 0; f <= in->frames; f++) {
		struct gb_error err = { 0 };

		if (store)
			levels[f] = levels_of(field, in->depth);
		expect_levels(field, in->depth, &levels[f]);
		if (terrain)
			cr_assert_eq(gb_terrain_check(in, field, levels[f].total, &err), GB_OK,
				     "%s", err.message);
		if (f < in->frames) {
			const struct cbt_frame before = in->frame[f];

			cr_assert_eq(gb_trees_apply(field, in->depth, &in->frame[f]),
				     levels[f + 1].total +
					     (store ? before.leaves + before.splits - before.merges
						    : 0));
			cr_assert_eq(in->frame[f].splits, before.splits);
			cr_assert_eq(in->frame[f].merges, before.merges);
		}
	}
	if (in->frames)
		cr_assert_eq(memcmp(field, gb_swaps_end_field(in), bytes), 0);
	free(field);
}

/* True if variations 3 and 4 differ; a small tree may have only one. */
static bool differ(struct trial *t, const struct piece *piece, size_t pieces)
{
	unsigned char *copy;
	bool differ = false;

	(void)vary(t, 3);
	copy = copy_of(piece, pieces);
	(void)vary(t, 4);
	for (size_t i = 0, at = 0; i < pieces; at += piece[i++].size)
		differ = differ || memcmp(copy + at, piece[i].data, piece[i].size) != 0;
	(void)vary(t, 0);
	free(copy);
	return differ;
}

/* True if the input has variations. */
static bool check_tree(const struct cbt_params *params)
{
	struct trial t = start_trial(&gb_cbt_workload, params);
	const bool terrain = params->shape == CBT_TERRAIN, varies = vary(&t, 0);
	struct levels levels[FRAMES + 1] = { 0 };
	struct cbt_input *in = t.input;
	struct piece piece[ARRAYS];
	const size_t pieces = list_arrays(in, piece);
	bool many;

	walk_frames(in, terrain, true, levels);
	for (uint64_t key = 1; key < 9; key++) {
		cr_assert_eq(vary(&t, key), varies);
		walk_frames(in, terrain, false, levels);
		if (in->heap)
			expect_heap(in);
	}
	(void)vary(&t, 0);
	walk_frames(in, terrain, false, levels);
	many = differ(&t, piece, pieces);
	cr_assert(many || !varies || params->depth < 10 || params->fill < 0.1);
	check_bytes(&t, piece, pieces, varies, many);
	end_trial(&t);
	return varies;
}

Test(cbt_vary, random_trees)
{
	static const double fill[] = { 0.002, 0.03, 0.3, 0.97 };
	static const int64_t ops[] = { CBT_CYCLE, CBT_DECODE, CBT_UPDATE };

	for (int64_t depth = 3; depth <= 15; depth++)
		for (size_t i = 0; i < GB_COUNT(fill); i++)
			for (size_t o = 0; o < GB_COUNT(ops); o++) {
				const struct cbt_params params =
					params_of(ops[o], depth, CBT_RANDOM, fill[i]);

				if (ldexp(fill[i], (int)depth) < 3)
					continue;
				cr_assert(check_tree(&params) || ldexp(fill[i], (int)depth) < 30,
					  "depth %d, fill %g", (int)depth, fill[i]);
			}
}

Test(cbt_vary, terrains)
{
	for (int64_t depth = 6; depth <= 14; depth += 4) {
		const struct cbt_params cycle = params_of(CBT_CYCLE, depth, CBT_TERRAIN, 0.2);
		const struct cbt_params update = params_of(CBT_UPDATE, depth, CBT_TERRAIN, 0.2);

		cr_assert(check_tree(&cycle) || depth < 10);
		cr_assert(check_tree(&update) || depth < 10);
	}
}

/* Trees with all leaves on one level have no variations, unless frames change them. */
Test(cbt_vary, trees_of_one_level)
{
	for (int64_t op = CBT_BITFIELD; op < CBT_OPS; op++)
		for (int64_t depth = 1; depth <= 13; depth += 2) {
			const struct cbt_params full = params_of(op, depth, CBT_FULL, 1);
			const struct cbt_params uniform = params_of(op, depth, CBT_UNIFORM, 0.5);
			const struct cbt_params random = params_of(op, depth, CBT_RANDOM, 1);
			const bool changes = op == CBT_UPDATE && depth >= 9;

			cr_assert_eq(check_tree(&full) && op != CBT_UPDATE, false);
			cr_assert_eq(check_tree(&uniform) && op != CBT_UPDATE, false);
			cr_assert_eq(check_tree(&random) && op != CBT_UPDATE, false);
			cr_assert(!changes || check_tree(&full));
		}
}

/* Lopsided nodes: requests of few and of many leaves trade places. */
Test(cbt_vary, many_seeds)
{
	for (int64_t seed = 0; seed < 60; seed++) {
		struct cbt_params params = params_of(CBT_UPDATE, 5 + seed % 9, CBT_RANDOM, 0.4);

		params.seed = seed;
		(void)check_tree(&params);
	}
}

/* ---- variants ------------------------------------------------------------------------------ */

static size_t check(const struct cbt_params *params)
{
	struct trial t = start_trial(&gb_cbt_workload, params);
	const size_t checked = check_variants(&t, vary(&t, 0));

	end_trial(&t);
	return checked;
}

Test(variants_cbt_vary, every_variant)
{
	static const int64_t depths[] = { 3, 4, 5, 6, 7, 12, 16 };
	size_t checked = 0;

	for (int64_t op = CBT_BITFIELD; op < CBT_OPS; op++)
		for (size_t d = 0; d < GB_COUNT(depths); d++) {
			const struct cbt_params random = params_of(op, depths[d], CBT_RANDOM, 0.4);

			checked += check(&random);
		}
	for (int64_t op = CBT_BITFIELD; op < CBT_OPS; op++) {
		struct cbt_params sums = params_of(op, 11, CBT_RANDOM, 0.3);
		const struct cbt_params terrain = params_of(op, 12, CBT_TERRAIN, 0.2);

		sums.ids = CBT_SUM;
		checked += check(&sums);
		checked += check(&terrain);
	}
	cr_assert(checked > 0);
}
