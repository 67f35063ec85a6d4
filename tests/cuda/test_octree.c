/* test_octree.c -- the CUDA builders of octrees where they are most likely to go wrong: one
 * and two bodies, bodies that coincide or all but do, pools that do not suffice, and the
 * promise about holes.  On a GPU or in the emulator; skipped where there is neither.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/measuring/runner.h"
#include "cli/workloads/registry.h"
#include "common/backend.h"
#include "common/memory.h"
#include "common/octree.h"
#include "common/text.h"
#include "common/variants.h"

static const struct gb_settings once = { .timeout_s = 60 };

static bool is_ours(const struct gb_variant *v)
{
	return v->backend == GB_CUDA && gb_equal(v->workload, "octree") && v->ops;
}

static void open_gpu(void)
{
#if GB_HAVE_CUDA
	struct gb_error err = { 0 };

	if (gb_backends[GB_CUDA]->open(0, &err))
		cr_skip("%s", err.message);
#else
	cr_skip("this build has no cuda variants");
#endif
}

static struct octree_input *prepare(const struct octree_params *params)
{
	struct gb_error err = { 0 };
	void *input = NULL;

	cr_assert(eq(int, (int)gb_octree_workload.prepare(params, &input, &err), GB_OK), "%s",
		  err.message);
	return input;
}

/* Run the variant once on the input and verify the tree; nothing leaks. */
static struct gb_result run(const struct gb_variant *v, const struct octree_params *params,
			    const struct octree_input *in)
{
	struct gb_result r = { .workload = &gb_octree_workload, .variant = v, .params = params };
	const size_t used = gb_memory_used(GB_DEVICE_MEMORY);
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_run(&r, in, &once, false, &err), GB_OK), "%s", err.message);
	cr_assert(eq(sz, gb_memory_used(GB_DEVICE_MEMORY), used), "%s", v->name);
	return r;
}

static double metric(const struct gb_result *r, const char *name)
{
	for (size_t i = 0; i < r->metrics.count; i++)
		if (gb_equal(r->metrics.item[i].name, name))
			return r->metrics.item[i].value;
	cr_assert(false, "no metric %s", name);
	return 0;
}

/* ---- few bodies, and many in one place ---------------------------------------------------- */

static void check(const struct octree_params *params)
{
	struct octree_input *in = prepare(params);
	const size_t slack = in->count < OCTREE_SLACK ? in->count : OCTREE_SLACK;

	for (size_t i = 0; i < gb_variant_count; i++) {
		struct gb_result r;

		if (!is_ours(&gb_variants[i]))
			continue;
		r = run(&gb_variants[i], params, in);
		cr_assert(r.outcome == GB_RESULT_OK && r.verdict == GB_PASS,
			  "%s, %zu bodies of distribution %d, bucket %d: %s", gb_variants[i].name,
			  in->count, (int)params->distribution, in->bucket, r.reason);
		cr_assert(metric(&r, "pool_nodes") <= (double)(in->tree.nodes + slack),
			  "%s leaves too many holes", gb_variants[i].name);
		gb_result_release(&r);
	}
	gb_octree_workload.release(in);
}

Test(variants_octree, few_bodies)
{
	open_gpu();
	for (int count = 0; count <= 3; count++)
		for (int dist = OCTREE_PLUMMER; dist < OCTREE_DISTRIBUTIONS; dist++)
			for (int bucket = 1; bucket <= 2; bucket++)
				check(&(struct octree_params){ .count = count,
							       .distribution = dist,
							       .bucket = bucket,
							       .seed = 1 });
}

/* Every thread wants the same slot; then leaves of the deepest level that are lists in any case. */
Test(variants_octree, coincident_bodies)
{
	static const int counts[] = { 31, 32, 33, 257, 4100 };

	open_gpu();
	for (size_t i = 0; i < GB_COUNT(counts); i++)
		for (int bucket = 1; bucket <= OCTREE_MAX_BUCKET; bucket *= 4)
			check(&(struct octree_params){ .count = counts[i],
						       .distribution = OCTREE_COINCIDENT,
						       .bucket = bucket,
						       .seed = 1 });
}

