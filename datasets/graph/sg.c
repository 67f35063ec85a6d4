/* sg.c -- reader of GAPBS's serialised graphs.
 *
 * The layout is little-endian without padding: uint8 directed, int64 m, int64 n, int64 row[n + 1],
 * int32 column[m]; if directed, row and column of the in-edges follow.  In a weighted graph (.wsg),
 * an int32 weight, which is ignored, follows each column.  Nothing in a file is
 * trusted: the reader checks sizes, row pointers and columns.  It also checks that an undirected
 * graph equals its reverse, or that the in-edges are the reversed out-edges.  GAPBS's own files
 * have sorted rows and are read in one pass over each array.  Rows in another order are sorted.
 */
#include "datasets/graph/build.h"

#include <inttypes.h>
#include <string.h>

#include "common/memory.h"

enum { HEADER = 17 };

/* The size of a file of a graph, in which a column takes `column` bytes. */
static uint64_t file_size(bool directed, int64_t n, int64_t m, unsigned column)
{
	const uint64_t part = ((uint64_t)n + 1) * sizeof(int64_t) + (uint64_t)m * column;

	return HEADER + part * (directed ? 2 : 1);
}

bool graph_is_sg(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);
	const unsigned char directed = (unsigned char)*r->begin;
	int64_t m, n;

	if (size < HEADER || directed > 1)
		return false;
	memcpy(&m, r->begin + 1, sizeof m);
	memcpy(&n, r->begin + 9, sizeof n);
	return n >= 1 && n <= INT32_MAX && m >= 0 && (uint64_t)m <= size &&
	       (size == file_size(directed, n, m, 4) || size == file_size(directed, n, m, 8));
}

/* Read n, m and symmetric from the header and check the size of the file against them. *column is
 * the number of bytes of a column, with its weight. */
static enum gb_status read_header(struct bfs_input *in, struct gb_reader *r, unsigned *column)
{
	const size_t size = (size_t)(r->end - r->begin);
	const unsigned char directed = (unsigned char)*r->begin;
	int64_t m, n;

	if (size < HEADER)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: %zu bytes is less than the %d-byte header of a .sg file",
			       r->path, size, HEADER);
	memcpy(&m, r->begin + 1, sizeof m);
	memcpy(&n, r->begin + 9, sizeof n);
	if (directed > 1)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: byte 0 is %u, neither directed (1) nor undirected (0)", r->path,
			       directed);
	r->at = r->begin + 9;
	if (n < 1 || n > INT32_MAX)
		return gb_reader_fail(r, "%" PRId64 " vertices, not 1 to %d", n, INT32_MAX);
	r->at = r->begin + 1;
	if (m < 0 || (uint64_t)m > size / sizeof(int32_t))
		return gb_reader_fail(r, "%" PRId64 " edges in a file of %zu bytes", m, size);
	*column = size == file_size(directed, n, m, 8) ? 8 : 4;
	if (size != file_size(directed, n, m, *column))
		return gb_fail(r->err, GB_EUSAGE,
			       "%s has %zu bytes, and %" PRId64 " vertices with %" PRId64
			       " edges, %sdirected, take %" PRIu64,
			       r->path, size, n, m, directed ? "" : "un",
			       file_size(directed, n, m, 4));
	if (*column == 8 && m)
		gb_reader_note("weights ignored");
	r->at = r->begin + HEADER;
	in->n = (uint32_t)n;
	in->m = (uint64_t)m;
	in->symmetric = !directed;
	return GB_OK;
}

