/* ply.c -- read the header and the rows of PLY files. */
#include "datasets/reading/ply.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"

static const unsigned type_size[] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };
static const char *const type_name[][2] = { { "char", "int8" },     { "uchar", "uint8" },
					    { "short", "int16" },   { "ushort", "uint16" },
					    { "int", "int32" },     { "uint", "uint32" },
					    { "long", "int64" },    { "ulong", "uint64" },
					    { "float", "float32" }, { "double", "float64" } };
_Static_assert(GB_COUNT(type_size) == GB_PLY_TYPES && GB_COUNT(type_name) == GB_PLY_TYPES,
	       "each type");

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

static enum gb_status read_type(struct gb_ply *p, enum gb_ply_type *type)
{
	char text[GB_PLY_NAME];

	if (read_word(p, text))
		return p->r->err->code;
	for (int t = 0; t < GB_PLY_TYPES; t++)
		if (gb_equal(text, type_name[t][0]) || gb_equal(text, type_name[t][1])) {
			*type = (enum gb_ply_type)t;
			return GB_OK;
		}
	return gb_reader_fail(p->r, "unknown type %s", text);
}

static enum gb_status read_format(struct gb_ply *p)
{
	static const char *const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
	char text[GB_PLY_NAME], version[GB_PLY_NAME];

	if (read_word(p, text) || read_word(p, version))
		return p->r->err->code;
	if (!gb_equal(version, "1.0"))
		return gb_reader_fail(p->r, "format %s is not 1.0", version);
	_Static_assert(GB_COUNT(names) == GB_PLY_FORMATS, "a name for each format");
	for (p->format = GB_PLY_ASCII; p->format < GB_PLY_FORMATS; p->format++)
		if (gb_equal(text, names[p->format]))
			return GB_OK;
	return gb_reader_fail(p->r, "unknown format %s", text);
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
	const char *start = r->at;
	char text[GB_PLY_NAME];

	if (!p->elements)
		return gb_reader_fail(r, "a property before the first element");
	if (p->properties == GB_PLY_PROPERTIES)
		return gb_reader_fail(r, "more than %d properties", GB_PLY_PROPERTIES);
	q->length = GB_PLY_NO_LIST;
	if (read_word(p, text))
		return r->err->code;
	if (!gb_equal(text, "list"))
		r->at = start;
	else if (read_type(p, &q->length))
		return r->err->code;
	if (read_type(p, &q->type) || read_word(p, q->name))
		return r->err->code;
	q->axis = -1;
	if (q->length == GB_PLY_NO_LIST && q->name[0] >= 'x' && q->name[0] <= 'z' && !q->name[1])
		q->axis = q->name[0] - 'x';
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
		enum gb_status status = GB_OK;

