/* test_trees.c -- the layout against the paper's formulas, the generated trees, the rule for
 * merges, and the terrain's mesh.  (`gpubench check` compares splits and merges of whole frames with
 * the output of every variant of cbt.)
 */
#include <criterion/criterion.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/trees.h"
#include "tests/trees_release.h"

/* ---- layout ------------------------------------------------------------------------------ */

/* Formulas (11) and (25) for D = 4, as in figure 9. */
Test(cbt_layout, table_of_the_paper)
{
	static const unsigned width[] = { 5, 4, 3, 2, 1 };
	static const uint64_t first[] = { 7, 12, 20, 32, 48 };

	for (unsigned level = 0; level <= 4; level++) {
		cr_assert_eq(cbt_width(4, level), width[level]);
		cr_assert_eq(cbt_level_bit(4, level), first[level]);
		cr_assert_eq(cbt_element_bit(4, 1U << level), first[level]);
	}
	cr_assert_eq(cbt_element_bit(4, 31), 63);
	cr_assert_eq(cbt_element_bit(4, 27), 59);
	cr_assert_eq(cbt_heap_words(20) * 8, 512 * 1024, "the paper: 512 KiB for D = 20");
}

/* Elements are adjacent, without gaps or overlaps, up to the end of the heap. */
Test(cbt_layout, elements_are_dense)
{
	for (unsigned depth = CBT_MIN_DEPTH; depth <= 16; depth++) {
		uint64_t bit = depth + 3;

		for (uint32_t k = 1; k < UINT32_C(2) << depth; k++) {
			cr_assert_eq(cbt_element_bit(depth, k), bit);
			bit += cbt_width(depth, cbt_level(k));
		}
		cr_assert_eq(bit, UINT64_C(4) << depth);
		cr_assert(cbt_heap_words(depth) * 64 >= bit);
	}
	for (unsigned depth = 6; depth <= CBT_MAX_DEPTH; depth++)
		for (unsigned level = 6; level <= depth; level++)
			cr_assert_eq(cbt_level_bit(depth, level) % 64, 0);
}

Test(cbt_layout, bits_and_nodes)
{
	/* The example of figure 3: bit 4 can represent 20, 10 and 5; node 27 is bit 11. */
	cr_assert_eq(cbt_field_bit(4, 20), 4);
	cr_assert_eq(cbt_field_bit(4, 10), 4);
	cr_assert_eq(cbt_field_bit(4, 5), 4);
	cr_assert_eq(cbt_leaf(4, 4, 1), 20);
	cr_assert_eq(cbt_leaf(4, 4, 4), 5);
	cr_assert_eq(cbt_field_bit(4, 27), 11);
	cr_assert_eq(cbt_field_bit(CBT_MAX_DEPTH, 1), 0);
	cr_assert_eq(cbt_leaf(CBT_MAX_DEPTH, 0, UINT32_C(1) << CBT_MAX_DEPTH), 1);
}

/* An input of CBT_UPDATE. */
static enum gb_status try(int64_t shape, int64_t depth, double fill, int64_t frames, int64_t seed,
			  struct cbt_input *in, struct gb_error *err)
{
	const struct cbt_params params = { .op = CBT_UPDATE,
					   .depth = depth,
					   .shape = shape,
					   .fill = fill,
					   .frames = frames,
					   .seed = seed };

	*in = (struct cbt_input){ 0 };
	*err = (struct gb_error){ 0 };
	return gb_trees_make(&params, in, err);
}

static struct cbt_input made(int64_t shape, int64_t depth, double fill, int64_t frames,
			     int64_t seed)
{
	struct cbt_input in;
	struct gb_error err;

	cr_assert_eq(try(shape, depth, fill, frames, seed, &in, &err), GB_OK, "%s", err.message);
	return in;
}

/* ---- frames ------------------------------------------------------------------------------ */

enum { MOST = 10 };

/* Apply a frame to a tree that is a set of nodes, after checking its number of leaves.  Return the
 * new number of leaves. */
