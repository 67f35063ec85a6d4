/* test_octree.c -- the CUDA builders of octrees on difficult inputs: one and two bodies, coincident
 * and nearly coincident bodies, pools that are too small, and the promise about holes.  Runs on a
 * GPU or in the PTX executor; without either, skipped.  Each test runs morton a tile at a time too,
 * as it builds from millions of bodies.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/measure.h"
#include "cli/measure/sweep.h"
#include "common/octree_types.h"
#include "cuda/primitives/limits.h"
#include "tests/cuda/gpu.h"

#if GB_HAVE_CUDA

TestSuite(variants_octree, .init = open_gpu);

static const struct gb_settings once = { .timeout_s = 60 };

static bool tiles; /* only morton, a tile at a time */

static void set_tiles(bool on)
{
	tiles = on;
	gpu_sort_limits.tiles = on ? 0 : SIZE_MAX;
}

/* The builder after v, or the first one if v is NULL. */
static const struct gb_variant *next_builder(const struct gb_variant *v)
{
	for (v = v ? v + 1 : gb_variants; v < gb_variants + gb_variant_count; v++)
		if (v->backend == GB_CUDA && gb_equal(v->benchmark, "octree") && v->ops &&
		    (!tiles || gb_equal(v->name, "morton")))
			return v;
	return NULL;
}

static struct octree_input *prepare(const struct octree_params *params)
{
	struct gb_error err = { 0 };
	void *input = NULL;

	cr_assert(eq(int, (int)gb_octree_benchmark.prepare(params, &input, &err), GB_OK), "%s",
		  err.message);
	return input;
}

/* Run the variant once on the input and verify the tree.  Nothing may leak. */
static struct gb_result run(const struct gb_variant *v, const struct octree_params *params,
			    struct octree_input *in)
{
	struct gb_result r = { .benchmark = &gb_octree_benchmark, .variant = v, .params = params };
	const size_t used = gb_memory_used(GB_DEVICE_MEMORY);
	struct gb_error err = { 0 };

	cr_assert(eq(int, (int)gb_measure(&r, in, &once, false, &err), GB_OK), "%s", err.message);
	cr_assert(eq(sz, gb_memory_used(GB_DEVICE_MEMORY), used), "%s", v->name);
	return r;
}

/* Call check() for each point of the sweep, with all builders, and for a third with tiles too. */
static void each_point(const char *words, void (*check)(const struct octree_params *params))
{
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	struct octree_params params;

	cr_assert(eq(int, (int)gb_sweep_words(&sweep, &gb_octree_benchmark, words, &err), GB_OK),
		  "%s", err.message);
	for (size_t p = 0; p < sweep.count; p++) {
		set_tiles(false);
		gb_sweep_point(&sweep, p, &params);
		check(&params);
		if (p % 3)
			continue;
		set_tiles(true);
		check(&params);
	}
	gb_sweep_release(&sweep);
}

/* ---- few bodies, and many in one place ---------------------------------------------------- */

static void check(const struct octree_params *params)
{
	struct octree_input *in = prepare(params);
	const size_t slack = in->count < OCTREE_SLACK ? in->count : OCTREE_SLACK;

	for (const struct gb_variant *v = NULL; (v = next_builder(v));) {
		struct gb_result r = run(v, params, in);
		cr_assert(r.record.status == GB_STATUS_OK,
			  "%s, %zu bodies of distribution %d, bucket %d: %s", v->name, in->count,
			  (int)params->distribution, in->bucket, r.record.reason);
		cr_assert(gb_member_number(&r.record.metrics, "pool_nodes") <=
				  (double)(in->tree.nodes + slack),
			  "%s leaves too many holes", v->name);
		gb_record_release(&r.record);
	}
	gb_octree_benchmark.release(in);
}

/* Coincident: all threads compete for one slot, and the deepest leaves are always lists.  Pairs:
 * the longest paths, with seven nodes per body. */
Test(variants_octree, hard_bodies)
{
	each_point("--count=0,1,2,3 --distribution=plummer,cube,uniform,clustered,coincident,pairs "
		   "--bucket=1,2",
		   check);
	each_point("--count=31,32,33,257,4100 --distribution=coincident --bucket=1,4,16", check);
	each_point("--count=2600 --distribution=pairs --order=own,random,spatial --bucket=1,2 "
		   "--seed=7",
		   check);
}

