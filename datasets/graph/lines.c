/* lines.c -- reads texts with one edge per line on all threads.
 *
 * The text is cut at line ends into one chunk per thread.  The first pass counts the lines of each
 * chunk, which bounds its edges and numbers its lines.  The second pass parses the lines into their
 * final places.  A parser stops at any unexpected character, and every line ends in a newline, so no bounds checks are needed.
 * The first fault in the file is reported.
 */
#include "datasets/graph/lines.h"

#include <omp.h>
#include <string.h>
#include <strings.h>

#include "common/memory.h"

/* The fault whose message has the text that is not a number. */
static const char NO_NUMBER[] = "a vertex is not a natural number";

enum { MAX_CHUNKS = 64, REPORT = 1 << 16, PLAIN = 32, END = 1 << 24 };

/* A part of the text and its edges. */
struct chunk {
	const char *begin, *end;
	size_t lines;
	size_t first; /* the place of its first edge, if each line before has one */
	uint64_t count;
	unsigned columns; /* numbers in each line; 0: as many as in the first */
	struct graph_found found;
	const char *fault; /* or NULL */
	const char *fault_at;
};

/* The state while a chunk is parsed. */
struct parser {
	const struct graph_rules *rules;
	struct chunk *chunk;
	const char *at;
};

/* ---- one line ---------------------------------------------------------------------------- */

static const char *line_end(const char *at)
{
	while (*at != '\n')
		at++;
	return at;
}

/* The end of a value, as 1, -.5e-3, 1D+00 of Fortran, nan or inf; NULL if there is none.  Values are
 * ignored, so not much is checked. */
static const char *skip_value(const char *at)
{
	const char *const sign = at + (*at == '-' || *at == '+');

	if (!strncasecmp(sign, "nan", 3) || !strncasecmp(sign, "inf", 3))
		return sign + 3;
	if (!gb_is_digit(*sign) && !(*sign == '.' && gb_is_digit(sign[1])))
		return NULL;
	return sign + strspn(sign, "0123456789.+-eEdDqQ");
}

static bool is_separator(char c)
{
	return c == ',' || c == ';' || c == '|';
}

static const char *skip_quote(const struct graph_rules *rules, const char *at)
{
	return at + (rules->separators && *at == '"');
}

/* The start of the next column. */
static const char *next_column(const struct graph_rules *rules, const char *at)
{
	at = gb_skip_blanks(skip_quote(rules, at));
	if (rules->separators && is_separator(*at))
		at = gb_skip_blanks(at + 1);
	return skip_quote(rules, at);
}

static bool column_ends(const struct graph_rules *rules, char c)
{
	return gb_is_space(c) || (rules->separators && (is_separator(c) || c == '"'));
}

static bool is_comment(const char *at, const char *comments)
{
	if (*at == '/')
		return at[1] == '/' && strchr(comments, '/');
	return *at && *at != '\n' && strchr(comments, *at);
}

bool graph_find_line(struct gb_reader *r, const char *comments, size_t *count)
{
	for (; r->at < r->end; gb_reader_next_line(r)) {
		if (gb_reader_line_ends(r))
			continue;
		if (!is_comment(r->at, comments))
			return true;
		++*count;
	}
	r->line--;
	return false;
}

/* Read the values and the text after the vertices; `columns` numbers came before.  Returns a fault
 * or NULL. */
static const char *read_tail(struct parser *p, unsigned columns)
{
	const struct graph_rules *rules = p->rules;
	struct chunk *c = p->chunk;
	const char *at = next_column(rules, p->at), *after;
	unsigned values = 0;

	for (; *at != '\n'; at = next_column(rules, after), values++) {
		after = skip_value(at);
		if (!after || !column_ends(rules, *after))
			break;
	}
	p->at = at;
	if (values < rules->least)
		return *at == '\n' ? "a value is missing" : "the value is not a number";
	if (values > rules->most)
		return "nothing is expected after the value";
	c->found.valued += values > 0;
	if (*at != '\n') {
		if (!rules->words)
			return "nothing is expected after the value";
		c->found.worded += !is_comment(at, rules->comments);
		p->at = line_end(at);
	}
	columns += values;
	if (!c->columns)
		c->columns = columns;
	return columns == c->columns
		       ? NULL
		       : "it has not as many numbers as the lines before: an adjacency list?";
}

/* Read the vertex number at p->at and store it in *vertex, counted from 0.  Returns a fault or
 * NULL. */
