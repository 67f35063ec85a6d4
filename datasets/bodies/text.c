/* text.c -- read bodies from text: a line for each, with columns that a heading names x, y and z, or
 * else the first three.
 *
 * The columns are separated by commas, semicolons, tabs or blanks, as the first line of numbers shows.
 * A heading names them, as the first line or as a comment before it.  A first line with one number
 * must be that of the lines that follow (.pts), or of those after one more, whose first column is then
 * a symbol (.xyz of chemistry).
 */
#include <ctype.h>
#include <string.h>

#include "common/text.h"
#include "datasets/bodies/reading.h"

enum { MOST_NAME = 24 };

struct table {
	struct gb_bodies *b;
	struct gb_reader *r;
	char separator;   /* ',', ';' or '\t'; ' ' for one or more blanks */
	bool more;        /* the line at hand has another field */
	bool named;       /* the columns have names */
	size_t column[3]; /* those of x, y, z, from 0 */
	size_t columns;   /* of the heading or the first row; 0: not yet known */
	size_t longer;    /* rows with more */
};

/* ---- lines and fields --------------------------------------------------------------------- */

static const char *line_end(const struct gb_reader *r)
{
	return memchr(r->at, '\n', (size_t)(r->end - r->at) + 1);
}

static bool has(const struct gb_reader *r, char c)
{
	return memchr(r->at, c, (size_t)(line_end(r) - r->at));
}

static bool is_comment(char c)
{
	return c == '#' || c == '%';
}

/* Skip empty lines and comments.  False at the end of the file. */
static bool find_row(struct gb_reader *r)
{
	for (; r->at < r->end; gb_reader_next_line(r)) {
		const char first = *gb_skip_blanks(r->at);

		if (first != '\n' && !is_comment(first))
			return true;
	}
	return false;
}

static void skip_blanks(struct table *t)
{
	while (*t->r->at == ' ' || *t->r->at == '\r' || (*t->r->at == '\t' && t->separator != '\t'))
		t->r->at++;
}

static void start_line(struct table *t, char tab_or_blank)
{
	const struct gb_reader *r = t->r;

	t->separator = has(r, ';') ? ';' : has(r, ',') ? ',' : tab_or_blank;
	t->more = true;
}

/* Go to the next field, or to the end of the line.  False if another character is there. */
static bool end_field(struct table *t)
{
	const char *start = t->r->at;

	skip_blanks(t);
	if (t->separator == ' ') {
		t->more = *t->r->at != '\n';
		return t->r->at > start || !t->more;
	}
	t->more = *t->r->at == t->separator;
	t->r->at += t->more;
	return t->more || *t->r->at == '\n';
}

/* Skip a field, which may be in quotes.  Returns its length. */
static size_t skip_field(struct table *t, const char **text)
{
	struct gb_reader *r = t->r;
	const char *end;

	skip_blanks(t);
	if (*r->at == '"') {
		*text = ++r->at;
		while (*r->at != '\n' && *r->at != '"')
			r->at++;
		end = r->at;
		r->at += *r->at == '"';
	} else {
		*text = r->at;
		while (*r->at != '\n' && *r->at != t->separator &&
		       !(t->separator == ' ' && gb_is_blank(*r->at)))
			r->at++;
		for (end = r->at; end > *text && gb_is_blank(end[-1]);)
			end--;
	}
	while (!end_field(t))
		r->at++;
	return (size_t)(end - *text);
}

/* Read a number, which may be in quotes.  False, with the reader where it was, if there is none. */
static bool take_number(struct table *t, double *value)
{
	struct gb_reader *r = t->r;
	const char *start, *after;
	bool quoted;

	skip_blanks(t);
	start = r->at;
	quoted = *start == '"';
	after = quoted ? gb_skip_blanks(start + 1) : start;
	after = gb_is_space(*after) ? NULL : gb_read_number(after, value);
	if (after && quoted)
		after = gb_skip_blanks(after);
	if (after && (!quoted || *after == '"')) {
		r->at = after + quoted;
		if (end_field(t))
			return true;
	}
	r->at = start;
	return false;
}

