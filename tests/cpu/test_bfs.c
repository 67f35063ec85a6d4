/* test_bfs.c -- the CPU searches on difficult graphs, with each instruction set and with more
 * threads than cores, against the reference.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "common/benchmark.h"
#include "common/bfs_types.h"
#include "common/memory.h"
#include "common/text.h"
#include "cpu/bfs/shared/bits.h"
#include "cpu/runtime/simd.h"
#include "tests/file_of.h"
#include "tests/metric.h"
#include "tests/sanitized.h"

extern const struct gb_variant_ops bfs_cpu_basic_queue, bfs_cpu_basic, bfs_cpu_csr, bfs_cpu_csr_do,
	bfs_cpu_ccam_paper, bfs_cpu_ccam, bfs_cpu_ccam_batch, bfs_cpu_basic_early,
	bfs_cpu_ccam_paper_early;

static const struct gb_variant_ops *const searches[] = {
	&bfs_cpu_basic_queue, &bfs_cpu_basic, &bfs_cpu_csr,         &bfs_cpu_csr_do,
	&bfs_cpu_ccam_paper,  &bfs_cpu_ccam,  &bfs_cpu_basic_early, &bfs_cpu_ccam_paper_early,
};

/* Searches on a matrix of bytes are slow, and large graphs do not test anything new in them. */
static bool is_too_slow(const struct gb_variant_ops *ops, uint32_t n)
{
	return n > 3000 && (ops == &bfs_cpu_basic || ops == &bfs_cpu_basic_queue ||
			    ops == &bfs_cpu_basic_early);
}

/* Run a search several times, from different sources or batches of sources, and verify the
 * results.  Return the bytes that the last one touched. */
static double search(const struct gb_variant_ops *ops, const struct bfs_params *params,
		     const struct bfs_input *in, int64_t runs)
{
	void *output = malloc(bfs_output_size(params, in)), *state;
	struct gb_metrics metrics = { 0 };
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };

	gb_state_create(ops, params, in, &state, &err);
	gb_state_upload(ops, state, &err);
	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	for (int64_t sample = 0; sample < runs; sample++) {
		ops->reset(state, sample, &err);
		ops->run(state, &timer, &err);
		memset(output, 0xa5, bfs_output_size(params, in));
		ops->download(state, output, &err);
		gb_bfs_benchmark.verify(params, in, sample, output, &metrics, &err);
		cr_assert_eq(err.code, GB_OK, "a batch of %d, run %d: %s", (int)params->batch,
			     (int)sample, err.message);
	}
	metrics.count = 0;
	ops->metrics(state, &metrics);
	gb_state_destroy(ops, state);
	free(output);
	return metric(&metrics, "touched_bytes");
}

/* Each variant from up to `most` sources; for distances, also with many sources in a batch. */
static void search_all(struct bfs_params params, const struct bfs_input *in, int64_t most)
{
	static const int64_t batches[] = { 1, 37, 64 };
	const int64_t count = (int64_t)in->source_count;

	for (size_t i = 0; i < GB_COUNT(searches); i++)
		if (!is_too_slow(searches[i], in->n))
			(void)search(searches[i], &params, in, count < most ? count : most);
	for (size_t i = 0; params.output == BFS_DIST && i < GB_COUNT(batches); i++) {
		params.batch = batches[i];
		(void)search(&bfs_cpu_ccam_batch, &params, in, 2);
	}
}

/* All instruction sets, results and thread counts. */
static void search_every_way(struct bfs_params params, int64_t most)
{
	const enum cpu_simd sets[] = { CPU_PLAIN, CPU_AVX512 };
	struct gb_error err = { 0 };
	void *input;

	gb_bfs_benchmark.prepare(&params, &input, &err);
	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	for (size_t set = 0; set < GB_COUNT(sets); set++)
		for (params.output = BFS_DIST; params.output <= BFS_BOTH; params.output++)
			for (params.threads = 1; params.threads <= 4; params.threads += 3) {
				cpu_limit_simd(sets[set]);
				search_all(params, input, most);
			}
	cpu_limit_simd(CPU_VBMI2);
	gb_bfs_benchmark.release(input);
}

static void search_edges(const char *text, int64_t most)
{
	const char *path = file_of(".el", text, strlen(text));

	search_every_way((struct bfs_params){ .file = path, .sources = 100 }, most);
	unlink(path);
}

Test(bfs_cpu, one_vertex)
{
	search_every_way((struct bfs_params){ .vertices = 1, .p = 1, .sources = 4 }, 4);
}

Test(bfs_cpu, sizes_around_words_and_slabs)
{
	const int64_t sizes[] = { 33, 64, 1023, 1024, 1025, 8191, 8193 };

	for (size_t i = 0; i < GB_COUNT(sizes); i++)
		search_every_way((struct bfs_params){ .vertices = sizes[i],
						      .p = 30. / (double)(sizes[i] + 30),
						      .sources = 2,
						      .seed = 5 },
				 2);
}

/* Loops and parallel edges; the source has a loop, and the last level has one vertex: if the source
 * were counted twice, the search would end a level early; disconnected parts. */
Test(bfs_cpu, small_graphs)
{
	search_edges("0 0\n0 1\n0 1\n1 0\n1 1\n1 2\n2 2\n1 2\n3 3\n3 3\n3 4\n", 100);
	search_edges("0 0\n0 1\n1 2\n", 100);
	search_edges("0 1\n1 0\n40 41\n41 42\n99 7\n7 99\n", 100);
}

