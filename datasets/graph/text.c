/* text.c -- readers of Matrix Market, DIMACS and METIS files.  The texts after their headers are
 * read by lines.c, but for METIS, whose lines have any number of vertices. */
#include <inttypes.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/lines.h"

/* ---- headers ----------------------------------------------------------------------------- */

/* Read the rest of the line as at most `most` numbers.  Returns how many there are, 0 if they are
 * more or there is something else. */
static int read_numbers(struct gb_reader *r, int most, uint64_t *number)
{
	int count = 0;

	while (!gb_reader_line_ends(r)) {
		const char *after = count < most ? gb_read_natural(r->at, &number[count]) : NULL;

		if (!after || number[count] == UINT64_MAX || !gb_is_space(*after))
			return 0;
		r->at = after;
		count++;
	}
	return count;
}

/* Check a header's numbers of vertices and of edges, `noun`, each of which takes at least `bytes`
 * bytes of the file, before memory is allocated. */
static enum gb_status check_header(const struct gb_reader *r, uint64_t n, uint64_t m,
				   const char *noun, unsigned bytes)
{
	const size_t size = (size_t)(r->end - r->begin);

	if (n == 0)
		return gb_reader_fail(r, "a graph without vertices");
	if (n > INT32_MAX)
		return gb_reader_fail(r, "more than %d vertices", INT32_MAX);
	if (m > size / bytes)
		return gb_reader_fail(
			r, "the header declares %" PRIu64 " %s, but the file has %zu bytes", m,
			noun, size);
	return gb_reader_claim(r, (double)n * GRAPH_VERTEX_BYTES, "%" PRIu64 " vertices", n);
}

bool graph_take_halves(struct graph_edges *edges)
{
	const uint64_t count = edges->count;
	uint64_t sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (uint64_t i = 0; i < count; i++) {
		const uint32_t u = (uint32_t)(edges->key[i] >> 32), v = (uint32_t)edges->key[i];

		sum += graph_hash(u, v) - graph_hash(v, u);
	}
	if (sum)
		return false;
	edges->count = 0;
	for (uint64_t i = 0; i < count; i++)
		if (edges->key[i] >> 32 >= (uint32_t)edges->key[i])
			edges->key[edges->count++] = edges->key[i];
	return true;
}

/* Compare the declared number of edges, `noun`, with that of the file.  Headers of undirected graphs
 * may count an edge at both ends. */
static enum gb_status check_count(const struct gb_reader *r, uint64_t m, const char *noun,
				  uint64_t count, bool undirected)
{
	if (m == count)
		return GB_OK;
	if (!undirected || m != 2 * count)
		return gb_reader_fail(
			r, "the header declares %" PRIu64 " %s, but the file has %" PRIu64, m, noun,
			count);
	gb_reader_note("the declared %" PRIu64 " %s are counted at both ends", m, noun);
	return GB_OK;
}

/* Read the lines after this one, which declares n vertices and m edges, `noun`.  With `comments`, m
 * may count these lines, too. */
static enum gb_status read_counted(struct gb_reader *r, struct graph_rules *rules, uint64_t n,
				   uint64_t m, const char *noun, const size_t *comments,
				   struct graph_edges *edges)
{
	struct graph_found found;
	const size_t line = r->line;
	uint64_t read;

	if (check_header(r, n, m, noun, 3))
		return r->err->code;
	rules->n = n;
	gb_reader_next_line(r);
	if (graph_read_lines(r, r->end, rules, edges, &found) ||
	    graph_number_vertices(r, edges, &found, n))
		return r->err->code;
	r->line = line;
	read = edges->count;
	if (edges->undirected && graph_take_halves(edges) && edges->count < read)
		gb_reader_note("each edge is listed at both ends");
	if (read != m && comments && read + *comments + found.comments == m)
		gb_reader_note("the declared %" PRIu64 " edges include comments", m);
	else if (read != m && check_count(r, m, noun, edges->count, edges->undirected))
		return r->err->code;
	graph_note_ignored(&found, noun);
	return GB_OK;
}

/* ---- Matrix Market ----------------------------------------------------------------------- */

/* Read "%%MatrixMarket matrix coordinate FIELD SYMMETRY"; some files have one % only.  An entry of a
 * field that is neither pattern nor complex has one value.  Returns a fault or NULL. */
