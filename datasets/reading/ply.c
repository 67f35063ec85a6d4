/* ply.c -- read the header and the rows of PLY files. */
#include "datasets/reading/ply.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "datasets/reading/number.h"

static const struct gb_ply_type types[] = {
	{ "char", "int8", 'i', 1 },     { "uchar", "uint8", 'u', 1 },
	{ "short", "int16", 'i', 2 },   { "ushort", "uint16", 'u', 2 },
	{ "int", "int32", 'i', 4 },     { "uint", "uint32", 'u', 4 },
	{ "long", "int64", 'i', 8 },    { "ulong", "uint64", 'u', 8 },
	{ "float", "float32", 'f', 4 }, { "double", "float64", 'f', 8 },
};

/* ---- the header --------------------------------------------------------------------------- */

/* Read a word in lower case, as some programs write capitals. */
static enum gb_status read_word(struct gb_ply *p, char text[GB_PLY_NAME])
{
	struct gb_reader *r = p->r;
	size_t n = 0;

	if (gb_reader_line_ends(r))
		return gb_reader_fail(r, "the header's line ends too early");
	for (; n < GB_PLY_NAME - 1 && *r->at > ' '; n++, r->at++)
		text[n] = (char)tolower(*r->at);
	text[n] = 0;
	if (n == 0 || !gb_is_space(*r->at))
		return gb_reader_fail(r, "invalid word, or one of more than %d characters",
				      GB_PLY_NAME - 1);
	return GB_OK;
}

static enum gb_status read_type(struct gb_ply *p, const struct gb_ply_type **type)
{
	char text[GB_PLY_NAME];

	for (size_t t = 0; t < GB_COUNT(types); t++)
		if (gb_reader_take(p->r, types[t].name) || gb_reader_take(p->r, types[t].other)) {
			*type = &types[t];
			return GB_OK;
		}
	return read_word(p, text) ? p->r->err->code : gb_reader_fail(p->r, "unknown type %s", text);
}

static enum gb_status read_format(struct gb_ply *p)
{
	static const char *const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
	char text[GB_PLY_NAME];

	_Static_assert(GB_COUNT(names) == GB_PLY_FORMATS, "a name for each format");
	p->format = GB_PLY_ASCII;
	while (p->format < GB_PLY_FORMATS && !gb_reader_take(p->r, names[p->format]))
		p->format++;
	if (read_word(p, text))
		return p->r->err->code;
	if (p->format == GB_PLY_FORMATS)
		return gb_reader_fail(p->r, "unknown format %s", text);
	return gb_equal(text, "1.0") ? GB_OK : gb_reader_fail(p->r, "format %s is not 1.0", text);
}

static enum gb_status read_element(struct gb_ply *p)
{
	struct gb_ply_element *e = &p->element[p->elements];
	int64_t count;

	if (p->elements == GB_PLY_ELEMENTS)
		return gb_reader_fail(p->r, "more than %d elements", GB_PLY_ELEMENTS);
	if (read_word(p, e->name) || gb_reader_integer(p->r, "an element's count", &count))
		return p->r->err->code;
	if (count < 0)
		return gb_reader_fail(p->r, "%" PRId64 " elements", count);
	for (size_t i = 0; i < p->elements; i++)
		if (gb_equal(p->element[i].name, e->name))
			return gb_reader_fail(p->r, "a second element %s", e->name);
	e->count = (size_t)count;
	e->property = &p->property[p->properties];
	p->elements++;
	return GB_OK;
}

static enum gb_status read_property(struct gb_ply *p)
{
	struct gb_ply_property *q = &p->property[p->properties];
	struct gb_reader *r = p->r;

	if (!p->elements)
		return gb_reader_fail(r, "a property before the first element");
	if (p->properties == GB_PLY_PROPERTIES)
		return gb_reader_fail(r, "more than %d properties", GB_PLY_PROPERTIES);
	q->length = NULL;
	if (gb_reader_take(r, "list") && read_type(p, &q->length))
		return r->err->code;
	if (read_type(p, &q->type) || read_word(p, q->name))
		return r->err->code;
	q->axis = -1;
	p->properties++;
	p->element[p->elements - 1].properties++;
	return GB_OK;
}

