/* sg.c -- GAPBS's serialised graphs, read and written, and edge lists written.
 *
 * Layout, little-endian, without padding: uint8 directed, int64 m, int64 n, int64 row[n + 1],
 * int32 column[m]; if directed, row and column of the in-edges follow.  Nothing in a file is
 * believed: sizes, row pointers, columns, symmetry and in-degrees are checked against each other.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/build.h"
#include "datasets/graph/graph.h"

enum { HEADER = 17 };

/* ---- reading ----------------------------------------------------------------------------- */

/* n, m and symmetric from the header; checks that the file is as long as they say. */
static enum gb_status read_header(struct bfs_input *in, const char *path, const char *bytes,
				  size_t size, struct gb_error *err)
{
	const unsigned char directed = (unsigned char)bytes[0];
	int64_t m, n;
	uint64_t part;

	if (size < HEADER)
		return gb_fail(err, GB_EUSAGE,
			       "%s: %zu bytes are no .sg file, which has a header "
			       "of %d",
			       path, size, HEADER);
	memcpy(&m, bytes + 1, sizeof m);
	memcpy(&n, bytes + 9, sizeof n);
	if (directed > 1)
		return gb_fail(err, GB_EUSAGE,
			       "%s: byte 0 is %u, neither directed (1) nor "
			       "undirected (0)",
			       path, directed);
	if (n < 1 || n > INT32_MAX)
		return gb_fail(err, GB_EUSAGE, "%s: byte 9: %" PRId64 " vertices, not 1 to %d",
			       path, n, INT32_MAX);
	if (m < 0 || (uint64_t)m > size / sizeof(int32_t))
		return gb_fail(err, GB_EUSAGE,
			       "%s: byte 1: %" PRId64 " edges in a file of %zu "
			       "bytes",
			       path, m, size);
	part = ((uint64_t)n + 1) * sizeof(int64_t) + (uint64_t)m * sizeof(int32_t);
	if (size != HEADER + part * (directed ? 2 : 1))
		return gb_fail(err, GB_EUSAGE,
			       "%s has %zu bytes, and %" PRId64 " vertices with %" PRId64
			       " edges, %sdirected, take %" PRIu64,
			       path, size, n, m, directed ? "" : "un",
			       HEADER + part * (directed ? 2 : 1));
	in->n = (uint32_t)n;
	in->m = (uint64_t)m;
	in->symmetric = !directed;
	return GB_OK;
}

/* Row pointers that start at byte `at`. */
static enum gb_status read_rows(const struct bfs_input *in, const char *path, const char *bytes,
				size_t at, uint64_t *row, struct gb_error *err)
{
	memcpy(row, bytes + at, ((size_t)in->n + 1) * sizeof *row);
	if (row[0] != 0)
		return gb_fail(err, GB_EUSAGE,
			       "%s: byte %zu: the edges of vertex 0 start at %" PRIu64 ", not at 0",
			       path, at, row[0]);
	for (uint32_t v = 0; v < in->n; v++)
		if (row[v + 1] < row[v] || row[v + 1] > in->m)
			return gb_fail(err, GB_EUSAGE,
				       "%s: byte %zu: the edges of vertex %" PRIu32
				       " end at %" PRIu64 ", and start at %" PRIu64 " of %" PRIu64,
				       path, at + ((size_t)v + 1) * sizeof *row, v, row[v + 1],
				       row[v], in->m);
	if (row[in->n] != in->m)
		return gb_fail(err, GB_EUSAGE,
			       "%s: byte %zu: the row pointers end at %" PRIu64 " of %" PRIu64
			       " edges",
			       path, at + in->n * sizeof *row, row[in->n], in->m);
	return GB_OK;
}

static enum gb_status read_columns(const struct bfs_input *in, const char *path, const char *bytes,
				   size_t at, uint32_t *column, struct gb_error *err)
{
	uint64_t bad = in->m;

	memcpy(column, bytes + at, in->m * sizeof *column);
#pragma omp parallel for schedule(static) reduction(min : bad)
	for (uint64_t e = 0; e < in->m; e++)
		if (column[e] >= in->n && e < bad)
			bad = e;
	if (bad < in->m)
		return gb_fail(err, GB_EUSAGE, "%s: byte %zu: vertex %" PRId32 " of %" PRIu32, path,
			       at + bad * sizeof *column, (int32_t)column[bad], in->n);
	return GB_OK;
}

