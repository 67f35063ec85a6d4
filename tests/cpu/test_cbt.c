/* test_cbt.c -- the CPU variants of cbt with each instruction set, against heaps and ids computed
 * from the definitions: all depths to 22, whole-frame programs, more threads than cores.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/timer.h"
#include "cpu/cbt/shared/leaves.h"
#include "cpu/cbt/shared/tree.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/trees.h"
#include "tests/sanitized.h"
#include "tests/trees_release.h"

extern const struct gb_variant_ops cbt_cpu_serial, cbt_cpu_descent, cbt_cpu_libcbt, cbt_cpu_ocbt;

static const struct {
	const struct gb_variant_ops *ops;
	const char *name;
	bool by_simd;  /* has more than one path */
	bool by_field; /* finds leaves without sums */
} variants[] = {
	{ &cbt_cpu_serial, "serial", false, true },
	{ &cbt_cpu_descent, "descent", false, false },
	{ &cbt_cpu_libcbt, "libcbt", false, false },
	{ &cbt_cpu_ocbt, "ocbt", true, true },
};

struct wanted {
	uint64_t *heap;
	uint32_t *ids;
	size_t leaves;
	uint64_t sum;
};

static struct wanted want(const struct cbt_input *in)
{
	const uint64_t *field = in->op == CBT_UPDATE ? in->end_field : in->field;
	const uint64_t end = UINT64_C(1) << in->depth;
	struct wanted w = { 0 };

	w.heap = malloc(in->heap_words * 8);
	w.ids = malloc(end * sizeof *w.ids);
	gb_trees_reduce(field, in->depth, w.heap);
	for (uint64_t x = 0, next; x < end; x = next) {
		const uint32_t k =
			cbt_leaf(in->depth, (uint32_t)x,
				 (uint32_t)((next = gb_tree_next(field, end, x + 1)) - x));

		w.ids[w.leaves++] = k;
		w.sum += k;
	}
	return w;
}

/* Check that the output of variant v has everything that the input requests. */
static void compare(const struct cbt_input *in, const struct wanted *w, void *output,
		    const char *what)
{
	const struct cbt_output *out = output;
	uint64_t *heap = cbt_output_heap(in, output);

	cr_assert_eq(out->leaves, w->leaves, "%s: %zu leaves", what, (size_t)out->leaves);
	if (cbt_has_ids(in))
		cr_assert_arr_eq(cbt_output_ids(in, output), w->ids, w->leaves * 4, "%s: ids",
				 what);
	else if (in->op != CBT_REDUCE && in->op != CBT_UPDATE)
		cr_assert_eq(out->id_sum, w->sum, "%s: sum of ids", what);
	if (!cbt_has_heap(in))
		return;
	if (out->last_level == (int64_t)in->depth - 1) {
		cr_assert_arr_eq(heap, w->heap, in->heap_words * 8, "%s: heap", what);
		return;
	}
	for (uint32_t k = 1; k < UINT32_C(2) << out->last_level; k++)
		cr_assert_eq(cbt_get(heap, in->depth, k), cbt_get(w->heap, in->depth, k),
			     "%s: sum of node %u", what, k);
	for (uint64_t x = 0; x < UINT64_C(1) << in->depth; x++)
		cr_assert_eq(gb_tree_get(heap, (UINT64_C(3) << in->depth) + x),
			     gb_tree_get(w->heap, (UINT64_C(3) << in->depth) + x), "%s: field",
			     what);
}

/* Two runs, the second one without reset() if that is allowed. */
static void check(const struct gb_variant_ops *ops, const struct cbt_params *params,
		  const struct cbt_input *in, const struct wanted *w, const char *what)
{
	const size_t size = cbt_output_size(in);
	unsigned char *output = malloc(size + 1);
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state = NULL;

	cr_assert_eq(gb_state_create(ops, params, in, &state, &err), GB_OK, "%s: %s", what,
		     err.message);
	for (int64_t sample = 0; sample < 2; sample++) {
		if (sample == 0 || in->op == CBT_UPDATE)
			cr_assert_eq(ops->reset(state, sample, &err), GB_OK);
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK);
		memset(output, 0xa5, size + 1);
		cr_assert_eq(ops->download(state, output, &err), GB_OK);
		cr_assert_eq(output[size], 0xa5, "%s: wrote behind the output", what);
		compare(in, w, output, what);
	}
	gb_state_destroy(ops, state);
	free(output);
}

/* The instruction sets that variants can use. */
static const enum cpu_simd levels[] = { CPU_PLAIN, CPU_AVX2, CPU_VBMI2 };

