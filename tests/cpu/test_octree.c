/* test_octree.c -- the CPU builders of octrees on difficult inputs: with each instruction set, with
 * more threads than cores, repeatedly from one state, and with pools that are too small.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/benchmark.h"
#include "common/memory.h"
#include "common/octree_types.h"
#include "common/text.h"
#include "cpu/octree/shared/builder.h"
#include "tests/file_of.h"

extern const struct gb_variant_ops octree_cpu_seq, octree_cpu_lock, octree_cpu_lf,
	octree_cpu_morton;

static const struct builder {
	const char *name;
	const struct gb_variant_ops *ops;
} builders[] = {
	{ "seq", &octree_cpu_seq },
	{ "lock", &octree_cpu_lock },
	{ "lf", &octree_cpu_lf },
	{ "morton", &octree_cpu_morton },
};

static struct octree_input *prepare(const struct octree_params *params)
{
	struct gb_error err = { 0 };
	void *input = NULL;

	cr_assert_eq(gb_octree_benchmark.prepare(params, &input, &err), GB_OK, "%s", err.message);
	return input;
}

/* Build `runs` times and verify each tree. */
static void check(const struct builder *b, const struct octree_params *params,
		  const struct octree_input *in, int runs)
{
	const size_t bytes = octree_output_size(in);
	unsigned char *output = malloc(bytes + 1);
	struct gb_metrics metrics = { 0 };
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state = NULL;

	cr_assert_eq(gb_state_create(b->ops, params, in, &state, &err), GB_OK, "%s", err.message);
	for (int run = 0; run < runs; run++) {
		cr_assert_eq(b->ops->run(state, &timer, &err), GB_OK, "%s: %s", b->name,
			     err.message);
		memset(output, 0xa5, bytes + 1);
		cr_assert_eq(b->ops->download(state, output, &err), GB_OK);
		gb_octree_benchmark.verify(params, in, run, output, &metrics, &err);
		cr_assert_eq(err.code, GB_OK, "%s, %zu bodies, bucket %d, %d threads, run %d: %s",
			     b->name, in->count, in->bucket, (int)params->threads, run,
			     err.message);
		cr_assert_eq(output[bytes], 0xa5, "%s wrote behind the output", b->name);
		b->ops->metrics(state, &metrics);
	}
	gb_state_destroy(b->ops, state);
	free(output);
}

/* All builders on an input, which is released. */
static void check_each(const struct octree_params *params, struct octree_input *in, int runs)
{
	for (size_t i = 0; i < GB_COUNT(builders); i++)
		check(&builders[i], params, in, runs);
	gb_octree_benchmark.release(in);
}

static void check_all(const struct octree_params *params, int runs)
{
	check_each(params, prepare(params), runs);
}

/* ---- instruction sets ---------------------------------------------------------------------- */

ParameterizedTestParameters(octree_cpu, every_distribution)
{
	static enum cpu_simd simd[] = { CPU_PLAIN, CPU_AVX2, CPU_AVX512, CPU_VBMI2 };

	return cr_make_param_array(enum cpu_simd, simd, GB_COUNT(simd));
}

/* Sizes beyond a tile, a chunk, a sample step, and a cell of cpu/morton. */
ParameterizedTest(enum cpu_simd *simd, octree_cpu, every_distribution)
{
	static const int64_t counts[] = { 7, 300, 5003, 40001 };
	static const int64_t buckets[] = { 1, 3, 16 };

	cpu_limit_simd(*simd);
	for (int64_t d = OCTREE_PLUMMER; d < OCTREE_DISTRIBUTIONS; d++)
		for (size_t i = 0; i < GB_COUNT(counts); i++)
			for (size_t b = 0; b < GB_COUNT(buckets); b++)
				check_all(&(struct octree_params){ .distribution = d,
								   .count = counts[i],
								   .bucket = buckets[b],
								   .order = (int64_t)(i + b) % 3,
								   .threads = 2,
								   .seed = 3 },
					  1);
}

/* ---- threads ------------------------------------------------------------------------------- */

/* More threads than cores or bodies, all of them in a few octants.  9000 bodies are more than one
 * thread handles alone. */
Test(octree_cpu, oversubscribed)
{
	static const int64_t threads[] = { 1, 3, 4, 9 };
	static const int64_t buckets[] = { 1, 8 };

	for (size_t t = 0; t < GB_COUNT(threads); t++)
		for (size_t b = 0; b < GB_COUNT(buckets); b++)
			for (int64_t d = OCTREE_PLUMMER; d <= OCTREE_PAIRS; d++) {
				struct octree_params params = { .distribution = d,
								.count = 9000,
								.bucket = buckets[b],
								.threads = threads[t],
								.seed = 11 };

				check_all(&params, 3);
				params.count = 2;
				check_all(&params, 1);
			}
}

/* ---- bodies that defeat sampling ------------------------------------------------------------- */

static struct octree_input *from(size_t count, int bucket,
				 void (*place)(size_t i, size_t n, float xyz[3]),
				 struct octree_params *params)
{
	float(*xyz)[3] = malloc(count * sizeof *xyz);
	struct octree_input *in;
	const char *path;

	for (size_t i = 0; i < count; i++)
		place(i, count, xyz[i]);
	path = file_of(".octree", xyz, count * sizeof *xyz);
	free(xyz);
	*params = (struct octree_params){ .file = path, .bucket = bucket, .threads = 2 };
	in = prepare(params);
	remove(path);
	params->file = NULL;
	return in;
}