static size_t change(bool leaf[2 << MOST], unsigned depth, const struct cbt_frame *frame)
{
	static bool was[2 << MOST], split[2 << MOST], merge[2 << MOST];
	const uint64_t end = UINT64_C(1) << depth;
	size_t leaves = 0, after = 0;

	memcpy(was, leaf, sizeof was);
	for (uint64_t x = 0, size; x < end; x += size, leaves++) {
		uint32_t k = (uint32_t)(end + x); /* the leaf whose range starts at x */

		for (size = 1; !was[k]; size *= 2)
			k /= 2;
		split[k] = gb_tree_get(frame->split, leaves);
		merge[k] = gb_tree_get(frame->merge, leaves);
	}
	cr_assert_eq(frame->leaves, leaves);
	for (uint32_t k = 1; k < end; k++) {
		if (was[k] && split[k]) {
			leaf[k] = false;
			leaf[2 * k] = leaf[2 * k + 1] = true;
		}
		if (was[2 * k] && was[2 * k + 1] && merge[2 * k] && merge[2 * k + 1]) {
			leaf[k] = true;
			leaf[2 * k] = leaf[2 * k + 1] = false;
		}
	}
	for (uint32_t k = 1; k < 2 * end; k++)
		after += leaf[k];
	cr_assert_eq(leaves + frame->splits - frame->merges, after);
	return after;
}

/* A node of the heap is a leaf if its range has no bit but the first. */
static void read_leaves(bool leaf[2 << MOST], const uint64_t *field, unsigned depth)
{
	memset(leaf, 0, 2 << MOST);
	for (uint64_t x = 0, next, end = UINT64_C(1) << depth; x < end; x = next) {
		for (next = x + 1; next < end && !gb_tree_get(field, next);)
			next++;
		leaf[(end + x) / (next - x)] = true;
	}
}

Test(cbt_trees, frames_agree_with_a_set_of_nodes)
{
	static bool leaf[2 << MOST], end[2 << MOST];

	for (unsigned depth = CBT_MIN_DEPTH; depth <= MOST; depth++)
		for (int64_t seed = 0; seed < 8; seed++) {
			struct cbt_input in = made(CBT_RANDOM, depth, seed % 2 ? 0.5 : 1, 12, seed);
			size_t leaves = in.leaves;

			read_leaves(leaf, in.field, depth);
			for (size_t f = 0; f < in.frames; f++)
				leaves = change(leaf, depth, &in.frame[f]);
			read_leaves(end, in.end_field, depth);
			cr_assert_eq(in.end_leaves, leaves);
			cr_assert_arr_eq(leaf, end, sizeof leaf);
			trees_release(&in);
		}
}

/* ---- the rule for merges ------------------------------------------------------------------ */

/* The tree of depth 6 with leaves 2, 6 and 7.  wishes: a bit for each leaf that wants to be
 * merged. */
static size_t merge_three(uint64_t wishes, uint64_t *field)
{
	uint64_t split[2] = { 0 }, merge[2] = { wishes, 0 };
	struct cbt_frame frame = { .leaves = 3, .split = split, .merge = merge };

	*field = UINT64_C(1) | UINT64_C(1) << 32 | UINT64_C(1) << 48;
	return gb_trees_apply(field, 6, &frame);
}

Test(cbt_trees, merges_need_two_leaves_that_agree)
{
	uint64_t before, field;

	(void)merge_three(0, &before);
	for (uint64_t wishes = 0; wishes < 6; wishes++) {
		cr_assert_eq(merge_three(wishes, &field), 3);
		cr_assert_eq(field, before, "2 has no leaf for a sibling; 6 and 7 do not agree");
	}
	for (uint64_t wishes = 6; wishes < 8; wishes++) {
		cr_assert_eq(merge_three(wishes, &field), 2);
		cr_assert_eq(field, UINT64_C(1) | UINT64_C(1) << 32);
	}
}

/* ---- shapes ------------------------------------------------------------------------------- */