/* The longest paths: seven nodes per body. */
Test(variants_octree, close_pairs)
{
	open_gpu();
	for (int order = OCTREE_OWN; order < OCTREE_ORDERS; order++)
		for (int bucket = 1; bucket <= 2; bucket++)
			check(&(struct octree_params){ .count = 2600,
						       .distribution = OCTREE_PAIRS,
						       .order = order,
						       .bucket = bucket,
						       .seed = 7 });
}

/* ---- a pool that does not suffice --------------------------------------------------------- */

/* The builder says so instead of writing behind it or waiting; the next run is right again. */
static void exhaust(const struct octree_params *params)
{
	struct octree_params enough = *params;
	struct octree_input *in = prepare(params), *other;

	enough.pool = 0;
	other = prepare(&enough);
	cr_assert(in->pool < other->tree.nodes, "the pool is not too small");
	for (size_t i = 0; i < gb_variant_count; i++) {
		struct gb_result r;

		if (!is_ours(&gb_variants[i]))
			continue;
		r = run(&gb_variants[i], params, in);
		cr_assert(eq(int, (int)r.outcome, GB_FAILED), "%s: %s", gb_variants[i].name,
			  r.reason);
		cr_assert(eq(int, (int)r.code, GB_ERUNTIME));
		cr_assert(strstr(r.reason, "exhausted") && strstr(r.reason, "--pool"), "%s",
			  r.reason);
		gb_result_release(&r);
		r = run(&gb_variants[i], &enough, other);
		cr_assert(eq(int, (int)r.outcome, GB_RESULT_OK), "%s: %s", gb_variants[i].name,
			  r.reason);
		gb_result_release(&r);
	}
	gb_octree_workload.release(in);
	gb_octree_workload.release(other);
}

Test(variants_octree, exhausted_pool)
{
	static const double pools[] = { 1e-9, 0.01, 0.2, 0.4 };

	open_gpu();
	for (size_t i = 0; i < GB_COUNT(pools); i++)
		for (int dist = OCTREE_PLUMMER; dist <= OCTREE_CUBE; dist++)
			exhaust(&(struct octree_params){ .count = 3000,
							 .distribution = dist,
							 .bucket = 1,
							 .pool = dist == OCTREE_CUBE ? pools[i] / 2
										     : pools[i],
							 .seed = 1 });
	exhaust(&(struct octree_params){
		.count = 1000, .distribution = OCTREE_PAIRS, .bucket = 1, .pool = 6.5, .seed = 1 });
	exhaust(&(struct octree_params){ .count = 100,
					 .distribution = OCTREE_COINCIDENT,
					 .bucket = 8,
					 .pool = 0.1,
					 .seed = 1 });
	exhaust(&(struct octree_params){ .count = 5000,
					 .distribution = OCTREE_PLUMMER,
					 .bucket = 16,
					 .pool = 0.02,
					 .seed = 1 });
}

/* Whether each builder in turn builds in a pool of `pool` nodes; all of them, or those that waste
 * no node when threads meet. */
static void try_pool(const struct octree_params *params, struct octree_input *in, size_t pool,
		     bool thrifty_alone, bool suffices)
{
	in->pool = pool;
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		struct gb_result r;

		if (!is_ours(v) || (thrifty_alone && strncmp(v->name, "lf", 2) == 0))
			continue;
		r = run(v, params, in);
		cr_assert(eq(int, (int)r.outcome, suffices ? GB_RESULT_OK : GB_FAILED),
			  "%s, %zu nodes for a tree of %zu: %s", v->name, pool, in->tree.nodes,
			  r.reason);
		cr_assert(suffices || strstr(r.reason, "exhausted"), "%s: %s", v->name, r.reason);
		gb_result_release(&r);
	}
}

/* The last node of the pool is as good as the others, and there is none behind it.  Of three
 * bodies, two of them close together, one splits, so no thread has a node to spare; of more,
 * threads of lf may. */
