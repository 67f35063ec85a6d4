/* test_cbt.c -- the verifier of cbt: a right result passes, and each planted fault is found and
 * its place told.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/workloads/registry.h"
#include "common/cbt.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/workload.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/trees.h"

struct scene {
	struct cbt_params params;
	struct cbt_input *in;
	struct cbt_output *out;
	uint32_t *ids;
	uint64_t *heap;
};

/* A right result, by the definitions. */
static struct scene set_up(int64_t op, int64_t depth, int64_t ids)
{
	struct scene s = { .params = { .op = op,
				       .depth = depth,
				       .shape = CBT_RANDOM,
				       .fill = 0.4,
				       .ids = ids,
				       .frames = 3,
				       .seed = 5 } };
	const uint64_t end = UINT64_C(1) << depth;
	struct gb_error err = { 0 };
	const uint64_t *field;
	void *input;
	size_t leaf = 0;

	cr_assert_eq(gb_cbt_workload.prepare(&s.params, &input, &err), GB_OK, "%s", err.message);
	s.in = input;
	s.out = malloc(cbt_output_size(s.in));
	memset(s.out, 0xa5, cbt_output_size(s.in));
	s.ids = cbt_output_ids(s.in, s.out);
	s.heap = cbt_output_heap(s.in, s.out);
	field = op == CBT_UPDATE ? s.in->end_field : s.in->field;
	*s.out = (struct cbt_output){ .leaves = op == CBT_UPDATE ? s.in->end_leaves : s.in->leaves,
				      .last_level = depth - 1 };
	for (uint64_t x = 0, next; x < end; x = next, leaf++) {
		const uint32_t k =
			cbt_leaf((unsigned)depth, (uint32_t)x,
				 (uint32_t)((next = gb_tree_next(field, end, x + 1)) - x));

		if (cbt_has_ids(s.in))
			s.ids[leaf] = k;
		else if (op != CBT_REDUCE && op != CBT_UPDATE)
			s.out->id_sum += k;
	}
	if (cbt_has_heap(s.in))
		gb_trees_reduce(field, (unsigned)depth, s.heap);
	return s;
}

static void tear_down(struct scene *s)
{
	gb_cbt_workload.release(s->in);
	free(s->out);
}

static enum gb_status verify(const struct scene *s, struct gb_error *err)
{
	struct gb_metrics metrics = { 0 };

	*err = (struct gb_error){ 0 };
	return gb_cbt_workload.verify(&s->params, s->in, 0, s->out, &metrics, err);
}