static bool same(const struct bfs_csr *a, const struct bfs_csr *b, uint32_t n, uint64_t m)
{
	return !memcmp(a->row, b->row, ((size_t)n + 1) * sizeof *a->row) &&
	       !memcmp(a->column, b->column, m * sizeof *a->column);
}

/* The in-edges stored in a directed file must have the degrees of those that the out-edges make.
 */
static enum gb_status check_in_rows(const struct bfs_input *in, const char *path, const char *bytes,
				    struct gb_error *err)
{
	const size_t rows = ((size_t)in->n + 1) * sizeof *in->in.row;
	const size_t at = HEADER + rows + in->m * sizeof *in->in.column;

	if (memcmp(bytes + at, in->in.row, rows) != 0)
		return gb_fail(err, GB_EUSAGE,
			       "%s: byte %zu: the in-edges are not the out-edges "
			       "reversed",
			       path, at);
	return GB_OK;
}

enum gb_status graph_read_sg(struct bfs_input *in, const char *path, const char *bytes, size_t size,
			     struct gb_error *err)
{
	struct bfs_csr file = { NULL, NULL };
	size_t columns_at;

	if (read_header(in, path, bytes, size, err))
		return err->code;
	columns_at = HEADER + ((size_t)in->n + 1) * sizeof *file.row;
	if (graph_csr_alloc(&file, in->n, in->m, err) ||
	    read_rows(in, path, bytes, HEADER, file.row, err) ||
	    read_columns(in, path, bytes, columns_at, file.column, err) ||
	    graph_reverse(&file, in->n, in->m, &in->in, err) ||
	    graph_reverse(&in->in, in->n, in->m, &in->out, err))
		goto out;
	if (!in->symmetric) {
		(void)check_in_rows(in, path, bytes, err);
	} else if (!same(&in->in, &in->out, in->n, in->m)) {
		gb_fail(err, GB_EUSAGE,
			"%s says that it is undirected, but not every edge has its "
			"reverse",
			path);
	} else {
		graph_csr_free(&in->in);
		in->in = in->out;
	}
out:
	graph_csr_free(&file);
	return err->code;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void put(FILE *file, const void *bytes, size_t size)
{
	(void)fwrite(bytes, 1, size, file); /* errors are looked for at the end */
}

static void put_csr(FILE *file, const struct bfs_csr *csr, uint32_t n, uint64_t m)
{
	put(file, csr->row, ((size_t)n + 1) * sizeof *csr->row);
	put(file, csr->column, m * sizeof *csr->column);
}

static void write_sg(const struct bfs_input *in, FILE *file)
{
	const unsigned char directed = !in->symmetric;
	const int64_t m = (int64_t)in->m, n = in->n;

	put(file, &directed, sizeof directed);
	put(file, &m, sizeof m);
	put(file, &n, sizeof n);
	put_csr(file, &in->out, in->n, in->m);
	if (directed)
		put_csr(file, &in->in, in->n, in->m);
}

static void write_el(const struct bfs_input *in, FILE *file)
{
	for (uint32_t u = 0; u < in->n; u++)
		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++)
			(void)fprintf(file, "%" PRIu32 " %" PRIu32 "\n", u, in->out.column[e]);
}

enum gb_status bfs_graph_write(const struct bfs_input *input, const char *path,
			       struct gb_error *err)
{
	const char *dot = strrchr(path, '.');
	const bool sg = dot && gb_equal(dot, ".sg");
	FILE *file;
	bool bad;

	if (!sg && !(dot && gb_equal(dot, ".el")))
		return gb_fail(err, GB_EUSAGE,
			       "%s: a graph is written as .sg or .el, by the ending "
			       "of its name",
			       path);
	file = fopen(path, "we");
	if (!file)
		return gb_fail(err, GB_EIO, "%s: %s", path, strerror(errno));
	errno = 0;
	if (sg)
		write_sg(input, file);
	else
		write_el(input, file);
	bad = ferror(file) || fflush(file);
	bad |= fclose(file) != 0;
	if (bad) {
		gb_fail(err, GB_EIO, "%s: %s", path, errno ? strerror(errno) : "write error");
		(void)remove(path);
	}
	return err->code;
}
