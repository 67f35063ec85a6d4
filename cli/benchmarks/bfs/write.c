/* write.c -- write graphs to .sg (layout: datasets/graph/sg.c) and .el files. */
#include "cli/benchmarks/bfs/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "common/whole.h"

static void put(FILE *file, const void *bytes, size_t size)
{
	(void)fwrite(bytes, 1, size, file); /* gb_whole_close() finds errors */
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
	struct gb_whole whole;

	if (!sg && !(dot && gb_equal(dot, ".el")))
		return gb_fail(err, GB_EUSAGE,
			       "%s: the name of a graph to write must end in .sg or .el", path);
	if (gb_whole_open(&whole, path, err))
		return err->code;
	if (sg)
		write_sg(input, whole.stream);
	else
		write_el(input, whole.stream);
	return gb_whole_close(&whole, true, err);
}
