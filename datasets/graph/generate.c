/* generate.c -- generation of graphs from (kind, parameters, seed); graph.h defines the kinds. */
#include "datasets/graph/build.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"

enum { BLOCK_BITS = 128, DIGITS = 32 };

/* ---- gnp --------------------------------------------------------------------------------- */

struct coin {
	uint32_t n;
	uint64_t seed;
	uint64_t p; /* probability times 2^32 */
};

/* Draw 128 bits, each 1 with probability p / 2^32.  A uniform number is below p if p has the 1 at
 * the first binary digit in which they differ.  Each digit decides half of the open bits on
 * average. */
static void toss(const struct coin *c, uint64_t index, uint64_t bits[2])
{
	uint64_t open[2] = { UINT64_MAX, UINT64_MAX };

	bits[0] = bits[1] = c->p >> DIGITS ? UINT64_MAX : 0;
	if (c->p >> DIGITS)
		return;
	for (unsigned digit = 0; digit < DIGITS && (open[0] | open[1]); digit++) {
		const struct gb_random_block random =
			gb_random_block(c->seed, GRAPH_STREAM_DIGITS + digit, index);
		const bool one = c->p >> (DIGITS - 1 - digit) & 1;

		if (!(c->p << digit & UINT32_MAX))
			return; /* p has no more ones, so the open numbers are not below p */
		for (unsigned half = 0; half < 2; half++) {
			const uint64_t word = gb_random_half(random, half);

			bits[half] |= one ? open[half] & ~word : 0;
			open[half] &= one ? word : ~word;
		}
	}
}

/* List the edges of vertex u in ascending order, unless `list` is NULL.  Returns their number. */
static uint64_t list_row(const struct coin *c, uint32_t u, uint32_t *list)
{
	uint64_t count = 0;

	for (uint64_t b = 0; b * BLOCK_BITS < c->n; b++) {
		uint64_t bits[2];

		toss(c, (uint64_t)u << 32 | b, bits);
		for (unsigned half = 0; half < 2; half++)
			for (uint64_t w = bits[half]; w; w &= w - 1) {
				const uint64_t v = b * BLOCK_BITS + 64 * (uint64_t)half +
						   (unsigned)__builtin_ctzll(w);

				if (v == u || v >= c->n)
					continue;
				if (list)
					list[count] = (uint32_t)v;
				count++;
			}
	}
	return count;
}

/* Set in->m and out: the first pass over the rows counts their edges. */
static enum gb_status list_rows(struct bfs_input *in, const struct coin *c, struct gb_error *err)
{
	uint64_t *row = gb_host_alloc((size_t)c->n + 1, sizeof *row, err);

	in->out.row = row;
	if (!row)
		return err->code;
	row[0] = 0;
#pragma omp parallel for schedule(static)
	for (uint32_t u = 0; u < c->n; u++)
		row[u + 1] = list_row(c, u, NULL);
	for (uint32_t u = 0; u < c->n; u++)
		row[u + 1] += row[u];
	in->m = row[c->n];
	in->out.column = gb_host_alloc(in->m, sizeof *in->out.column, err);
	if (!in->out.column)
		return err->code;
#pragma omp parallel for schedule(static)
	for (uint32_t u = 0; u < c->n; u++)
		(void)list_row(c, u, in->out.column + row[u]);
	return GB_OK;
}

static enum gb_status make_dense(struct bfs_input *in, const struct bfs_params *params,
				 struct gb_error *err)
{
	const struct coin coin = { .n = (uint32_t)params->vertices,
				   .seed = (uint64_t)params->seed,
				   .p = (uint64_t)llround(params->p * 0x1p32) };

	if (params->vertices > BFS_MATRIX_VERTICES)
		return gb_fail(err, GB_EUSAGE,
			       "--vertices=%" PRId64
			       ": gnp uses a bit matrix of at most %d vertices",
			       params->vertices, BFS_MATRIX_VERTICES);
	in->n = coin.n;
	if (list_rows(in, &coin, err))
		return err->code;
	return graph_reverse(&in->out, in->n, in->m, &in->in, err);
}

/* ---- lists of edges ---------------------------------------------------------------------- */

/* 2^32 times the cumulative Graph500 probabilities A, A + B, A + B + C. */
static const uint32_t quadrant[] = { 2448131359, 3264175145, 4080218931 };

