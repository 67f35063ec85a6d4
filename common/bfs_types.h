/* bfs.h -- the interface of the bfs benchmark and its variants: parameters, input, formats, output.
 *
 * A search starts at one source and gives for every vertex its distance in edges (dist), the vertex
 * it was reached from (parent), or both.  A batch is several independent searches in one run.
 * Search i of sample k starts at source k * batch + i modulo the number of sources, so sources
 * repeat within a batch that is larger than their number.
 *
 * The graph comes in two formats.  CSR is always there: the out-edges of all vertices and, for
 * bottom-up searches, the in-edges.  A bit matrix (the paper's CCAM, Coded for CUDA Adjacency
 * Matrix) exists if the graph has at most BFS_MATRIX_VERTICES vertices and memory suffices: bit v %
 * 32 of word v / 32 of row u is set if there is an edge u -> v.  Rows are padded with zero bits to
 * a multiple of 128 bytes, so that each starts on a cache line; the paper pads to 4 bytes.  The
 * transposed matrix has the in-edges.
 *
 * A graph may have self-loops and parallel edges; m counts each of them.  The matrix merges
 * parallel edges, which does not change any distance.
 */
#ifndef GPUBENCH_COMMON_BFS_TYPES_H
#define GPUBENCH_COMMON_BFS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum bfs_graph { BFS_GNP, BFS_KRONECKER, BFS_UNIFORM, BFS_GRID, BFS_GRAPHS };
enum bfs_output { BFS_DIST, BFS_PARENT, BFS_BOTH, BFS_OUTPUTS };

enum {
	BFS_UNREACHED = -1,          /* dist and parent of a vertex that cannot be reached */
	BFS_MATRIX_VERTICES = 65536, /* most vertices of a graph that is kept as a matrix */
	BFS_PITCH = 128,             /* bytes; the size of a matrix row is a multiple of it */
	BFS_BATCH = 64,              /* most searches per run: one bit each of a 64-bit word */
};

struct bfs_params {
	int64_t graph;      /* enum bfs_graph; not used with a file */
	int64_t vertices;   /* gnp, uniform and grid */
	double p;           /* gnp: probability of an edge */
	int64_t scale;      /* kronecker: 2^scale vertices */
	int64_t edgefactor; /* kronecker and uniform: undirected edges drawn per vertex */
	const char *file;   /* a graph of any format, or NULL */
	const char *write;  /* .sg or .el to write the graph to, or NULL */
	int64_t sources;
	int64_t batch;  /* searches per run; use bfs_batch() to read it */
	int64_t output; /* enum bfs_output; --result on the command line */
	bool wide;      /* tests: columns of 32 bits on a GPU, as of more than 64Ki vertices */
	int64_t threads;
	int64_t seed;
};

/* Edges of vertex u: column[row[u]] .. column[row[u + 1] - 1], ascending. */
struct bfs_csr {
	uint64_t *row;    /* n + 1 */
	uint32_t *column; /* m */
};

/* The reference's results for the search from one source; computed when first needed. */
struct bfs_facts;

struct bfs_input {
	uint32_t n;     /* vertices: at least 1, at most INT32_MAX */
	uint64_t m;     /* directed edges */
	bool symmetric; /* each edge has its reverse: `in`, `matrix_in` equal `out`, `matrix` */
	struct bfs_csr out, in;
	size_t pitch;          /* 32-bit words from one row of the matrix to the next */
	uint32_t *matrix;      /* n rows, or NULL */
	uint32_t *matrix_in;   /* the transpose, or NULL */
	const char *no_matrix; /* reason for a NULL matrix, for a variant's GB_EUNAVAILABLE */
	size_t source_count;   /* at least 1 */
	uint32_t *source;      /* distinct; all have out-edges unless no vertex has any */
	struct bfs_facts *facts;
};

/* Searches per run; 1 if batch is 0. */
static inline size_t bfs_batch(const struct bfs_params *params)
{
	return params->batch > 1 ? (size_t)params->batch : 1;
}

/* The source of search number `search`; search i of sample k has number k * batch + i.  CUDA
 * variants copy input->source in upload(). */
static inline uint32_t bfs_source(const struct bfs_input *input, int64_t search)
{
	return input->source[(size_t)search % input->source_count];
}

/* ---- output: n distances per search of the batch, or n parents per search, or all distances and
 * then all parents ----------------------------------------------------------------------------- */

/* Number of distances and of parents. */
static inline size_t bfs_output_count(const struct bfs_params *params,
				      const struct bfs_input *input)
{
	return (size_t)input->n * bfs_batch(params);
}

static inline size_t bfs_output_size(const struct bfs_params *params, const struct bfs_input *input)
{
	return bfs_output_count(params, input) * sizeof(int32_t) *
	       (params->output == BFS_BOTH ? 2 : 1);
}

/* NULL if distances were not asked for. */
static inline int32_t *bfs_output_dist(const struct bfs_params *params, void *output)
{
	return params->output == BFS_PARENT ? NULL : (int32_t *)output;
}

/* NULL if parents were not asked for.  The source is its own parent. */
static inline int32_t *bfs_output_parent(const struct bfs_params *params,
					 const struct bfs_input *input, void *output)
{
	if (params->output == BFS_DIST)
		return NULL;
	return (int32_t *)output +
	       (params->output == BFS_BOTH ? bfs_output_count(params, input) : 0);
}

/* ---- sizes of the formats, in bytes -------------------------------------------------------- */

/* 32-bit words of a padded row. */
size_t bfs_pitch(uint32_t n);
/* The bit matrix as stored here, with rows padded to BFS_PITCH; the same for its transpose. */
double bfs_bytes_ccam(uint32_t n);
/* The paper's bit matrix, with rows padded to 4 bytes. */
double bfs_bytes_ccam_packed(uint32_t n);
/* n + 1 row pointers of 8 bytes, m columns. */
double bfs_bytes_csr(uint32_t n, uint64_t m, size_t column_bytes);
/* The edge probability above which G(n, p) is smaller as packed CCAM than as CSR with columns of
 * column_bytes (2 or 4) and row pointers of row_bytes (0: not counted, as in the paper).  NAN for
 * n < 2. */
double bfs_crossover(uint32_t n, unsigned column_bytes, unsigned row_bytes);

/* GB_EUNAVAILABLE, with the reason, if the batch has several searches.  For variants that do
 * one. */
enum gb_status bfs_need_one_source(const struct bfs_params *params, struct gb_error *err);
/* GB_EUNAVAILABLE, with the reason, if parents are requested.  For variants that do batches. */
enum gb_status bfs_need_no_parents(const struct bfs_params *params, struct gb_error *err);

/* ---- conversions for variants -------------------------------------------------------------- */

/* Set bytes[u * n + v] to 1 if there is an edge u -> v, else to 0; n * n bytes. */
void bfs_expand_bytes(const struct bfs_input *input, uint8_t *bytes);
/* Convert columns to 16-bit numbers; n <= 65536. */
void bfs_narrow_columns(const uint32_t *column, uint64_t m, uint16_t *narrow);

#ifdef __cplusplus
}
#endif
#endif
