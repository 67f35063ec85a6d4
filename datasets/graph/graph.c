/* graph.c -- the input of bfs: a generated graph or one from a file, its matrices and sources. */
#include "datasets/graph/graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/build.h"

/* ---- files ------------------------------------------------------------------------------- */

/* The file formats.  A reader produces a list of edges (edges) or the whole graph (graph). */
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

static enum gb_status read_file(struct bfs_input *in, const char *path, struct gb_error *err)
{
	const struct kind *kind = kind_of(path);
	struct graph_edges edges = { 0 };
	struct gb_reader r;

	if (!kind)
		return gb_fail(err, GB_EUSAGE,
			       "%s: unknown graph format: the name must end in .mtx, .el, .txt, "
			       ".gr or .sg",
			       path);
	if (gb_reader_open(&r, path, "a graph", err))
		return err->code;
	if (r.begin == r.end)
		gb_fail(err, GB_EUSAGE, "%s is empty", path);
	else if (kind->graph)
		(void)kind->graph(&r, in);
	else if (!gb_reader_start_text(&r))
		(void)kind->edges(&r, &edges);
	gb_reader_close(&r);
	if (!err->code && kind->edges)
		(void)graph_from_edges(in, &edges, err);
	gb_host_free(edges.pair);
	return err->code;
}

/* ---- matrices ---------------------------------------------------------------------------- */

static void fill_from_csr(struct bfs_input *in)
{
#pragma omp parallel for schedule(dynamic, 64)
	for (uint32_t u = 0; u < in->n; u++) {
		uint32_t *row = in->matrix + u * in->pitch;

		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++) {
			const uint32_t v = in->out.column[e];

			row[v / 32] |= UINT32_C(1) << v % 32;
		}
	}
}

/* Add the matrices to a graph that was built from edges, if it is small enough.  It is not an error
 * if they do not fit in memory: searches on CSR still run. */
static void add_matrices(struct bfs_input *in)
{
	struct gb_error memory = { 0 };

	in->pitch = bfs_pitch(in->n);
	if (in->n > BFS_MATRIX_VERTICES) {
		in->no_matrix =
			"the graph has more than 65536 vertices, the limit of the bit matrix";
		return;
	}
	in->matrix = gb_host_zalloc(in->n, in->pitch * sizeof *in->matrix, &memory);
	in->matrix_in = in->matrix;
	if (in->matrix && !in->symmetric)
		in->matrix_in = gb_host_alloc(in->n, in->pitch * sizeof *in->matrix, &memory);
	if (!in->matrix || !in->matrix_in) {
		gb_host_free(in->matrix);
		in->matrix = in->matrix_in = NULL;
		in->no_matrix = "there is too little memory for the bit matrix";
		return;
	}
	if (gb_memory_is_dry())
		return;
	fill_from_csr(in);
	if (!in->symmetric)
		graph_transpose_matrix(in);
}

/* ---- sources ----------------------------------------------------------------------------- */

/* List the vertices with out-edges.  Returns their number. */
static uint32_t list_candidates(const struct bfs_input *in, uint32_t *list)
{
	uint32_t count = 0;

	for (uint32_t v = 0; v < in->n; v++)
		if (in->out.row[v + 1] > in->out.row[v])
			list[count++] = v;
	return count;
}

/* Choose the sources: vertices with out-edges in random order, or vertex 0 if there are none. */
static enum gb_status choose_sources(struct bfs_input *in, const struct bfs_params *params,
				     struct gb_error *err)
{
	uint32_t *list = gb_host_zalloc(in->n, sizeof *list, err);
	uint32_t count;

	if (!list)
		return err->code;
	count = gb_memory_is_dry() ? in->n : list_candidates(in, list);
	count = count ? count : 1;
	in->source_count = (uint64_t)params->sources < count ? (size_t)params->sources : count;
	in->source = gb_host_alloc(in->source_count, sizeof *in->source, err);
	if (in->source && !gb_memory_is_dry()) {
		graph_shuffle(list, count, (uint32_t)in->source_count, (uint64_t)params->seed,
			      GRAPH_STREAM_SOURCES);
		for (size_t i = 0; i < in->source_count; i++)
			in->source[i] = list[i];
	}
	gb_host_free(list);
	return in->source ? GB_OK : err->code;
}

/* ---- the whole --------------------------------------------------------------------------- */

void bfs_input_destroy(struct bfs_input *in)
{
	if (!in)
		return;
	gb_host_free(in->source);
	if (in->matrix_in != in->matrix)
		gb_host_free(in->matrix_in);
	gb_host_free(in->matrix);
	if (in->in.row != in->out.row)
		graph_csr_free(&in->in);
	graph_csr_free(&in->out);
	free(in);
}

enum gb_status bfs_input_create(const struct bfs_params *params, struct bfs_input **input,
				struct gb_error *err)
{
	struct bfs_input *in = calloc(1, sizeof *in);

	*input = NULL;
	if (!in)
		return gb_out_of_memory(err, NULL);
	if (params->file)
		(void)read_file(in, params->file, err);
	else
		(void)graph_generate(in, params, err);
	if (!err->code && !in->matrix)
		add_matrices(in);
	if (!err->code)
		(void)choose_sources(in, params, err);
	if (err->code) {
		bfs_input_destroy(in);
		return err->code;
	}
	*input = in;
	return GB_OK;
}