static enum gb_status read_rows(const struct bfs_input *in, struct gb_reader *r, uint64_t *row)
{
	memcpy(row, r->at, ((size_t)in->n + 1) * sizeof *row);
	if (row[0] != 0)
		return gb_reader_fail(r, "the edges of vertex 0 start at %" PRIu64 ", not at 0",
				      row[0]);
	for (uint32_t v = 0; v < in->n; v++) {
		r->at += sizeof *row;
		if (row[v + 1] < row[v] || row[v + 1] > in->m)
			return gb_reader_fail(r,
					      "the edges of vertex %" PRIu32 " end at %" PRIu64
					      ", and start at %" PRIu64 " of %" PRIu64,
					      v, row[v + 1], row[v], in->m);
	}
	if (row[in->n] != in->m)
		return gb_reader_fail(r, "the row pointers end at %" PRIu64 " of %" PRIu64 " edges",
				      row[in->n], in->m);
	r->at += sizeof *row;
	return GB_OK;
}

/* Order-independent digests of the edges (u, v) of a CSR and of their reverses: sums of hashes. */
struct seen {
	bool sorted; /* the columns of each row ascend */
	uint64_t edges, reverses;
};

/* Copy, check and hash the columns, of `size` bytes each, in one pass. */
static enum gb_status read_columns(const struct bfs_input *in, struct gb_reader *r,
				   const struct bfs_csr *csr, unsigned size, struct seen *seen)
{
	const char *const from = r->at;
	uint64_t edges = 0, reverses = 0, bad = in->m;
	bool sorted = true;

#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : edges, reverses) \
	reduction(&& : sorted) reduction(min : bad)
	for (uint32_t u = 0; u < in->n; u++) {
		uint32_t before = 0;

		for (uint64_t e = csr->row[u]; e < csr->row[u + 1]; e++) {
			uint32_t v;

			memcpy(&v, from + e * size, sizeof v);
			csr->column[e] = v;
			if (v >= in->n && e < bad)
				bad = e;
			sorted = sorted && before <= v;
			before = v;
			edges += graph_hash(u, v);
			reverses += graph_hash(v, u);
		}
	}
	*seen = (struct seen){ sorted, edges, reverses };
	r->at += bad * size;
	if (bad < in->m)
		return gb_reader_fail(r, "vertex %" PRId32 " of %" PRIu32,
				      (int32_t)csr->column[bad], in->n);
	return GB_OK;
}

static enum gb_status read_csr(const struct bfs_input *in, struct gb_reader *r, struct bfs_csr *csr,
			       unsigned size, struct seen *seen)
{
	if (graph_csr_alloc(csr, in->n, in->m, r->err) || read_rows(in, r, csr->row))
		return r->err->code;
	return read_columns(in, r, csr, size, seen);
}

/* Sort the rows of in->out by two reversals.  The first one leaves in->in sorted as well. */
static enum gb_status sort(struct bfs_input *in, struct gb_error *err)
{
	struct bfs_csr file = in->out;

	in->out = (struct bfs_csr){ NULL, NULL };
	graph_csr_free(&in->in);
	if (!graph_reverse(&file, in->n, in->m, &in->in, err))
		(void)graph_reverse(&in->in, in->n, in->m, &in->out, err);
	graph_csr_free(&file);
	return err->code;
}

enum gb_status graph_read_sg(struct gb_reader *r, struct bfs_input *in)
{
	struct seen out = { 0 }, reversed = { 0 };
	const char *start;
	unsigned column = 4;

	r->line = 0;
	if (read_header(in, r, &column) || read_csr(in, r, &in->out, column, &out))
		return r->err->code;
	if (in->symmetric && out.edges != out.reverses)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s is marked undirected, but an edge lacks its reverse", r->path);
	start = r->at;
	if (!in->symmetric && read_csr(in, r, &in->in, column, &reversed))
		return r->err->code;
	r->at = start;
	if (!in->symmetric && out.edges != reversed.reverses)
		return gb_reader_fail(r, "the in-edges are not the out-edges reversed");
	if (!(out.sorted && (in->symmetric || reversed.sorted)) && sort(in, r->err))
		return r->err->code;
	if (in->symmetric) {
		graph_csr_free(&in->in);
		in->in = in->out;
	}
	return GB_OK;
}