/* A valid tree: every gap is a power of two, and every leaf is at a multiple of its gap. */
static size_t check_tree(const uint64_t *field, unsigned depth)
{
	const uint64_t end = UINT64_C(1) << depth;
	size_t leaves = 0;

	cr_assert(gb_tree_get(field, 0));
	for (uint64_t x = 0, next; x < end; x = next, leaves++) {
		next = gb_tree_next(field, end, x + 1);
		cr_assert_eq((next - x) & (next - x - 1), 0);
		cr_assert_eq(x % (next - x), 0);
	}
	return leaves;
}

Test(cbt_trees, the_number_of_leaves_is_as_requested)
{
	static const double fill[] = { 1, 0.97, 0.5, 0.25, 0.1, 0.003 };
	struct cbt_input in;

	for (int64_t depth = CBT_MIN_DEPTH; depth <= 18; depth++)
		for (size_t i = 0; i < GB_COUNT(fill); i++) {
			const double wanted = fill[i] * (double)(1 << depth);

			if (wanted < 0.5)
				continue;
			in = made(CBT_RANDOM, depth, fill[i], 3, 7);
			cr_assert_eq(in.leaves, (size_t)(wanted + 0.5));
			cr_assert_eq(check_tree(in.field, in.depth), in.leaves);
			cr_assert_eq(check_tree(in.end_field, in.depth), in.end_leaves);
			trees_release(&in);
		}
}

Test(cbt_trees, uniform_and_full)
{
	struct cbt_input in;

	for (int64_t depth = CBT_MIN_DEPTH; depth <= 14; depth++)
		for (int64_t k = 0; k <= depth; k++) {
			in = made(CBT_UNIFORM, depth, 1.0 / (double)(1 << k), 3, 7);
			cr_assert_eq(in.leaves, (size_t)1 << (depth - k));
			cr_assert_eq(check_tree(in.field, in.depth), in.leaves);
			for (uint64_t x = 0; x < UINT64_C(1) << depth; x++)
				cr_assert_eq(gb_tree_get(in.field, x), x % (UINT64_C(1) << k) == 0);
			trees_release(&in);
		}
	in = made(CBT_FULL, 12, 1, 3, 7);
	cr_assert_eq(in.leaves, 4096);
	trees_release(&in);
}

Test(cbt_trees, the_number_of_threads_does_not_matter)
{
	struct cbt_input one, many;

	for (int64_t shape = CBT_RANDOM; shape <= CBT_TERRAIN; shape++) {
		omp_set_num_threads(1);
		one = made(shape, 17, 0.3, 3, 7);
		omp_set_num_threads(5);
		many = made(shape, 17, 0.3, 3, 7);
		cr_assert_arr_eq(one.field, many.field, one.field_words * 8);
		cr_assert_arr_eq(one.heap, many.heap, one.heap_words * 8);
		cr_assert_arr_eq(one.end_field, many.end_field, one.field_words * 8);
		trees_release(&one);
		trees_release(&many);
	}
}

static void refused(int64_t shape, int64_t depth, double fill, const char *words)
{
	const size_t used = gb_memory_used(GB_HOST_MEMORY);
	struct cbt_input in;
	struct gb_error err;

	cr_assert_eq(try(shape, depth, fill, 3, 7, &in, &err), GB_EUSAGE);
	cr_assert(strstr(err.message, words), "%s", err.message);
	trees_release(&in);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
}

Test(cbt_trees, impossible_fills)
{
	refused(CBT_FULL, 10, 0.5, "--shape=full requires --fill=1, not 0.5");
	refused(CBT_UNIFORM, 10, 0.3, "no uniform tree of depth 10 has --fill=0.3");
	refused(CBT_UNIFORM, 3, 0.0625, "no uniform tree of depth 3 has --fill=0.0625");
	refused(CBT_RANDOM, 10, 0, "no tree of depth 10 has --fill=0: 0 leaves is less");
	refused(CBT_RANDOM, 4, 0.01, "no tree of depth 4 has --fill=0.01: 0.16 leaves is less");
	refused(CBT_TERRAIN, 4, 0.07, "at least two leaves");
}