static inline const char *read_vertex(struct parser *p, uint64_t *vertex)
{
	const struct graph_rules *rules = p->rules;
	uint64_t number;
	const char *at = gb_read_natural(p->at, &number);

	if (*p->at == '\n')
		return "the line ends where a vertex should be";
	if (!at || !column_ends(rules, *at))
		return NO_NUMBER;
	if (number == UINT64_MAX)
		return "the vertex number does not fit in 64 bits";
	if (number < rules->base)
		return "vertex 0 in a file that counts from 1";
	number -= rules->base;
	if (rules->n && number >= rules->n)
		return "the vertex is greater than the number of vertices";
	*vertex = number;
	p->at = at;
	return NULL;
}

/* Which of the next eight characters are not digits: a bit each, the first one the lowest. */
static inline unsigned find_others(const char *at)
{
	const uint64_t bytes = UINT64_C(0x0101010101010101);
	uint64_t word;

	memcpy(&word, at, sizeof word);
	word ^= '0' * bytes;
	word |= (word & 0x7f * bytes) + (0x80 - 10) * bytes;
	return (unsigned)((word >> 7 & bytes) * UINT64_C(0x0102040810204080) >> 56);
}

/* The number that one to eight digits are: they are joined in pairs, the pairs in fours and these. */
static inline uint64_t join_digits(const char *at, unsigned digits)
{
	const uint64_t fours = UINT64_C(0x000000ff000000ff);
	uint64_t word;

	memcpy(&word, at, sizeof word);
	word = (word ^ '0' * UINT64_C(0x0101010101010101)) << (64 - 8 * digits);
	word = word * 10 + (word >> 8);
	return ((word & fours) * (100 + (UINT64_C(1000000) << 32)) +
		(word >> 16 & fours) * (1 + (UINT64_C(10000) << 32))) >>
	       32;
}

static inline uint64_t join_more_digits(const char *at, unsigned digits)
{
	return digits <= 8
		       ? join_digits(at, digits)
		       : join_digits(at, digits - 8) * 100000000 + join_digits(at + digits - 8, 8);
}

/* Read two vertices of at most 16 digits with one blank between them, as most lines have them, without
 * a branch per digit.  Returns their end, or NULL if there is anything else. */
static inline const char *read_plain(const struct graph_rules *rules, const char *at,
				     const char *end, uint64_t pair[2])
{
	const uint64_t limit = rules->n ? rules->n : UINT64_MAX;
	unsigned others, first, both;

	if (end - at < PLAIN)
		return NULL;
	others = find_others(at) | find_others(at + 8) << 8 | find_others(at + 16) << 16;
	first = (unsigned)__builtin_ctz(others | END);
	others &= others - 1;
	both = (unsigned)__builtin_ctz(others | END);
	if (first - 1 > 15 || both - first - 2 > 15 || !gb_is_blank(at[first]) ||
	    !column_ends(rules, at[both]))
		return NULL;
	pair[0] = join_more_digits(at, first) - rules->base;
	pair[1] = join_more_digits(at + first + 1, both - first - 1) - rules->base;
	return pair[0] < limit && pair[1] < limit ? at + both : NULL;
}