/* All variants that support the point, with every instruction set. */
static void check_all(const struct cbt_params *params)
{
	struct gb_error err = { 0 };
	struct cbt_input in = { 0 };
	struct wanted w;

	cr_assert_eq(gb_trees_make(params, &in, &err), GB_OK, "%s", err.message);
	w = want(&in);
	for (size_t v = 0; v < GB_COUNT(variants); v++) {
		const bool lacks = in.op == CBT_BITFIELD && !variants[v].by_field;

		for (size_t i = 0; !lacks && i < GB_COUNT(levels); i++) {
			char what[160];

			if (levels[i] < CPU_VBMI2 && !variants[v].by_simd)
				continue;
			(void)snprintf(
				what, sizeof what,
				"%s, simd %d, op %d, depth %d, shape %d, fill %g, threads %d",
				variants[v].name, (int)levels[i], (int)params->op,
				(int)params->depth, (int)params->shape, params->fill,
				(int)params->threads);
			cpu_limit_simd(levels[i]);
			check(variants[v].ops, params, &in, &w, what);
		}
	}
	free(w.heap);
	free(w.ids);
	trees_release(&in);
}

ParameterizedTestParameters(cbt_cpu, every_depth)
{
	static int64_t ops[] = { CBT_BITFIELD, CBT_REDUCE, CBT_DECODE, CBT_CYCLE, CBT_UPDATE };

	return cr_make_param_array(int64_t, ops, GB_COUNT(ops));
}

ParameterizedTest(int64_t *op, cbt_cpu, every_depth)
{
	static const double fill[] = { 1, 0.5, 0.04 };

	for (int64_t depth = CBT_MIN_DEPTH; depth <= UNLESS_SANITIZED(22, 20); depth++)
		for (size_t i = 0; i < GB_COUNT(fill); i++) {
			struct cbt_params params = { .op = *op,
						     .depth = depth,
						     .shape = CBT_RANDOM,
						     .fill = fill[i],
						     .frames = 2,
						     .threads = 1,
						     .seed = depth };

			if (fill[i] * (double)(1 << depth) < 0.5 ||
			    (depth > 17 && (int64_t)i != depth % 3) ||
			    (depth > 20 && *op != CBT_REDUCE && fill[i] > 0.1))
				continue;
			check_all(&params);
		}
}

/* Long programs on small trees, where every corner is near; uneven trees whose leaves span chunks,
 * with more threads than cores; a mesh. */
Test(cbt_cpu, programs)
{
	static const double fill[] = { 0.5, 0.001, 4e-6 };

	for (int64_t depth = CBT_MIN_DEPTH; depth <= 11; depth++)
		for (int64_t seed = 1; seed <= UNLESS_SANITIZED(6, 3); seed++)
			if ((double)(1 << depth) >= 0.5 * (double)seed)
				check_all(&(struct cbt_params){ .op = CBT_UPDATE,
								.depth = depth,
								.shape = CBT_RANDOM,
								.fill = 1.0 / (double)seed,
								.frames = 40,
								.threads = 2,
								.seed = seed });
	for (int64_t op = CBT_BITFIELD; op <= CBT_UPDATE; op++)
		for (size_t i = 0; i < 2 * GB_COUNT(fill); i++)
			check_all(&(struct cbt_params){ .op = op,
							.depth = 18,
							.shape = CBT_RANDOM,
							.fill = fill[i / 2],
							.frames = UNLESS_SANITIZED(6, 2),
							.ids = i % 2 ? CBT_SUM : CBT_STORE,
							.threads = 5,
							.seed = 3 });
	check_all(&(struct cbt_params){ .op = CBT_UPDATE,
					.depth = 18,
					.shape = CBT_TERRAIN,
					.fill = 0.1,
					.frames = 5,
					.threads = 3,
					.seed = 1 });
}

/* Non-temporal stores, used for large trees only, give the same ids. */
Test(cbt_cpu, non_temporal_stores)
{
	for (int64_t depth = 12; depth <= 19; depth++) {
		struct cbt_params params = { .op = CBT_DECODE,
					     .depth = depth,
					     .shape = depth % 2 ? CBT_FULL : CBT_RANDOM,
					     .fill = depth % 2 ? 1 : 0.6,
					     .seed = depth };
		struct cbt_input in = { 0 };
		struct gb_error err = { 0 };
		struct cbt_leaves leaves = { NULL, 0 };
		struct wanted w;

		cr_assert_eq(gb_trees_make(&params, &in, &err), GB_OK, "%s", err.message);
		w = want(&in);
		leaves.ids = gb_host_zalloc(in.leaves, 4, &err);
		cr_assert_eq(cbt_leaves(cpu_simd(), in.field, in.depth, 0, in.field_words, true,
					&leaves),
			     w.leaves);
		cr_assert_arr_eq(leaves.ids, w.ids, w.leaves * 4, "depth %d", (int)depth);
		gb_host_free(leaves.ids);
		free(w.heap);
		free(w.ids);
		trees_release(&in);
	}
}
