/* text.c -- strict readers of MatrixMarket, edge lists and DIMACS graphs.
 *
 * The body of such a file has one edge, two vertices, per line.  It is cut at line ends into one
 * chunk per thread.  The first pass counts the lines of each chunk, which bounds its edges and
 * numbers its lines.  The second pass parses the lines into their final places.  A parser stops at
 * any unexpected character, and every line ends in a newline, so no bounds checks are needed.  The
 * first fault in the file is reported.
 */
#include "datasets/graph/build.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"

enum { MAX_CHUNKS = 64 };

/* The rest of a line after its two vertices. */
enum tail { TAIL_NOTHING, TAIL_INTEGER, TAIL_REAL, TAIL_ANYTHING };

/* A file format. */
struct rules {
	const char *comments; /* characters that start a comment */
	char letter;          /* first character of an edge's line, or 0 */
	uint32_t base;        /* number of the first vertex: 0 or 1 */
	uint32_t n;           /* vertices; 0: derived from the largest vertex number */
	enum tail tail;
	bool lower; /* a symmetric matrix: only its lower triangle may be stored */
};

/* A part of the text and its edges. */
struct chunk {
	const char *begin, *end;
	size_t first_line; /* line number in the file, from 1 */
	size_t lines;
	uint32_t *pair; /* room for `lines` edges */
	uint64_t count;
	uint32_t largest;  /* vertex, from 0 */
	const char *fault; /* or NULL */
	size_t fault_line;
};

/* ---- one line ---------------------------------------------------------------------------- */

/* Read a decimal number and return its end, NULL if there is none.  A number of more than 18 digits
 * becomes UINT64_MAX. */
static const char *read_number(const char *at, uint64_t *value)
{
	const char *start = at, *first;
	uint64_t sum = 0;

	while (*at == '0')
		at++;
	first = at;
	while (gb_is_digit(*at))
		sum = sum * 10 + (uint64_t)(*at++ - '0');
	*value = at - first > 18 ? UINT64_MAX : sum;
	return at > start ? at : NULL;
}

static const char *line_end(const char *at)
{
	while (*at != '\n')
		at++;
	return at;
}

/* Check the rest of the line after the vertices.  Returns a fault or NULL. */
static const char *check_tail(const char **at, enum tail tail)
{
	const char *p = gb_skip_blanks(*at);
	uint64_t unused;
	double value;

	if (tail == TAIL_ANYTHING) {
		p = line_end(p);
	} else if (tail == TAIL_INTEGER) {
		p = read_number(p + (*p == '-' || *p == '+'), &unused);
		if (!p)
			return "the value is not an integer";
	} else if (tail == TAIL_REAL) {
		p = *p == '\n' ? NULL : gb_read_number(p, &value);
		if (!p || !gb_is_space(*p) || !isfinite(value))
			return "the value is not a number";
	}
	p = gb_skip_blanks(p);
	if (*p != '\n')
		return tail == TAIL_NOTHING ? "two vertices and nothing else are expected"
					    : "nothing is expected after the value";
	*at = p;
	return NULL;
}

/* Read the vertex number at *at and store it in *vertex, counted from 0.  Returns a fault or
 * NULL. */
static const char *read_vertex(const char **at, const struct rules *r, uint32_t *vertex)
{
	uint64_t number;
	const char *p = read_number(gb_skip_blanks(*at), &number);

	if (!p)
		return "a vertex number is expected";
	if (!gb_is_space(*p))
		return "the vertex number is not followed by white space";
	if (number < r->base)
		return "vertex 0 in a file that counts from 1";
	number -= r->base;
	if (r->n ? number >= r->n : number >= INT32_MAX)
		return r->n ? "the vertex is greater than the number of vertices"
			    : "the vertex number is too large";
	*vertex = (uint32_t)number;
	*at = p;
	return NULL;
}

/* Read the edge in the line at *at into pair and set *at to the newline.  Returns a fault or
 * NULL. */
static const char *read_edge(const char **at, const struct rules *r, uint32_t pair[2])
{
	const char *fault;

	if (r->letter) {
		if (**at != r->letter || !gb_is_space((*at)[1]))
			return "neither a comment nor an edge";
		(*at)++;
	}
	fault = read_vertex(at, r, &pair[0]);
	if (!fault)
		fault = read_vertex(at, r, &pair[1]);
	if (!fault && r->lower && pair[0] < pair[1])
		fault = "an entry above the diagonal of a symmetric matrix";
	if (fault)
		return fault;
	if (r->tail == TAIL_NOTHING && **at == '\n')
		return NULL;
	return check_tail(at, r->tail);
}