static const char *read_banner(struct gb_reader *r, struct graph_rules *rules, bool *undirected)
{
	bool pattern, complex;

	if (!gb_reader_take(r, "%%MatrixMarket") && !gb_reader_take(r, "%MatrixMarket"))
		return "a Matrix Market file starts with %%MatrixMarket";
	if (!gb_reader_take(r, "matrix"))
		return "only a matrix is a graph";
	if (!gb_reader_take(r, "coordinate"))
		return "only the coordinate format is read";
	pattern = gb_reader_take(r, "pattern");
	complex = gb_reader_take(r, "complex");
	if (!pattern && !complex)
		r->at = gb_skip_word(gb_skip_blanks(r->at));
	rules->least = pattern ? 0 : complex ? 2 : 1;
	rules->most = pattern ? 2 : rules->least;
	*undirected = !gb_reader_take(r, "general");
	if (*undirected && !gb_reader_take(r, "symmetric") &&
	    !gb_reader_take(r, "skew-symmetric") && !gb_reader_take(r, "hermitian"))
		return "the symmetry must be general, symmetric, skew-symmetric or hermitian";
	return gb_reader_line_ends(r) ? NULL : "nothing is expected after the symmetry";
}

enum gb_status graph_read_mtx(struct gb_reader *r, struct graph_edges *edges)
{
	struct graph_rules rules = { .comments = "%", .letters = "", .ignored = "", .base = 1 };
	const char *fault = read_banner(r, &rules, &edges->undirected);
	uint64_t size[3], upper = 0; /* entries above the diagonal */
	size_t comments = 0;
	int sizes;

	if (fault)
		return gb_reader_fail(r, "%s", fault);
	gb_reader_next_line(r);
	sizes = graph_find_line(r, "%", &comments) ? read_numbers(r, 3, size) : 0;
	if (sizes < 2)
		return gb_reader_fail(r, "rows, columns and entries are expected");
	if (sizes == 3 && size[0] != size[1])
		return gb_reader_fail(r, "the matrix is not square");
	if (read_counted(r, &rules, size[0], size[sizes - 1], "entries", NULL, edges))
		return r->err->code;
	if (sizes == 2)
		gb_reader_note("two sizes taken as rows and entries");
	for (uint64_t i = 0; edges->undirected && i < edges->count; i++)
		upper += edges->key[i] >> 32 < (uint32_t)edges->key[i];
	if (upper)
		gb_reader_note("entries above the diagonal of a symmetric matrix: %" PRIu64, upper);
	return GB_OK;
}

/* ---- DIMACS ------------------------------------------------------------------------------ */

/* Problems on directed graphs, whose lines are "a u v weight".  Those of others are "e u v" or, of
 * PACE, "u v". */
static const char *const directed[] = { "sp", "max", "min", "asn" };
/* Problems whose lines are coordinates, clauses or sets. */
static const char *const others[] = { "aux", "cnf", "wcnf", "hgr", "htd", "hs" };

enum gb_status graph_read_dimacs(struct gb_reader *r, struct graph_edges *edges)
{
	struct graph_rules rules = { .comments = "c", .ignored = "ndvxsbl", .base = 1, .most = 4 };
	size_t comments = 0, i = 0;
	uint64_t number[2];

	if (!graph_find_line(r, "c", &comments) || !gb_reader_take(r, "p"))
		return gb_reader_fail(r, "\"p sp VERTICES EDGES\" is expected before the edges");
	for (; i < GB_COUNT(others); i++)
		if (gb_reader_take(r, others[i]))
			return gb_reader_fail(r, "\"p %s\" does not state a graph", others[i]);
	for (i = 0; i < GB_COUNT(directed) && !gb_reader_take(r, directed[i]);)
		i++;
	edges->undirected = i == GB_COUNT(directed);
	if (edges->undirected)
		r->at = gb_skip_word(gb_skip_blanks(r->at));
	if (read_numbers(r, 2, number) != 2)
		return gb_reader_fail(r, "two numbers are expected after the problem");
	rules.letters = edges->undirected ? "e" : "a";
	return read_counted(r, &rules, number[0], number[1], "edges", &comments, edges);
}

/* ---- METIS ------------------------------------------------------------------------------- */