Test(variants_octree, pool_of_the_very_size)
{
	static const struct octree_params three[] = {
		{ .count = 3, .distribution = OCTREE_PAIRS, .bucket = 1, .seed = 1 },
		{ .count = 3, .distribution = OCTREE_PAIRS, .bucket = 1, .seed = 2 },
	};
	static const struct octree_params many[] = {
		{ .count = 200, .distribution = OCTREE_PLUMMER, .bucket = 1, .seed = 1 },
		{ .count = 100, .distribution = OCTREE_PAIRS, .bucket = 1, .seed = 1 },
		{ .count = 150, .distribution = OCTREE_CLUSTERED, .bucket = 4, .seed = 1 },
	};

	open_gpu();
	for (size_t i = 0; i < GB_COUNT(three) + GB_COUNT(many); i++) {
		const bool few = i < GB_COUNT(three);
		const struct octree_params *params = few ? &three[i] : &many[i - GB_COUNT(three)];
		struct octree_input *in = prepare(params);
		const size_t nodes = in->tree.nodes;

		cr_assert(nodes > 1);
		try_pool(params, in, nodes, !few, true);
		try_pool(params, in, nodes - 1, false, false);
		gb_octree_workload.release(in);
	}
}

/* Without a verification it is the next sample's reset() that reports it. */
Test(variants_octree, exhausted_pool_is_reported_by_reset)
{
	const struct octree_params params = { .count = 500, .bucket = 1, .pool = 0.1, .seed = 1 };
	struct octree_input *in;

	open_gpu();
	in = prepare(&params);
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant_ops *ops = gb_variants[i].ops;
		struct gb_timer timer = { 0 };
		struct gb_error err = { 0 };
		void *state = NULL;

		if (!is_ours(&gb_variants[i]))
			continue;
		cr_assert(eq(int, (int)gb_state_create(ops, &params, in, &state, &err), GB_OK));
		cr_assert(eq(int, (int)ops->upload(state, &err), GB_OK));
		cr_assert(eq(int, (int)ops->reset(state, 0, &err), GB_OK), "%s", err.message);
		cr_assert(eq(int, (int)ops->run(state, &timer, &err), GB_OK), "%s", err.message);
		cr_assert(eq(int, (int)ops->reset(state, 1, &err), GB_ERUNTIME), "%s",
			  gb_variants[i].name);
		gb_state_destroy(ops, state);
	}
	gb_octree_workload.release(in);
}

/* ---- lf-shared ---------------------------------------------------------------------------- */

/* Both ways are taken: subtrees in shared memory, and what does not fit there. */
Test(variants_octree, lf_shared_takes_both_ways)
{
	static const struct octree_params params[] = {
		{ .count = 5000, .distribution = OCTREE_PLUMMER, .bucket = 1, .seed = 1 },
		{ .count = 2600, .distribution = OCTREE_PAIRS, .bucket = 1, .seed = 1 },
		{ .count = 2600, .distribution = OCTREE_COINCIDENT, .bucket = 1, .seed = 1 },
	};

	open_gpu();
	for (size_t i = 0; i < gb_variant_count; i++) {
		if (!is_ours(&gb_variants[i]) || !gb_equal(gb_variants[i].name, "lf-shared"))
			continue;
		for (size_t k = 0; k < GB_COUNT(params); k++) {
			struct octree_input *in = prepare(&params[k]);
			struct gb_result r = run(&gb_variants[i], &params[k], in);

			cr_assert(eq(int, (int)r.outcome, GB_RESULT_OK), "%s", r.reason);
			if (k < 2)
				cr_assert(metric(&r, "tasks") > 0);
			cr_assert(eq(int, metric(&r, "hard_tasks") > 0, k > 0), "%zu", k);
			gb_result_release(&r);
			gb_octree_workload.release(in);
		}
	}
}

/* ---- morton: bodies that share the digits it sorts by -------------------------------------- */