		if (gb_reader_line_ends(r))
			continue;
		if (read_word(p, text))
			return r->err->code;
		if (gb_equal(text, "end_header")) {
			p->header_lines = r->line;
			gb_reader_next_line(r);
			return formatted ? GB_OK : gb_reader_fail(r, "the header has no format");
		}
		if (gb_equal(text, "comment") || gb_equal(text, "obj_info"))
			continue;
		if (gb_equal(text, "format")) {
			status = read_format(p);
			formatted = true;
		} else if (gb_equal(text, "element")) {
			status = read_element(p);
		} else if (gb_equal(text, "property")) {
			status = read_property(p);
		} else {
			return gb_reader_fail(r, "unknown keyword %s in the header", text);
		}
		if (status)
			return status;
		if (!gb_reader_line_ends(r))
			return gb_reader_fail(r, "the header's line has extra words");
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
		for (size_t k = 0; k < e->properties; k++) {
			const int axis = e->property[k].axis;

			if (axis >= 0 && axes & 1U << axis)
				return gb_reader_fail(r, "a second property %c", 'x' + axis);
			axes |= axis >= 0 ? 1U << axis : 0;
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
	if ((end && gb_reader_turn_returns(r, end + 1)) || read_header_lines(p) || check_header(p))
		return r->err->code;
	p->rows = r->at;
	return returns && p->format == GB_PLY_ASCII ? gb_reader_turn_returns(r, r->end) : GB_OK;
}

void gb_ply_rewind(struct gb_ply *p)
{
	p->r->at = p->rows;
	p->r->line = p->format == GB_PLY_ASCII ? p->header_lines + 1 : 0;
	p->longer_rows = 0;
}

/* ---- values ------------------------------------------------------------------------------- */

/* The next `size` bytes, at most eight, as an integer in the file's byte order. */
static uint64_t bits_at(const struct gb_ply *p, unsigned size)
{
	const unsigned char *byte = (const unsigned char *)p->r->at;
	uint64_t bits = 0;

	for (unsigned i = 0; i < size; i++)
		bits |= (uint64_t)byte[p->format == GB_PLY_BIG ? size - 1 - i : i] << 8 * i;
	return bits;
}

static bool is_unsigned(enum gb_ply_type type)
{
	return type < GB_PLY_F32 && type % 2 == GB_PLY_U8;
}

static double from_bits(enum gb_ply_type type, uint64_t bits)
{
	const unsigned spare = 64 - 8 * type_size[type];
	const uint32_t low = (uint32_t)bits;
	float single = 0;
	double wide = 0;

	memcpy(&single, &low, sizeof single);
	memcpy(&wide, &bits, sizeof wide);
	if (type == GB_PLY_F32)
		return (double)single;
	if (type == GB_PLY_F64)
		return wide;
	return is_unsigned(type) ? (double)bits : (double)((int64_t)(bits << spare) >> spare);
}

enum gb_status gb_ply_read_value(struct gb_ply *p, enum gb_ply_type type, const char *what,
				 double *value)
{
	struct gb_reader *r = p->r;

	if (p->format == GB_PLY_ASCII) {
		if (type < GB_PLY_F32 ? gb_reader_number(r, what, value)
				      : gb_reader_real(r, what, value))
			return r->err->code;
		if (type < GB_PLY_F32 && *value != floor(*value))
			return gb_reader_fail(r, "%s is not an integer: %g", what, *value);
		return GB_OK;
	}
	if ((size_t)(r->end - r->at) < type_size[type])
		return gb_reader_fail(r, "the file ends where %s should be", what);
	*value = from_bits(type, bits_at(p, type_size[type]));
	r->at += type_size[type];
	return GB_OK;
}

enum gb_status gb_ply_read_length(struct gb_ply *p, const struct gb_ply_property *q,
				  uint32_t *length)
{
	double value = 1;

	if (q->length != GB_PLY_NO_LIST &&
	    gb_ply_read_value(p, q->length, "the length of a list", &value))
		return p->r->err->code;
	if (!(value >= 0 && value <= UINT32_MAX && value == floor(value)))
		return gb_reader_fail(p->r, "a list of %g values", value);
	*length = (uint32_t)value;
	return GB_OK;
}

enum gb_status gb_ply_skip_values(struct gb_ply *p, const struct gb_ply_property *q, uint32_t count)
{
	struct gb_reader *r = p->r;

	if (p->format != GB_PLY_ASCII) {
		if ((size_t)(r->end - r->at) / type_size[q->type] < count)
			return gb_reader_fail(r, "the file ends where %s should be", q->name);
		r->at += (size_t)count * type_size[q->type];
		return GB_OK;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (gb_reader_line_ends(r))
			return gb_reader_fail(r, "the line ends where %s should be", q->name);
		r->at = gb_skip_word(r->at);
	}
	return GB_OK;
}

enum gb_status gb_ply_skip(struct gb_ply *p, const struct gb_ply_property *q)
{
	uint32_t length = 0;

	if (gb_ply_read_length(p, q, &length))
		return p->r->err->code;
	return gb_ply_skip_values(p, q, length);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Skip blank lines in text. */
static void skip_lines(struct gb_ply *p)
{
	if (p->format == GB_PLY_ASCII)
		while (p->r->at < p->r->end && gb_reader_line_ends(p->r))
			gb_reader_next_line(p->r);
}

enum gb_status gb_ply_read_rows(struct gb_ply *p, const struct gb_ply_element *e, size_t rows,
				gb_ply_take *take, void *to)
{
	struct gb_reader *r = p->r;

	for (size_t i = 0; i < rows && e->properties; i++) {
		if (p->shown && i % (1 << 16) == 0)
			gb_reader_progress_at(r);
		skip_lines(p);
		if (r->at == r->end)
			return gb_reader_fail(r, "the file ends at %s %zu of %zu", e->name, i,
					      e->count);
		for (size_t k = 0; k < e->properties; k++) {
			const struct gb_ply_property *q = &e->property[k];

			if (take ? take(p, q, i, to) : gb_ply_skip(p, q))
				return r->err->code;
		}
		if (p->format != GB_PLY_ASCII)
			continue;
		p->longer_rows += !gb_reader_line_ends(r);
		gb_reader_next_line(r);
	}
	return GB_OK;
}

void gb_ply_note_end(struct gb_ply *p)
{
	skip_lines(p);
	if (p->longer_rows)
		gb_reader_note("rows with more values than declared: %zu", p->longer_rows);
	if (p->r->at < p->r->end)
		gb_reader_note("bytes after the last element ignored: %td", p->r->end - p->r->at);
}