/* ---- exhausted pools ------------------------------------------------------------------------- */

/* The builder reports a full pool and does not write past it or wait.  The next run succeeds. */
static void exhaust(const struct octree_params *params)
{
	static const double pools[] = { 0, 0.01, 0.1, 0.2, 0.4, 6.5 }; /* nodes per body */
	struct octree_input *in = prepare(params), *other = prepare(params);

	for (size_t p = 0; p < GB_COUNT(pools); p++) {
		in->pool = 1 + (size_t)(pools[p] * (double)in->count);
		if (in->pool >= in->tree.nodes)
			break;
		for (const struct gb_variant *v = NULL; (v = next_builder(v));) {
			struct gb_result r = run(v, params, in);
			cr_assert(eq(int, (int)r.record.status, GB_STATUS_FAILED), "%s: %s",
				  v->name, r.record.reason);
			cr_assert(eq(int, (int)r.code, GB_ERUNTIME));
			cr_assert(strstr(r.record.reason, "exhausted") != NULL, "%s",
				  r.record.reason);
			gb_record_release(&r.record);
			r = run(v, params, other);
			cr_assert(eq(int, (int)r.record.status, GB_STATUS_OK), "%s: %s", v->name,
				  r.record.reason);
			gb_record_release(&r.record);
		}
	}
	gb_octree_benchmark.release(in);
	gb_octree_benchmark.release(other);
}

Test(variants_octree, exhausted_pool)
{
	each_point("--count=3000 --distribution=plummer,cube", exhaust);
	each_point("--count=1000 --distribution=pairs", exhaust);
	each_point("--count=100 --distribution=coincident --bucket=8", exhaust);
	each_point("--count=5000 --distribution=plummer --bucket=16", exhaust);
}

/* Build with each builder in a pool of `pool` nodes: all builders, or those that waste no node when
 * threads collide. */
static void try_pool(const struct octree_params *params, struct octree_input *in, size_t pool,
		     bool thrifty_alone, bool suffices)
{
	in->pool = pool;
	for (const struct gb_variant *v = NULL; (v = next_builder(v));) {
		struct gb_result r;

		if (thrifty_alone && strncmp(v->name, "lf", 2) == 0)
			continue;
		r = run(v, params, in);
		cr_assert(eq(int, (int)r.record.status, suffices ? GB_STATUS_OK : GB_STATUS_FAILED),
			  "%s, %zu nodes for a tree of %zu: %s", v->name, pool, in->tree.nodes,
			  r.record.reason);
		cr_assert(suffices || strstr(r.record.reason, "exhausted"), "%s: %s", v->name,
			  r.record.reason);
		gb_record_release(&r.record);
	}
}

/* The last node of the pool is used, and no node after it.  With three bodies, two of them close
 * together, a single split leaves no spare nodes.  With more bodies, threads of lf may keep
 * some. */
static void try_tight_pools(const struct octree_params *params)
{
	struct octree_input *in = prepare(params);
	const size_t nodes = in->tree.nodes;

	cr_assert(nodes > 1);
	try_pool(params, in, nodes, params->count > 3, true);
	try_pool(params, in, nodes - 1, false, false);
	gb_octree_benchmark.release(in);
}

Test(variants_octree, pool_of_the_exact_size)
{
	each_point("--count=3 --distribution=pairs --seed=1", try_tight_pools);
	each_point("--count=3 --distribution=pairs --seed=2", try_tight_pools);
	each_point("--count=200 --distribution=plummer", try_tight_pools);
	each_point("--count=100 --distribution=pairs", try_tight_pools);
	each_point("--count=150 --distribution=clustered --bucket=4", try_tight_pools);
}