bool gb_is_ply(const struct gb_reader *r)
{
	const char *at = gb_reader_after_mark(r);

	return r->end - at >= 4 && strncasecmp(at, "ply", 3) == 0 && gb_is_space(at[3]);
}

static enum gb_status read_header_lines(struct gb_ply *p)
{
	struct gb_reader *r = p->r;
	bool formatted = false;
	char text[GB_PLY_NAME];

	for (gb_reader_next_line(r); r->at < r->end; gb_reader_next_line(r)) {
		if (gb_reader_line_ends(r) || gb_reader_take(r, "comment") ||
		    gb_reader_take(r, "obj_info"))
			continue;
		if (gb_reader_take(r, "end_header")) {
			p->header_lines = r->line;
			gb_reader_next_line(r);
			return formatted ? GB_OK : gb_reader_fail(r, "the header has no format");
		}
		if (gb_reader_take(r, "format")) {
			(void)read_format(p);
			formatted = true;
		} else if (gb_reader_take(r, "element")) {
			(void)read_element(p);
		} else if (gb_reader_take(r, "property")) {
			(void)read_property(p);
		} else if (!read_word(p, text)) {
			gb_reader_fail(r, "unknown keyword %s in the header", text);
		}
		if (!r->err->code && !gb_reader_line_ends(r))
			gb_reader_fail(r, "the header's line has extra words");
		if (r->err->code)
			return r->err->code;
	}
	return gb_reader_fail(r, "the file ends before end_header");
}

/* Check that the header declares a vertex with one x, one y and one z. */
static enum gb_status check_header(struct gb_ply *p)
{
	struct gb_reader *r = p->r;
	unsigned axes = 0;

	for (size_t i = 0; i < p->elements; i++) {
		const struct gb_ply_element *e = &p->element[i];

		if (!gb_equal(e->name, "vertex"))
			continue;
		p->vertex = e;
		for (struct gb_ply_property *q = e->property; q < e->property + e->properties;
		     q++) {
			if (q->length || q->name[0] < 'x' || q->name[0] > 'z' || q->name[1])
				continue;
			q->axis = q->name[0] - 'x';
			q->wanted = true;
			if (axes & 1U << q->axis)
				return gb_reader_fail(r, "a second property %s", q->name);
			axes |= 1U << q->axis;
		}
	}
	if (axes != 7)
		return gb_reader_fail(r, "the header declares no vertex with x, y and z");
	return GB_OK;
}

enum gb_status gb_ply_read_header(struct gb_ply *p, struct gb_reader *r)
{
	static const char last[] = "end_header";
	const char *end = NULL;
	bool returns;

	*p = (struct gb_ply){ .r = r };
	r->at = gb_reader_after_mark(r);
	returns = r->at[3] == '\r' && r->at[4] != '\n';
	if (returns)
		end = memmem(r->at, (size_t)(r->end - r->at), last, sizeof last - 1);
	if (end)
		end = memchr(end, '\r', (size_t)(r->end - end));
	if (end)
		gb_reader_turn_returns(r, end + 1);
	if (read_header_lines(p) || check_header(p))
		return r->err->code;
	p->rows = r->at;
	if (returns && p->format == GB_PLY_ASCII)
		gb_reader_turn_returns(r, r->end);
	return GB_OK;
}

/* ---- values ------------------------------------------------------------------------------- */

