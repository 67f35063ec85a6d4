/* build.h -- the generators and readers of graphs, and their shared parts: edge lists and CSR.  The
 * arrays belong to the input that gb_input_begin() began. */
#ifndef GPUBENCH_DATASETS_GRAPH_BUILD_H
#define GPUBENCH_DATASETS_GRAPH_BUILD_H

#include "common/bfs_types.h"
#include "common/status.h"
#include "datasets/reading/reader.h"

/* Random streams of the generator, one per purpose. */
enum {
	GRAPH_STREAM_SOURCES = 0,
	GRAPH_STREAM_DIGITS = 1,     /* and the 31 after it: one per binary digit of p */
	GRAPH_STREAM_KRONECKER = 64, /* and the 7 after it: four levels each */
	GRAPH_STREAM_RENAME = 128,
	GRAPH_STREAM_UNIFORM = 129,
};

/* Edges in the order in which they were drawn or read. */
struct graph_edges {
	uint32_t n;
	uint64_t count;
	uint64_t *id;    /* from, to of edge i at 2 i, 2 i + 1, as they were read */
	uint64_t *key;   /* the same as numbers of vertices; both from gb_host_alloc */
	bool undirected; /* each key is two edges, one per direction; a self-loop is one edge */
	bool simple;     /* remove self-loops and parallel edges */
};

/* ---- keys grouped by their highest bits, so that the work on a group stays in a cache -------- */

enum { GRAPH_GROUP_BITS = 9, GRAPH_GROUPS = 1 << GRAPH_GROUP_BITS, GRAPH_PARTS = 64 };
/* A prefetch is this many keys ahead: as many as a cache line has. */
enum { GRAPH_AHEAD = 8 };

/* The keys are cut into parts, whatever the number of threads. */
struct graph_partition {
	unsigned shift; /* the group of a key, less than GRAPH_GROUPS, is key >> shift */
	bool both;      /* a key whose halves differ is taken with these swapped, too */
	uint64_t least; /* smaller keys are left out */
	uint64_t end[GRAPH_PARTS][GRAPH_GROUPS]; /* where the keys of a part end in a group */
};

/* Store the keys group by group, in their order within each.  Returns their number. */
uint64_t graph_partition(struct graph_partition *p, const uint64_t *key, uint64_t count,
			 uint64_t *to);

/* The first key of a part, at an even place. */
static inline uint64_t graph_part(uint64_t count, unsigned part)
{
	return part < GRAPH_PARTS ? count / 2 / GRAPH_PARTS * 2 * part : count;
}

/* The place at which a group begins and the one before it ends. */
static inline uint64_t graph_group(const struct graph_partition *p, unsigned group)
{
	return group ? p->end[GRAPH_PARTS - 1][group - 1] : 0;
}

/* ---- CSR --------------------------------------------------------------------------------- */

/* An edge as a number: its source, and its target in the lower half. */
static inline uint64_t graph_key(uint64_t u, uint64_t v)
{
	return u << 32 | v;
}

/* Set in->n, m, symmetric, out and in from the edges.  The keys are freed in any case. */
enum gb_status graph_from_edges(struct bfs_input *in, struct graph_edges *edges,
				struct gb_error *err);
/* Store the reversed edges of `from` in *to; those of each vertex ascend. */
enum gb_status graph_reverse(const struct bfs_csr *from, uint32_t n, uint64_t m, struct bfs_csr *to,
			     struct gb_error *err);
/* Sort the columns of each row.  There is room for as many columns. */
void graph_sort_rows(const struct bfs_csr *csr, uint32_t n, uint32_t *room);
/* Allocate arrays for n vertices and m edges, with undefined contents. */
enum gb_status graph_csr_alloc(struct bfs_csr *csr, uint32_t n, uint64_t m, struct gb_error *err);

/* A hash of the edge u -> v.  Sums of it over different sets of edges are equal with probability
 * 2^-64. */
static inline uint64_t graph_hash(uint32_t u, uint32_t v)
{
	uint64_t x = ((uint64_t)u << 32 | v) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93) + 1;
	x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

/* Shuffle the first `take` elements of a list of count numbers, drawn from the whole list. */
void graph_shuffle(uint32_t *list, uint32_t count, uint32_t take, uint64_t seed, uint64_t stream);

/* Generate n, m, symmetric, out and in of the graph that the parameters describe (graph.h). */
enum gb_status graph_generate(struct bfs_input *in, const struct bfs_params *params,
			      struct gb_error *err);

/* The most bytes that a vertex takes while a graph is built, and in it. */
enum { GRAPH_VERTEX_BYTES = 32 };

/* Read the edges of a text in one of the formats of formats.def. */
enum gb_status graph_read_mtx(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_list(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_dimacs(struct gb_reader *r, struct graph_edges *edges);
enum gb_status graph_read_metis(struct gb_reader *r, struct graph_edges *edges);
/* True if a text may be a METIS graph: its first line is a header, and about as many lines follow as
 * it says.  If it is named as one, comments may come first, and it may have no edges. */
bool graph_may_be_metis(const struct gb_reader *r, bool named);
/* If each edge is listed at both of its ends, keep it at its higher one; else return false. */
bool graph_take_halves(struct graph_edges *edges);
/* True if the contents look like a .sg file.  Read its n, m, symmetric, out and in. */
bool graph_is_sg(const struct gb_reader *r);
enum gb_status graph_read_sg(struct gb_reader *r, struct bfs_input *in);

#endif
