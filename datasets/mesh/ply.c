/* ply.c -- PLY (Turk 1994): a header that declares elements and their properties, then the
 * elements, as text or binary of either byte order.  Of the element `vertex` the properties x, y, z
 * are kept, of `face` the list vertex_indices (or vertex_index); what else the header declares is
 * read past.  Two passes over the elements: count the triangles, then fill. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "datasets/mesh/reader.h"

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64, NAME = 32 };

enum ply_type { I8, U8, I16, U16, I32, U32, F32, F64, TYPES, NO_LIST = TYPES };
static const unsigned type_size[TYPES + 1] = { 1, 1, 2, 2, 4, 4, 4, 8 };

struct property {
	char name[NAME];
	enum ply_type type;
	enum ply_type length; /* of a list: the type of its length; else NO_LIST */
};

struct element {
	char name[NAME];
	size_t count;
	struct property property[MAX_PROPERTIES];
	size_t properties;
};

enum format { ASCII, LITTLE, BIG };

struct ply {
	struct gb_reader *r;
	enum format format;
	struct element element[MAX_ELEMENTS];
	size_t elements;
	struct gb_mesh *mesh;
	size_t vertices;  /* that the header declares */
	size_t triangles; /* so far */
	bool fill;        /* the second pass */
};

/* ---- the header --------------------------------------------------------------------------- */

static enum gb_status read_word(struct gb_reader *r, char text[NAME])
{
	size_t n = 0;

	if (gb_reader_line_ends(r))
		return gb_reader_fail(r, "the header's line ends too early");
	while (r->at<r->end && * r->at> ' ' && n < NAME - 1)
		text[n++] = *r->at++;
	text[n] = 0;
	if (n == 0 ||
	    (r->at < r->end && *r->at != ' ' && *r->at != '\t' && *r->at != '\r' && *r->at != '\n'))
		return gb_reader_fail(
			r, "the header has a word of more than %d or of odd characters", NAME - 1);
	return GB_OK;
}

static enum gb_status read_type(struct gb_reader *r, enum ply_type *type)
{
	static const char *const names[][2] = { { "char", "int8" },     { "uchar", "uint8" },
						{ "short", "int16" },   { "ushort", "uint16" },
						{ "int", "int32" },     { "uint", "uint32" },
						{ "float", "float32" }, { "double", "float64" } };
	char text[NAME];

	if (read_word(r, text))
		return r->err->code;
	for (int t = 0; t < TYPES; t++)
		if (gb_equal(text, names[t][0]) || gb_equal(text, names[t][1])) {
			*type = (enum ply_type)t;
			return GB_OK;
		}
	return gb_reader_fail(r, "%s is no type", text);
}

static enum gb_status read_format(struct ply *p)
{
	static const char *const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
	char text[NAME], version[NAME];

	if (read_word(p->r, text) || read_word(p->r, version))
		return p->r->err->code;
	if (!gb_equal(version, "1.0"))
		return gb_reader_fail(p->r, "format %s is not 1.0", version);
	for (int f = ASCII; f <= BIG; f++)
		if (gb_equal(text, names[f])) {
			p->format = (enum format)f;
			return GB_OK;
		}
	return gb_reader_fail(p->r, "%s is no format", text);
}

static enum gb_status read_element(struct ply *p)
{
	struct element *e = &p->element[p->elements];
	int64_t count;

	if (p->elements == MAX_ELEMENTS)
		return gb_reader_fail(p->r, "more than %d elements", MAX_ELEMENTS);
	if (read_word(p->r, e->name) || gb_reader_integer(p->r, "an element's count", &count))
		return p->r->err->code;
	if (count < 0)
		return gb_reader_fail(p->r, "%" PRId64 " elements", count);
	for (size_t i = 0; i < p->elements; i++)
		if (gb_equal(p->element[i].name, e->name))
			return gb_reader_fail(p->r, "a second element %s", e->name);
	e->count = (size_t)count;
	p->elements++;
	return GB_OK;
}

static enum gb_status read_property(struct ply *p)
{
	struct element *e = p->elements ? &p->element[p->elements - 1] : NULL;
	struct property *q;
	const char *start;
	char text[NAME];

	if (!e)
		return gb_reader_fail(p->r, "a property before the first element");
	if (e->properties == MAX_PROPERTIES)
		return gb_reader_fail(p->r, "more than %d properties", MAX_PROPERTIES);
	q = &e->property[e->properties++];
	q->length = NO_LIST;
	start = p->r->at;
	if (read_word(p->r, text))
		return p->r->err->code;
	if (!gb_equal(text, "list"))
		p->r->at = start;
	else if (read_type(p->r, &q->length))
		return p->r->err->code;
	if (q->length == F32 || q->length == F64)
		return gb_reader_fail(p->r, "the length of a list is a fraction");
	if (read_type(p->r, &q->type) || read_word(p->r, q->name))
		return p->r->err->code;
	return GB_OK;
}