/* Without a verification, the next sample's reset() reports it. */
Test(variants_octree, exhausted_pool_is_reported_by_reset)
{
	const struct octree_params params = { .count = 500, .bucket = 1, .seed = 1 };
	struct octree_input *in = prepare(&params);

	in->pool = 50;
	for (const struct gb_variant *v = NULL; (v = next_builder(v));) {
		const struct gb_variant_ops *ops = v->ops;
		struct gb_timer timer = { 0 };
		struct gb_error err = { 0 };
		void *state = NULL;

		cr_assert(eq(int, (int)gb_state_create(ops, &params, in, &state, &err), GB_OK));
		cr_assert(eq(int, (int)ops->upload(state, &err), GB_OK));
		cr_assert(eq(int, (int)ops->reset(state, 0, &err), GB_OK), "%s", err.message);
		cr_assert(eq(int, (int)ops->run(state, &timer, &err), GB_OK), "%s", err.message);
		cr_assert(eq(int, (int)ops->reset(state, 1, &err), GB_ERUNTIME), "%s", v->name);
		gb_state_destroy(ops, state);
	}
	gb_octree_benchmark.release(in);
}

/* ---- morton: bodies that share the digits it sorts by -------------------------------------- */

/* EVEN_FIRST: every other key ascends, then the others: tiles in order lie in a run that is not. */
enum run_order { DESCENDING, MIXED, EQUAL, LAST_IS_LEAST, EVEN_FIRST };

/* `alone` bodies in separate cells, `size` bodies that share ten digits, and one at either end of
 * the box.  With so few bodies the sort uses ten digits. */
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

static int even_bits(int value)
{
	int bits = 0;

	for (int b = 0; b < 7; b++)
		bits |= (value >> 2 * b & 1) << b;
	return bits;
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
		const int cell = c->order == DESCENDING   ? c->size - k
				 : c->order == MIXED      ? (int)((unsigned)k * 2654435761U >> 21)
				 : c->order == EQUAL      ? 5
				 : c->order == EVEN_FIRST ? 2 * k % c->size + (2 * k >= c->size)
							  : (k + 1 < c->size ? 6 : 5);

		if (c->order == EVEN_FIRST)
			write_place(file, 0.5F + (float)even_bits(cell) * 0x1p-21F,
				    0.5F + (float)even_bits(cell / 2) * 0x1p-21F, 0.5F);
		else
			write_place(file, 0.5F + (float)(cell % 2048) * 0x1p-21F,
				    0.5F + (float)(cell / 2048) * 0x1p-21F, 0.5F);
	}
	cr_assert(eq(int, fclose(file), 0));
}

/* A thread of fix_ties_kernel handles runs up to 32, a block merges runs up to 4096.  A block of
 * fix_ties_kernel has 448 bodies.  A tile orders runs up to 64 and has 1920 bodies. */
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
		{ 1908, 64, MIXED, 1 },
		{ 1856, 64, DESCENDING, 1 },
		{ 1918, 64, DESCENDING, 1 },
		{ 1880, 65, MIXED, 1 },
		{ 1900, 65, LAST_IS_LEAST, 1 },
		{ 1800, 300, EQUAL, 1 },
		{ 3800, 64, LAST_IS_LEAST, 1 },
		{ 100, 9000, EVEN_FIRST, 1 },
	};
	char path[] = "/tmp/gpubench-octree-XXXXXX";

	cr_assert(eq(int, close(mkstemp(path)), 0));
	for (size_t n = 0; n < 2 * GB_COUNT(cases); n++) {
		const size_t k = n / 2;
		const struct octree_params params = { .file = path,
						      .bucket = cases[k].order == EVEN_FIRST ? 2
								: k % 2                      ? 1
											     : 4,
						      .seed = 1 };
		struct octree_input *in;
		struct gb_result r;

		set_tiles(n % 2);
		write_run(path, &cases[k]);
		in = prepare(&params);
		r = run(find_variant(GB_CUDA, "octree", "morton"), &params, in);
		cr_expect(r.record.status == GB_STATUS_OK, "case %zu: %s", k, r.record.reason);
		cr_expect(eq(int, (int)gb_member_number(&r.record.metrics, "long_runs"),
			     cases[k].long_runs),
			  "%zu", k);
		cr_expect(eq(int, gb_member_number(&r.record.metrics, "disorder") > 0,
			     cases[k].order != EQUAL && cases[k].size > (tiles ? 64 : 32)),
			  "%zu", k);
		gb_record_release(&r.record);
		gb_octree_benchmark.release(in);
	}
	cr_expect(eq(int, remove(path), 0));
}

#endif
