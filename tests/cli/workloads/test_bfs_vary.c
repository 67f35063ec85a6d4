/* test_bfs_vary.c -- variations of a graph: the original comes back, a variation depends on nothing
 * but its key, has the same work and other results, and every variant finds them.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/workloads/bfs/reference.h"
#include "cli/workloads/bfs/vary.h"
#include "common/devices.h"
#include "common/variants.h"
#include "tests/cli/workloads/trial.h"
#include "tests/digest_of.h"
#include "tests/file_of.h"

/* Graphs that have variations: those marked `few` so few that two keys may give the same. */
static const struct kind {
	const char *name;
	struct bfs_params params;
	const char *edges; /* of a file */
	bool few;
} kinds[] = {
	{ "gnp", { .vertices = 4096, .p = 0.05, .sources = 12 }, NULL, false },
	{ "dense gnp", { .vertices = 1025, .p = 0.6, .sources = 4 }, NULL, false },
	{ "thin gnp", { .vertices = 1500, .p = 0.003, .sources = 16 }, NULL, false },
	{ "small gnp", { .vertices = 65, .p = 0.1, .sources = 8 }, NULL, false },
	{ "orphans", { .vertices = 2100, .p = 0.02, .orphans = 0.1, .sources = 8 }, NULL, false },
	{ "complete", { .vertices = 300, .p = 1, .sources = 5 }, NULL, false },
	{ "empty", { .vertices = 40, .p = 0, .sources = 5 }, NULL, false },
	{ "blocks",
	  { .graph = BFS_BLOCKS, .vertices = 3000, .blocks = 40, .p = 0.3, .sources = 8 },
	  NULL,
	  false },
	{ "kronecker",
	  { .graph = BFS_KRONECKER, .scale = 12, .edgefactor = 16, .sources = 16 },
	  NULL,
	  false },
	{ "kronecker with parallel edges and loops",
	  { .graph = BFS_KRONECKER, .scale = 9, .edgefactor = 16, .multi = 1, .sources = 16 },
	  NULL,
	  true },
	{ "uniform",
	  { .graph = BFS_UNIFORM, .vertices = 70000, .edgefactor = 4, .sources = 20 },
	  NULL,
	  false },
	{ "grid", { .graph = BFS_GRID, .vertices = 10000, .sources = 70 }, NULL, false },
	{ "pairs with edges both ways, loops and parallel edges",
	  { .sources = 10 },
	  "0 1\n0 1\n1 0\n1 0\n0 0\n1 1\n0 2\n1 3\n2 3\n3 2\n2 2\n3 3\n2 0\n3 1\n4 4\n5 5\n4 6\n5 "
	  "6\n",
	  true },
};

static struct trial start(const struct kind *kind, struct bfs_params *params)
{
	struct trial t;

	*params = kind->params;
	params->seed = 7;
	if (kind->edges)
		params->file = file_of(".el", kind->edges, strlen(kind->edges));
	t = start_trial(&gb_bfs_workload, params);
	if (kind->edges)
		unlink(params->file);
	return t;
}

/* ---- bytes ------------------------------------------------------------------------------- */

enum { ARRAYS = 7 };

struct array {
	const void *bytes;
	size_t size;
};

static void list_arrays(const struct bfs_input *in, struct array array[ARRAYS])
{
	const size_t rows = (in->n + 1) * sizeof *in->out.row;
	const size_t columns = in->m * sizeof *in->out.column;
	const size_t matrix = in->matrix ? in->n * in->pitch * sizeof *in->matrix : 0;

	array[0] = (struct array){ in->out.row, rows };
	array[1] = (struct array){ in->in.row, rows };
	array[2] = (struct array){ in->out.column, columns };
	array[3] = (struct array){ in->in.column, columns };
	array[4] = (struct array){ in->matrix, matrix };
	array[5] = (struct array){ in->matrix_in, matrix };
	array[6] = (struct array){ in->source, in->source_count * sizeof *in->source };
}

static void copy_arrays(const struct bfs_input *in, void *copy[ARRAYS])
{
	struct array array[ARRAYS];

	list_arrays(in, array);
	for (int i = 0; i < ARRAYS; i++) {
		copy[i] = malloc(array[i].size + 1);
		memcpy(copy[i], array[i].size ? array[i].bytes : "", array[i].size);
	}
}