static enum gb_status read_header(struct ply *p)
{
	struct gb_reader *r = p->r;
	bool formatted = false;
	char text[NAME];

	if (r->end - r->at < 4 || memcmp(r->at, "ply", 3) != 0 ||
	    (r->at[3] != '\n' && r->at[3] != '\r'))
		return gb_reader_fail(r, "is no PLY file: it does not start with a line \"ply\"");
	for (gb_reader_next_line(r); r->at < r->end; gb_reader_next_line(r)) {
		enum gb_status status = GB_OK;

		if (read_word(r, text))
			return r->err->code;
		if (gb_equal(text, "end_header")) {
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
			return gb_reader_fail(r, "no line of a header starts with %s", text);
		}
		if (status)
			return status;
		if (!gb_reader_line_ends(r))
			return gb_reader_fail(r, "the header's line has words too many");
	}
	return gb_reader_fail(r, "the file ends before end_header");
}

/* ---- values ------------------------------------------------------------------------------- */

/* Eight bytes at most of `size`, in the file's order, as a number's bits. */
static uint64_t bits_at(const struct ply *p, unsigned size)
{
	const unsigned char *byte = (const unsigned char *)p->r->at;
	uint64_t bits = 0;

	for (unsigned i = 0; i < size; i++)
		bits |= (uint64_t)byte[p->format == BIG ? size - 1 - i : i] << 8 * i;
	return bits;
}

static double from_bits(enum ply_type type, uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float single = 0;
	double wide = 0;

	switch (type) {
	case I8:
		return (int8_t)low;
	case I16:
		return (int16_t)low;
	case I32:
		return (int32_t)low;
	case F32:
		memcpy(&single, &low, sizeof single);
		return (double)single;
	case F64:
		memcpy(&wide, &bits, sizeof wide);
		return wide;
	case U8:
	case U16:
	case U32:
	case TYPES:
		break;
	}
	return low;
}

static enum gb_status read_value(struct ply *p, enum ply_type type, const char *what, double *value)
{
	struct gb_reader *r = p->r;

	if (p->format == ASCII) {
		if (gb_reader_number(r, what, value))
			return r->err->code;
		if (type < F32 && *value != floor(*value))
			return gb_reader_fail(r, "%s is no integer: %g", what, *value);
		return GB_OK;
	}
	if ((size_t)(r->end - r->at) < type_size[type])
		return gb_reader_fail(r, "the file ends where %s should be", what);
	*value = from_bits(type, bits_at(p, type_size[type]));
	r->at += type_size[type];
	return GB_OK;
}

static enum gb_status skip_property(struct ply *p, const struct property *q)
{
	double length = 1, unused = 0;

	if (q->length != NO_LIST && read_value(p, q->length, "the length of a list", &length))
		return p->r->err->code;
	if (!(length >= 0 && length <= UINT32_MAX))
		return gb_reader_fail(p->r, "a list of %g values", length);
	for (uint32_t i = 0; i < (uint32_t)length; i++)
		if (read_value(p, q->type, q->name, &unused))
			return p->r->err->code;
	return GB_OK;
}

/* ---- elements ----------------------------------------------------------------------------- */

/* 0, 1, 2 for x, y, z, else -1. */
static int axis_of(const struct property *q)
{
	return q->name[0] >= 'x' && q->name[0] <= 'z' && !q->name[1] && q->length == NO_LIST
		       ? q->name[0] - 'x'
		       : -1;
}

static enum gb_status read_vertex(struct ply *p, const struct element *e, size_t i)
{
	for (size_t k = 0; k < e->properties; k++) {
		const struct property *q = &e->property[k];
		const int axis = axis_of(q);
		double value = 0;
		float coordinate = 0;

		if (axis < 0) {
			if (skip_property(p, q))
				return p->r->err->code;
			continue;
		}
		if (read_value(p, q->type, "a coordinate", &value) ||
		    gb_reader_coordinate(p->r, value, &coordinate))
			return p->r->err->code;
		if (p->fill)
			p->mesh->vertex[3 * i + (size_t)axis] = coordinate;
	}
	return GB_OK;
}

static enum gb_status read_corner(struct ply *p, enum ply_type type, uint32_t *corner)
{
	double value = 0;

