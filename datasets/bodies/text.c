/* text.c -- read bodies from text: a line for each, with columns that a heading names x, y and z, or
 * else the first three.
 *
 * The columns are separated by commas, semicolons, tabs or blanks, as the first line of numbers shows.
 * A heading is the first line or a comment before it.  A first line with one number must be that of
 * the lines that follow (.pts), or of those after one more, whose first column is then a symbol (.xyz
 * of chemistry).
 */
#include <ctype.h>
#include <string.h>

#include "common/text.h"
#include "datasets/bodies/reading.h"

enum { MOST_FIELDS = 256, MOST_NAME = 24 };

struct field {
	const char *at, *end; /* without blanks and quotes around it */
};

struct table {
	struct gb_bodies *b;
	struct gb_reader *r;
	char separator;                  /* ',', ';' or '\t'; ' ' for one or more blanks */
	bool named;                      /* the columns have names */
	size_t column[3];                /* those of x, y, z, from 0 */
	size_t columns;                  /* of the heading or the first row; 0: not yet known */
	size_t longer;                   /* rows with more */
	struct field field[MOST_FIELDS]; /* of the line at hand */
};

/* ---- lines and fields --------------------------------------------------------------------- */

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

static void choose_separator(struct table *t, char tab_or_blank)
{
	const char *at = t->r->at, *end = memchr(at, '\n', (size_t)(t->r->end - at) + 1);
	const size_t length = (size_t)(end - at);

	t->separator = tab_or_blank;
	if (memchr(at, ';', length))
		t->separator = ';';
	else if (memchr(at, ',', length))
		t->separator = ',';
}

/* The next field of the line at *at, which goes to the separator or the newline after it. */
static struct field next_field(const struct table *t, const char **at)
{
	const char *c = *at, *end;
	struct field f;

	while (*c == ' ' || *c == '\r' || (*c == '\t' && t->separator != '\t'))
		c++;
	if (*c == '"') {
		f.at = ++c;
		while (*c != '"' && *c != '\n')
			c++;
		end = c;
	} else {
		f.at = c;
		end = NULL;
	}
	while (*c != '\n' && *c != t->separator && (t->separator != ' ' || !gb_is_blank(*c)))
		c++;
	*at = c;
	for (f.end = end ? end : c; f.end > f.at && gb_is_blank(f.end[-1]);)
		f.end--;
	return f;
}

/* Split the line at hand into fields, and return their number.  An empty last one, after a separator
 * at the end of the line, does not count. */
static size_t split(struct table *t)
{
	const char *at = t->r->at;
	size_t fields = 0;

	for (;; at++) {
		const struct field f = next_field(t, &at);

		if (*at == '\n' && f.at == f.end)
			return fields;
		if (fields < MOST_FIELDS)
			t->field[fields] = f;
		fields++;
		if (*at == '\n')
			return fields;
	}
}

static bool is_number(const struct field *f, double *value)
{
	const char *at = gb_skip_blanks(f->at);

	return at < f->end && gb_read_number(at, value) == f->end;
}

/* ---- the heading -------------------------------------------------------------------------- */

/* The axis that a column's name means, or -1.  A unit may follow: "x [m]". */
static int axis_of(const struct field *f)
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
	const char *at = f->at;
	char name[MOST_NAME] = "";

	while (at < f->end && strchr("/#% ", *at))
		at++;
	for (size_t n = 0; at < f->end && n < MOST_NAME - 1 && !strchr(" \t[(", *at); n++, at++)
		name[n] = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < GB_COUNT(names); i++)
		for (int d = 0; d < 3; d++)
			if (gb_equal(name, names[i][d]))
				return d;
	return -1;
}

/* Read the names of columns in the line at hand.  Returns a set of the axes that they name, and 8 more
 * if they name one twice. */
