/* graph.c -- the input of bfs: a generated graph or one from a file, its matrices and sources. */
#include "datasets/graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"

/* ---- files ------------------------------------------------------------------------------- */

/* Refuse other binary files than .sg. */
static enum gb_status refuse_binary(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);
	uint64_t head[3] = { 0, 0, 0 }; /* Galois: the version, the bytes of a weight, vertices */

	if (!memchr(r->begin, '\0', size < 4096 ? size : 4096))
		return GB_OK;
	memcpy(head, r->begin, size < sizeof head ? size : sizeof head);
	return gb_fail(r->err, GB_EUSAGE, "%s is %s: see gpubench help files", r->path,
		       (head[0] == 1 || head[0] == 2) && head[1] <= 8 && head[2]
			       ? "a binary graph of Galois, not one of GAPBS (.sg)"
			       : "binary, but not a graph of GAPBS (.sg)");
}

/* True if the first line that is not a comment of DIMACS states a problem. */
static bool is_dimacs(const struct gb_reader *r)
{
	struct gb_reader at = *r;
	size_t comments = 0;

	return graph_find_line(&at, "c", &comments) && *at.at == 'p' && gb_is_blank(at.at[1]);
}

/* A text may be one of METIS, whose header is two numbers.  If it is not, it may be an edge list. */
static enum gb_status read_metis_or_list(struct gb_reader *r, struct graph_edges *edges)
{
	const bool named = gb_reader_ends(r, ".graph") || gb_reader_ends(r, ".metis");
	const struct gb_reader start = *r;

	if (graph_may_be_metis(r, named)) {
		gb_reader_is(r, GB_FILE_METIS, "");
		if (!graph_read_metis(r, edges) || named || r->err->code != GB_EUSAGE)
			return r->err->code;
		gb_host_free(edges->key);
		*edges = (struct graph_edges){ 0 };
		*r->err = (struct gb_error){ 0 };
		*r = start;
	}
	return graph_read_list(r, edges);
}

/* Read a text in the format that its first lines have or, if they have none, its name. */
static enum gb_status read_text(struct gb_reader *r, struct graph_edges *edges)
{
	struct gb_reader first;
	size_t comments = 0;
	bool is_list;

	if (gb_reader_start_text(r))
		return r->err->code;
	first = *r;
	(void)graph_find_line(&first, "#%/", &comments);
	is_list = gb_is_digit(*first.at);
	if (!strncasecmp(r->at + strspn(r->at, "%"), "MatrixMarket", 12) ||
	    (!is_list && !is_dimacs(r) && gb_reader_ends(r, ".mtx"))) {
		gb_reader_is(r, GB_FILE_MTX, "");
		return graph_read_mtx(r, edges);
	}
	if (gb_reader_refuse(r) || refuse_binary(r) || gb_reader_refuse(&first))
		return r->err->code;
	if (is_dimacs(r) || (!is_list && (gb_reader_ends(r, ".gr") || gb_reader_ends(r, ".col")))) {
		gb_reader_is(r, GB_FILE_DIMACS, "");
		return graph_read_dimacs(r, edges);
	}
	return read_metis_or_list(r, edges);
}

/* Read a graph.  *most is set to the bytes of memory that it may take. */
static enum gb_status read_file(struct bfs_input *in, const char *path, double *most,
				struct gb_error *err)
{
	struct graph_edges edges = { 0 };
	struct gb_reader r;
	uint64_t read;
	bool is_sg;

	if (gb_reader_open(&r, path, "a graph", err))
		return err->code;
	is_sg = graph_is_sg(&r) || (!gb_reader_is_text(&r) &&
				    (gb_reader_ends(&r, ".sg") || gb_reader_ends(&r, ".wsg")));
	if (is_sg) {
		gb_reader_is(&r, GB_FILE_SG, "");
		(void)graph_read_sg(&r, in);
	} else {
		(void)read_text(&r, &edges);
	}
	*most = r.format ? gb_reader_most(&r) : 0;
	gb_reader_close(&r);
	read = edges.count;
	if (!err->code && !is_sg)
		(void)graph_from_edges(in, &edges, err);
	if (!err->code && is_sg)
		gb_reader_count("vertices", "vertex", in->n, in->n);
	if (!err->code)
		gb_reader_count("edges", "edge", is_sg ? in->m : read, in->m);
	return err->code;
}

/* ---- matrices ---------------------------------------------------------------------------- */

/* A bit matrix of the edges; NULL if memory ran out. */
static uint32_t *make_matrix(const struct bfs_input *in, const struct bfs_csr *csr)
{
	struct gb_error memory = { 0 };
	uint32_t *matrix = gb_host_zalloc(in->n, in->pitch * sizeof *matrix, &memory);

	if (!matrix || gb_memory_is_dry())
		return matrix;
#pragma omp parallel for schedule(dynamic, 64)
	for (uint32_t u = 0; u < in->n; u++)
		for (uint64_t e = csr->row[u]; e < csr->row[u + 1]; e++) {
			const uint32_t v = csr->column[e];

			matrix[u * in->pitch + v / 32] |= UINT32_C(1) << v % 32;
		}
	return matrix;
}

/* Add the matrices to a graph if it is small enough and they take at most `most` bytes.  It is not
 * an error if they do not fit in memory: searches on CSR still run. */
static void add_matrices(struct bfs_input *in, double most)
{
	in->pitch = bfs_pitch(in->n);
	if (in->n > BFS_MATRIX_VERTICES) {
		in->no_matrix =
			"the graph has more than 65536 vertices, the limit of the bit matrix";
		return;
	}
	if (bfs_bytes_ccam(in->n) * (in->symmetric ? 1 : 2) > most) {
		in->no_matrix = "the bit matrix takes more memory than a file of this size may "
				"take; --memory=SIZE allows more";
		return;
	}
	in->matrix = make_matrix(in, &in->out);
	if (in->matrix)
		in->matrix_in = in->symmetric ? in->matrix : make_matrix(in, &in->in);
	if (!in->matrix_in) {
		gb_host_free(in->matrix);
		in->matrix = NULL;
		in->no_matrix = "there is too little memory for the bit matrix";
	}
}

/* ---- sources ----------------------------------------------------------------------------- */

/* Choose the sources: vertices with out-edges in random order, or vertex 0 if there are none. */
static enum gb_status choose_sources(struct bfs_input *in, const struct bfs_params *params,
				     struct gb_error *err)
{
	uint32_t *list = gb_host_zalloc(in->n, sizeof *list, err);
	uint32_t count = gb_memory_is_dry() ? in->n : 0;

	if (!list)
		return err->code;
	for (uint32_t v = 0; v < in->n && !gb_memory_is_dry(); v++)
		if (in->out.row[v + 1] > in->out.row[v])
			list[count++] = v;
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

enum gb_status bfs_input_make(struct bfs_input *in, const struct bfs_params *params,
			      struct gb_error *err)
{
	double most = INFINITY;

	if (params->file)
		(void)read_file(in, params->file, &most, err);
	else
		(void)graph_generate(in, params, err);
	if (err->code)
		return err->code;
	add_matrices(in, most);
	return choose_sources(in, params, err);
}
