/* read.c -- read the positions of bodies from files.
 *
 * The contents tell the format, if not the name of a text.  Each reader first computes an upper bound
 * on the number of bodies (text: the number of lines), then allocates the arrays and fills them.
 */
#include "datasets/bodies/bodies.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/reading/npy.h"
#include "datasets/reading/ply.h"

/* ---- arrays ------------------------------------------------------------------------------ */

struct bodies {
	struct octree_input *in; /* in->count: bodies read */
	struct gb_reader *r;
	size_t limit;           /* bodies wanted; 0: all */
	size_t found;           /* bodies of the file; of text, those read */
	size_t room;            /* bodies allocated */
	double low[3], high[3]; /* the coordinates, before they are rounded */
	bool rounded;
};

/* Allocate the arrays for at most that many bodies of the file, or for the limit if that is less. */
static enum gb_status allocate(struct bodies *b, size_t bodies)
{
	const struct gb_reader *r = b->r;
	struct gb_error memory = { 0 };

	b->found = bodies;
	if (b->limit && b->limit < bodies)
		bodies = b->limit;
	if (!bodies)
		return gb_reader_reject(r, " holds no bodies");
	if (bodies > OCTREE_MAX_COUNT)
		return gb_reader_reject(r, " holds %zu bodies, more than %d: see --count", bodies,
					OCTREE_MAX_COUNT);
	if (gb_reader_claim(r, 12.0 * (double)bodies, "%zu bodies", bodies))
		return r->err->code;
	b->in->x = gb_host_alloc(bodies, sizeof *b->in->x, &memory);
	b->in->y = gb_host_alloc(bodies, sizeof *b->in->y, &memory);
	b->in->z = gb_host_alloc(bodies, sizeof *b->in->z, &memory);
	if (!b->in->z)
		return gb_fail(r->err, memory.code, "%s, %zu bodies: %s", r->path, bodies,
			       memory.message);
	b->room = bodies;
	return GB_OK;
}

/* Store coordinate d of body i, which must be a finite float.  A double beyond the range of float
 * becomes an infinite one. */
static enum gb_status set(struct bodies *b, size_t i, int d, double position)
{
	float *const axis[] = { b->in->x, b->in->y, b->in->z };
	const float value = (float)position;

	if (!isfinite(value) && b->r->line)
		return gb_reader_fail(b->r, "%c is %g, not a finite float32", "xyz"[d], position);
	if (!isfinite(value))
		return gb_reader_reject(b->r, ": %c of body %zu is %g, not a finite float32",
					"xyz"[d], i, position);
	b->low[d] = position < b->low[d] ? position : b->low[d];
	b->high[d] = position > b->high[d] ? position : b->high[d];
	b->rounded |= (double)value < position || (double)value > position;
	axis[d][i] = value;
	return GB_OK;
}

/* ---- text: lines and fields ---------------------------------------------------------------
 *
 * A line for each body, with columns that a heading names x, y and z, or else the first three.  The
 * columns are separated by commas, semicolons, tabs or blanks, as the first line of numbers shows.
 * A heading is the first line or a comment before it.  A first line with one number must be that of
 * the lines that follow (.pts).
 */

enum { MOST_FIELDS = 256, MOST_NAME = 24 };

struct field {
	const char *at, *end; /* without blanks and quotes around it */
};

struct table {
	struct bodies *b;
	struct gb_reader *r;
	char blank;                      /* '\t' after a heading that tabs separate, else ' ' */
	char separator;                  /* ',', ';' or '\t'; ' ' for one or more blanks */
	bool named;                      /* a heading names the columns */
	size_t column[3];                /* those of x, y, z, from 0 */
	size_t columns;                  /* of the heading or the first row; 0: not yet known */
	struct field field[MOST_FIELDS]; /* of the line at hand */
};

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

/* Choose the separator that the line at hand shows: `other` if neither a semicolon nor a comma. */
static void choose_separator(struct table *t, char other)
{
	const size_t length = strcspn(t->r->at, "\n");

	t->separator = other;
	if (memchr(t->r->at, ';', length))
		t->separator = ';';
	else if (memchr(t->r->at, ',', length))
		t->separator = ',';
}

/* The next field of the line at *at, which goes to the separator or the newline after it. */
static struct field next_field(const struct table *t, const char **at)
{
	const char *c = *at;
	struct field f;
	bool quoted;

