/* obj.c -- read a mesh from a Wavefront OBJ file.
 *
 * The reader uses the lines `v x y z ...` and `f a b c ...`.  A corner of a face is vertex,
 * vertex/texture, vertex//normal or vertex/texture/normal.  Vertices count from 1; negative numbers
 * count backwards, and -1 is the last vertex read.  Other lines are skipped if the format knows
 * their type.  A backslash at the end of a line continues it, and # starts a comment.  The first
 * pass counts, the second fills the arrays. */
#include "datasets/mesh/mesh.h"

#include <inttypes.h>
#include <string.h>

#include "common/text.h"
#include "datasets/reading/reader.h"

/* The maximum number of values after x, y and z: a weight, or a colour and its opacity. */
enum { MOST_EXTRA = 4 };

enum line_type { VERTEX, FACE, OTHER, UNKNOWN };

/* The newline escaped by the backslash at `at`, or NULL. */
static const char *continued(const char *at)
{
	at += at[1] == '\r' ? 2 : 1;
	return *at == '\n' ? at : NULL;
}

/* Skip blanks and continuations.  True if the line or its part before a comment ends here. */
static bool line_ends(struct gb_reader *r)
{
	while (!gb_reader_line_ends(r) && *r->at == '\\' && continued(r->at) &&
	       continued(r->at) < r->end) {
		r->at = continued(r->at) + 1;
		r->line++;
	}
	return *r->at == '\n' || *r->at == '#';
}

/* Advance to the start of the next line, past all continuations of this one. */
static void next_line(struct gb_reader *r)
{
	while (!line_ends(r))
		r->at = gb_skip_word(r->at);
	gb_reader_next_line(r);
}

/* Return the type of the line at r->at and skip its first word. */
static enum line_type line_type(struct gb_reader *r)
{
	static const char *const others[] = {
		"vn",     "vt",         "vp",        "g",     "o",        "s",        "usemtl",
		"mtllib", "l",          "p",         "mg",    "cstype",   "deg",      "surf",
		"parm",   "end",        "curv",      "curv2", "trim",     "hole",     "usemap",
		"lod",    "shadow_obj", "trace_obj", "ctech", "stech",    "con",      "bmat",
		"step",   "scrv",       "sp",        "bevel", "c_interp", "d_interp", "maplib"
	};
	const char *first;
	size_t length;

	if (line_ends(r))
		return OTHER;
	first = r->at;
	r->at = gb_skip_word(first);
	length = (size_t)(r->at - first);
	if (length == 1 && *first == 'v')
		return VERTEX;
	if (length == 1 && *first == 'f')
		return FACE;
	for (size_t i = 0; i < GB_COUNT(others); i++)
		if (strlen(others[i]) == length && memcmp(others[i], first, length) == 0)
			return OTHER;
	return UNKNOWN;
}

/* Read a corner of a face as a vertex number from 0. */
static enum gb_status read_corner(struct gb_reader *r, size_t seen, size_t vertices,
				  uint32_t *corner)
{
	int64_t number, unused;

	if (line_ends(r))
		return gb_reader_fail(r, "the line ends where a face's vertex should be");
	if (gb_reader_integer(r, "a face's vertex", &number))
		return r->err->code;
	for (int part = 0; part < 2 && *r->at == '/'; part++) {
		r->at++;
		if (part == 0 && *r->at == '/')
			continue;
		/* gb_reader_integer() would skip blanks and read the next corner. */
		if (!strchr("+-0123456789", *r->at) || !*r->at)
			return gb_reader_fail(r, "a face's corner ends in a slash");
		if (gb_reader_integer(r, "a face's texture or normal", &unused))
			return r->err->code;
	}
	if (*r->at == '/')
		return gb_reader_fail(r, "a face's corner has more than three parts");
	if (number < 0 ? (uint64_t)-number > seen : number == 0 || (uint64_t)number > vertices)
		return gb_reader_fail(r, "a face uses vertex %" PRId64 " of %zu", number,
				      number < 0 ? seen : vertices);
	*corner = (uint32_t)(number < 0 ? (int64_t)seen + number : number - 1);
	return GB_OK;
}

/* Read a face as a fan of triangles and add their number to *done. */
static enum gb_status read_face(struct gb_reader *r, size_t seen, struct gb_mesh *mesh,
				size_t *done)
{
	uint32_t first = 0, last = 0, next = 0;

	if (read_corner(r, seen, mesh->vertex_count, &first) ||
	    read_corner(r, seen, mesh->vertex_count, &last))
		return r->err->code;
	do {
		uint32_t *triangle = mesh->triangle + 3 * *done;

		if (read_corner(r, seen, mesh->vertex_count, &next))
			return r->err->code;
		if (*done == mesh->count)
			return gb_reader_fail(r, "more triangles than were counted");
		triangle[0] = first;
		triangle[1] = last;
		triangle[2] = last = next;
		(*done)++;
	} while (!line_ends(r));
	return GB_OK;
}

static enum gb_status read_vertex(struct gb_reader *r, float out[3])
{
	double value;

	for (int k = 0; k < 3; k++) {
		if (line_ends(r))
			return gb_reader_fail(r, "the line ends where a coordinate should be");
		if (gb_reader_number(r, "a coordinate", &value) ||
		    gb_mesh_coordinate(r, value, &out[k]))
			return r->err->code;
	}
	for (int extra = 0; !line_ends(r); extra++)
		if (extra == MOST_EXTRA)
			return gb_reader_fail(r, "extra values after a vertex and its colour");
		else if (gb_reader_number(r, "a weight or a colour", &value))
			return r->err->code;
	return GB_OK;
}

/* Count the words from r->at to the end of the line. */
static size_t count_words(struct gb_reader *r)
{
	size_t words = 0;

	for (; !line_ends(r); words++)
		r->at = gb_skip_word(r->at);
	return words;
}

static enum gb_status count_lines(struct gb_reader *r, size_t *vertices, size_t *triangles)
{
	*vertices = *triangles = 0;
	for (; r->at < r->end; next_line(r)) {
		const enum line_type type = line_type(r);
		size_t words;

		if (type == UNKNOWN)
			return gb_reader_fail(r, "unknown type of line");
		if (type == VERTEX)
			(*vertices)++;
		if (type != FACE)
			continue;
		words = count_words(r);
		if (words < 3)
			return gb_reader_fail(r, "a face has %zu corners", words);
		*triangles += words - 2;
	}
	return GB_OK;
}

enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct gb_mesh *mesh)
{
	const char *const start = r->at;
	size_t vertices, triangles, seen = 0, done = 0;

	if (count_lines(r, &vertices, &triangles) ||
	    gb_mesh_alloc_read(r, vertices, triangles, mesh))
		return r->err->code;
	r->at = start;
	r->line = 1;
	for (; r->at < r->end; next_line(r)) {
		const enum line_type type = line_type(r);

		if (type == VERTEX && read_vertex(r, mesh->vertex + 3 * seen++))
			return r->err->code;
		if (type == FACE && read_face(r, seen, mesh, &done))
			return r->err->code;
	}
	if (done != mesh->count)
		return gb_reader_fail(r, "%zu triangles where %zu were counted", done, mesh->count);
	return GB_OK;
}
