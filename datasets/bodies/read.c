/* read.c -- read the positions of bodies from files.
 *
 * Each reader first computes an upper bound on the number of bodies (csv: the number of lines),
 * then allocates the arrays and fills them.
 */
#include "datasets/bodies/bodies.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "datasets/reading/ply.h"
#include "datasets/reading/reader.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "raw files are little-endian, and are read without conversion"
#endif

struct bodies {
	size_t limit;       /* bodies wanted; 0: all */
	size_t room, count; /* bodies allocated, bodies read */
	float *xyz[3];
};

/* Allocate the arrays for `bodies` bodies, or for the limit if that is less. */
static enum gb_status allocate(struct bodies *b, const struct gb_reader *r, size_t bodies)
{
	struct gb_error memory = { 0 };

	if (b->limit && b->limit < bodies)
		bodies = b->limit;
	if (!bodies)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	if (bodies > OCTREE_MAX_COUNT)
		return gb_fail(r->err, GB_EUSAGE, "%s holds %zu bodies, more than %d: see --count",
			       r->path, bodies, OCTREE_MAX_COUNT);
	for (int d = 0; d < 3; d++) {
		b->xyz[d] = gb_host_alloc(bodies, sizeof *b->xyz[d], &memory);
		if (!b->xyz[d])
			return gb_fail(r->err, memory.code, "%s, %zu bodies: %s", r->path, bodies,
				       memory.message);
	}
	b->room = bodies;
	return GB_OK;
}

/* Store coordinate d of body i.  A double beyond the range of float becomes an infinite float. */
static enum gb_status set(struct bodies *b, const struct gb_reader *r, size_t i, int d,
			  double position)
{
	const float value = (float)position;

	if (!isfinite(value))
		return gb_fail(r->err, GB_EUSAGE, "%s: %c of body %zu is %g, not a finite float32",
			       r->path, "xyz"[d], i, position);
	b->xyz[d][i] = value;
	return GB_OK;
}

/* ---- csv --------------------------------------------------------------------------------- */

static bool is_separator(char c)
{
	return c == ',' || c == ';';
}

/* Read a number and the separator after it: at most one comma or semicolon, with blanks around it.
 * *separator is that character, or a blank.  False, with r->at at the next word, if there is no
 * number. */
static bool take_number(struct gb_reader *r, double *value, char *separator)
{
	const char *after = gb_reader_line_ends(r) ? NULL : gb_read_number(r->at, value);

	if (!after || (!gb_is_space(*after) && !is_separator(*after)))
		return false;
	r->at = gb_skip_blanks(after);
	*separator = ' ';
	if (is_separator(*r->at))
		*separator = *r->at++;
	return true;
}

/* True if both separators between three numbers are equal and a comma after them has the same kind.
 * False for decimal commas: "1,5;2,5;3,5" and "1 2 3,5". */
static bool is_uniform(const char separator[3])
{
	return separator[0] == separator[1] && (separator[2] != ',' || separator[0] == ',');
}

/* True if a first line that starts with c is a heading with column names. */
static bool is_heading(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '"';
}

/* Read the body of the line.  If `first`, the line may be a heading. */
static enum gb_status read_line(struct bodies *b, struct gb_reader *r, bool first)
{
	double position[3];
	char separator[3];
	int d = 0;

	while (d < 3 && take_number(r, &position[d], &separator[d]))
		d++;
	if (d < 3)
		return first && d == 0 && is_heading(*r->at)
			       ? GB_OK
			       : gb_reader_fail(r, "expected three numbers, x,y,z");
	if (!is_uniform(separator))
		return gb_reader_fail(r, "mixed separators between the numbers");
	for (d = 0; d < 3; d++)
		if (set(b, r, b->count, d, position[d]))
			return r->err->code;
	b->count++;
	return GB_OK;
}

static enum gb_status read_csv(struct bodies *b, struct gb_reader *r)
{
	bool first = true;