static unsigned read_names(struct table *t)
{
	unsigned axes = 0;

	choose_separator(t, memchr(t->r->at, '\t', strcspn(t->r->at, "\n")) ? '\t' : ' ');
	t->columns = split(t);
	for (size_t i = 0; i < t->columns && i < MOST_FIELDS; i++) {
		const int axis = axis_of(&t->field[i]);

		if (axis < 0)
			continue;
		axes |= axes & 1U << axis ? 8 : 1U << axis;
		t->column[axis] = i;
	}
	return axes;
}

/* Look for a heading among the comments before the first row; it has as many columns as that row. */
static void read_comments(struct table *t)
{
	const struct gb_reader start = *t->r;
	struct gb_reader *r = t->r;
	struct table with = *t;

	for (; r->at < r->end && !with.named; gb_reader_next_line(r)) {
		r->at = gb_skip_blanks(r->at);
		if (*r->at != '\n' && !is_comment(*r->at))
			break;
		r->at += strspn(r->at, "#% \t");
		with.named = *r->at != '\n' && read_names(&with) == 7;
	}
	if (with.named && find_row(r)) {
		choose_separator(&with, with.separator == '\t' ? '\t' : ' ');
		if (split(&with) == with.columns)
			*t = with;
	}
	*r = start;
}

/* Read the first line if it is a heading: if a field is neither a number nor empty. */
static enum gb_status read_heading(struct table *t)
{
	bool words = false;
	size_t fields;
	unsigned axes;
	double unused;

	choose_separator(t, ' ');
	fields = split(t);
	for (size_t i = 0; i < fields && i < MOST_FIELDS; i++)
		words |= t->field[i].at < t->field[i].end && !is_number(&t->field[i], &unused);
	if (t->named || !words)
		return GB_OK;
	axes = read_names(t);
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

/* If the first row is one number, it must be that of the lines that follow. */
static enum gb_status read_count(struct table *t)
{
	const size_t line = t->r->line;
	size_t rows = 0, last = line;
	struct gb_reader rest;
	double count;

	if (t->named || split(t) != 1 || !is_number(&t->field[0], &count))
		return GB_OK;
	gb_reader_next_line(t->r);
	rest = *t->r;
	for (; find_row(&rest); gb_reader_next_line(&rest), rows++)
		last = rest.line;
	rest = *t->r;
	gb_reader_next_line(&rest);
	if ((double)(last - line) == count + 1 &&
	    isalpha((unsigned char)*gb_skip_blanks(rest.at))) {
		*t->r = rest;
		for (size_t d = 0; d < 3; d++)
			t->column[d] = d + 1;
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

/* ---- rows --------------------------------------------------------------------------------- */

/* Read the body of a row. */
static enum gb_status read_row(struct table *t)
{
	const size_t columns = split(t);
	double place;

	for (int d = 0; d < 3; d++) {
		const struct field *f = &t->field[t->column[d]];

		if (t->column[d] >= columns || f->at == f->end)
			return gb_reader_fail(t->r, "%c is missing", "xyz"[d]);
		if (!is_number(f, &place))
			return gb_reader_fail_at(t->r, (char[2]){ "xyz"[d] }, "a number", f->at,
						 f->end);
		if (gb_bodies_set(t->b, t->r, t->b->count, d, place))
			return t->r->err->code;
	}
	if (!t->columns)
		t->columns = columns;
	if (columns < t->columns)
		return gb_reader_fail(t->r, "%zu columns, and %zu before", columns, t->columns);
	t->longer += columns > t->columns;
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
	if (find_row(r) && (read_heading(&t) || read_count(&t)))
		return r->err->code;
	if (find_row(r))
		choose_separator(&t, t.named && t.separator == '\t' ? '\t' : ' ');
	for (; b->count < b->room && find_row(r); gb_reader_next_line(r)) {
		if (read_row(&t))
			return r->err->code;
		if (b->count % (1 << 16) == 0)
			gb_reader_progress_at(r);
	}
	if (!b->count)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	b->found = b->count;
	note_columns(&t);
	return GB_OK;
}
