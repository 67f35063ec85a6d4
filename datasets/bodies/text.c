/* text.c -- read bodies from text: a line for each, with columns that a heading names x, y and z, or
 * else the first three.
 *
 * The columns are separated by commas, semicolons, tabs or blanks, as the first line of numbers shows.
 * A heading is the first line or a comment before it.  A first line with one number must be that of
 * the lines that follow (.pts).
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
	bool named;                      /* a heading names the columns */
	bool tabs;                       /* it separates them by tabs */
	size_t column[3];                /* those of x, y, z, from 0 */
	size_t columns;                  /* of the heading or the first row; 0: not yet known */
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

static void choose_separator(struct table *t)
{
	const size_t length = strcspn(t->r->at, "\n");

	t->separator = t->tabs ? '\t' : ' ';
	if (memchr(t->r->at, ';', length))
		t->separator = ';';
	else if (memchr(t->r->at, ',', length))
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

/* Take the names of columns in the line at hand.  Returns the axis that has none, 'x', 'y' or 'z', and
 * changes nothing then; else 0. */
static char read_names(struct table *t)
{
	size_t column[3] = { SIZE_MAX, SIZE_MAX, SIZE_MAX }, columns;

	t->tabs = memchr(t->r->at, '\t', strcspn(t->r->at, "\n"));
	choose_separator(t);
	t->tabs = false;
	columns = split(t);
	for (size_t i = 0; i < columns && i < MOST_FIELDS; i++) {
		const int axis = axis_of(&t->field[i]);

		if (axis >= 0)
			column[axis] = i;
	}
	for (int d = 0; d < 3; d++)
		if (column[d] == SIZE_MAX)
			return "xyz"[d];
	memcpy(t->column, column, sizeof column);
	t->columns = columns;
	t->named = true;
	t->tabs = t->separator == '\t';
	return 0;
}

/* Read the comments before the first row, which may have names for as many columns as that row, and
 * the row itself if it is a heading: if a field is neither a number nor empty. */
static enum gb_status read_heading(struct table *t)
{
	struct gb_reader *r = t->r;
	bool words = false;
	size_t fields;
	double unused;
	char missing;

	for (; r->at < r->end; gb_reader_next_line(r)) {
		const char *at = gb_skip_blanks(r->at);

		if (*at != '\n' && !is_comment(*at))
			break;
		r->at = at + strspn(at, "#% \t");
		if (*r->at != '\n')
			(void)read_names(t);
	}
	if (r->at == r->end)
		return GB_OK;
	choose_separator(t);
	fields = split(t);
	if (t->named && fields == t->columns)
		return GB_OK;
	*t = (struct table){ .b = t->b, .r = r, .column = { 0, 1, 2 } };
	choose_separator(t);
	fields = split(t);
	for (size_t i = 0; i < fields && i < MOST_FIELDS; i++)
		words |= t->field[i].at < t->field[i].end && !is_number(&t->field[i], &unused);
	if (!words)
		return GB_OK;
	missing = read_names(t);
	if (missing)
		return gb_reader_fail(r, "the first line names no column %c", missing);
	gb_reader_next_line(r);
	return GB_OK;
}

/* If the first row is one number, it must be that of the lines that follow. */
static enum gb_status read_count(struct table *t)
{
	const size_t line = t->r->line;
	struct gb_reader rest;
	size_t rows = 0;
	double count;

	if (t->named || split(t) != 1 || !is_number(&t->field[0], &count))
		return GB_OK;
	gb_reader_next_line(t->r);
	for (rest = *t->r; find_row(&rest); gb_reader_next_line(&rest))
		rows++;
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
	if (columns != t->columns)
		return gb_reader_fail(t->r, "%zu columns, and %zu before", columns, t->columns);
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
}

enum gb_status gb_bodies_read_text(struct gb_bodies *b, struct gb_reader *r)
{
	struct table t = { .b = b, .r = r, .column = { 0, 1, 2 } };

	if (gb_reader_start_text(r) || gb_bodies_alloc(b, r, gb_count_lines(r->at, r->end)))
		return r->err->code;
	if (read_heading(&t) || (find_row(r) && read_count(&t)))
		return r->err->code;
	if (find_row(r))
		choose_separator(&t);
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