/* The number of arrays that differ from the copies, which are freed if `last`. */
static int count_changed(const struct bfs_input *in, void *copy[ARRAYS], bool last)
{
	struct array array[ARRAYS];
	int changed = 0;

	list_arrays(in, array);
	for (int i = 0; i < ARRAYS; i++) {
		changed += array[i].size && memcmp(copy[i], array[i].bytes, array[i].size) != 0;
		if (last)
			free(copy[i]);
	}
	return changed;
}

/* Expect that rows ascend, that the reverse edges are those of the edges, that the matrices are
 * those of the edges, and that sources are distinct. */
static void expect_consistent(const struct bfs_input *in, const char *name)
{
	uint64_t *next = malloc((in->n + 1) * sizeof *next);
	uint64_t bits = 0, distinct = 0;

	memcpy(next, in->in.row, (in->n + 1) * sizeof *next);
	for (uint32_t u = 0; u < in->n; u++)
		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++) {
			const uint32_t v = in->out.column[e];
			const bool first = e == in->out.row[u] || in->out.column[e - 1] != v;

			cr_assert(e == in->out.row[u] || in->out.column[e - 1] <= v, "%s", name);
			cr_assert_lt(next[v], in->in.row[v + 1], "%s", name);
			cr_assert_eq(in->in.column[next[v]++], u, "%s", name);
			if (!in->matrix)
				continue;
			distinct += first;
			cr_assert(in->matrix[u * in->pitch + v / 32] >> v % 32 & 1, "%s", name);
			cr_assert(in->matrix_in[v * in->pitch + u / 32] >> u % 32 & 1, "%s", name);
		}
	for (size_t i = 0; in->matrix && i < in->n * in->pitch; i++)
		bits += (unsigned)__builtin_popcount(in->matrix[i]);
	cr_assert_eq(bits, distinct, "%s", name);
	free(next);
}

/* True if no two bits of a row are exchanged. */
static bool keeps_bits(const struct bfs_input *in)
{
	const size_t bytes = (size_t)in->n / 8 + 4;
	unsigned char *row = malloc(bytes);
	bool kept = true;

	memset(row, 0x5a, bytes);
	bfs_rename_bits(in, (void *)row);
	for (size_t i = 0; i < bytes; i++)
		kept &= row[i] == 0x5a;
	free(row);
	return kept;
}

Test(bfs_vary, the_original_comes_back)
{
	static const uint64_t order[] = { 2, 1, 2, 0, 0, 2, UINT64_MAX, 1, 0 };

	for (size_t k = 0; k < GB_COUNT(kinds); k++) {
		const char *name = kinds[k].name;
		struct bfs_params params;
		struct trial t = start(&kinds[k], &params);
		void *original[ARRAYS], *one[ARRAYS], *two[ARRAYS];

		copy_arrays(t.input, original);
		cr_assert(gb_bfs_workload.vary(&params, t.input, 1), "%s", name);
		copy_arrays(t.input, one);
		cr_assert(gb_bfs_workload.vary(&params, t.input, 2), "%s", name);
		copy_arrays(t.input, two);
		for (size_t i = 0; i < GB_COUNT(order); i++) {
			cr_assert(gb_bfs_workload.vary(&params, t.input, order[i]), "%s", name);
			expect_consistent(t.input, name);
			cr_expect(order[i] || keeps_bits(t.input), "%s", name);
			cr_expect_eq(count_changed(t.input, original, false) == 0, order[i] == 0,
				     "%s", name);
			cr_expect(order[i] != 1 || !count_changed(t.input, one, false), "%s", name);
			cr_expect(order[i] != 2 || !count_changed(t.input, two, false), "%s", name);
		}
		(void)count_changed(t.input, one, true);
		(void)count_changed(t.input, two, true);
		cr_expect_eq(count_changed(t.input, original, true), 0, "%s", name);
		end_trial(&t);
	}
}

/* Degrees of numbers 0 to 3: all differ.  Then a star from its centre: the other vertices are
 * alike. */