enum run_order { DESCENDING, MIXED, EQUAL, LAST_IS_LEAST };

/* `alone` bodies in cells of their own, then `size` that share ten digits, and one at either end of
 * the box: of so few bodies ten digits are sorted by. */
struct run_case {
	int alone, size;
	enum run_order order;
	int long_runs;
};

static void write_place(FILE *file, float x, float y, float z)
{
	const float place[3] = { x, y, z };

	cr_assert(eq(sz, fwrite(place, sizeof place, 1, file), 1));
}

static void write_run(const char *path, const struct run_case *c)
{
	FILE *file = fopen(path, "wb");

	cr_assert(file != NULL);
	write_place(file, 0, 0, 0);
	write_place(file, 0.9990234375F, 0.9990234375F, 0.9990234375F);
	for (int k = 0; k < c->alone; k++)
		write_place(file, (float)(1 + k % 400) * 0x1p-9F, (float)(k / 400) * 0x1p-9F, 0);
	for (int k = 0; k < c->size; k++) {
		const int cell = c->order == DESCENDING ? c->size - k
				 : c->order == MIXED    ? (int)((unsigned)k * 2654435761U >> 21)
				 : c->order == EQUAL    ? 5
							: (k + 1 < c->size ? 6 : 5);

		write_place(file, 0.5F + (float)(cell % 2048) * 0x1p-21F,
			    0.5F + (float)(cell / 2048) * 0x1p-21F, 0.5F);
	}
	cr_assert(eq(int, fclose(file), 0));
}

/* 32 is the longest run that a thread of the mend looks at, 4096 the longest that a block merges; a
 * block of the mend has 448 bodies. */
Test(variants_octree, runs_of_shared_digits)
{
	static const struct run_case cases[] = {
		{ 3, 2, DESCENDING, 0 },
		{ 3, 31, DESCENDING, 0 },
		{ 3, 32, DESCENDING, 0 },
		{ 3, 33, DESCENDING, 1 },
		{ 3, 34, MIXED, 1 },
		{ 440, 32, DESCENDING, 0 },
		{ 440, 32, MIXED, 0 },
		{ 446, 32, MIXED, 0 },
		{ 430, 33, DESCENDING, 1 },
		{ 445, 33, MIXED, 1 },
		{ 880, 32, LAST_IS_LEAST, 0 },
		{ 880, 33, LAST_IS_LEAST, 1 },
		{ 10, 1000, EQUAL, 1 },
		{ 10, 1000, LAST_IS_LEAST, 1 },
		{ 500, 1001, MIXED, 1 },
		{ 7, 4095, MIXED, 1 },
		{ 7, 4096, DESCENDING, 1 },
		{ 7, 4097, DESCENDING, 1 },
		{ 1000, 5000, LAST_IS_LEAST, 1 },
		{ 1000, 9000, MIXED, 1 },
	};
	char path[] = "/tmp/gpubench-octree-XXXXXX";

	open_gpu();
	cr_assert(eq(int, close(mkstemp(path)), 0));
	for (size_t k = 0; k < GB_COUNT(cases); k++) {
		const struct octree_params params = { .file = path,
						      .bucket = k % 2 ? 1 : 4,
						      .seed = 1 };
		struct octree_input *in;

		write_run(path, &cases[k]);
		in = prepare(&params);
		for (size_t i = 0; i < gb_variant_count; i++) {
			struct gb_result r;

			if (!is_ours(&gb_variants[i]) || !gb_equal(gb_variants[i].name, "morton"))
				continue;
			r = run(&gb_variants[i], &params, in);
			cr_expect(r.outcome == GB_RESULT_OK && r.verdict == GB_PASS, "case %zu: %s",
				  k, r.reason);
			cr_expect(eq(int, (int)metric(&r, "long_runs"), cases[k].long_runs), "%zu",
				  k);
			gb_result_release(&r);
		}
		gb_octree_workload.release(in);
	}
	cr_expect(eq(int, remove(path), 0));
}