static bool is_comment(char c, const char *comments)
{
	return c && c != '\n' && strchr(comments, c);
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* Parse the lines of a chunk into its edges. */
static void parse(struct chunk *c, const struct rules *r)
{
	uint32_t *pair = c->pair, largest = 0;
	size_t line = c->first_line;

	for (const char *at = c->begin; at < c->end; at++, line++) {
		at = gb_skip_blanks(at);
		if (!gb_is_digit(*at) && is_comment(*at, r->comments))
			at = line_end(at);
		if (*at == '\n')
			continue;
		c->fault = read_edge(&at, r, pair);
		if (c->fault) {
			c->fault_line = line;
			return;
		}
		largest = pair[0] > largest ? pair[0] : largest;
		largest = pair[1] > largest ? pair[1] : largest;
		pair += 2;
	}
	c->count = (uint64_t)(pair - c->pair) / 2;
	c->largest = largest;
}

/* Cut the text into `count` chunks at line ends. */
static void cut(struct chunk *chunk, int count, const char *text, size_t size)
{
	const char *end = text + size, *at = text;

	for (int i = 0; i < count; i++) {
		const char *want = text + size / (size_t)count * (size_t)(i + 1);
		const char *newline = NULL;

		chunk[i] = (struct chunk){ .begin = at };
		if (i + 1 < count && want > at)
			newline = memchr(want, '\n', (size_t)(end - want));
		else if (i + 1 < count)
			newline = at - 1;
		at = newline ? newline + 1 : end;
		chunk[i].end = at;
	}
}

/* Number the lines of the chunks from first_line on.  Returns the total number of lines. */
static size_t number_lines(struct chunk *chunk, int count, size_t first_line)
{
	size_t lines = 0;

#pragma omp parallel for schedule(static)
	for (int i = 0; i < count; i++)
		chunk[i].lines = gb_count_lines(chunk[i].begin, chunk[i].end);
	for (int i = 0; i < count; i++) {
		chunk[i].first_line = first_line + lines;
		lines += chunk[i].lines;
	}
	return lines;
}

/* Close the gaps left by comments and blank lines, and find the largest vertex. */
static enum gb_status collect(const struct chunk *chunk, int count, const struct rules *rules,
			      struct gb_reader *r, struct graph_edges *edges)
{
	uint32_t largest = 0;

	for (int i = 0; i < count; i++) {
		if (chunk[i].fault) {
			r->line = chunk[i].fault_line;
			return gb_reader_fail(r, "%s", chunk[i].fault);
		}
		if (chunk[i].count && chunk[i].pair != edges->pair + 2 * edges->count)
			memmove(edges->pair + 2 * edges->count, chunk[i].pair,
				chunk[i].count * 2 * sizeof *edges->pair);
		edges->count += chunk[i].count;
		largest = chunk[i].largest > largest ? chunk[i].largest : largest;
	}
	edges->n = rules->n ? rules->n : largest + 1;
	return GB_OK;
}

/* Read all edges from r->at, the start of a line, to the end of the file. */
static enum gb_status read_body(struct graph_edges *edges, const struct rules *rules,
				struct gb_reader *r)
{
	struct chunk chunk[MAX_CHUNKS];
	const int threads = omp_get_max_threads(),
		  count = threads < MAX_CHUNKS ? threads : MAX_CHUNKS;
	size_t lines;

	cut(chunk, count, r->at, (size_t)(r->end - r->at));
	lines = number_lines(chunk, count, r->line);
	edges->pair = gb_host_alloc(lines, 2 * sizeof *edges->pair, r->err);
	if (!edges->pair)
		return r->err->code;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < count; i++) {
		chunk[i].pair = edges->pair + 2 * (chunk[i].first_line - r->line);
		parse(&chunk[i], rules);
	}
	return collect(chunk, count, rules, r, edges);
}

/* ---- headers ----------------------------------------------------------------------------- */

/* Advance to the first line, from the current one on, that is neither blank nor a comment.  False,
 * with r->line that of the last line, if there is none. */
static bool find_content(struct gb_reader *r, char comment)
{
	for (; r->at < r->end; gb_reader_next_line(r))
		if (!gb_reader_line_ends(r) && *r->at != comment)
			return true;
	r->line--;
	return false;
}

/* Skip the next word and return true if it is `word`, in upper or lower case. */
static bool take_word(struct gb_reader *r, const char *word)
{
	const size_t length = strlen(word);

	if (gb_reader_line_ends(r) || strncasecmp(r->at, word, length) != 0 ||
	    !gb_is_space(r->at[length]))
		return false;
	r->at += length;
	return true;
}

