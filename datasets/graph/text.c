/* text.c -- strict readers of MatrixMarket, edge lists and DIMACS graphs.
 *
 * The body of such a file is lines of two vertices each.  It is cut into one chunk a thread, at
 * line ends.  A first pass counts the lines of each chunk, which bounds its edges and numbers its
 * lines; the second parses them to their places.  A parser stops at any character it does not
 * expect, and every complete line ends in one that is not a digit, so that no bounds need be
 * checked; a last line without its newline is parsed from a copy that has one.  Of several faults
 * the first in the file is told.  A line costs about 15 ns a thread: the bound is the digits.
 */
#include <ctype.h>
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"
#include "datasets/graph/build.h"

enum { MAX_CHUNKS = 64 };

/* What follows the two vertices of a line. */
enum tail { TAIL_NOTHING, TAIL_INTEGER, TAIL_REAL, TAIL_ANYTHING };

/* A kind of file. */
struct rules {
	const char *path;
	const char *comments; /* characters that a comment starts with */
	char letter;          /* what a line of an edge starts with, or 0 */
	uint32_t base;        /* number of the first vertex: 0 or 1 */
	uint32_t n;           /* vertices, 0: as many as the largest number asks for */
	enum tail tail;
	bool lower; /* a symmetric matrix: only its lower triangle may be stored */
};

/* A part of the text, and what was found in it. */
struct chunk {
	const char *begin, *end;
	uint64_t first_line; /* of the file, from 1 */
	uint64_t lines;
	uint32_t *pair; /* room for `lines` edges */
	uint64_t count;
	uint32_t largest;  /* vertex, from 0 */
	const char *fault; /* or NULL */
	uint64_t fault_line;
};

/* ---- one line ---------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || (*at == '\r' && at[1] == '\n'))
		at++;
	return at;
}

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool is_blank_or_end(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Read digits; a number that 32 bits cannot hold becomes UINT64_MAX.  NULL if there is none. */
static const char *read_number(const char *at, uint64_t *value)
{
	const char *start = at;
	uint64_t sum = 0;

	while (is_digit(*at))
		sum = sum * 10 + (uint64_t)(*at++ - '0');
	*value = at - start > 10 ? UINT64_MAX : sum;
	return at > start ? at : NULL;
}

static const char *skip_sign(const char *at)
{
	return *at == '-' || *at == '+' ? at + 1 : at;
}

/* A decimal number with optional sign, fraction and exponent; NULL if there is none. */
static const char *skip_real(const char *at)
{
	bool digits = false;

	at = skip_sign(at);
	for (; is_digit(*at); at++)
		digits = true;
	if (*at == '.')
		for (at++; is_digit(*at); at++)
			digits = true;
	if (!digits)
		return NULL;
	if (*at == 'e' || *at == 'E') {
		at = skip_sign(at + 1);
		if (!is_digit(*at))
			return NULL;
		while (is_digit(*at))
			at++;
	}
	return at;
}

/* Check what follows the vertices, up to the newline.  Returns a fault or NULL. */
static const char *check_tail(const char **at, enum tail tail)
{
	const char *p = skip_blanks(*at);
	uint64_t unused;

	if (tail == TAIL_ANYTHING) {
		while (*p != '\n')
			p++;
	} else if (tail == TAIL_INTEGER) {
		p = read_number(skip_sign(p), &unused);
		if (!p)
			return "the value is no integer";
	} else if (tail == TAIL_REAL) {
		p = skip_real(p);
		if (!p)
			return "the value is no number";
	}
	p = skip_blanks(p);
	if (*p != '\n')
		return tail == TAIL_NOTHING ? "two vertices and nothing else are expected"
					    : "nothing is expected after the value";
	*at = p;
	return NULL;
}