/* ---- the heading -------------------------------------------------------------------------- */

/* The axis that a column's name means, or -1.  A unit may follow: "x [m]". */
static int axis_of(const char *text, size_t length)
{
	static const char *const names[][3] = {
		{ "x", "y", "z" },
		{ "px", "py", "pz" },
		{ "posx", "posy", "posz" },
		{ "pos_x", "pos_y", "pos_z" },
		{ "position_x", "position_y", "position_z" },
		{ "points:0", "points:1", "points:2" },
		{ "points_0", "points_1", "points_2" },
	};
	char name[MOST_NAME] = "";
	size_t n = 0;

	while (length && strchr("/#%", *text))
		text++, length--;
	for (; n < length && n < MOST_NAME - 1 && !strchr(" \t[(", text[n]); n++)
		name[n] = (char)tolower((unsigned char)text[n]);
	for (size_t i = 0; i < GB_COUNT(names); i++)
		for (int d = 0; d < 3; d++)
			if (gb_equal(name, names[i][d]))
				return d;
	return -1;
}

/* Read the names of columns from r->at on.  Returns a set of the axes that they name, and 8 more if
 * they name one twice. */
static unsigned read_names(struct table *t)
{
	unsigned axes = 0;
	const char *text;

	start_line(t, has(t->r, '\t') ? '\t' : ' ');
	for (t->columns = 0; t->more; t->columns++) {
		const size_t length = skip_field(t, &text);
		const int axis = axis_of(text, length);

		if (axis < 0)
			continue;
		axes |= axes & 1U << axis ? 8 : 1U << axis;
		t->column[axis] = t->columns;
	}
	return axes;
}

/* Look for a heading among the comments before the first row. */
static void read_comments(struct table *t)
{
	struct gb_reader *r = t->r;

	for (; r->at < r->end && !t->named; gb_reader_next_line(r)) {
		if (gb_reader_line_ends(r))
			continue;
		if (!is_comment(*r->at))
			break;
		while (is_comment(*r->at) || gb_is_blank(*r->at))
			r->at++;
		t->named = *r->at != '\n' && read_names(t) == 7;
	}
}

static size_t count_columns(struct table t)
{
	struct gb_reader r = *t.r;
	const char *text;
	size_t columns = 0;

	t.r = &r;
	for (start_line(&t, t.separator == '\t' ? '\t' : ' '); t.more; columns++)
		(void)skip_field(&t, &text);
	return columns;
}

/* True if each field of the line is a number or empty. */
static bool is_row(struct table t)
{
	struct gb_reader r = *t.r;
	const char *text;
	double unused;

	t.r = &r;
	for (start_line(&t, ' '); t.more;)
		if (!take_number(&t, &unused) && skip_field(&t, &text))
			return false;
	return true;
}

/* Read the first line, if it is a heading.  A comment is one only if each row has as many columns. */
static enum gb_status read_heading(struct table *t)
{
	const char *const line = t->r->at;
	const bool named = t->named && count_columns(*t) == t->columns;
	unsigned axes;

	if (named)
		return GB_OK;
	*t = (struct table){ .b = t->b, .r = t->r, .column = { 0, 1, 2 } };
	if (is_row(*t))
		return GB_OK;
	axes = read_names(t);
	t->r->at = line;
	if (axes & 8)
		return gb_reader_fail(t->r, "two columns have the name of one axis");
	if (axes != 7)
		return gb_reader_fail(t->r, "the first line names no column %s",
				      !axes      ? "x, y or z"
				      : axes & 1 ? axes & 2 ? "z" : "y"
						 : "x");
	t->named = true;
	gb_reader_next_line(t->r);
	return GB_OK;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* If the first row is one number, it must be that of the lines that follow. */
static enum gb_status read_count(struct table *t)
{
	struct gb_reader rest = *t->r;
	const size_t line = t->r->line;
	size_t rows = 0, last = line;
	double count;