	while (*c == ' ' || *c == '\r' || (*c == '\t' && t->separator != '\t'))
		c++;
	quoted = *c == '"';
	f.at = c += quoted;
	c += quoted ? strcspn(c, "\"\n") : 0;
	f.end = c;
	while (*c != '\n' && *c != t->separator && (t->separator != ' ' || !gb_is_blank(*c)))
		c++;
	f.end = quoted ? f.end : c;
	while (f.end > f.at && gb_is_blank(f.end[-1]))
		f.end--;
	*at = c;
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

/* ---- text: the heading -------------------------------------------------------------------- */

/* The axis that a column's name means, or -1: "x", "pos_x", "Points:0".  A unit may follow: "x [m]". */
static int axis_of(const struct field *f)
{
	static const char *const names[] = { "",       "pos",   "position",   "point",
					     "points", "coord", "coordinates" };
	const char *at = f->at;
	char name[MOST_NAME] = "";

	while (at < f->end && strchr("/#% ", *at))
		at++;
	for (size_t n = 0; at < f->end && n < MOST_NAME - 1 && !strchr(" \t[(", *at); n++, at++)
		name[n] = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < GB_COUNT(names); i++) {
		const size_t length = strlen(names[i]);
		const char *axis = name + length;

		axis += length && *axis && strchr("_.:", *axis);
		if (!strncmp(name, names[i], length) && *axis && !axis[1] &&
		    strchr(length ? "xyz012" : "xyz", *axis))
			return *axis < 'x' ? *axis - '0' : *axis - 'x';
	}
	return -1;
}

/* Take the names of columns in the line at hand.  Returns the axis that has none, 'x', 'y' or 'z', and
 * changes nothing then; else 0. */
static char read_names(struct table *t)
{
	size_t column[3] = { SIZE_MAX, SIZE_MAX, SIZE_MAX }, columns;

	choose_separator(t, memchr(t->r->at, '\t', strcspn(t->r->at, "\n")) ? '\t' : ' ');
	columns = split(t);
	for (size_t i = 0; i < columns && i < MOST_FIELDS; i++) {
		const int axis = axis_of(&t->field[i]);

		if (axis >= 0 && column[axis] == SIZE_MAX)
			column[axis] = i;
	}
	for (int d = 0; d < 3; d++)
		if (column[d] == SIZE_MAX)
			return "xyz"[d];
	memcpy(t->column, column, sizeof column);
	t->columns = columns;
	t->named = true;
	t->blank = t->separator == '\t' ? '\t' : ' ';
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
	choose_separator(t, t->blank);
	if (t->named && split(t) == t->columns)
		return GB_OK;
	*t = (struct table){ .b = t->b, .r = r, .column = { 0, 1, 2 }, .blank = ' ' };
	choose_separator(t, t->blank);
	fields = split(t);
	for (size_t i = 0; i < fields && i < MOST_FIELDS; i++)
		words |= t->field[i].at < t->field[i].end && !is_number(&t->field[i], &unused);
	if (!words)
		return GB_OK;
	missing = read_names(t);
	if (missing)
		return gb_reader_fail(r, "the first line is not numbers, and names no column %c",
				      missing);
	gb_reader_next_line(r);
	return GB_OK;
}

/* If the first row is one number, it must be that of the lines that follow.  In an .xyz file of atoms,
 * these are a comment and then a row for each, which the name of the element begins. */
static enum gb_status read_count(struct table *t)
{
	const size_t line = t->r->line;
	struct gb_reader rest;
	size_t rows = 0;
	double count, unused;
	bool names;

	if (t->named || split(t) != 1 || !is_number(&t->field[0], &count))
		return GB_OK;
	gb_reader_next_line(t->r);
	rest = *t->r;
	for (rest.quiet = true; find_row(&rest); gb_reader_next_line(&rest))
		rows++;
	rest = *t->r;
	if ((double)rows == count + 1 && find_row(t->r))
		gb_reader_next_line(t->r);
	names = find_row(t->r) && split(t) > 3 && !is_number(&t->field[0], &unused);
	if ((double)rows != count && ((double)rows != count + 1 || !names))
		return gb_reader_fail(&rest, "line %zu says %.10g bodies, but %zu lines follow it",
				      line, count, rows);
	for (size_t d = 0; d < 3; d++)
		t->column[d] = d + names;
	gb_reader_tell("number of bodies in line %zu", line);
	return GB_OK;
}

/* ---- text: rows --------------------------------------------------------------------------- */

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
		if (set(t->b, t->b->in->count, d, place))
			return t->r->err->code;
	}
	if (!t->columns)
		t->columns = columns;
	if (columns != t->columns)
		return gb_reader_fail(t->r, "%zu columns, and %zu before", columns, t->columns);
	t->b->in->count++;
	return GB_OK;
}

static enum gb_status read_text(struct bodies *b)
{
	struct gb_reader *r = b->r;
	struct table t = { .b = b, .r = r, .column = { 0, 1, 2 }, .blank = ' ' };

	gb_reader_is(r, GB_FILE_CSV, "");
	if (gb_reader_start_text(r) || allocate(b, gb_count_lines(r->at, r->end)))
		return r->err->code;
	if (read_heading(&t) || (find_row(r) && read_count(&t)))
		return r->err->code;
	if (find_row(r))
		choose_separator(&t, t.blank);
	for (; b->in->count < b->room && find_row(r); gb_reader_next_line(r)) {
		if (read_row(&t))
			return r->err->code;
	}
	if (!b->in->count)
		return gb_reader_reject(r, " holds no bodies");
	b->found = b->in->count;
	if (t.columns > 3)
		gb_reader_note("x, y, z in columns %zu, %zu, %zu of %zu", t.column[0] + 1,
			       t.column[1] + 1, t.column[2] + 1, t.columns);
	return GB_OK;
}