/* Read a number of that type; `what` names it in errors. */
static enum gb_status read_value(struct gb_ply *p, const struct gb_ply_type *type, const char *what,
				 double *value)
{
	struct gb_reader *r = p->r;

	if (p->format == GB_PLY_ASCII) {
		if (!gb_reader_number(r, what, value) && type->kind != 'f' &&
		    !(*value == floor(*value)))
			return gb_reader_fail(r, "%s is not an integer: %g", what, *value);
		return r->err->code;
	}
	if ((size_t)(r->end - r->at) < type->size)
		return gb_reader_fail(r, "the file ends where %s should be", what);
	*value = gb_number_value(r->at, type->kind, type->size, p->format == GB_PLY_BIG);
	r->at += type->size;
	return GB_OK;
}

enum gb_status gb_ply_value(struct gb_ply *p, const struct gb_ply_property *q, double *value)
{
	return read_value(p, q->type, q->axis < 0 ? "a face's vertex" : "a coordinate", value);
}

enum gb_status gb_ply_skip(struct gb_ply *p, const struct gb_ply_property *q, uint32_t values)
{
	struct gb_reader *r = p->r;

	if (p->format != GB_PLY_ASCII) {
		if ((size_t)(r->end - r->at) / q->type->size < values)
			return gb_reader_fail(r, "the file ends where %s should be", q->name);
		r->at += (size_t)values * q->type->size;
		return GB_OK;
	}
	for (uint32_t i = 0; i < values; i++) {
		if (gb_reader_line_ends(r))
			return gb_reader_fail(r, "the line ends where %s should be", q->name);
		r->at = gb_skip_word(r->at);
	}
	return GB_OK;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Skip blank lines in text. */
static void skip_lines(struct gb_ply *p)
{
	if (p->format == GB_PLY_ASCII)
		while (p->r->at < p->r->end && gb_reader_line_ends(p->r))
			gb_reader_next_line(p->r);
}

static enum gb_status read_property_of(struct gb_ply *p, const struct gb_ply_property *q,
				       size_t row, gb_ply_take *take, void *to)
{
	double values = 1;

	if (q->length && read_value(p, q->length, "the length of a list", &values))
		return p->r->err->code;
	if (!(values >= 0 && values <= UINT32_MAX && values == floor(values)))
		return gb_reader_fail(p->r, "a list of %g values", values);
	return q->wanted ? take(p, q, row, (uint32_t)values, to)
			 : gb_ply_skip(p, q, (uint32_t)values);
}

static enum gb_status read_rows(struct gb_ply *p, const struct gb_ply_element *e, size_t rows,
				gb_ply_take *take, void *to)
{
	struct gb_reader *r = p->r;

	for (size_t i = 0; i < rows && e->properties; i++) {
		if (!r->quiet && i % (1 << 16) == 0)
			gb_reader_progress_at(r);
		skip_lines(p);
		if (r->at == r->end)
			return gb_reader_fail(r, "the file ends at %s %zu of %zu", e->name, i,
					      e->count);
		for (size_t k = 0; k < e->properties; k++)
			if (read_property_of(p, &e->property[k], i, take, to))
				return r->err->code;
		if (p->format != GB_PLY_ASCII)
			continue;
		p->longer_rows += !gb_reader_line_ends(r);
		gb_reader_next_line(r);
	}
	return GB_OK;
}

enum gb_status gb_ply_read(struct gb_ply *p, size_t vertices, gb_ply_take *take, void *to)
{
	struct gb_reader *r = p->r;

	r->at = p->rows;
	r->line = p->format == GB_PLY_ASCII ? p->header_lines + 1 : 0;
	p->longer_rows = 0;
	for (const struct gb_ply_element *e = p->element; e < p->element + p->elements; e++) {
		const size_t rows = e == p->vertex ? vertices : e->count;

		if (read_rows(p, e, rows, take, to))
			return r->err->code;
		if (rows < e->count)
			return GB_OK;
	}
	skip_lines(p);
	if (p->longer_rows && !r->quiet)
		gb_reader_note("rows with more values than declared: %zu", p->longer_rows);
	if (r->at < r->end && !r->quiet)
		gb_reader_note("bytes after the last element ignored: %td", r->end - r->at);
	return GB_OK;
}
