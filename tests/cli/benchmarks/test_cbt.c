/* test_cbt.c -- the verifier of cbt: a correct result passes, and each planted fault is found and
 * located.
 */
#include <stdio.h>

#include "common/cbt_types.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/trees.h"
#include "tests/cli/benchmarks/trial.h"

struct scene {
	struct trial trial;
	struct cbt_input *in;
	struct cbt_output *out;
	uint32_t *ids;
	uint64_t *heap;
};

/* A correct result, computed from the definitions.  The parameters are valid until the next
 * call. */
static struct scene set_up(int64_t op, int64_t depth, int64_t ids)
{
	static struct cbt_params params;
	const uint64_t end = UINT64_C(1) << depth;
	const uint64_t *field;
	struct scene s;
	size_t leaf = 0;

	params = (struct cbt_params){ .op = op,
				      .depth = depth,
				      .shape = CBT_RANDOM,
				      .fill = 0.4,
				      .ids = ids,
				      .frames = 3,
				      .seed = 5 };
	s.trial = start_trial(&gb_cbt_benchmark, &params);
	s.in = s.trial.input;
	s.out = s.trial.output;
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

Test(cbt_verify, sums_of_fewer_levels_pass)
{
	for (unsigned depth = 2; depth <= 14; depth++)
		for (int64_t last = depth > 10 ? depth - 10 : 0; last < (int64_t)depth - 1;
		     last++) {
			struct scene s = set_up(CBT_REDUCE, depth, CBT_STORE);

			s.out->last_level = last;
			for (uint32_t k = UINT32_C(2) << last; k < UINT32_C(1) << depth; k++)
				cbt_set(s.heap, depth, k, 0);
			expect_of(&s.trial, 0, NULL);
			cbt_set(s.heap, depth, UINT32_C(1) << last,
				cbt_get(s.heap, depth, UINT32_C(1) << last) ^ 1);
			refuse(&s.trial, "");
		}
}

/* ---- faults ------------------------------------------------------------------------------- */

/* Flip each single bit of a heap. */
Test(cbt_verify, every_bit_of_a_heap_counts)
{
	for (unsigned depth = CBT_MIN_DEPTH; depth <= 9; depth++) {
		struct scene s = set_up(CBT_REDUCE, depth, CBT_STORE);

		for (size_t bit = 0; bit < s.in->heap_words * 64; bit++) {
			s.heap[bit / 64] ^= UINT64_C(1) << bit % 64;
			expect_of(&s.trial, 0, "");
			s.heap[bit / 64] ^= UINT64_C(1) << bit % 64;
		}
		refuse(&s.trial, NULL);
	}
}

Test(cbt_verify, a_sum_is_named)
{
	for (uint32_t k = 1; k < 4096; k = 3 * k + 1) {
		struct scene s = set_up(CBT_REDUCE, 12, CBT_STORE);
		const unsigned long long sum = cbt_get(s.heap, 12, k);
		char words[100];

		cbt_set(s.heap, 12, k, sum ^ 1);
		/* The parent's sum is also wrong, and is reported first. */
		if (k == 1)
			(void)snprintf(words, sizeof words,
				       "the sum of node 1, level 0, is %llu, not %llu", sum ^ 1,
				       sum);
		else
			(void)snprintf(words, sizeof words, "the sum of node %u, level %u, is ",
				       k / 2, cbt_level(k / 2));
		refuse(&s.trial, words);
	}
}

static void wrong_id(struct scene *s)
{
	s->ids[57]++;
}

static void ids_out_of_order(struct scene *s)
{
	const uint32_t id = s->ids[200];

	s->ids[200] = s->ids[201];
	s->ids[201] = id;
}

static void last_id_never_written(struct scene *s)
{
	s->ids[409] = 0xa5a5a5a5;
}

static void a_leaf_too_few(struct scene *s)
{
	s->out->leaves--;
}

static void a_leaf_too_many(struct scene *s)
{
	s->out->leaves++;
}

static void wrong_sum_of_ids(struct scene *s)
{
	s->out->id_sum--;
}

static void marker_of_the_paper(struct scene *s)
{
	s->heap[0] = (s->heap[0] & ~UINT64_C(0x1fff)) | UINT64_C(1) << 12;
}

static void changed_field(struct scene *s)
{
	s->heap[(3 * 1024 + 777) / 64] ^= UINT64_C(1) << 777 % 64;
}

static void lost_frame(struct scene *s)
{
	memcpy(s->heap, s->in->heap, s->in->heap_words * 8);
}

static void level_that_does_not_exist(struct scene *s)
{
	s->out->last_level = 10;
}

/* A sum of more than 1024 bits says little about them. */
Test(cbt_verify, too_few_levels)
{
	struct scene s = set_up(CBT_REDUCE, 12, CBT_STORE);

	s.out->last_level = 1;
	refuse(&s.trial, "the output's last_level is 1, outside 2 .. 11");
}

/* Faults in trees of depth 10 with 410 leaves. */
Test(cbt_verify, planted_faults)
{
	static const struct {
		void (*plant)(struct scene *s);
		int op, ids;
		const char *words;
	} fault[] = {
		{ wrong_id, CBT_DECODE, CBT_STORE, "leaf 57 of 410 is node 189, not 190" },
		{ ids_out_of_order, CBT_BITFIELD, CBT_STORE,
		  "leaf 200 of 410 is node 1687, not 1688" },
		{ last_id_never_written, CBT_DECODE, CBT_STORE, "leaf 409 of 410" },
		{ a_leaf_too_few, CBT_CYCLE, CBT_STORE, "409 leaves decoded of 410" },
		{ a_leaf_too_many, CBT_CYCLE, CBT_STORE, "411 leaves decoded of 410" },
		{ wrong_sum_of_ids, CBT_DECODE, CBT_SUM,
		  "the ids of the leaves add up to 564593, not 564592" },
		{ marker_of_the_paper, CBT_REDUCE, CBT_STORE,
		  "the heap starts with bits 0x1000, not with the depth marker 0x400" },
		{ changed_field, CBT_CYCLE, CBT_STORE,
		  "bit 777 of the field is 0 after the run, and should be 1" },
		{ lost_frame, CBT_UPDATE, CBT_STORE, "of the field is" },
		{ a_leaf_too_few, CBT_REDUCE, CBT_STORE,
		  "409 leaves reported, but the root's sum is 410" },
		{ level_that_does_not_exist, CBT_REDUCE, CBT_STORE,
		  "the output's last_level is 10, outside 0 .. 9" },
	};

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		struct scene s = set_up(fault[i].op, 10, fault[i].ids);

		fault[i].plant(&s);
		refuse(&s.trial, fault[i].words);
	}
}

/* ---- the benchmark ------------------------------------------------------------------------- */

Test(cbt_benchmark, work)
{
	struct scene s = set_up(CBT_CYCLE, 10, CBT_STORE);
	struct gb_work work = gb_cbt_benchmark.work(s.trial.params, s.in);

	cr_assert(work.items == 410);
	cr_assert(work.bytes == 128 + 3 * 128 + 4 * 410);
	cr_assert(work.read == 128 && gb_cbt_benchmark.repeatable(s.trial.params));
	refuse(&s.trial, NULL);
	cr_expect_eq(metric_of(&s.trial, "leaves"), 410);
	cr_expect_eq(metric_of(&s.trial, "heap_bytes"), 512);
	s = set_up(CBT_UPDATE, 10, CBT_STORE);
	work = gb_cbt_benchmark.work(s.trial.params, s.in);
	cr_assert(work.items ==
		  (double)(s.in->frame[0].leaves + s.in->frame[1].leaves + s.in->frame[2].leaves));
	cr_assert(work.bytes == 3 * 5 * 128 + work.items / 4 && work.read == 128);
	cr_assert(!gb_cbt_benchmark.repeatable(s.trial.params));
	end_trial(&s.trial);
}