/* A directed chain, longer than a slab is wide. */
Test(bfs_cpu, deep_chain)
{
	char *text = malloc(120000);
	size_t used = 0;

	for (int v = 0; v < 550; v++)
		used += (size_t)sprintf(text + used, "%d %d\n", v, v + 1);
	for (int v = 650; v < UNLESS_SANITIZED(4000, 2000); v += 100)
		used += (size_t)sprintf(text + used, "%d %d\n", v - 100, v);
	search_edges(text, 1);
	free(text);
}

/* Large enough for several threads to share levels and slabs. */
Test(bfs_cpu, shared_levels)
{
	search_every_way((struct bfs_params){ .vertices = 17000,
					      .p = UNLESS_SANITIZED(0.02, 0.005),
					      .sources = 1 },
			 1);
	search_every_way((struct bfs_params){ .graph = BFS_KRONECKER,
					      .scale = UNLESS_SANITIZED(14, 12),
					      .edgefactor = 8,
					      .sources = 2 },
			 2);
}

/* Expect that a state cannot be created, for this reason. */
static void refused(const struct gb_variant_ops *ops, const struct bfs_params *params, void *input,
		    const char *why)
{
	struct gb_error err = { 0 };
	void *state;

	cr_expect_eq(gb_state_create(ops, params, input, &state, &err), GB_EUNAVAILABLE);
	cr_expect(strstr(err.message, why), "%s", err.message);
	gb_state_destroy(ops, state);
}

/* A graph of more than 65536 vertices has no matrix: only the searches on CSR run.  Variants for
 * one source and for batches refuse the other kind, and a batch has no parents. */
Test(bfs_cpu, refusals)
{
	struct bfs_params params = {
		.graph = BFS_GRID, .vertices = 70000, .sources = 2, .output = BFS_BOTH
	};
	struct gb_error err = { 0 };
	void *input;

	gb_bfs_benchmark.prepare(&params, &input, &err);
	cr_assert_eq(err.code, GB_OK);
	for (size_t i = 0; i < GB_COUNT(searches); i++)
		if (searches[i] == &bfs_cpu_csr || searches[i] == &bfs_cpu_csr_do)
			(void)search(searches[i], &params, input, 1);
		else
			refused(searches[i], &params, input, "more than 65536 vertices");
	params.batch = 2;
	for (size_t i = 0; i < GB_COUNT(searches); i++)
		refused(searches[i], &params, input, "--batch=1");
	for (params.output = BFS_PARENT; params.output <= BFS_BOTH; params.output++)
		refused(&bfs_cpu_ccam_batch, &params, input, "--result=dist");
	gb_bfs_benchmark.release(input);
}

/* From the centre of a star, one level finds everything.  The paper's searches end with the level
 * after it, which reads all other rows in vain; those that end early do not begin it. */
Test(bfs_cpu, only_the_early_end_spares_the_last_level)
{
	enum { N = 70, WORDS = 3 };
	static const struct {
		const struct gb_variant_ops *ops;
		double bytes;
	} rows[] = {
		{ &bfs_cpu_basic_queue, N * N },
		{ &bfs_cpu_basic, N * N },
		{ &bfs_cpu_basic_early, N },
		{ &bfs_cpu_ccam_paper, 4 * WORDS * N },
		{ &bfs_cpu_ccam_paper_early, 4 * WORDS },
	};
	char text[16 * N];
	size_t used = 0;
	struct bfs_params params = { .sources = 1 };
	struct gb_error err = { 0 };
	void *input;

	for (int v = 1; v < N; v++)
		used += (size_t)snprintf(text + used, sizeof text - used, "0 %d\n", v);
	params.file = file_of(".el", text, used);
	gb_bfs_benchmark.prepare(&params, &input, &err);
	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	for (params.threads = 1; params.threads <= 4; params.threads += 3)
		for (size_t i = 0; i < GB_COUNT(rows); i++)
			cr_expect_eq(search(rows[i].ops, &params, input, 2), rows[i].bytes,
				     "row %zu, %d threads", i, (int)params.threads);
	gb_bfs_benchmark.release(input);
	unlink(params.file);
}

#if defined(__x86_64__)
/* Words of a row that are read until a vertex of the frontier is found in word k, or in none.  A
 * pull reads whole vectors. */
Test(bfs_cpu, words_read)
{
	enum { WORDS = 48 };
	const struct bfs_bits_ops *const ops[] = { &bfs_bits_plain, &bfs_bits_avx512 };

	for (size_t set = 0; set < (cpu_simd() < CPU_AVX512 ? 1 : 2); set++)
		for (uint32_t k = 0; k <= WORDS; k++) {
			uint64_t bits[WORDS + 1] = { 0 }, word[64 * WORDS + 64] = { 0 };
			const uint64_t some = k < WORDS, words = k + some;
			uint64_t pulled = 0, gathered = 0;
			uint32_t row[2 * WORDS], at[WORDS];
			const struct bfs_words frontier = { word, bits, at, WORDS };

			bits[k] = UINT64_C(1) << k;
			word[64 * k + k] = 1;
			memcpy(row, bits, sizeof row);
			for (uint32_t j = 0; j < WORDS; j++)
				at[j] = j;
			cr_expect_eq(ops[set]->pull(row, bits, WORDS, &pulled),
				     some ? 65 * (int64_t)k : -1);
			cr_expect_eq(pulled, (words + 7) / 8 * 8, "%zu, word %u", set, k);
			cr_expect_eq(ops[set]->gather(row, &frontier, 1, &gathered), some);
			cr_expect_eq(gathered, words, "%zu, word %u", set, k);
		}
}
#endif
