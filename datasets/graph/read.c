/* read.c -- opens a file of a graph and calls the reader of its kind. */
#include "datasets/graph/read.h"

#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/build.h"
#include "datasets/graph/sg.h"
#include "datasets/graph/text.h"
#include "datasets/reading/reader.h"

/* A reader makes a list of edges, or the whole graph. */
static const struct kind {
	const char *ending;
	enum gb_status (*edges)(struct gb_reader *r, struct graph_edges *edges);
	enum gb_status (*graph)(struct gb_reader *r, struct bfs_input *in);
} kinds[] = {
	{ ".mtx", graph_read_mtx, NULL }, { ".el", graph_read_el, NULL },
	{ ".txt", graph_read_el, NULL },  { ".gr", graph_read_gr, NULL },
	{ ".sg", NULL, graph_read_sg },
};

static const struct kind *kind_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < GB_COUNT(kinds); i++)
		if (gb_equal(dot, kinds[i].ending))
			return &kinds[i];
	return NULL;
}

enum gb_status graph_read(struct bfs_input *in, const char *path, struct gb_error *err)
{
	const struct kind *kind = kind_of(path);
	struct graph_edges edges = { 0 };
	struct gb_reader r;

	if (!kind)
		return gb_fail(err, GB_EUSAGE,
			       "%s: a graph is read from .mtx, .el, .txt, .gr or .sg, by the "
			       "ending of its name",
			       path);
	if (gb_reader_open(&r, path, "a graph", err))
		return err->code;
	if (r.begin == r.end)
		gb_fail(err, GB_EUSAGE, "%s is empty", path);
	else if (kind->graph)
		(void)kind->graph(&r, in);
	else {
		gb_reader_skip_mark(&r);
		(void)kind->edges(&r, &edges);
	}
	gb_reader_close(&r);
	if (!err->code && kind->edges)
		(void)graph_from_edges(in, &edges, err);
	gb_host_free(edges.pair);
	return err->code;
}