	if (allocate(b, r, gb_count_lines(r->begin, r->end)) || gb_memory_is_dry())
		return r->err->code;
	if (gb_reader_start_text(r))
		return r->err->code;
	for (; b->count < b->room && r->at < r->end; gb_reader_next_line(r)) {
		const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at) + 1);

		if (memchr(r->at, '\0', (size_t)(newline - r->at)))
			return gb_reader_fail(r, "a zero byte in a line of text");
		if (gb_reader_line_ends(r) || *r->at == '#')
			continue;
		if (read_line(b, r, first))
			return r->err->code;
		first = false;
	}
	if (!b->count)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	return GB_OK;
}

/* ---- ply and raw ------------------------------------------------------------------------- */

static enum gb_status take_vertex(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				  void *to)
{
	double value = 0;

	if (q->axis < 0)
		return gb_ply_skip(p, q);
	if (gb_ply_read_value(p, q->type, "a coordinate", &value))
		return p->r->err->code;
	return set(to, p->r, row, q->axis, value);
}

/* Check the elements after the vertices, up to the end of the file. */
static enum gb_status read_rest(struct gb_ply *p)
{
	for (const struct gb_ply_element *e = p->vertex + 1; e < p->element + p->elements; e++)
		if (gb_ply_read_rows(p, e, e->count, NULL, NULL))
			return p->r->err->code;
	gb_ply_note_end(p);
	return GB_OK;
}

static enum gb_status read_ply(struct bodies *b, struct gb_reader *r)
{
	struct gb_ply p;

	if (gb_ply_read_header(&p, r))
		return r->err->code;
	/* Check before allocating memory for a count that the file cannot hold. */
	if (p.vertex->count > gb_ply_most_rows(&p, p.vertex))
		return gb_fail(
			r->err, GB_EUSAGE,
			"%s:%zu: the header declares %zu vertices, more than fit in %td bytes",
			r->path, p.header_lines, p.vertex->count, r->end - r->begin);
	if (allocate(b, r, p.vertex->count) || gb_memory_is_dry())
		return r->err->code;
	gb_ply_rewind(&p);
	for (const struct gb_ply_element *e = p.element; e < p.vertex; e++)
		if (gb_ply_read_rows(&p, e, e->count, NULL, NULL))
			return r->err->code;
	b->count = b->room;
	if (gb_ply_read_rows(&p, p.vertex, b->room, take_vertex, b))
		return r->err->code;
	return b->room == p.vertex->count ? read_rest(&p) : GB_OK;
}

static enum gb_status read_raw(struct bodies *b, struct gb_reader *r)
{
	const size_t bytes = (size_t)(r->end - r->begin), body = 3 * sizeof(float);
	float value;

	if (bytes % body)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: %zu bytes is not a multiple of %zu (three float32 per body)",
			       r->path, bytes, body);
	if (allocate(b, r, bytes / body) || gb_memory_is_dry())
		return r->err->code;
	for (; b->count < b->room; b->count++)
		for (int d = 0; d < 3; d++, r->at += sizeof value) {
			memcpy(&value, r->at, sizeof value);
			if (set(b, r, b->count, d, (double)value))
				return r->err->code;
		}
	return GB_OK;
}

/* ---- any --------------------------------------------------------------------------------- */

static enum gb_status read_any(struct bodies *b, struct gb_reader *r)
{
	if (r->begin == r->end)
		return gb_fail(r->err, GB_EUSAGE, "%s is empty: no bodies", r->path);
	if (gb_has_ending(r->path, ".csv"))
		return read_csv(b, r);
	if (gb_has_ending(r->path, ".ply"))
		return read_ply(b, r);
	return read_raw(b, r);
}

enum gb_status gb_bodies_read(const char *path, size_t limit, float **x, float **y, float **z,
			      size_t *count, struct gb_error *err)
{
	struct bodies b = { .limit = limit };
	struct gb_reader r;

	if (!gb_reader_open(&r, path, "a file of bodies", err)) {
		(void)read_any(&b, &r);
		gb_reader_close(&r);
	}
	for (int d = 0; d < 3 && err->code; d++) {
		gb_host_free(b.xyz[d]);
		b.xyz[d] = NULL;
	}
	*x = b.xyz[0];
	*y = b.xyz[1];
	*z = b.xyz[2];
	*count = gb_memory_is_dry() ? b.room : b.count;
	return err->code;
}
