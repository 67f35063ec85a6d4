/* build.c -- CSR from edges in any order.
 *
 * Edges are sorted by a stable counting sort: they are counted by target, then moved to the range
 * of their target in input order.  If the sources of the input ascend, the sources of each target
 * ascend as well, so two reversals sort both ends whatever the first order.  Threads that move
 * edges divide the targets, not the edges.  Each thread reads all edges and moves those of its
 * targets, so the result does not depend on the number of threads.
 */
#include "datasets/graph/build.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error ".sg files are read without conversion: little-endian only"
#endif

enum gb_status graph_csr_alloc(struct bfs_csr *csr, uint32_t n, uint64_t m, struct gb_error *err)
{
	csr->row = gb_host_alloc((size_t)n + 1, sizeof *csr->row, err);
	if (!csr->row)
		return err->code;
	csr->column = gb_host_alloc(m, sizeof *csr->column, err);
	return csr->column ? GB_OK : err->code;
}

void graph_csr_free(struct bfs_csr *csr)
{
	gb_host_free(csr->row);
	gb_host_free(csr->column);
	*csr = (struct bfs_csr){ NULL, NULL };
}

/* ---- distribution ------------------------------------------------------------------------ */

/* The vertices first .. last - 1 of one thread. */
struct share {
	uint32_t first, last;
};

/* The first vertex whose edges start at or after `edge`. */
static uint32_t vertex_at(const uint64_t *row, uint32_t n, uint64_t edge)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (row[middle] < edge)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* This thread's share of the vertices, with nearly equal numbers of edges per thread. */
static struct share edge_share(const uint64_t *row, uint32_t n)
{
	const uint64_t t = (uint64_t)omp_get_thread_num(),
		       threads = (uint64_t)omp_get_num_threads();
	const uint64_t m = row[n];

	return (struct share){ vertex_at(row, n, m / threads * t),
			       t + 1 == threads ? n : vertex_at(row, n, m / threads * (t + 1)) };
}

static bool is_in(struct share s, uint32_t vertex)
{
	return vertex >= s.first && vertex < s.last;
}

/* Turn the counts in row[1 ..] into start positions in row[0 ..] (a prefix sum). */
static void sum_up(uint64_t *row, uint32_t n)
{
	row[0] = 0;
	for (uint32_t v = 0; v < n; v++)
		row[v + 1] += row[v];
}

/* After distribution row[v] is the end of v's edges.  Shift the array so that it is the start. */
static void step_back(uint64_t *row, uint32_t n)
{
	memmove(row + 1, row, (size_t)n * sizeof *row);
	row[0] = 0;
}

static void count_one(uint64_t *row, uint32_t vertex)
{
#pragma omp atomic
	row[vertex + 1]++;
}

static void count_columns(const struct bfs_csr *from, uint32_t n, uint64_t m, uint64_t *row)
{
	memset(row, 0, ((size_t)n + 1) * sizeof *row);
#pragma omp parallel for schedule(static)
	for (uint64_t e = 0; e < m; e++)
		count_one(row, from->column[e]);
}

enum gb_status graph_reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct bfs_csr *to,
			     struct gb_error *err)
{
	uint64_t *row;

	if (graph_csr_alloc(to, n, m, err))
		return err->code;
	row = to->row;
	count_columns(from, n, m, row);
	sum_up(row, n);
#pragma omp parallel
	{
		const struct share mine = edge_share(row, n);

#pragma omp barrier
		for (uint32_t u = 0; u < n; u++)
			for (uint64_t e = from->row[u]; e < from->row[u + 1]; e++)
				if (is_in(mine, from->column[e]))
					to->column[row[from->column[e]]++] = u;
	}
	step_back(row, n);
	return GB_OK;
}

/* Count the edges of each vertex by their `to` end, undirected edges by both ends. */
static void count_pairs(const struct graph_edges *edges, uint64_t *row)
{
	memset(row, 0, ((size_t)edges->n + 1) * sizeof *row);
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < edges->count; i++) {
		const uint32_t u = edges->pair[2 * i], v = edges->pair[2 * i + 1];

		count_one(row, v);
		if (edges->undirected && u != v)
			count_one(row, u);
	}
}

/* Build the in-edges.  Those of each vertex are in the order of the pairs. */
static enum gb_status distribute_pairs(const struct graph_edges *edges, struct bfs_csr *to,
				       struct gb_error *err)
{
	const uint32_t n = edges->n;
	uint64_t *row = gb_host_alloc((size_t)n + 1, sizeof *row, err);

	to->row = row;
	if (!row)
		return err->code;
	count_pairs(edges, row);
	sum_up(row, n);
	to->column = gb_host_alloc(row[n], sizeof *to->column, err);
	if (!to->column)
		return err->code;
#pragma omp parallel
	{
		const struct share mine = edge_share(row, n);

#pragma omp barrier
		for (uint64_t i = 0; i < edges->count; i++) {
			const uint32_t u = edges->pair[2 * i], v = edges->pair[2 * i + 1];

			if (is_in(mine, v))
				to->column[row[v]++] = u;
			if (edges->undirected && u != v && is_in(mine, u))
				to->column[row[u]++] = v;
		}
	}
	step_back(row, n);
	return GB_OK;
}

/* Remove self-loops and repeated columns from sorted rows.  Returns the number of edges left. */
static uint64_t simplify(struct bfs_csr *csr, uint32_t n)
{
	uint64_t kept = 0, begin = 0;

	for (uint32_t u = 0; u < n; u++) {
		const uint64_t end = csr->row[u + 1], first = kept;

		for (uint64_t e = begin; e < end; e++) {
			const uint32_t v = csr->column[e];

			if (v != u && (kept == first || csr->column[kept - 1] != v))
				csr->column[kept++] = v;
		}
		begin = end;
		csr->row[u + 1] = kept;
	}
	return kept;
}

enum gb_status graph_from_edges(struct bfs_input *in, struct graph_edges *edges,
				struct gb_error *err)
{
	struct bfs_csr unsorted = { NULL, NULL };

	in->n = edges->n;
	in->symmetric = edges->undirected;
	(void)distribute_pairs(edges, &unsorted, err);
	gb_host_free(edges->pair);
	edges->pair = NULL;
	if (err->code)
		goto out;
	in->m = unsorted.row[in->n];
	if (graph_reverse(&unsorted, in->n, in->m, &in->out, err))
		goto out;
	graph_csr_free(&unsorted);
	if (edges->simple)
		in->m = simplify(&in->out, in->n);
	if (in->symmetric)
		in->in = in->out;
	else
		(void)graph_reverse(&in->out, in->n, in->m, &in->in, err);
out:
	graph_csr_free(&unsorted);
	return err->code;
}

/* ---- random order ------------------------------------------------------------------------ */

void graph_shuffle(uint32_t *list, uint32_t count, uint32_t take, uint64_t seed, uint64_t stream)
{
	for (uint32_t i = 0; i < take; i++) {
		const uint64_t random = gb_random64_stream(seed, stream, i) >> 32;
		const uint32_t j = i + (uint32_t)(random * (count - i) >> 32);
		const uint32_t swap = list[i];

		list[i] = list[j];
		list[j] = swap;
	}
}