Test(bfs_vary, graphs_without_variations)
{
	static const struct kind none[] = {
		{ "one vertex", { .vertices = 1, .sources = 1 }, NULL, false },
		{ "one edge", { .sources = 1 }, "0 1\n", false },
		{ "four degrees", { .sources = 9 }, "0 1\n0 2\n0 3\n1 2\n1 3\n2 3\n", false },
		{ "star", { .sources = 9 }, "0 1\n0 2\n0 3\n0 4\n0 5\n", false },
	};

	for (size_t k = 0; k < GB_COUNT(none); k++) {
		struct bfs_params params;
		struct trial t = start(&none[k], &params);
		void *original[ARRAYS];

		copy_arrays(t.input, original);
		for (int i = 0; i < 2; i++)
			cr_expect_not(gb_bfs_workload.vary(&params, t.input, 5), "%s",
				      none[k].name);
		cr_expect_eq(count_changed(t.input, original, true), 0, "%s", none[k].name);
		end_trial(&t);
	}
}

/* In a complete graph all vertices are twins: only the source can be exchanged. */
Test(bfs_vary, neighbours_that_are_twins)
{
	static const struct kind complete = {
		"complete", { .vertices = 8, .p = 1, .sources = 1 }, NULL, true
	};
	struct bfs_params params;
	struct trial t = start(&complete, &params);
	const struct bfs_input *in = t.input;

	cr_expect(gb_bfs_workload.vary(&params, t.input, 5));
	cr_expect_eq(in->variation->names, 2);
	end_trial(&t);
}

/* ---- results ----------------------------------------------------------------------------- */

static bool passes(struct trial *t, int64_t sample)
{
	struct gb_error err = { 0 };

	t->metrics = (struct gb_metrics){ 0 };
	return t->workload->verify(t->params, t->input, sample, t->output, &t->metrics, &err) ==
	       GB_OK;
}

/* The distances of the original are refused in a variation, whose own pass, and nearly all of those
 * in another variation.  Facts computed in a variation serve for the original, and the reverse. */
Test(bfs_vary, results_differ_and_work_does_not)
{
	for (size_t k = 0; k < GB_COUNT(kinds); k++) {
		const char *name = kinds[k].name;
		struct bfs_params params;
		struct trial t = start(&kinds[k], &params);
		struct bfs_input *in = t.input;
		struct gb_error err = { 0 };
		size_t same = 0, alike = 0;

		for (int64_t i = 0; i < (int64_t)in->source_count; i++) {
			const uint64_t key = 1 + (uint64_t)i % 3, early = i % 2 ? key : 0;
			struct bfs_facts facts;

			gb_bfs_workload.vary(&params, in, early);
			facts = *bfs_facts(in, i, &err);
			gb_bfs_workload.vary(&params, in, 0);
			cr_assert(bfs_reference(in, bfs_source(in, i), t.output));
			cr_expect(passes(&t, i), "%s, source %d", name, (int)i);
			gb_bfs_workload.vary(&params, in, key);
			same += passes(&t, i);
			in->facts[i].known = false;
			cr_assert_eq(memcmp(&facts, bfs_facts(in, i, &err), sizeof facts), 0,
				     "%s, source %d", name, (int)i);
			cr_assert(bfs_reference(in, bfs_source(in, i), t.output));
			cr_expect(passes(&t, i), "%s, source %d", name, (int)i);
			gb_bfs_workload.vary(&params, in, key + 10);
			alike += passes(&t, i);
		}
		cr_expect_eq(same, 0, "%s: %zu of %zu", name, same, in->source_count);
		cr_expect(alike <= in->source_count / (kinds[k].few ? 1 : 4), "%s: %zu of %zu",
			  name, alike, in->source_count);
		end_trial(&t);
	}
}

/* Rows that have a vertex of a pair change: but for two pairs, at most 1/256 of the edges or 8192
 * rows, and at most one pair of 64 vertices and 8 more, or 256. */