static float spread(size_t i)
{
	return (float)(i * UINT64_C(0x9e3779b97f4a7c15) >> 40) * 0x1p-24F;
}

/* The bodies that cpu/morton takes for its sample (shared/morton_plan.c) are far apart, all others
 * are in one small cell. */
static void hidden(size_t i, size_t n, float xyz[3])
{
	const size_t wanted = n / (2 * 4 * 40), step = wanted < 256 ? wanted : 256;
	const float scale = i % step == octree_mix(i / step) % step ? 1 : 0x1p-16F;

	xyz[0] = scale * spread(i);
	xyz[1] = scale * spread(i * 3 + 1);
	xyz[2] = scale * spread(i * 7 + 5);
}

/* Two far corners, and the other bodies in 64 finest cells: more than a word distinguishes. */
static void tied(size_t i, size_t n, float xyz[3])
{
	const float cell = 0x1p-21F;

	(void)n;
	xyz[0] = i == 0 ? 0.99F : cell * (float)(i % 4);
	xyz[1] = i == 1 ? 0.99F : cell * (float)(i / 4 % 4);
	xyz[2] = i == 2 ? 0.99F : cell * (float)(i / 16 % 4);
}

/* Half of the bodies coincide, the others are on a line. */
static void half_at_one_place(size_t i, size_t n, float xyz[3])
{
	xyz[0] = i % 2 ? 0.7F : (float)i / (float)n;
	xyz[1] = i % 2 ? 0.7F : 0;
	xyz[2] = i % 2 ? 0.7F : 0;
}

static void check_places(size_t count, void (*place)(size_t i, size_t n, float xyz[3]))
{
	static const int buckets[] = { 1, 16 };

	for (size_t b = 0; b < GB_COUNT(buckets); b++) {
		struct octree_params params;
		struct octree_input *in = from(count, buckets[b], place, &params);

		check_each(&params, in, 1);
	}
}

Test(octree_cpu, hidden_from_the_sample)
{
	check_places(100000, hidden);
	cpu_limit_simd(CPU_PLAIN);
	check_places(50000, hidden);
}

Test(octree_cpu, tied_words)
{
	check_places(10000, tied);
	check_places(30000, tied);
}

Test(octree_cpu, half_at_one_place)
{
	check_places(50000, half_at_one_place);
}

/* ---- pools --------------------------------------------------------------------------------- */

static void check_exhausted(const struct builder *b, const struct octree_params *params,
			    const struct octree_input *in)
{
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state = NULL;

	cr_assert_eq(gb_state_create(b->ops, params, in, &state, &err), GB_OK, "%s", err.message);
	cr_assert_eq(b->ops->run(state, &timer, &err), GB_ERUNTIME, "%s, %zu nodes of %zu", b->name,
		     in->pool, in->tree.nodes);
	cr_assert(strstr(err.message, "is exhausted") != NULL);
	gb_state_destroy(b->ops, state);
}

/* Pools that are too small by any amount are reported, and the next run with enough nodes succeeds.
 * A builder that wastes none may use a pool of exactly the tree's size. */
Test(octree_cpu, pool_exhausted)
{
	static const double pools[] = { 0, 0.01, 0.1, 0.25, 0.4, 1, 3, 6.5 }; /* per body */

	for (int64_t d = OCTREE_PLUMMER; d <= OCTREE_PAIRS; d += OCTREE_PAIRS)
		for (int64_t bucket = 1; bucket <= 4; bucket += 3)
			for (size_t p = 0; p < GB_COUNT(pools); p++) {
				const struct octree_params params = { .distribution = d,
								      .count = 20000,
								      .bucket = bucket,
								      .threads = 4,
								      .seed = 1 };
				struct octree_input *in = prepare(&params);

				in->pool = 1 + (size_t)(pools[p] * (double)in->count);
				for (size_t i = 0; i < GB_COUNT(builders); i++)
					if (in->pool < in->tree.nodes)
						check_exhausted(&builders[i], &params, in);
				gb_octree_benchmark.release(in);
			}
}

/* One thread wastes no nodes: exactly the nodes of the tree suffice, and one fewer does not. */
Test(octree_cpu, pool_of_the_exact_size)
{
	for (int64_t d = OCTREE_PLUMMER; d < OCTREE_DISTRIBUTIONS; d++)
		for (int64_t bucket = 1; bucket <= 4; bucket += 3) {
			const struct octree_params params = { .distribution = d,
							      .count = 5000,
							      .bucket = bucket,
							      .threads = 1,
							      .seed = 2 };
			struct octree_input *in = prepare(&params);

			for (size_t i = 0; i < GB_COUNT(builders); i++) {
				in->pool = in->tree.nodes;
				check(&builders[i], &params, in, 2);
				if (--in->pool > 0)
					check_exhausted(&builders[i], &params, in);
			}
			gb_octree_benchmark.release(in);
		}
}

Test(octree_cpu, pool_with_too_many_nodes)
{
	const struct octree_params huge = { .distribution = OCTREE_PAIRS,
					    .count = OCTREE_MAX_COUNT,
					    .bucket = 1 };
	struct gb_error err = { 0 };
	void *input;

	gb_memory_set_dry(true);
	cr_assert_eq(gb_octree_benchmark.prepare(&huge, &input, &err), GB_EUNAVAILABLE);
	cr_assert(strstr(err.message, "nodes can be numbered") != NULL);
	gb_memory_set_dry(false);
}
