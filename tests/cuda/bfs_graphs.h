/* bfs_graphs.h -- the graphs of test_bfs.cu, in all formats that the cuda variants read. */
#ifndef GPUBENCH_TESTS_CUDA_BFS_GRAPHS_H
#define GPUBENCH_TESTS_CUDA_BFS_GRAPHS_H

#include <algorithm>
#include <utility>
#include <vector>

extern "C" {
#pragma GCC diagnostic ignored "-Wshadow" /* struct and function bfs_facts */
#include "cli/benchmarks/bfs/bfs_reference.h"
}
#include "common/bfs_types.h"

typedef std::pair<uint32_t, uint32_t> edge;

struct graph {
	const char *name;
	struct bfs_input input;
	std::vector<uint64_t> row, in_row;
	std::vector<uint32_t> column, in_column, matrix, matrix_in, source;
	std::vector<struct bfs_facts> facts; /* of the reference, per source */
};

static void fill_csr(uint32_t n, std::vector<edge> edges, std::vector<uint64_t> *row,
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

static void fill_matrix(uint32_t n, const std::vector<edge> &edges, std::vector<uint32_t> *matrix)
{
	const size_t pitch = bfs_pitch(n);

	matrix->assign(n * pitch, 0);
	for (const edge &e : edges)
		(*matrix)[e.first * pitch + e.second / 32] |= 1u << e.second % 32;
}

static void make_graph(struct graph *g, const char *name, uint32_t n, std::vector<edge> edges,
		       bool symmetric, std::vector<uint32_t> source)
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
	g->facts.assign(g->source.size(), {});
	g->input.facts = g->facts.data();
}

/* Reproducible random bits (splitmix64). */
static uint64_t random64(uint64_t index)
{
	uint64_t word = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* Each ordered pair with probability p, but every `orphan`-th vertex has no in-edges. */
static std::vector<edge> random_edges(uint32_t n, double p, uint32_t orphan)
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
static std::vector<edge> star_edges(uint32_t n)
{
	std::vector<edge> edges;

	for (uint32_t v = 1; v < n; v++)
		edges.emplace_back(0, v);
	return edges;
}

#endif