Test(bfs_vary, few_rows_change)
{
	for (size_t k = 0; k < GB_COUNT(kinds); k++) {
		struct bfs_params params;
		struct trial t = start(&kinds[k], &params);
		const struct bfs_input *in = t.input;
		const struct bfs_variation *v = in->variation;
		const uint64_t most = in->m / 256 > 8192 ? in->m / 256 : 8192;
		const uint32_t pairs = in->n / 64 + 8 < 256 ? in->n / 64 + 8 : 256;

		for (uint64_t key = 1; key < 6; key++) {
			uint64_t rows = 0, largest = 0;

			(void)gb_bfs_workload.vary(&params, t.input, key);
			for (uint32_t i = 0; i < v->names; i++) {
				const uint32_t u = v->name[i].from;
				const uint64_t of = in->out.row[u + 1] - in->out.row[u] +
						    in->in.row[u + 1] - in->in.row[u];

				rows += of; /* a half of the pair's */
				largest = of > largest ? of : largest;
			}
			cr_expect(rows <= most + 4 * largest, "%s: %d rows of %d", kinds[k].name,
				  (int)rows, (int)most);
			cr_expect(v->names > 0 && v->names <= 2 * pairs, "%s: %d names",
				  kinds[k].name, (int)v->names);
		}
		end_trial(&t);
	}
}

/* A variation depends on nothing but the graph and its key. */
Test(bfs_vary, known)
{
	static const uint64_t known[GB_COUNT(kinds)] = {
		UINT64_C(0xdff5d03f55dd42ec), UINT64_C(0xeb3f0dad02217ef4),
		UINT64_C(0x2af893bc468faf68), UINT64_C(0x275168b033e1f558),
		UINT64_C(0xc52de929f3d83ac0), UINT64_C(0x00a32cebce87d55c),
		UINT64_C(0x1d7ef6f885c96148), UINT64_C(0xb992b58558adb1f4),
		UINT64_C(0xef535d4c2340ff18), UINT64_C(0x446b3b03273295fc),
		UINT64_C(0xed7b3e748ec2f4d4), UINT64_C(0xe9e729fa3a7d16f8),
		UINT64_C(0xc58422eb515cec90)
	};

	for (size_t k = 0; k < GB_COUNT(kinds); k++) {
		struct bfs_params params;
		struct trial t = start(&kinds[k], &params);
		const struct bfs_variation *v = ((struct bfs_input *)t.input)->variation;
		uint64_t digest = 0;

		for (uint64_t key = 1; key < 4; key++) {
			(void)gb_bfs_workload.vary(&params, t.input, key);
			digest = digest_of(digest, v->name, v->names * sizeof *v->name);
		}
		cr_expect_eq(digest, known[k], "%s: UINT64_C(0x%016" PRIx64 "),", kinds[k].name,
			     digest);
		end_trial(&t);
	}
}

/* Many searches of a small graph need more pairs than there may be: one of 64 vertices, and 8. */
Test(bfs_vary, most_pairs)
{
	static const struct kind small = {
		"small grid", { .graph = BFS_GRID, .vertices = 640, .sources = 64 }, NULL, false
	};
	struct bfs_params params;
	struct trial t = start(&small, &params);

	cr_assert(gb_bfs_workload.vary(&params, t.input, 3));
	cr_expect_eq(((struct bfs_input *)t.input)->variation->names, 2 * (640 / 64 + 8));
	end_trial(&t);
}

/* Keys give different variations. */
Test(bfs_vary, there_are_many_variations)
{
	struct bfs_params params;
	struct trial t = start(&kinds[0], &params);
	const struct bfs_input *in = t.input;
	uint64_t seen[100];

	for (uint64_t key = 1; key <= GB_COUNT(seen); key++) {
		cr_assert(gb_bfs_workload.vary(&params, t.input, key));
		seen[key - 1] = 0;
		for (uint32_t i = 0; i < in->variation->names; i++)
			seen[key - 1] = seen[key - 1] * 31 + in->variation->name[i].from;
		for (uint64_t i = 0; i + 1 < key; i++)
			cr_expect_neq(seen[i], seen[key - 1]);
	}
	end_trial(&t);
}

/* The model of warps is one of the original graph. */
Test(bfs_vary, modelled_warps_do_not_differ)
{
	struct bfs_params params = { .vertices = 700, .p = 0.03, .sources = 9, .warps = 1 };
	struct trial t = start_trial(&gb_bfs_workload, &params);
	struct gb_error err = { 0 };
	struct gb_metrics before = { 0 }, after = { 0 };

	cr_assert_eq(bfs_model_warps(t.input, 2, &before, &err), GB_OK);
	cr_assert(gb_bfs_workload.vary(&params, t.input, 77));
	cr_assert_eq(bfs_model_warps(t.input, 2, &after, &err), GB_OK);
	cr_assert_eq(before.count, 3);
	for (size_t i = 0; i < before.count; i++)
		cr_expect_eq(before.item[i].value, after.item[i].value, "%s", before.item[i].name);
	end_trial(&t);
}