/* Read the rest of the line as exactly `count` numbers. */
static bool read_numbers(struct gb_reader *r, int count, uint64_t *number)
{
	for (int i = 0; i < count; i++) {
		const char *after = read_number(gb_skip_blanks(r->at), &number[i]);

		if (!after || number[i] == UINT64_MAX || !gb_is_space(*after))
			return false;
		r->at = after;
	}
	return gb_reader_line_ends(r);
}

static enum gb_status check_vertices(const struct gb_reader *r, uint64_t n)
{
	if (n == 0)
		return gb_reader_fail(r, "a graph without vertices");
	if (n > INT32_MAX)
		return gb_reader_fail(r, "more than 2147483647 vertices");
	return GB_OK;
}

/* Read the body after this line, which declares `want` edges. */
static enum gb_status read_counted(struct graph_edges *edges, const struct rules *rules,
				   struct gb_reader *r, uint64_t want, const char *noun)
{
	const size_t line = r->line;

	gb_reader_next_line(r);
	if (read_body(edges, rules, r) || edges->count == want)
		return r->err->code;
	r->line = line;
	return gb_reader_fail(r, "the header declares %" PRIu64 " %s, but the file has %" PRIu64,
			      want, noun, edges->count);
}

/* ---- formats ----------------------------------------------------------------------------- */

/* Read "%%MatrixMarket matrix coordinate FIELD SYMMETRY".  Returns a fault or NULL. */
static const char *read_banner(struct gb_reader *r, struct rules *rules)
{
	if (!take_word(r, "%%MatrixMarket"))
		return "a MatrixMarket file starts with %%MatrixMarket";
	if (!take_word(r, "matrix"))
		return "only a matrix is a graph";
	if (!take_word(r, "coordinate"))
		return "only the coordinate format is read";
	if (take_word(r, "pattern"))
		rules->tail = TAIL_NOTHING;
	else if (take_word(r, "integer"))
		rules->tail = TAIL_INTEGER;
	else if (take_word(r, "real"))
		rules->tail = TAIL_REAL;
	else
		return "the field must be pattern, integer or real";
	rules->lower = take_word(r, "symmetric");
	if (!rules->lower && !take_word(r, "general"))
		return "the symmetry must be general or symmetric";
	return gb_reader_line_ends(r) ? NULL : "nothing is expected after the symmetry";
}

enum gb_status graph_read_mtx(struct gb_reader *r, struct graph_edges *edges)
{
	struct rules rules = { .comments = "%", .base = 1 };
	const char *fault = read_banner(r, &rules);
	uint64_t number[3];

	if (fault)
		return gb_reader_fail(r, "%s", fault);
	gb_reader_next_line(r);
	if (!find_content(r, '%'))
		return gb_reader_fail(r, "the line of the sizes is missing");
	if (!read_numbers(r, 3, number))
		return gb_reader_fail(r, "rows, columns and entries are expected");
	if (number[0] != number[1])
		return gb_reader_fail(r, "the matrix is not square");
	if (check_vertices(r, number[0]))
		return r->err->code;
	rules.n = (uint32_t)number[0];
	edges->undirected = rules.lower;
	return read_counted(edges, &rules, r, number[2], "entries");
}

enum gb_status graph_read_el(struct gb_reader *r, struct graph_edges *edges)
{
	const struct rules rules = { .comments = "#%", .tail = TAIL_ANYTHING };

	if (read_body(edges, &rules, r) || edges->count)
		return r->err->code;
	return gb_fail(r->err, GB_EUSAGE, "%s holds no edges", r->path);
}

enum gb_status graph_read_gr(struct gb_reader *r, struct graph_edges *edges)
{
	struct rules rules = { .comments = "c", .letter = 'a', .base = 1, .tail = TAIL_INTEGER };
	uint64_t number[2];

	if (!find_content(r, 'c'))
		return gb_reader_fail(r, "there is no problem line");
	if (strncmp(r->at, "p sp ", 5) != 0)
		return gb_reader_fail(r, "\"p sp VERTICES EDGES\" is expected before the edges");
	r->at += 5;
	if (!read_numbers(r, 2, number))
		return gb_reader_fail(r, "two numbers are expected after \"p sp\"");
	if (check_vertices(r, number[0]))
		return r->err->code;
	rules.n = (uint32_t)number[0];
	return read_counted(edges, &rules, r, number[1], "edges");
}
