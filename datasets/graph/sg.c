/* sg.c -- reader of GAPBS's serialised graphs.
 *
 * The layout is little-endian without padding: uint8 directed, int64 m, int64 n, int64 row[n + 1],
 * int32 column[m]; if directed, row and column of the in-edges follow.  In a weighted graph (.wsg),
 * an int32 weight, which is ignored, follows each column.  Nothing in a file is
 * trusted: the reader checks sizes, row pointers and columns, and that an undirected graph equals its
 * reverse.  The in-edges of a directed graph are not read: they are its edges reversed.  Rows are
 * sorted if they are not, as they are in GAPBS's own files.
 */
#include "datasets/graph/build.h"

#include <inttypes.h>
#include <string.h>

#include "common/memory.h"

enum { HEADER = 17 };

struct head {
	unsigned char directed;
	bool possible; /* these numbers may be those of a graph in this file */
	int64_t m, n;
};

/* The size of a file, in which a column with its weight takes `column` bytes. */
static uint64_t file_size(const struct head *h, unsigned column)
{
	const uint64_t part = ((uint64_t)h->n + 1) * sizeof(int64_t) + (uint64_t)h->m * column;

	return HEADER + part * (h->directed ? 2 : 1);
}

static struct head read_head(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);
	struct head h = { 0 };

	if (size < HEADER)
		return h;
	memcpy(&h.directed, r->begin, 1);
	memcpy(&h.m, r->begin + 1, sizeof h.m);
	memcpy(&h.n, r->begin + 9, sizeof h.n);
	h.possible = h.directed <= 1 && h.n >= 1 && h.n <= INT32_MAX && h.m >= 0 &&
		     (uint64_t)h.m <= size / sizeof(int32_t);
	return h;
}

bool graph_is_sg(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);
	const struct head h = read_head(r);

	return h.possible && (size == file_size(&h, 4) || size == file_size(&h, 8));
}

/* Set n, m and symmetric, and the bytes of a column with its weight. */
static enum gb_status check_head(struct bfs_input *in, struct gb_reader *r, unsigned *column)
{
	const size_t size = (size_t)(r->end - r->begin);
	const struct head h = read_head(r);

	if (!h.possible)
		return gb_reader_reject(r, " does not start with the header of a .sg file");
	*column = size == file_size(&h, 8) ? 8 : 4;
	if (size != file_size(&h, *column))
		return gb_reader_reject(r,
					" has %zu bytes, and %" PRId64 " vertices with %" PRId64
					" edges, %sdirected, take %" PRIu64,
					size, h.n, h.m, h.directed ? "" : "un", file_size(&h, 4));
	if (*column == 8 && h.m)
		gb_reader_note("weights ignored");
	r->at = r->begin + HEADER;
	in->n = (uint32_t)h.n;
	in->m = (uint64_t)h.m;
	in->symmetric = !h.directed;
	return GB_OK;
}

static enum gb_status read_rows(const struct bfs_input *in, struct gb_reader *r, uint64_t *row)
{
	memcpy(row, r->at, ((size_t)in->n + 1) * sizeof *row);
	if (row[0] != 0 || row[in->n] != in->m)
		return gb_reader_fail(r,
				      "the row pointers go from %" PRIu64 " to %" PRIu64
				      ", not from 0 to %" PRIu64,
				      row[0], row[in->n], in->m);
	for (uint32_t v = 0; v < in->n; v++) {
		r->at += sizeof *row;
		if (row[v + 1] < row[v] || row[v + 1] > in->m)
			return gb_reader_fail(r,
					      "the edges of vertex %" PRIu32 " end at %" PRIu64
					      ", and start at %" PRIu64 " of %" PRIu64,
					      v, row[v + 1], row[v], in->m);
	}
	r->at += sizeof *row;
	return GB_OK;
}

/* Copy and check the columns, of `size` bytes each.  *sorted: those of each row ascend.  *balance is
 * the sum of the hashes of the edges less those of their reverses. */
static enum gb_status read_columns(const struct bfs_input *in, struct gb_reader *r, unsigned size,
				   bool *sorted, uint64_t *balance)
{
	const struct bfs_csr *csr = &in->out;
	const char *const from = r->at;
	uint64_t sum = 0, bad = in->m;
	bool ascend = true;

#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : sum) reduction(&& : ascend) \
	reduction(min : bad)
	for (uint32_t u = 0; u < in->n; u++) {
		uint32_t before = 0;

		for (uint64_t e = csr->row[u]; e < csr->row[u + 1]; e++) {
			uint32_t v;

			memcpy(&v, from + e * size, sizeof v);
			csr->column[e] = v;
			if (v >= in->n && e < bad)
				bad = e;
			ascend = ascend && before <= v;
			before = v;
			sum += graph_hash(u, v) - graph_hash(v, u);
		}
	}
	*sorted = ascend;
	*balance = sum;
	r->at += bad * size;
	if (bad < in->m)
		return gb_reader_fail(r, "vertex %" PRId32 " of %" PRIu32,
				      (int32_t)csr->column[bad], in->n);
	return GB_OK;
}

enum gb_status graph_read_sg(struct gb_reader *r, struct bfs_input *in)
{
	uint64_t balance = 0;
	unsigned column = 0;
	bool sorted = true;
	uint32_t *room;

	r->line = 0;
	if (check_head(in, r, &column) || graph_csr_alloc(&in->out, in->n, in->m, r->err) ||
	    read_rows(in, r, in->out.row) || read_columns(in, r, column, &sorted, &balance))
		return r->err->code;
	if (in->symmetric && balance)
		return gb_reader_reject(r, " is marked undirected, but an edge lacks its reverse");
	room = sorted ? NULL : gb_host_alloc(in->m, sizeof *room, r->err);
	if (room)
		graph_sort_rows(&in->out, in->n, room);
	gb_host_free(room);
	if (r->err->code)
		return r->err->code;
	if (!in->symmetric)
		return graph_reverse(&in->out, in->n, in->m, &in->in, r->err);
	in->in = in->out;
	return GB_OK;
}
