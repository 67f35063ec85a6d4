/* trees.c -- generation of the trees and frames of cbt; trees.h defines the shapes.
 *
 * A random tree is generated top down.  Node k of level d with n leaves gives between
 * max(1, n - 2^(D-d-1)) and min(n - 1, 2^(D-d-1)) of them to its left child; Philox word k selects
 * the number.  Subtrees are independent and generated in parallel.  One task generates all subtrees
 * that share a 64-bit word of the field.
 */
#include "datasets/trees/trees.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/terrain.h"

/* Random streams of the seed; terrain.c has its own. */
enum { STREAM_SHAPE = 0, STREAM_FRAMES = 1000 };

enum { TASK_LEVELS = 8 }; /* nodes above this level become tasks */

/* ---- shapes ------------------------------------------------------------------------------ */

/* Set bits 0, step, 2 step, ... below `end`; step is a power of two. */
static void set_every(uint64_t *field, uint64_t end, uint64_t step)
{
#pragma omp parallel for schedule(static)
	for (uint64_t w = 0; w < (end + 63) / 64; w++)
		for (uint64_t x = 64 * w; x < 64 * w + 64 && x < end; x++)
			field[w] |= (uint64_t)((x & (step - 1)) == 0) << x % 64;
}

/* The number of leaves, out of the n of node k, that its left child gets; at most `room`. */
static uint64_t left_share(uint64_t seed, uint32_t k, uint64_t n, uint64_t room)
{
	const uint64_t least = n > room ? n - room : 1;
	const uint64_t most = n - 1 < room ? n - 1 : room;
	const uint64_t word = gb_random64_stream(seed, STREAM_SHAPE, k) >> 32;

	return least + (word * (most - least + 1) >> 32);
}

/* Generate the subtree of node k with n leaves. */
static void make_random(uint64_t *field, unsigned depth, uint64_t seed, uint32_t k, uint64_t n)
{
	const unsigned level = cbt_level(k);
	const uint64_t x = cbt_field_bit(depth, k), size = UINT64_C(1) << (depth - level);
	uint64_t left;

	if (n == 1) {
		gb_tree_set(field, x);
		return;
	}
	if (n == size && size <= 64) {
		field[x / 64] |= (UINT64_MAX >> (64 - size)) << x % 64;
		return;
	}
	left = left_share(seed, k, n, size / 2);
	if (level < TASK_LEVELS && size >= 4096) {
#pragma omp task
		make_random(field, depth, seed, 2 * k, left);
	} else {
		make_random(field, depth, seed, 2 * k, left);
	}
	make_random(field, depth, seed, 2 * k + 1, n - left);
}

/* Compute the number of leaves of the tree that the parameters describe; approximate for a terrain.
 * GB_EUSAGE if there is no such tree. */
static enum gb_status count_leaves(const struct cbt_params *p, size_t *leaves, struct gb_error *err)
{
	const double most = ldexp(1, (int)p->depth);
	const double wanted = floor(p->fill * most + 0.5);

	if (p->shape == CBT_FULL && p->fill < 1)
		return gb_fail(err, GB_EUSAGE,
			       "--shape=full requires --fill=1, not %g: use uniform or random",
			       p->fill);
	if (p->shape == CBT_UNIFORM && wanted >= 1 &&
	    (frexp(p->fill, &(int){ 0 }) != 0.5 || p->fill * most < 1))
		return gb_fail(err, GB_EUSAGE,
			       "no uniform tree of depth %" PRId64
			       " has --fill=%g: it must be 2^-k, k = 0 .. %" PRId64,
			       p->depth, p->fill, p->depth);
	if (wanted < 1)
		return gb_fail(err, GB_EUSAGE,
			       "no tree of depth %" PRId64
			       " has --fill=%g: %.3g leaves is less than one",
			       p->depth, p->fill, p->fill * most);
	if (p->shape == CBT_TERRAIN && wanted < 2)
		return gb_fail(
			err, GB_EUSAGE,
			"--shape=terrain has at least two leaves: --fill=%g is too little for "
			"--depth=%" PRId64,
			p->fill, p->depth);
	*leaves = (size_t)wanted;
	return GB_OK;
}

/* ---- by the definition ------------------------------------------------------------------- */

void gb_trees_reduce(const uint64_t *field, unsigned depth, uint64_t *heap)
{
	memset(heap, 0, cbt_heap_words(depth) * sizeof *heap);
	heap[0] = UINT64_C(1) << depth;
	cbt_put_field(heap, depth, field);
	/* A group of 64 nodes fills whole words, so no two threads write the same word. */
	for (unsigned level = depth; level-- > 0;) {
		const uint32_t nodes = UINT32_C(1) << level, group = nodes < 64 ? nodes : 64;

#pragma omp parallel for schedule(static) if (level >= 14)
		for (uint32_t first = nodes; first < 2 * nodes; first += group)
			for (uint32_t k = first; k < first + group; k++)
				cbt_set(heap, depth, k,
					cbt_get(heap, depth, 2 * k) +
						cbt_get(heap, depth, 2 * k + 1));
	}
}

