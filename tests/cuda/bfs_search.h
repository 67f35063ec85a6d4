/* bfs_search.h -- for the tests of the cuda variants of bfs: small graphs, and a comparison of
 * every variant with a queue search on the host, with several sources per state.
 *
 * Runs on a GPU or in the PTX executor; without either, all tests are skipped.
 */
#ifndef GPUBENCH_TESTS_CUDA_BFS_SEARCH_H
#define GPUBENCH_TESTS_CUDA_BFS_SEARCH_H

#include <algorithm>
#include <criterion/criterion.h>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "common/bfs.h"
#include "cuda/bfs/parts/path.h"
#include "cuda/variant.h"
#include "tests/cuda/gpu.h"

extern "C" const struct gb_variant_ops bfs_cuda_basic, bfs_cuda_csr_paper, bfs_cuda_csr,
	bfs_cuda_csr_do, bfs_cuda_ccam_paper, bfs_cuda_ccam_pull, bfs_cuda_ccam,
	bfs_cuda_ccam_batch, bfs_cuda_basic_early, bfs_cuda_csr_paper_early,
	bfs_cuda_ccam_paper_early;

static const struct variant {
	const char *name;
	const struct gb_variant_ops *ops;
	enum bfs_ccam_path path;
	uint32_t wide_edges = 0; /* see path.h */
} variants[] = {
	{ "basic", &bfs_cuda_basic, BFS_CCAM_AUTO },
	{ "csr-paper", &bfs_cuda_csr_paper, BFS_CCAM_AUTO },
	{ "csr", &bfs_cuda_csr, BFS_CCAM_AUTO },
	{ "csr-do", &bfs_cuda_csr_do, BFS_CCAM_AUTO },
	{ "ccam-paper", &bfs_cuda_ccam_paper, BFS_CCAM_AUTO },
	{ "ccam-pull", &bfs_cuda_ccam_pull, BFS_CCAM_AUTO },
	{ "ccam, a cluster", &bfs_cuda_ccam, BFS_CCAM_CLUSTER },
	{ "ccam, a grid", &bfs_cuda_ccam, BFS_CCAM_GRID },
	{ "basic-early", &bfs_cuda_basic_early, BFS_CCAM_AUTO },
	{ "csr-paper-early", &bfs_cuda_csr_paper_early, BFS_CCAM_AUTO },
	{ "ccam-paper-early", &bfs_cuda_ccam_paper_early, BFS_CCAM_AUTO },
	{ "csr, the grid alone", &bfs_cuda_csr, BFS_CCAM_AUTO, 1 },
	{ "csr-do, the grid alone", &bfs_cuda_csr_do, BFS_CCAM_AUTO, 1 },
	{ "csr, from 65 edges a grid", &bfs_cuda_csr, BFS_CCAM_AUTO, 65 },
	{ "csr-do, from 65 edges a grid", &bfs_cuda_csr_do, BFS_CCAM_AUTO, 65 },
};

static const int32_t POISON = -1515870811; /* 0xa5a5a5a5 */

/* ---- graphs -------------------------------------------------------------------------------- */

typedef std::pair<uint32_t, uint32_t> edge;

struct graph {
	const char *name;
	struct bfs_input input;
	std::vector<uint64_t> row, in_row;
	std::vector<uint32_t> column, in_column, matrix, matrix_in, source;
};

static inline void fill_csr(uint32_t n, std::vector<edge> edges, std::vector<uint64_t> *row,
			    std::vector<uint32_t> *column)
{
	std::sort(edges.begin(), edges.end());
	row->assign(n + 1, 0);
	column->clear();
	for (const edge &e : edges) {
		(*row)[e.first + 1]++;
		column->push_back(e.second);
	}
	for (uint32_t u = 0; u < n; u++)
		(*row)[u + 1] += (*row)[u];
}

static inline void fill_matrix(uint32_t n, const std::vector<edge> &edges,
			       std::vector<uint32_t> *matrix)
{
	const size_t pitch = bfs_pitch(n);

	matrix->assign(n * pitch, 0);
	for (const edge &e : edges)
		(*matrix)[e.first * pitch + e.second / 32] |= 1u << e.second % 32;
}

static inline void make_graph(struct graph *g, const char *name, uint32_t n,
			      std::vector<edge> edges, bool symmetric, std::vector<uint32_t> source)
{
	std::vector<edge> back;

	for (const edge &e : edges)
		back.emplace_back(e.second, e.first);
	if (symmetric) {
		edges.insert(edges.end(), back.begin(), back.end());
		back = edges;
	}
	g->name = name;
	g->input = {};
	fill_csr(n, edges, &g->row, &g->column);
	fill_csr(n, back, &g->in_row, &g->in_column);
	fill_matrix(n, edges, &g->matrix);
	fill_matrix(n, back, &g->matrix_in);
	g->source = std::move(source);
	g->input.n = n;
	g->input.m = edges.size();
	g->input.symmetric = symmetric;
	g->input.out = { g->row.data(), g->column.data() };
	g->input.in = { g->in_row.data(), g->in_column.data() };
	g->input.pitch = bfs_pitch(n);
	g->input.matrix = g->matrix.data();
	g->input.matrix_in = g->matrix_in.data();
	g->input.source_count = g->source.size();
	g->input.source = g->source.data();
}