Test(cbt_trees, a_dry_run_takes_no_time)
{
	struct cbt_input in;

	gb_memory_set_dry(true);
	for (int64_t shape = CBT_RANDOM; shape <= CBT_TERRAIN; shape++) {
		in = made(shape, CBT_MAX_DEPTH, 1, 3, 7);
		cr_assert(gb_memory_used(GB_HOST_MEMORY) > (size_t)640 << 20);
		trees_release(&in);
	}
	gb_memory_set_dry(false);
}

/* ---- terrain ------------------------------------------------------------------------------ */

enum { SIDE = 512 }; /* of the square: twice as fine as the corners of level 15 */

/* The corners of a node, by the rules in terrain.h. */
static void find_corners(uint32_t k, int corner[3][2])
{
	static const int halves[2][3][2] = { { { 0, 0 }, { SIDE, 0 }, { SIDE, SIDE } },
					     { { SIDE, SIDE }, { 0, SIDE }, { 0, 0 } } };
	int p[3][2];

	if (k < 4) {
		memcpy(corner, halves[k % 2], sizeof halves[0]);
		return;
	}
	find_corners(k / 2, p);
	for (int d = 0; d < 2; d++) {
		corner[0][d] = p[k % 2][d];
		corner[1][d] = (p[0][d] + p[2][d]) / 2;
		corner[2][d] = p[1 + k % 2][d];
	}
}

/* True if a corner of a leaf is the midpoint of an edge of another. */
static bool has_crack(const uint64_t *field, unsigned depth)
{
	static bool is_corner[SIDE + 1][SIDE + 1];
	bool found = false;

	memset(is_corner, 0, sizeof is_corner);
	for (int pass = 0; pass < 2; pass++)
		for (uint64_t x = 0; x >> depth == 0;) {
			int corner[3][2];

			find_corners(gb_tree_leaf(field, depth, &x), corner);
			for (int i = 0; i < 3; i++) {
				const int *a = corner[i], *b = corner[(i + 1) % 3];

				if (pass == 0)
					is_corner[a[0]][a[1]] = true;
				else
					found |= is_corner[(a[0] + b[0]) / 2][(a[1] + b[1]) / 2];
			}
		}
	return found;
}

Test(cbt_terrain, no_frame_has_a_crack)
{
	static const double fill[] = { 0.02, 0.2, 0.6 };

	for (int64_t depth = 6; depth <= 15; depth += 3)
		for (size_t i = 0; i < GB_COUNT(fill); i++) {
			size_t splits = 0, merges = 0, leaves;
			struct cbt_input in;

			if (fill[i] * (double)(1 << depth) < 2)
				continue;
			in = made(CBT_TERRAIN, depth, fill[i], 20, depth);
			leaves = in.leaves;
			for (size_t f = 0; f < in.frames; f++) {
				cr_assert_eq(check_tree(in.field, in.depth), leaves);
				cr_assert_not(has_crack(in.field, in.depth), "frame %zu", f);
				leaves = gb_trees_apply(in.field, in.depth, &in.frame[f]);
				splits += in.frame[f].splits;
				merges += in.frame[f].merges;
			}
			cr_assert_not(has_crack(in.end_field, in.depth));
			if (depth >= 12 && i == 1)
				cr_assert(splits > 20 && merges > 20, "%zu splits, %zu merges",
					  splits, merges);
			trees_release(&in);
		}
}

Test(cbt_terrain, a_crack_is_found)
{
	struct cbt_input in;
	uint64_t x = 0, end = UINT64_C(1) << 12, next;

	in = made(CBT_TERRAIN, 12, 0.2, 3, 7);
	for (;; x = next) { /* split one leaf without its partner */
		next = gb_tree_next(in.field, end, x + 1);
		if (next - x > 1 && x > end / 4)
			break;
	}
	gb_tree_set(in.field, x + (next - x) / 2);
	cr_assert(has_crack(in.field, in.depth));
	trees_release(&in);
}