/* ---- variants ---------------------------------------------------------------------------- */

/* As the runner does: the result of one variation, while the input is another one from the run to
 * the download.  Return whether the variant takes these parameters. */
static bool run_varied(const struct gb_variant *v, struct trial *t)
{
	static const uint64_t keys[] = { 3, 0, 4, 3 };
	const struct gb_workload *w = t->workload;
	const struct gb_variant_ops *ops = v->ops;
	const bool on_host = v->backend == GB_CPU;
	struct gb_error err = { 0 };
	struct gb_timer timer = { .err = &err };
	void *state = NULL;
	bool taken;

	(void)w->vary(t->params, t->input, 0);
	taken = gb_state_create(ops, t->params, t->input, &state, &err) == GB_OK;
	cr_assert(taken || err.code == GB_EUNAVAILABLE, "%s: %s", v->name, err.message);
	if (taken && ops->upload)
		cr_assert_eq(ops->upload(state, &err), GB_OK, "%s", err.message);
	for (int64_t i = 0; taken && i < (int64_t)GB_COUNT(keys); i++) {
		struct gb_metrics metrics = { 0 };

		(void)w->vary(t->params, t->input, keys[i]);
		cr_assert(!ops->upload || ops->upload(state, &err) == GB_OK, "%s", err.message);
		if (!on_host)
			(void)w->vary(t->params, t->input, 9);
		cr_assert_eq(gb_memory_poison(state, 0xb5, gb_backends[v->backend]->fill, &err),
			     GB_OK);
		cr_assert_eq(ops->reset(state, i, &err), GB_OK);
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s", err.message);
		cr_assert_eq(gb_backends[v->backend]->synchronize(&err), GB_OK);
		(void)w->vary(t->params, t->input, 9);
		cr_assert(!ops->upload || ops->upload(state, &err) == GB_OK, "%s", err.message);
		memset(t->output, GB_POISON, t->size);
		cr_assert_eq(ops->download(state, t->output, &err), GB_OK, "%s", err.message);
		(void)w->vary(t->params, t->input, keys[i]);
		(void)w->verify(t->params, t->input, i, t->output, &t->metrics, &err);
		cr_expect_eq(err.code, GB_OK, "%s, variation %d: %s", v->name, (int)keys[i],
			     err.message);
		if (ops->metrics)
			ops->metrics(state, &metrics);
	}
	gb_state_destroy(ops, state);
	return taken;
}

static struct bfs_params points[] = {
	{ .vertices = 700, .p = 0.05, .sources = 6, .output = BFS_BOTH, .seed = 1 },
	{ .vertices = 333, .p = 0.05, .sources = 6, .seed = 2, .index = BFS_INDEX_32 },
	{ .vertices = 500, .p = 0.01, .sources = 40, .batch = 64, .seed = 3 },
	{ .graph = BFS_GRID, .vertices = 401, .sources = 6, .output = BFS_BOTH, .seed = 4 },
	{ .graph = BFS_KRONECKER,
	  .scale = 9,
	  .edgefactor = 8,
	  .sources = 6,
	  .seed = 5,
	  .warps = 1 },
};

ParameterizedTestParameters(variants_of_bfs, vary)
{
	return cr_make_param_array(struct bfs_params, points, GB_COUNT(points));
}

ParameterizedTest(struct bfs_params *params, variants_of_bfs, vary, .timeout = 300)
{
	size_t taken = 0;

	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		struct gb_error err = { 0 };
		struct trial t;

		if (!gb_equal(v->workload, "bfs") || !v->ops || gb_device_open(v->backend, 0, &err))
			continue;
		t = start_trial(&gb_bfs_workload, params);
		cr_assert(gb_bfs_workload.vary(params, t.input, 1));
		taken += run_varied(v, &t);
		end_trial(&t);
		cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0, "%s", v->name);
	}
	cr_expect(taken >= 1);
}