/* Read the edge in the line at p->at and advance to the newline.  Returns a fault or NULL. */
static const char *read_edge(struct parser *p, uint64_t pair[2])
{
	const struct graph_rules *rules = p->rules;
	const char *fault, *after;

	if (*rules->letters && !gb_is_digit(*p->at)) {
		if (!strchr(rules->letters, *p->at) || !gb_is_blank(p->at[1]))
			return "neither a comment nor an edge";
		p->at = gb_skip_blanks(p->at + 1);
	}
	after = read_plain(rules, p->at, p->chunk->end, pair);
	if (!after) {
		fault = read_vertex(p, &pair[0]);
		if (fault)
			return fault;
		p->at = next_column(rules, p->at);
		fault = read_vertex(p, &pair[1]);
		if (fault)
			return fault;
	} else {
		p->at = after;
	}
	if (*p->at == '\n' && p->chunk->columns == 2)
		return NULL;
	return read_tail(p, 2);
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* Advance to the next line of an edge; false at the end of the chunk. */
static bool find_edge(struct parser *p)
{
	const struct graph_rules *rules = p->rules;
	struct chunk *c = p->chunk;

	for (; p->at < c->end; p->at++) {
		if (gb_is_digit(*p->at))
			return true;
		p->at = skip_quote(rules, gb_skip_blanks(p->at));
		if (gb_is_digit(*p->at))
			return true;
		if (*p->at == '\n')
			continue;
		if (is_comment(p->at, rules->comments))
			c->found.comments++;
		else if (*p->at && strchr(rules->ignored, *p->at))
			c->found.ignored++;
		else
			return true;
		p->at = line_end(p->at);
	}
	return false;
}

/* Parse the lines of a chunk into its edges. */
static void parse(struct chunk *c, const struct graph_rules *rules, const struct graph_edges *edges)
{
	struct parser p = { rules, c, c->begin };
	uint64_t *pair = edges->id + 2 * c->first, largest = 0, count = 0;

	for (; find_edge(&p); p.at++, pair += 2) {
		c->fault = read_edge(&p, pair);
		if (c->fault) {
			c->fault_at = p.at;
			return;
		}
		largest = pair[0] > largest ? pair[0] : largest;
		largest = pair[1] > largest ? pair[1] : largest;
		if (++count % REPORT == 0 && omp_get_thread_num() == 0)
			gb_reader_progress((double)(p.at - c->begin) / (double)(c->end - c->begin));
	}
	c->count = count;
	c->found.largest = largest;
}

/* The numbers in the first line of an edge; 0 if it is faulty or there is none. */
static unsigned columns_of(const struct graph_rules *rules, const char *begin, const char *end)
{
	struct chunk c = { .begin = begin, .end = end };
	struct parser p = { rules, &c, begin };
	uint64_t pair[2];

	return find_edge(&p) && !read_edge(&p, pair) ? c.columns : 0;
}

/* Cut the text into `count` chunks at line ends. */
static void cut(struct chunk *chunk, int count, unsigned columns, const char *text, const char *end)
{
	const size_t size = (size_t)(end - text);
	const char *at = text;

	for (int i = 0; i < count; i++) {
		const char *want = text + size / (size_t)count * (size_t)(i + 1);

		chunk[i] = (struct chunk){ .begin = at, .columns = columns };
		at = i + 1 < count && want > at ? line_end(want) + 1 : at;
		at = i + 1 == count || at > end ? end : at;
		chunk[i].end = at;
	}
}

/* Give each chunk room for an edge per line.  Returns the number of lines. */
static size_t count_lines(struct chunk *chunk, int count)
{
	size_t lines = 0;

#pragma omp parallel for schedule(static)
	for (int i = 0; i < count; i++)
		chunk[i].lines = gb_count_lines(chunk[i].begin, chunk[i].end);
	for (int i = 0; i < count; i++) {
		chunk[i].first = lines;
		lines += chunk[i].lines;
	}
	return lines;
}

/* Close the gaps left by comments and blank lines, and add up what was found. */
static enum gb_status collect(const struct chunk *chunk, int count, struct gb_reader *r,
			      struct graph_edges *edges, struct graph_found *found)
{
	for (int i = 0; i < count; i++) {
		const struct chunk *c = &chunk[i];

		if (c->fault) {
			r->line += gb_count_lines(chunk[0].begin, c->fault_at + 1) - 1;
			return c->fault == NO_NUMBER
				       ? gb_reader_fail_at(r, "a vertex", "a natural number",
							   c->fault_at, gb_skip_word(c->fault_at))
				       : gb_reader_fail(r, "%s", c->fault);
		}
		if (c->count && c->first != edges->count)
			memmove(edges->id + 2 * edges->count, edges->id + 2 * c->first,
				2 * c->count * sizeof *edges->id);
		edges->count += c->count;
		found->comments += c->found.comments;
		found->ignored += c->found.ignored;
		found->valued += c->found.valued;
		found->worded += c->found.worded;
		found->largest =
			c->found.largest > found->largest ? c->found.largest : found->largest;
	}
	return GB_OK;
}

enum gb_status graph_read_lines(struct gb_reader *r, const char *end,
				const struct graph_rules *rules, struct graph_edges *edges,
				struct graph_found *found)
{
	struct chunk chunk[MAX_CHUNKS];
	const int threads = omp_get_max_threads(),
		  count = threads < MAX_CHUNKS ? threads : MAX_CHUNKS;

	*found = (struct graph_found){ 0 };
	cut(chunk, count, columns_of(rules, r->at, end), r->at, end);
	edges->id = gb_host_alloc(count_lines(chunk, count), 2 * sizeof *edges->id, r->err);
	if (!edges->id)
		return r->err->code;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < count; i++)
		parse(&chunk[i], rules, edges);
	return collect(chunk, count, r, edges, found);
}

void graph_note_ignored(const struct graph_found *found, const char *edges)
{
	if (found->valued)
		gb_reader_note("weights of %s ignored: %zu", edges, found->valued);
	if (found->worded)
		gb_reader_note("text after %s ignored: %zu", edges, found->worded);
	if (found->ignored)
		gb_reader_note("other lines ignored: %zu", found->ignored);
}