/* Expect a refusal in these words, and clean up. */
static void fault(struct scene *s, const char *format, ...)
{
	struct gb_error err;
	char words[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(words, sizeof words, format, args);
	va_end(args);
	cr_assert_eq(verify(s, &err), GB_EVERIFY, "the fault was not found");
	cr_assert(strstr(err.message, words), "the message is: %s\nit lacks: %s", err.message,
		  words);
	tear_down(s);
}

Test(cbt_verify, right_results_pass)
{
	for (int64_t op = CBT_BITFIELD; op < CBT_OPS; op++)
		for (int64_t depth = CBT_MIN_DEPTH; depth <= 16; depth++)
			for (int64_t ids = CBT_STORE; ids <= CBT_SUM; ids++) {
				struct scene s = set_up(op, depth, ids);
				struct gb_error err;

				cr_assert_eq(verify(&s, &err), GB_OK, "%s", err.message);
				tear_down(&s);
			}
}

Test(cbt_verify, sums_of_fewer_levels_pass)
{
	for (unsigned depth = 2; depth <= 14; depth++)
		for (int64_t last = 0; last < (int64_t)depth - 1; last++) {
			struct scene s = set_up(CBT_REDUCE, depth, CBT_STORE);
			struct gb_error err;

			s.out->last_level = last;
			for (uint32_t k = UINT32_C(2) << last; k < UINT32_C(1) << depth; k++)
				cbt_set(s.heap, depth, k, 0);
			cr_assert_eq(verify(&s, &err), GB_OK, "%s", err.message);
			cbt_set(s.heap, depth, UINT32_C(1) << last,
				cbt_get(s.heap, depth, UINT32_C(1) << last) ^ 1);
			cr_assert_eq(verify(&s, &err), GB_EVERIFY);
			tear_down(&s);
		}
}

/* ---- ids ---------------------------------------------------------------------------------- */

Test(cbt_verify, one_id_is_wrong)
{
	for (size_t at = 0; at < 400; at += 57) {
		struct scene s = set_up(CBT_DECODE, 10, CBT_STORE);
		const uint32_t id = s.ids[at]++;

		fault(&s, "leaf %zu of 410 is node %u, not %u", at, id, id + 1);
	}
}

Test(cbt_verify, ids_out_of_order)
{
	struct scene s = set_up(CBT_BITFIELD, 10, CBT_STORE);
	const uint32_t id = s.ids[200];

	s.ids[200] = s.ids[201];
	s.ids[201] = id;
	fault(&s, "leaf 200 of 410 is node %u", id);
}

Test(cbt_verify, a_leaf_too_few_or_too_many)
{
	for (int d = -1; d <= 1; d += 2) {
		struct scene s = set_up(CBT_CYCLE, 10, CBT_STORE);

		s.out->leaves += (uint64_t)d;
		fault(&s, "%d leaves decoded of 410", 410 + d);
	}
}

Test(cbt_verify, ids_never_written)
{
	struct scene s = set_up(CBT_DECODE, 10, CBT_STORE);

	s.ids[409] = 0xa5a5a5a5;
	fault(&s, "leaf 409 of 410");
}

Test(cbt_verify, a_wrong_sum_of_ids)
{
	struct scene s = set_up(CBT_DECODE, 10, CBT_SUM);
	const uint64_t sum = s.out->id_sum--;

	fault(&s, "the ids of the leaves add up to %llu, not %llu", (unsigned long long)sum,
	      (unsigned long long)sum - 1);
}

/* ---- heaps -------------------------------------------------------------------------------- */

/* Each single bit of a heap. */
Test(cbt_verify, every_bit_of_a_heap_counts)
{
	for (unsigned depth = CBT_MIN_DEPTH; depth <= 9; depth++) {
		struct scene s = set_up(CBT_REDUCE, depth, CBT_STORE);
		struct gb_error err;

		for (size_t bit = 0; bit < s.in->heap_words * 64; bit++) {
			s.heap[bit / 64] ^= UINT64_C(1) << bit % 64;
			cr_assert_eq(verify(&s, &err), GB_EVERIFY, "depth %u, bit %zu", depth, bit);
			s.heap[bit / 64] ^= UINT64_C(1) << bit % 64;
		}
		cr_assert_eq(verify(&s, &err), GB_OK);
		tear_down(&s);
	}
}

Test(cbt_verify, a_sum_is_named)
{
	for (uint32_t k = 1; k < 4096; k = 3 * k + 1) {
		struct scene s = set_up(CBT_REDUCE, 12, CBT_STORE);
		const uint64_t sum = cbt_get(s.heap, 12, k);

		cbt_set(s.heap, 12, k, sum ^ 1);
		/* The parent's sum does not fit either, and comes first. */
		if (k == 1)
			fault(&s, "the sum of node 1, level 0, is %llu, not %llu",
			      (unsigned long long)(sum ^ 1), (unsigned long long)sum);
		else
			fault(&s, "the sum of node %u, level %u, is ", k / 2, cbt_level(k / 2));
	}
}

Test(cbt_verify, the_marker_of_the_paper)
{
	struct scene s = set_up(CBT_REDUCE, 8, CBT_STORE);

	s.heap[0] = (s.heap[0] & ~UINT64_C(0x7ff)) | UINT64_C(1) << 10;
	fault(&s, "the heap starts with bits 0x400, not with the depth marker 0x100");
}

Test(cbt_verify, a_changed_field)
{
	struct scene s = set_up(CBT_CYCLE, 10, CBT_STORE);
	const uint64_t x = 777;
	const int was = gb_tree_get(s.heap, 3 * 1024 + x);

	s.heap[(3 * 1024 + x) / 64] ^= UINT64_C(1) << (3 * 1024 + x) % 64;
	fault(&s, "bit 777 of the field is %d after the run, and should be %d", !was, was);
}

Test(cbt_verify, a_lost_frame)
{
	struct scene s = set_up(CBT_UPDATE, 10, CBT_STORE);

	memcpy(s.heap, s.in->heap, s.in->heap_words * 8);
	fault(&s, "of the field is");
}

Test(cbt_verify, a_root_that_does_not_fit)
{
	struct scene s = set_up(CBT_REDUCE, 10, CBT_STORE);

	s.out->leaves = 7;
	fault(&s, "7 leaves reported, but the root's sum is 410");
}

Test(cbt_verify, levels_that_do_not_exist)
{
	struct scene s = set_up(CBT_REDUCE, 10, CBT_STORE);

	s.out->last_level = 10;
	fault(&s, "sums are said to be kept down to level 10");
}

/* ---- the workload ------------------------------------------------------------------------- */

Test(cbt_workload, work)
{
	struct scene s = set_up(CBT_CYCLE, 10, CBT_STORE);
	struct gb_work work = gb_cbt_workload.work(&s.params, s.in);

	cr_assert(work.items == 410);
	cr_assert(work.bytes == 128 + 3 * 128 + 4 * 410);
	cr_assert(gb_cbt_workload.repeatable(&s.params));
	tear_down(&s);
	s = set_up(CBT_UPDATE, 10, CBT_STORE);
	work = gb_cbt_workload.work(&s.params, s.in);
	cr_assert(work.items ==
		  (double)(s.in->frame[0].leaves + s.in->frame[1].leaves + s.in->frame[2].leaves));
	cr_assert(!gb_cbt_workload.repeatable(&s.params));
	tear_down(&s);
}

Test(cbt_workload, an_image_needs_a_terrain)
{
	struct cbt_params params = {
		.op = CBT_REDUCE, .depth = 8, .shape = CBT_RANDOM, .fill = 1, .image = "mesh.png"
	};
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_cbt_workload.prepare(&params, &input, &err), GB_EUSAGE);
	cr_assert_null(input);
	cr_assert(strstr(err.message, "--image=mesh.png needs --shape=terrain, not random"));
}