/* A vertex number at *at, counted from 0 into *vertex.  Returns a fault or NULL. */
static const char *read_vertex(const char **at, const struct rules *r, uint32_t *vertex)
{
	uint64_t number;
	const char *p = read_number(skip_blanks(*at), &number);

	if (!p)
		return "a vertex number is expected";
	if (!is_blank_or_end(*p))
		return "a vertex number is followed by something else than white space";
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

/* An edge from the line at *at to pair; leaves *at at the newline.  Returns a fault or NULL. */
static const char *read_edge(const char **at, const struct rules *r, uint32_t pair[2])
{
	const char *fault;

	if (r->letter) {
		if (**at != r->letter || !is_blank_or_end((*at)[1]))
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

static void count_lines(struct chunk *c)
{
	const size_t size = (size_t)(c->end - c->begin);
	uint64_t lines = 0;

	for (size_t i = 0; i < size; i++)
		lines += c->begin[i] == '\n';
	c->lines = lines + (size && c->begin[size - 1] != '\n');
}

/* The chunk's lines, each of which ends in a newline, to its edges. */
static void parse(struct chunk *c, const struct rules *r)
{
	uint32_t *pair = c->pair, largest = 0;
	uint64_t line = c->first_line;

	for (const char *at = c->begin; at < c->end; at++, line++) {
		at = skip_blanks(at);
		if (!is_digit(*at) && is_comment(*at, r->comments))
			at = memchr(at, '\n', (size_t)(c->end - at));
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

/* Number the chunks' lines from first_line on and give each its room; returns all lines. */
static uint64_t number_lines(struct chunk *chunk, int count, uint64_t first_line)
{
	uint64_t lines = 0;

#pragma omp parallel for schedule(static)
	for (int i = 0; i < count; i++)
		count_lines(&chunk[i]);
	for (int i = 0; i < count; i++) {
		chunk[i].first_line = first_line + lines;
		lines += chunk[i].lines;
	}
	return lines;
}

static enum gb_status report_fault(const struct chunk *c, const struct rules *r,
				   struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "%s:%" PRIu64 ": %s", r->path, c->fault_line, c->fault);
}

/* Close the gaps that comments and blank lines left, and take the largest vertex. */
static enum gb_status collect(const struct chunk *chunk, int count, const struct rules *r,
			      struct graph_edges *edges, struct gb_error *err)
{
	uint32_t largest = 0;

	for (int i = 0; i < count; i++) {
		if (chunk[i].fault)
			return report_fault(&chunk[i], r, err);
		if (chunk[i].count && chunk[i].pair != edges->pair + 2 * edges->count)
			memmove(edges->pair + 2 * edges->count, chunk[i].pair,
				chunk[i].count * 2 * sizeof *edges->pair);
		edges->count += chunk[i].count;
		largest = chunk[i].largest > largest ? chunk[i].largest : largest;
	}
	edges->n = r->n ? r->n : largest + 1;
	return GB_OK;
}

/* The last line, which has no newline, from a copy. */
static enum gb_status parse_rest(struct chunk *c, const struct rules *r, struct gb_error *err)
{
	const size_t size = (size_t)(c->end - c->begin);
	char *copy = malloc(size + 1);

	if (!copy)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	memcpy(copy, c->begin, size);
	copy[size] = '\n';
	c->begin = copy;
	c->end = copy + size + 1;
	parse(c, r);
	free(copy);
	return GB_OK;
}

/* All edges of the body of a file, which starts in line first_line. */
static enum gb_status read_body(struct graph_edges *edges, const struct rules *r, const char *text,
				size_t size, uint64_t first_line, struct gb_error *err)
{
	const char *newline = size ? memrchr(text, '\n', size) : NULL;
	const size_t whole = newline ? (size_t)(newline + 1 - text) : 0;
	struct chunk chunk[MAX_CHUNKS + 1];
	const int threads = omp_get_max_threads(),
		  count = threads < MAX_CHUNKS ? threads : MAX_CHUNKS;
	uint64_t lines, place = 0;

	cut(chunk, count, text, whole);
	chunk[count] = (struct chunk){ .begin = text + whole, .end = text + size };
	lines = number_lines(chunk, count + 1, first_line);
	edges->pair = gb_host_alloc(lines, 2 * sizeof *edges->pair, err);
	if (!edges->pair)
		return err->code;
	for (int i = 0; i <= count; i++) {
		chunk[i].pair = edges->pair + 2 * place;
		place += chunk[i].lines;
	}
#pragma omp parallel for schedule(static)
	for (int i = 0; i < count; i++)
		parse(&chunk[i], r);
	if ((whole < size && parse_rest(&chunk[count], r, err)) ||
	    collect(chunk, count + 1, r, edges, err)) {
		gb_host_free(edges->pair);
		edges->pair = NULL;
	}
	return err->code;
}

/* ---- headers ----------------------------------------------------------------------------- */

/* A place in the text, by lines. */
struct cursor {
	const char *path, *at, *end;
	uint64_t line;  /* of `at` */
	char text[256]; /* the line taken last, without its end */
};

static enum gb_status fail_at(const struct cursor *c, const char *fault, struct gb_error *err)
{
	return gb_fail(err, GB_EUSAGE, "%s:%" PRIu64 ": %s", c->path, c->line - (c->line > 1),
		       fault);
}

/* Take the next line; false at the end of the text.  What is longer than the buffer is cut. */
static bool take_line(struct cursor *c)
{
	const char *newline;
	size_t length, kept;

	if (c->at == c->end)
		return false;
	newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
	length = (size_t)((newline ? newline : c->end) - c->at);
	kept = length < sizeof c->text ? length : sizeof c->text - 1;
	memcpy(c->text, c->at, kept);
	kept -= kept && c->text[kept - 1] == '\r';
	c->text[kept] = '\0';
	c->at = newline ? newline + 1 : c->end;
	c->line++;
	return true;
}

/* Take lines until one that is neither blank nor a comment; false if there is none. */
static bool take_content(struct cursor *c, char comment)
{
	while (take_line(c)) {
		const char *p = c->text + strspn(c->text, " \t");

		if (*p && *p != comment)
			return true;
	}
	return false;
}

/* Exactly `count` numbers that 64 bits hold, and nothing else. */
static bool read_numbers(const char *text, int count, uint64_t *number)
{
	for (int i = 0; i < count; i++) {
		text += strspn(text, " \t");
		number[i] = 0;
		if (!is_digit(*text))
			return false;
		for (; is_digit(*text); text++)
			if (__builtin_mul_overflow(number[i], 10, &number[i]) ||
			    __builtin_add_overflow(number[i], (uint64_t)(*text - '0'), &number[i]))
				return false;
		if (*text && *text != ' ' && *text != '\t')
			return false;
	}
	return !text[strspn(text, " \t")];
}

static enum gb_status check_vertices(const struct cursor *c, uint64_t n, struct gb_error *err)
{
	if (n == 0)
		return fail_at(c, "a graph without vertices", err);
	if (n > INT32_MAX)
		return fail_at(c, "more than 2147483647 vertices", err);
	return GB_OK;
}

/* The body after the cursor, which must hold `want` edges. */
static enum gb_status read_counted(struct graph_edges *edges, const struct rules *r,
				   const struct cursor *c, uint64_t want, const char *noun,
				   struct gb_error *err)
{
	if (read_body(edges, r, c->at, (size_t)(c->end - c->at), c->line, err))
		return err->code;
	if (edges->count == want)
		return GB_OK;
	gb_host_free(edges->pair);
	edges->pair = NULL;
	return gb_fail(err, GB_EUSAGE,
		       "%s:%" PRIu64 ": %" PRIu64 " %s are announced, and the file has %" PRIu64,
		       r->path, c->line - 1, want, noun, edges->count);
}

/* ---- the kinds --------------------------------------------------------------------------- */

/* "%%MatrixMarket matrix coordinate FIELD SYMMETRY"; returns a fault or NULL. */
static const char *read_banner(char *line, struct rules *r, bool *symmetric)
{
	static const char *const head[] = { "%%MatrixMarket", "matrix", "coordinate" };
	static const char *const wrong[] = { "a MatrixMarket file starts with %%MatrixMarket",
					     "only a matrix is a graph",
					     "only the coordinate format is read" };
	char *rest = NULL, *word = strtok_r(line, " \t", &rest);

	for (int i = 0; i < 3; i++, word = strtok_r(NULL, " \t", &rest))
		if (!word || strcasecmp(word, head[i]) != 0)
			return wrong[i];
	if (word && !strcasecmp(word, "pattern"))
		r->tail = TAIL_NOTHING;
	else if (word && !strcasecmp(word, "integer"))
		r->tail = TAIL_INTEGER;
	else if (word && !strcasecmp(word, "real"))
		r->tail = TAIL_REAL;
	else
		return "the field must be pattern, integer or real";
	word = strtok_r(NULL, " \t", &rest);
	*symmetric = word && !strcasecmp(word, "symmetric");
	if (!word || (!*symmetric && strcasecmp(word, "general") != 0))
		return "the symmetry must be general or symmetric";
	return strtok_r(NULL, " \t", &rest) ? "nothing is expected after the symmetry" : NULL;
}

enum gb_status graph_read_mtx(struct graph_edges *edges, const char *path, const char *text,
			      size_t size, struct gb_error *err)
{
	struct cursor c = { .path = path, .at = text, .end = text + size, .line = 1 };
	struct rules r = { .path = path, .comments = "%", .base = 1 };
	bool symmetric = false;
	const char *fault;
	uint64_t number[3];

	(void)take_line(&c);
	fault = read_banner(c.text, &r, &symmetric);
	if (fault)
		return fail_at(&c, fault, err);
	if (!take_content(&c, '%'))
		return fail_at(&c, "the line of the sizes is missing", err);
	if (!read_numbers(c.text, 3, number))
		return fail_at(&c, "rows, columns and entries are expected", err);
	if (number[0] != number[1])
		return fail_at(&c, "the matrix is not square", err);
	if (check_vertices(&c, number[0], err))
		return err->code;
	r.n = (uint32_t)number[0];
	r.lower = symmetric;
	edges->undirected = symmetric;
	return read_counted(edges, &r, &c, number[2], "entries", err);
}

enum gb_status graph_read_el(struct graph_edges *edges, const char *path, const char *text,
			     size_t size, struct gb_error *err)
{
	const struct rules r = { .path = path, .comments = "#%", .tail = TAIL_ANYTHING };

	if (read_body(edges, &r, text, size, 1, err))
		return err->code;
	if (edges->count)
		return GB_OK;
	gb_host_free(edges->pair);
	edges->pair = NULL;
	return gb_fail(err, GB_EUSAGE, "%s holds no edges", path);
}

enum gb_status graph_read_gr(struct graph_edges *edges, const char *path, const char *text,
			     size_t size, struct gb_error *err)
{
	struct cursor c = { .path = path, .at = text, .end = text + size, .line = 1 };
	struct rules r = {
		.path = path, .comments = "c", .letter = 'a', .base = 1, .tail = TAIL_INTEGER
	};
	uint64_t number[2];

	if (!take_content(&c, 'c'))
		return fail_at(&c, "there is no problem line", err);
	if (strncmp(c.text, "p sp ", 5) != 0)
		return fail_at(&c, "\"p sp VERTICES EDGES\" is expected before the edges", err);
	if (!read_numbers(c.text + 5, 2, number))
		return fail_at(&c, "two numbers are expected after \"p sp\"", err);
	if (check_vertices(&c, number[0], err))
		return err->code;
	r.n = (uint32_t)number[0];
	return read_counted(edges, &r, &c, number[1], "edges", err);
}