size_t gb_trees_apply(uint64_t *field, unsigned depth, struct cbt_frame *frame)
{
	const uint64_t end = UINT64_C(1) << depth;
	uint32_t before = 0; /* the leaf before this one if it wishes to merge, else 0 */
	size_t leaf = 0;

	frame->splits = frame->merges = 0;
	for (uint64_t x = 0, next = 0; x < end; x = next, leaf++) {
		const uint32_t k = gb_tree_leaf(field, depth, &next);
		const bool merge = gb_tree_get(frame->merge, leaf);

		if (gb_tree_get(frame->split, leaf) && next - x > 1) {
			gb_tree_set(field, x + (next - x) / 2);
			frame->splits++;
		}
		if (merge && before && (k & 1) && before == k - 1) {
			field[x / 64] &= ~(UINT64_C(1) << x % 64);
			frame->merges++;
		}
		before = merge ? k : 0;
	}
	return leaf + frame->splits - frame->merges;
}

/* ---- frames ------------------------------------------------------------------------------ */

/* Store random wishes of frame f for the leaves of the field.  A quarter of all pairs of siblings wish
 * to merge, except for an eighth of their members.  An eighth of the other leaves wish to split. */
static void random_wishes(const uint64_t *field, unsigned depth, uint64_t seed, size_t f,
			  struct cbt_frame *frame)
{
	const uint64_t end = UINT64_C(1) << depth;
	size_t leaf = 0;

	for (uint64_t x = 0; x < end; leaf++) {
		const uint32_t k = gb_tree_leaf(field, depth, &x);
		const struct gb_random_block pair =
			gb_random_block(seed, STREAM_FRAMES + f, k >> 1);
		const uint32_t own = pair.word[1 + (k & 1)];

		if (pair.word[0] % 4 == 0 && own % 8 != 0)
			gb_tree_set(frame->merge, leaf);
		else if (own / 8 % 8 == 0)
			gb_tree_set(frame->split, leaf);
	}
}

/* Generate all frames and apply them to in->end_field, which starts as a copy of the field. */
static enum gb_status make_frames(const struct cbt_params *p, struct cbt_input *in,
				  struct gb_terrain *terrain, struct gb_error *err)
{
	in->frames = (size_t)p->frames;
	in->frame = gb_host_zalloc(in->frames, sizeof *in->frame, err);
	in->end_field = gb_host_alloc(in->field_words, sizeof *in->field, err);
	if (!in->end_field)
		return err->code;
	in->end_leaves = in->leaves;
	if (!gb_memory_is_dry())
		memcpy(in->end_field, in->field, in->field_words * sizeof *in->field);
	for (size_t f = 0; f < in->frames; f++) {
		struct cbt_frame *frame = &in->frame[f];
		const size_t words = cbt_wish_words(in->end_leaves);

		frame->leaves = in->end_leaves;
		frame->split = gb_host_zalloc(words, sizeof *frame->split, err);
		frame->merge = gb_host_zalloc(words, sizeof *frame->merge, err);
		if (!frame->merge)
			return err->code;
		if (gb_memory_is_dry())
			continue;
		if (p->shape == CBT_TERRAIN)
			gb_terrain_wishes(terrain, in->end_field, f, frame);
		else
			random_wishes(in->end_field, in->depth, (uint64_t)p->seed, f, frame);
		in->total_leaves += in->end_leaves;
		in->end_leaves = gb_trees_apply(in->end_field, in->depth, frame);
	}
	return GB_OK;
}

/* ---- an input ---------------------------------------------------------------------------- */

static void make_shape(const struct cbt_params *p, struct cbt_input *in, struct gb_terrain *terrain)
{
	const uint64_t size = UINT64_C(1) << in->depth;

	if (p->shape == CBT_TERRAIN)
		in->leaves = gb_terrain_tree(terrain, in->leaves, in->field);
	else if (p->shape == CBT_RANDOM)
#pragma omp parallel
#pragma omp single
		make_random(in->field, in->depth, (uint64_t)p->seed, 1, in->leaves);
	else
		set_every(in->field, size, size / in->leaves);
}

static enum gb_status make_all(const struct cbt_params *p, struct cbt_input *in,
			       struct gb_terrain *terrain, struct gb_error *err)
{
	in->field = gb_host_zalloc(in->field_words, sizeof *in->field, err);
	if (in->op == CBT_DECODE || in->op == CBT_UPDATE)
		in->heap = gb_host_alloc(in->heap_words, sizeof *in->heap, err);
	if (err->code)
		return err->code;
	if (!gb_memory_is_dry())
		make_shape(p, in, terrain);
	if (in->heap && !gb_memory_is_dry())
		gb_trees_reduce(in->field, in->depth, in->heap);
	if (in->op == CBT_UPDATE)
		return make_frames(p, in, terrain, err);
	in->total_leaves = in->leaves;
	return GB_OK;
}

enum gb_status gb_trees_make(const struct cbt_params *params, struct cbt_input *in,
			     struct gb_error *err)
{
	struct gb_terrain terrain = { .split = NULL };

	in->op = (enum cbt_op)params->op;
	in->ids = (enum cbt_ids)params->ids;
	in->depth = (unsigned)params->depth;
	in->field_words = cbt_field_words(in->depth);
	in->heap_words = cbt_heap_words(in->depth);
	if (count_leaves(params, &in->leaves, err))
		return err->code;
	if (params->shape != CBT_TERRAIN ||
	    !gb_terrain_begin(&terrain, in->depth, (uint64_t)params->seed, err))
		(void)make_all(params, in, &terrain, err);
	gb_host_free(terrain.split);
	gb_host_free(terrain.merge);
	return err->code;
}