struct metis {
	uint64_t n, m;
	unsigned before;       /* numbers before the neighbours of a vertex: its size and weights */
	unsigned edge_weights; /* numbers after each neighbour: 0 or 1 */
};

/* Read "N M [FMT [CONSTRAINTS]]". */
static bool read_metis_header(struct gb_reader *r, struct metis *h)
{
	uint64_t number[4] = { 0, 0, 0, 1 };
	const int numbers = read_numbers(r, 4, number);
	const uint64_t format = number[2];

	if (numbers < 2 || number[0] == 0 || format > 111 || format % 10 > 1 ||
	    format / 10 % 10 > 1 || number[3] > 1000)
		return false;
	h->n = number[0];
	h->m = number[1];
	h->edge_weights = (unsigned)(format % 10);
	h->before = (format / 10 % 10 ? (unsigned)number[3] : 0) + (format >= 100);
	return true;
}

/* Skip weights, which may have decimal points.  False if there are fewer. */
static bool skip_weights(struct gb_reader *r, unsigned count)
{
	for (; count && *r->at != '\n'; count--)
		r->at = gb_skip_blanks(gb_skip_word(r->at));
	return count == 0;
}

/* Read the neighbours of vertex u.  A fault or NULL. */
static const char *read_neighbours(struct gb_reader *r, const struct metis *h, uint32_t u,
				   struct graph_edges *edges)
{
	if (!skip_weights(r, h->before))
		return "a weight is missing";
	while (*r->at != '\n') {
		uint64_t v;
		const char *after = gb_read_natural(r->at, &v);

		if (!after || !gb_is_space(*after) || v == 0 || v > h->n)
			return "the neighbour is not a vertex of the graph";
		r->at = gb_skip_blanks(after);
		if (!skip_weights(r, h->edge_weights))
			return "a weight is missing";
		if (edges->count == 2 * h->m + h->n)
			return "more edges than the header declares";
		edges->key[edges->count++] = graph_key(u, v - 1);
	}
	return NULL;
}

bool graph_may_be_metis(const struct gb_reader *start, bool named)
{
	struct gb_reader r = *start;
	struct metis h = { 0 };
	size_t comments = 0, lines;

	if ((named && !graph_find_line(&r, "%", &comments)) || !read_metis_header(&r, &h))
		return false;
	lines = gb_count_lines(r.at, r.end);
	return (h.m || named) && lines >= h.n / 2 && lines / 2 <= h.n + 50;
}

enum gb_status graph_read_metis(struct gb_reader *r, struct graph_edges *edges)
{
	struct metis h = { 0 };
	size_t comments = 0, header;
	uint64_t u = 0, read;

	if (!graph_find_line(r, "%", &comments) || !read_metis_header(r, &h))
		return gb_reader_fail(r, "\"VERTICES EDGES [FORMAT]\" of METIS is expected");
	if (check_header(r, h.n, h.m, "edges", 4))
		return r->err->code;
	/* Self-loops, which METIS does not have, are not counted by all who write them. */
	edges->key = gb_host_alloc(2 * h.m + h.n, sizeof *edges->key, r->err);
	if (!edges->key)
		return r->err->code;
	header = r->line;
	for (gb_reader_next_line(r); r->at < r->end; gb_reader_next_line(r)) {
		const bool ends_here = gb_reader_line_ends(r);
		const char *fault;

		if (*r->at == '%' || (u == h.n && ends_here))
			continue;
		if (u == h.n)
			return gb_reader_fail(r, "a line after those of all %" PRIu64 " vertices",
					      h.n);
		fault = read_neighbours(r, &h, (uint32_t)u++, edges);
		if (fault)
			return gb_reader_fail(r, "%s", fault);
	}
	r->line = header;
	edges->n = (uint32_t)h.n;
	edges->undirected = true;
	read = edges->count;
	if (!graph_take_halves(edges))
		return gb_reader_fail(r, "an edge is listed at one of its ends only");
	read -= edges->count; /* without self-loops */
	if (check_count(r, h.m, "edges", read, true))
		return r->err->code;
	if (u < h.n)
		gb_reader_note("vertices without a line: %" PRIu64, h.n - u);
	if (h.before || h.edge_weights)
		gb_reader_note("weights ignored");
	gb_reader_count("vertices", "vertex", h.n, h.n);
	return GB_OK;
}