	if (read_value(p, type, "a face's vertex", &value))
		return p->r->err->code;
	if (!(value >= 0 && value < (double)p->vertices))
		return gb_reader_fail(p->r, "a face uses vertex %.0f of %zu", value, p->vertices);
	*corner = (uint32_t)value;
	return GB_OK;
}

/* The list of a face's corners, as a fan of triangles. */
static enum gb_status read_corners(struct ply *p, const struct property *q)
{
	uint32_t first = 0, last = 0, next = 0;
	double length = 0;

	if (read_value(p, q->length, "the number of a face's corners", &length))
		return p->r->err->code;
	if (!(length >= 3 && length <= UINT32_MAX))
		return gb_reader_fail(p->r, "a face has %g corners", length);
	for (uint32_t i = 0; i < (uint32_t)length; i++) {
		if (read_corner(p, q->type, &next))
			return p->r->err->code;
		if (i == 0)
			first = next;
		if (i >= 2) {
			if (p->fill) {
				uint32_t *triangle = p->mesh->triangle + 3 * p->triangles;

				triangle[0] = first;
				triangle[1] = last;
				triangle[2] = next;
			}
			p->triangles++;
		}
		last = next;
	}
	return GB_OK;
}

static bool is_corners(const struct property *q)
{
	return q->length != NO_LIST &&
	       (gb_equal(q->name, "vertex_indices") || gb_equal(q->name, "vertex_index"));
}

static enum gb_status read_row(struct ply *p, const struct element *e, size_t i)
{
	if (gb_equal(e->name, "vertex"))
		return read_vertex(p, e, i);
	for (size_t k = 0; k < e->properties; k++) {
		const struct property *q = &e->property[k];

		if (gb_equal(e->name, "face") && is_corners(q) ? read_corners(p, q)
							       : skip_property(p, q))
			return p->r->err->code;
	}
	return GB_OK;
}

static enum gb_status read_rows(struct ply *p, const struct element *e)
{
	struct gb_reader *r = p->r;

	for (size_t i = 0; i < e->count; i++) {
		if (r->at == r->end)
			return gb_reader_fail(r, "the file ends at %s %zu of %zu", e->name, i,
					      e->count);
		if (read_row(p, e, i))
			return r->err->code;
		if (p->format != ASCII)
			continue;
		if (!gb_reader_line_ends(r))
			return gb_reader_fail(r, "the line has more than %s %zu", e->name, i);
		gb_reader_next_line(r);
	}
	return GB_OK;
}

/* All elements, once. */
static enum gb_status pass(struct ply *p, bool fill)
{
	struct gb_reader *r = p->r;

	p->fill = fill;
	p->triangles = 0;
	for (size_t i = 0; i < p->elements; i++)
		if (read_rows(p, &p->element[i]))
			return r->err->code;
	if (p->format == ASCII)
		while (r->at < r->end && gb_reader_line_ends(r))
			gb_reader_next_line(r);
	if (r->at < r->end)
		return gb_reader_fail(r, "the file goes on behind its last element");
	return GB_OK;
}

/* Vertices with x, y and z, faces with corners, and no element that takes no room. */
static enum gb_status check_header(struct ply *p)
{
	unsigned axes = 0;
	int corners = 0;

	for (size_t i = 0; i < p->elements; i++) {
		const struct element *e = &p->element[i];
		const bool vertex = gb_equal(e->name, "vertex"), face = gb_equal(e->name, "face");

		if (e->properties == 0)
			return gb_reader_fail(p->r, "element %s has no properties", e->name);
		for (size_t k = 0; k < e->properties; k++) {
			const int axis = axis_of(&e->property[k]);

			if (vertex && axis >= 0 && axes & 1U << axis)
				return gb_reader_fail(p->r, "a second property %c", 'x' + axis);
			if (vertex && axis >= 0)
				axes |= 1U << axis;
			corners += face && is_corners(&e->property[k]);
		}
		if (vertex)
			p->vertices = e->count;
	}
	if (axes != 7)
		return gb_reader_fail(p->r, "the header declares no vertex with x, y and z");
	if (corners != 1)
		return gb_reader_fail(p->r, "the header declares no face with vertex_indices");
	return GB_OK;
}

enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh)
{
	struct ply p = { .r = r, .mesh = mesh };
	const char *body;
	size_t line;

	if (read_header(&p) || check_header(&p))
		return r->err->code;
	line = r->line = p.format == ASCII ? r->line : 0;
	body = r->at;
	if (pass(&p, false) || gb_reader_alloc(r, p.vertices, p.triangles, mesh))
		return r->err->code;
	r->at = body;
	r->line = line;
	return pass(&p, true);
}