/* ---- ply, npy and raw -------------------------------------------------------------------- */

static enum gb_status take_vertex(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				  uint32_t values, void *to)
{
	double value = 0;

	(void)values;
	return gb_ply_value(p, q, &value) ? p->r->err->code : set(to, row, q->axis, value);
}

static enum gb_status read_ply(struct bodies *b)
{
	struct gb_ply p;

	gb_reader_is(b->r, GB_FILE_PLY, "");
	if (gb_ply_read_header(&p, b->r) || allocate(b, p.vertex->count))
		return b->r->err->code;
	b->in->count = b->room;
	return gb_ply_read(&p, b->room, take_vertex, b);
}

/* Take a body from each row of an array. */
static enum gb_status take_rows(struct bodies *b, const struct gb_npy *n)
{
	size_t *const i = &b->in->count;

	if (allocate(b, n->rows))
		return b->r->err->code;
	for (; *i < b->room; ++*i)
		for (int d = 0; d < 3; d++)
			if (set(b, *i, d, gb_npy_value(n, *i, (size_t)d)))
				return b->r->err->code;
	if (n->columns > 3)
		gb_reader_note("x, y, z in columns 1, 2, 3 of %zu", n->columns);
	return GB_OK;
}

static enum gb_status read_npy(struct bodies *b)
{
	struct gb_reader *r = b->r;
	struct gb_npy n;

	gb_reader_is(r, GB_FILE_NPY_BODIES, "");
	if (gb_npy_open(&n, r))
		return r->err->code;
	if (n.columns < 3 || (n.rows == 3 && n.columns > 3))
		return gb_reader_reject(
			r,
			": a NumPy array of %zu x %zu numbers has no row x, y, z for each "
			"body",
			n.rows, n.columns);
	return take_rows(b, &n);
}

/* True if the magnitude of a float is as usual: a float64's lower half, which is random or a few bits
 * and zeros, often is not. */
static bool is_usual(const char *at)
{
	float value;

	memcpy(&value, at, sizeof value);
	value = fabsf(value);
	return value == 0 || (value > 1e-18f && value < 1e18f);
}

/* True if the numbers look like float64: the upper halves are usual floats, and an eighth of the lower
 * halves are not. */
static bool is_float64(const struct gb_reader *r)
{
	const size_t pairs = (size_t)(r->end - r->begin) / 8, most = 1 << 16;
	size_t odd = 0;

	for (size_t i = 0; i < pairs && i < most; i++) {
		if (!is_usual(r->begin + 8 * i + 4))
			return false;
		odd += !is_usual(r->begin + 8 * i);
	}
	return odd > 1 + (pairs < most ? pairs : most) / 8;
}

static enum gb_status read_raw(struct bodies *b)
{
	struct gb_reader *r = b->r;
	const size_t bytes = (size_t)(r->end - r->begin), body = 3 * sizeof(float);
	const struct gb_npy n = { .kind = 'f',
				  .size = sizeof(float),
				  .rows = bytes / body,
				  .columns = 3,
				  .data = (const unsigned char *)r->begin };

	gb_reader_is(r, GB_FILE_BODIES, "");
	/* The header of a snapshot is a record of Fortran with 256 bytes. */
	if (bytes > 264 && !memcmp(r->begin, "\0\1\0", 4) && !memcmp(r->begin + 260, "\0\1\0", 4))
		return gb_reader_reject(r, " is not a file of bodies, but a Gadget snapshot");
	if (bytes % body)
		return gb_reader_reject(
			r, ": %zu bytes is not a multiple of %zu (three float32 per body)", bytes,
			body);
	r->line = 0;
	if (is_float64(r))
		return gb_reader_reject(
			r, ": the numbers look like float64, and raw files are read as "
			   "float32: an .npy file can have both");
	return take_rows(b, &n);
}

/* ---- any --------------------------------------------------------------------------------- */

static enum gb_status read_any(struct bodies *b)
{
	if (gb_is_ply(b->r))
		return read_ply(b);
	if (gb_is_npy(b->r))
		return read_npy(b);
	if (gb_reader_refuse(b->r))
		return b->r->err->code;
	return gb_reader_is_text(b->r) ? read_text(b) : read_raw(b);
}

enum gb_status gb_bodies_read(const char *path, size_t limit, struct octree_input *in,
			      struct gb_error *err)
{
	struct gb_reader r;
	struct bodies b = { .in = in,
			    .r = &r,
			    .limit = limit,
			    .low = { INFINITY, INFINITY, INFINITY },
			    .high = { -INFINITY, -INFINITY, -INFINITY } };

	in->count = 0;
	if (gb_reader_open(&r, path, "a file of bodies", err))
		return err->code;
	if (!read_any(&b)) {
		gb_reader_count("bodies", "body", b.found, in->count);
		if (in->count < limit)
			gb_reader_note("fewer than --count=%zu", limit);
		if (b.rounded)
			gb_reader_note_steps(b.low, b.high);
	}
	gb_reader_close(&r);
	return err->code;
}
