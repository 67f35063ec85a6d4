/* sg.c -- GAPBS's serialised graphs.
 *
 * Layout, little-endian, without padding: uint8 directed, int64 m, int64 n, int64 row[n + 1],
 * int32 column[m]; if directed, row and column of the in-edges follow.  Nothing in a file is
 * trusted: sizes, row pointers, columns, symmetry and in-degrees are checked against each other.
 */
#include "datasets/graph/sg.h"

#include <inttypes.h>
#include <string.h>

#include "common/memory.h"
#include "datasets/graph/build.h"

enum { HEADER = 17 };

/* n, m and symmetric from the header; checks that the file is as long as they say. */
static enum gb_status read_header(struct bfs_input *in, struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);
	const unsigned char directed = (unsigned char)*r->begin;
	int64_t m, n;
	uint64_t part;

	if (size < HEADER)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: %zu bytes are no .sg file, which has a header of %d", r->path,
			       size, HEADER);
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
	part = ((uint64_t)n + 1) * sizeof(int64_t) + (uint64_t)m * sizeof(int32_t);
	if (size != HEADER + part * (directed ? 2 : 1))
		return gb_fail(r->err, GB_EUSAGE,
			       "%s has %zu bytes, and %" PRId64 " vertices with %" PRId64
			       " edges, %sdirected, take %" PRIu64,
			       r->path, size, n, m, directed ? "" : "un",
			       HEADER + part * (directed ? 2 : 1));
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

static enum gb_status read_columns(const struct bfs_input *in, struct gb_reader *r,
				   uint32_t *column)
{
	uint64_t bad = in->m;

	memcpy(column, r->at, in->m * sizeof *column);
#pragma omp parallel for schedule(static) reduction(min : bad)
	for (uint64_t e = 0; e < in->m; e++)
		if (column[e] >= in->n && e < bad)
			bad = e;
	r->at += bad * sizeof *column;
	if (bad < in->m)
		return gb_reader_fail(r, "vertex %" PRId32 " of %" PRIu32, (int32_t)column[bad],
				      in->n);
	return GB_OK;
}

static bool same(const struct bfs_csr *a, const struct bfs_csr *b, uint32_t n, uint64_t m)
{
	return !memcmp(a->row, b->row, ((size_t)n + 1) * sizeof *a->row) &&
	       !memcmp(a->column, b->column, m * sizeof *a->column);
}

enum gb_status graph_read_sg(struct gb_reader *r, struct bfs_input *in)
{
	struct bfs_csr file = { NULL, NULL };

	r->line = 0;
	if (read_header(in, r) || graph_csr_alloc(&file, in->n, in->m, r->err) ||
	    read_rows(in, r, file.row) || read_columns(in, r, file.column) ||
	    graph_reverse(&file, in->n, in->m, &in->in, r->err) ||
	    graph_reverse(&in->in, in->n, in->m, &in->out, r->err))
		goto out;
	/* The in-edges stored in a directed file must have the degrees that the out-edges make. */
	if (!in->symmetric) {
		if (memcmp(r->at, in->in.row, ((size_t)in->n + 1) * sizeof *in->in.row) != 0)
			gb_reader_fail(r, "the in-edges are not the out-edges reversed");
	} else if (!same(&in->in, &in->out, in->n, in->m)) {
		gb_fail(r->err, GB_EUSAGE,
			"%s says that it is undirected, but not every edge has its reverse",
			r->path);
	} else {
		graph_csr_free(&in->in);
		in->in = in->out;
	}
out:
	graph_csr_free(&file);
	return r->err->code;
}