	if (t->named)
		return GB_OK;
	start_line(t, ' ');
	if (!take_number(t, &count) || t->more) {
		*t->r = rest;
		return GB_OK;
	}
	gb_reader_next_line(t->r);
	rest = *t->r;
	for (; find_row(&rest); gb_reader_next_line(&rest), rows++)
		last = rest.line;
	rest = *t->r;
	gb_reader_next_line(&rest);
	if ((double)(last - line) == count + 1 &&
	    isalpha((unsigned char)*gb_skip_blanks(rest.at))) {
		*t->r = rest;
		t->column[0] = 1;
		t->column[1] = 2;
		t->column[2] = 3;
		t->named = true;
		gb_reader_tell("a symbol per line");
		return GB_OK;
	}
	if ((double)rows != count)
		return gb_reader_fail(t->r, "%zu lines follow one with the number %.10g", rows,
				      count);
	gb_reader_tell("line %zu is the number of lines", line);
	return GB_OK;
}

static enum gb_status fail_at_field(struct table *t, int d)
{
	const char *text;
	const char *const start = t->r->at;
	const size_t length = skip_field(t, &text);
	char word[21] = "";

	t->r->at = start;
	if (length == 0)
		return gb_reader_fail(t->r, "%c is missing", "xyz"[d]);
	for (size_t i = 0; i < length && i < sizeof word - 1; i++)
		word[i] = (char)(text[i] >= ' ' && text[i] < 127 ? text[i] : '?');
	return gb_reader_fail(t->r, "%c is not a number: %s", "xyz"[d], word);
}

/* Read the body of a row. */
static enum gb_status read_row(struct table *t)
{
	double place[3];
	size_t columns = 0;

	for (t->more = true; t->more; columns++) {
		const char *text;
		int d = 0;

		while (d < 3 && t->column[d] != columns)
			d++;
		if (d < 3 && !take_number(t, &place[d]))
			return fail_at_field(t, d);
		if (d == 3 && skip_field(t, &text) == 0 && !t->more)
			break; /* a separator at the end of the line */
	}
	for (int d = 0; d < 3; d++)
		if (t->column[d] >= columns)
			return gb_reader_fail(t->r, "%zu columns: %c is missing", columns,
					      "xyz"[d]);
	if (!t->columns)
		t->columns = columns;
	if (columns < t->columns)
		return gb_reader_fail(t->r, "%zu columns, and %zu before", columns, t->columns);
	t->longer += columns > t->columns;
	for (int d = 0; d < 3; d++)
		if (gb_bodies_set(t->b, t->r, t->b->count, d, place[d]))
			return t->r->err->code;
	t->b->count++;
	return GB_OK;
}

static void note_columns(const struct table *t)
{
	if (t->columns > 3 && t->named)
		gb_reader_tell("x, y, z in columns %zu, %zu, %zu of %zu", t->column[0] + 1,
			       t->column[1] + 1, t->column[2] + 1, t->columns);
	else if (t->columns > 3)
		gb_reader_note("columns 1, 2, 3 of %zu taken", t->columns);
	if (t->longer)
		gb_reader_note("rows with more columns than the first: %zu", t->longer);
}

enum gb_status gb_bodies_read_text(struct gb_bodies *b, struct gb_reader *r)
{
	struct table t = { .b = b, .r = r, .column = { 0, 1, 2 } };

	if (gb_reader_start_text(r) || gb_bodies_alloc(b, r, gb_count_lines(r->at, r->end)))
		return r->err->code;
	read_comments(&t);
	if (!find_row(r))
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	if (read_heading(&t) || read_count(&t))
		return r->err->code;
	if (find_row(r))
		start_line(&t, t.named && t.separator == '\t' ? '\t' : ' ');
	for (; b->count < b->room && find_row(r); gb_reader_next_line(r)) {
		const char *end = line_end(r);

		if (memchr(r->at, '\0', (size_t)(end - r->at)))
			return gb_reader_fail(r, "a zero byte in a line of text");
		if (read_row(&t))
			return r->err->code;
		if (b->count % 65536 == 0)
			gb_reader_progress((double)(r->at - r->begin) /
					   (double)(r->end - r->begin));
	}
	if (!b->count)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	note_columns(&t);
	return GB_OK;
}