/* Draw the ends of edge i, before renaming. */
static void draw_kronecker(uint64_t seed, uint64_t i, unsigned scale, uint32_t *u, uint32_t *v)
{
	struct gb_random_block random = { { 0 } };

	*u = *v = 0;
	for (unsigned level = 0; level < scale; level++) {
		uint32_t word;

		if (level % 4 == 0)
			random = gb_random_block(seed, GRAPH_STREAM_KRONECKER + level / 4, i);
		word = random.word[level % 4];
		*u = *u << 1 | (word >= quadrant[1]);
		*v = *v << 1 | ((word >= quadrant[0] && word < quadrant[1]) || word >= quadrant[2]);
	}
}

static enum gb_status fill_kronecker(struct graph_edges *edges, const struct bfs_params *params,
				     struct gb_error *err)
{
	const uint64_t seed = (uint64_t)params->seed;
	uint32_t *name = gb_host_alloc(edges->n, sizeof *name, err);

	if (!name)
		return err->code;
	for (uint32_t v = 0; v < edges->n; v++)
		name[v] = v;
	graph_shuffle(name, edges->n, edges->n, seed, GRAPH_STREAM_RENAME);
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < edges->count; i++) {
		uint32_t u, v;

		draw_kronecker(seed, i, (unsigned)params->scale, &u, &v);
		edges->key[i] = graph_key(name[u], name[v]);
	}
	gb_host_free(name);
	return GB_OK;
}

static void fill_uniform(struct graph_edges *edges, uint64_t seed)
{
#pragma omp parallel for schedule(static)
	for (uint64_t i = 0; i < edges->count; i++) {
		const struct gb_random_block random =
			gb_random_block(seed, GRAPH_STREAM_UNIFORM, i);

		edges->key[i] = graph_key((gb_random_half(random, 0) >> 32) * edges->n >> 32,
					  (gb_random_half(random, 1) >> 32) * edges->n >> 32);
	}
}

/* Edges to the right and down in a grid.  A self-loop, which is removed, stands for a missing one. */
static void fill_grid(struct graph_edges *edges)
{
	const uint64_t n = edges->n;
	uint64_t width = 1;

	while (width * width < n)
		width++;
#pragma omp parallel for schedule(static)
	for (uint64_t v = 0; v < n; v++) {
		const bool right = v + 1 < n && (v + 1) % width, down = v + width < n;

		edges->key[2 * v] = graph_key(v, right ? v + 1 : v);
		edges->key[2 * v + 1] = graph_key(v, down ? v + width : v);
	}
}

/* Generate a graph from a list of edges. */
static enum gb_status make_sparse(struct bfs_input *in, const struct bfs_params *params,
				  struct gb_error *err)
{
	const bool kronecker = params->graph == BFS_KRONECKER;
	struct graph_edges edges = {
		.n = (uint32_t)(kronecker ? INT64_C(1) << params->scale : params->vertices),
		.undirected = true,
		.simple = true,
	};

	edges.count = (uint64_t)(params->graph == BFS_GRID ? 2 : params->edgefactor) * edges.n;
	edges.key = gb_host_alloc(edges.count, sizeof *edges.key, err);
	if (!edges.key || (kronecker && fill_kronecker(&edges, params, err)))
		return err->code;
	if (params->graph == BFS_UNIFORM)
		fill_uniform(&edges, (uint64_t)params->seed);
	if (params->graph == BFS_GRID)
		fill_grid(&edges);
	(void)graph_from_edges(in, &edges, err);
	return err->code;
}

/* ---- all of them ------------------------------------------------------------------------- */

/* Allocate the memory of a dry run: as much as the graph takes on average. */
static enum gb_status allocate_only(struct bfs_input *in, const struct bfs_params *params,
				    struct gb_error *err)
{
	const double n = (double)params->vertices;
	const bool dense = params->graph == BFS_GNP;

	in->n = (uint32_t)(params->graph == BFS_KRONECKER ? INT64_C(1) << params->scale
							  : params->vertices);
	in->symmetric = !dense;
	if (dense)
		in->m = (uint64_t)(params->p * n * (n - 1));
	else if (params->graph == BFS_GRID)
		in->m = 4 * (uint64_t)in->n;
	else
		in->m = 2 * (uint64_t)params->edgefactor * in->n;
	if (graph_csr_alloc(&in->out, in->n, in->m, err))
		return err->code;
	in->in = in->out;
	return dense ? graph_csr_alloc(&in->in, in->n, in->m, err) : GB_OK;
}

enum gb_status graph_generate(struct bfs_input *in, const struct bfs_params *params,
			      struct gb_error *err)
{
	if (gb_memory_is_dry())
		return allocate_only(in, params, err);
	return (params->graph == BFS_GNP ? make_dense : make_sparse)(in, params, err);
}