/* Reproducible random bits (splitmix64). */
static inline uint64_t random64(uint64_t index)
{
	uint64_t word = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* Each ordered pair with probability p, but every `orphan`-th vertex has no in-edges. */
static inline std::vector<edge> random_edges(uint32_t n, double p, uint32_t orphan)
{
	std::vector<edge> edges;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			if (u != v && !(orphan && v % orphan == orphan - 1) &&
			    (double)random64((uint64_t)u << 32 | v) < p * 0x1p64)
				edges.emplace_back(u, v);
	return edges;
}

/* Edges from vertex 0 to all others. */
static inline std::vector<edge> star_edges(uint32_t n)
{
	std::vector<edge> edges;

	for (uint32_t v = 1; v < n; v++)
		edges.emplace_back(0, v);
	return edges;
}

/* ---- verification -------------------------------------------------------------------------- */

static inline std::vector<int32_t> queue_search(const struct bfs_input *in, uint32_t source)
{
	std::vector<int32_t> dist(in->n, BFS_UNREACHED);
	std::vector<uint32_t> queue(1, source);

	dist[source] = 0;
	for (size_t i = 0; i < queue.size(); i++) {
		const uint32_t u = queue[i];

		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++) {
			const uint32_t v = in->out.column[e];

			if (dist[v] != BFS_UNREACHED)
				continue;
			dist[v] = dist[u] + 1;
			queue.push_back(v);
		}
	}
	return dist;
}

/* True if parent is an in-neighbour one level up, or v is the source and its own parent. */
static inline bool is_parent(const struct bfs_input *in, const std::vector<int32_t> &dist,
			     uint32_t v, int32_t parent)
{
	if (dist[v] == BFS_UNREACHED)
		return parent == BFS_UNREACHED;
	if (dist[v] == 0)
		return parent == (int32_t)v;
	if (parent < 0 || (uint32_t)parent >= in->n || dist[(uint32_t)parent] != dist[v] - 1)
		return false;
	return std::binary_search(in->out.column + in->out.row[parent],
				  in->out.column + in->out.row[parent + 1], v);
}

static inline void verify(const struct variant *variant, const struct graph *g,
			  const struct bfs_params *params, uint32_t source, void *output)
{
	const std::vector<int32_t> want = queue_search(&g->input, source);
	const int32_t *const dist = bfs_output_dist(params, output);
	const int32_t *const parent = bfs_output_parent(params, &g->input, output);

	for (uint32_t v = 0; v < g->input.n; v++) {
		if (dist && dist[v] != want[v])
			cr_assert_fail("%s, %s, n %u, source %u: distance of %u is %d, not %d",
				       variant->name, g->name, g->input.n, source, v, dist[v],
				       want[v]);
		if (parent && !is_parent(&g->input, want, v, parent[v]))
			cr_assert_fail("%s, %s, n %u, source %u: parent of %u is %d", variant->name,
				       g->name, g->input.n, source, v, parent[v]);
	}
}

/* Search from each source, twice, in one state; at least three batches.  After the first run, the
 * graph is copied once more.  Keeps the metrics of the last run. */
static inline void search_all(const struct variant *variant, const struct graph *g,
			      const struct bfs_params *params, struct gb_metrics *metrics)
{
	const struct gb_variant_ops *const ops = variant->ops;
	const size_t batch = bfs_batch(params), least = batch > 1 ? 3 : 1;
	const size_t samples = std::max(2 * g->source.size() / batch, least);
	std::vector<int32_t> output(bfs_output_size(params, &g->input) / sizeof(int32_t));
	struct gb_timer timer = {};
	struct gb_error err = {};
	void *state = NULL;

	bfs_ccam_path = variant->path;
	bfs_wide_edges = variant->wide_edges;
	cr_assert_eq(gb_state_create(ops, params, &g->input, &state, &err), GB_OK, "%s: %s",
		     variant->name, err.message);
	cr_assert_eq(ops->upload(state, &err), GB_OK, "%s: %s", variant->name, err.message);
	for (size_t sample = 0; sample < samples; sample++) {
		std::fill(output.begin(), output.end(), POISON);
		if (sample == 1)
			cr_assert_eq(ops->upload(state, &err), GB_OK, "%s", err.message);
		cr_assert_eq(ops->reset(state, (int64_t)sample, &err), GB_OK);
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s: %s", variant->name,
			     err.message);
		cr_assert_eq(ops->download(state, output.data(), &err), GB_OK, "%s, %s: %s",
			     variant->name, g->name, err.message);
		for (size_t i = 0; i < batch; i++)
			verify(variant, g, params,
			       bfs_source(&g->input, (int64_t)(sample * batch + i)),
			       output.data() + i * g->input.n);
	}
	ops->metrics(state, metrics);
	gb_state_destroy(ops, state);
}

/* Search with the batch variant.  Return the bytes that the last run touched. */
static inline double search_batches(const struct graph *g, int64_t batch)
{
	const struct variant variant = { "ccam-batch", &bfs_cuda_ccam_batch, BFS_CCAM_AUTO };
	struct gb_metrics metrics = {};
	struct bfs_params params = {};

	params.batch = batch;
	search_all(&variant, g, &params, &metrics);
	return metric(&metrics, "touched_bytes");
}

/* True if the variant uses CSR columns, of 16 or 32 bits. */
static inline bool is_csr(const struct variant *variant)
{
	return strncmp(variant->name, "csr", 3) == 0;
}

static inline void check_graph(const struct graph *g, const std::vector<enum bfs_output> &outputs)
{
	for (const struct variant &variant : variants) {
		for (const enum bfs_output output : outputs) {
			struct gb_metrics metrics = {};
			struct bfs_params params = {};

			params.output = output;
			search_all(&variant, g, &params, &metrics);
			if (!is_csr(&variant))
				continue;
			params.wide = true;
			search_all(&variant, g, &params, &metrics);
		}
	}
}

static inline void check_edges(const char *name, uint32_t n, std::vector<edge> edges,
			       bool symmetric, std::vector<uint32_t> source)
{
	struct graph g;

	make_graph(&g, name, n, std::move(edges), symmetric, std::move(source));
	check_graph(&g, { BFS_BOTH });
	search_batches(&g, 3);
}

#endif
