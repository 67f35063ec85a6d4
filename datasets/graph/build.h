/* build.h -- the generators and readers of graphs, and what they share: lists of edges, and CSR from
 * them.  On failure the arrays of an input, and edges->pair, are left to the caller. */
#ifndef GPUBENCH_DATASETS_GRAPH_BUILD_H
#define GPUBENCH_DATASETS_GRAPH_BUILD_H

#include "common/bfs.h"
#include "common/status.h"
#include "datasets/reading/reader.h"

/* Streams of the generator, one per purpose. */
enum {
	GRAPH_STREAM_SOURCES = 0,
	GRAPH_STREAM_DIGITS = 1,     /* and the 31 after it: one per binary digit of p */
	GRAPH_STREAM_KRONECKER = 64, /* and the 7 after it: four levels each */
	GRAPH_STREAM_RENAME = 128,
	GRAPH_STREAM_UNIFORM = 129,
	GRAPH_STREAM_ORPHANS = 130,
};

/* Edges in the order in which they were drawn or read. */
struct graph_edges {
	uint32_t n;
	uint64_t count;
	uint32_t *pair;  /* from, to of edge i at 2 i, 2 i + 1; from gb_host_alloc */
	bool undirected; /* each pair stands for both directions; a self-loop only for itself */
	bool simple;     /* self-loops and parallel edges are to be taken out */
};

/* in->n, m, symmetric, out, in from the edges, whose pairs are freed, whatever happens. */
enum gb_status graph_from_edges(struct bfs_input *in, struct graph_edges *edges,
				struct gb_error *err);
/* *to: the edges of `from` reversed, those of each vertex ascending. */
enum gb_status graph_reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct bfs_csr *to,
			     struct gb_error *err);
/* Arrays for n vertices and m edges, contents undefined. */
enum gb_status graph_csr_alloc(struct bfs_csr *csr, uint32_t n, uint64_t m, struct gb_error *err);
void graph_csr_free(struct bfs_csr *csr);

/* The first `take` of the numbers 0 .. count - 1 in list come to stand in random order, drawn from
 * all of them; list holds count numbers. */
void graph_shuffle(uint32_t *list, uint32_t count, uint32_t take, uint64_t seed, uint64_t stream);

/* matrix_in from matrix, both allocated. */
void graph_transpose_matrix(struct bfs_input *in);
/* CSR arrays (allocated: row) counted and filled from a matrix; *m edges. */
enum gb_status graph_csr_from_matrix(const struct bfs_input *in, const uint32_t *matrix,
				     struct bfs_csr *csr, uint64_t *m, struct gb_error *err);

/* n, m, symmetric, out, in of the graph that the parameters ask for (graph.h says what each kind is),
 * and of gnp and blocks the matrices. */
enum gb_status graph_generate(struct bfs_input *in, const struct bfs_params *params,
			      struct gb_error *err);

/* The edges of a .mtx, an .el (or .txt) and a .gr file. */
enum gb_status graph_read_mtx(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_el(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_gr(struct gb_reader *r, struct graph_edges *edges);
/* n, m, symmetric, out, in of a .sg file. */
enum gb_status graph_read_sg(struct gb_reader *r, struct bfs_input *in);

#endif
