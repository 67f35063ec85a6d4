/* obj.c -- read a mesh from a Wavefront OBJ file.
 *
 * The reader uses the lines `v x y z ...` and `f a b c ...` (or `fo`, an old word).  A corner of a
 * face is vertex, vertex/texture, vertex//normal or vertex/texture/normal, and the parts after the
 * first may be empty.  Vertices count from 1; negative numbers count backwards, and -1 is the last
 * vertex read.  Lines that describe the use of faces are skipped, and others are counted.  A
 * backslash at the end of a line continues it, and # starts a comment.  The first pass counts, the
 * second fills the arrays. */
#include "datasets/mesh/mesh.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"
#include "datasets/reading/reader.h"

enum line_type { VERTEX, FACE, ATTRIBUTE, OTHER };

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

/* Advance to the end of this line and its continuations. */
static void finish_line(struct gb_reader *r)
{
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

	if (end && end - r->at >= 2 && (end[-1] == '\\' || end[-2] == '\\'))
		while (!line_ends(r))
			r->at = gb_skip_word(r->at);
}

/* Return the type of the line at r->at and skip its first word. */
static enum line_type line_type(struct gb_reader *r)
{
	/* Looks of a face: its group, material, normals.  Curves, surfaces, points, lines and
	 * calls of other files are not among them. */
	static const char *const attributes[] = { "vn",       "vt",       "vp",       "g",
						  "o",        "s",        "mg",       "usemtl",
						  "mtllib",   "usemap",   "maplib",   "lod",
						  "bevel",    "c_interp", "d_interp", "shadow_obj",
						  "trace_obj" };
	const char *first;
	size_t length;

	if (line_ends(r))
		return ATTRIBUTE;
	first = r->at;
	r->at = gb_skip_word(first);
	length = (size_t)(r->at - first);
	if (length == 1 && (*first | ' ') == 'v')
		return VERTEX;
	if ((*first | ' ') == 'f' && (length == 1 || (length == 2 && (first[1] | ' ') == 'o')))
		return FACE;
	for (size_t i = 0; i < GB_COUNT(attributes); i++)
		if (strlen(attributes[i]) == length && !strncasecmp(attributes[i], first, length))
			return ATTRIBUTE;
	return OTHER;
}

/* Read a corner of a face as a vertex number from 0. */
static enum gb_status read_corner(struct gb_reader *r, const struct gb_mesh_pass *p,
				  uint32_t *corner)
{
	const size_t seen = p->vertices, vertices = p->mesh->vertex_count;
	int64_t number;
	int parts = 1;

	if (line_ends(r))
		return gb_reader_fail(r, "the line ends where a face's vertex should be");
	if (gb_reader_integer(r, "a face's vertex", &number))
		return r->err->code;
	for (; *r->at && strchr("/+-0123456789", *r->at); r->at++)
		parts += *r->at == '/';
	if (!gb_is_space(*r->at) || parts > 3)
		return gb_reader_fail(r, "a face's corner is not vertex/texture/normal");
	if (number < 0 ? (uint64_t)-number > seen : number == 0 || (uint64_t)number > vertices)
		return gb_reader_fail(r, "a face uses vertex %" PRId64 " of %zu", number,
				      number < 0 ? seen : vertices);
	*corner = (uint32_t)(number < 0 ? (int64_t)seen + number : number - 1);
	return GB_OK;
}

/* Read a face; the first pass only counts its corners. */
static enum gb_status read_face(struct gb_reader *r, struct gb_mesh_pass *p)
{
	uint32_t corner = 0;

	while (!line_ends(r)) {
		if (!p->mesh)
			r->at = gb_skip_word(r->at);
		else if (read_corner(r, p, &corner))
			return r->err->code;
		gb_mesh_corner(p, corner);
	}
	gb_mesh_end_face(p);
	return GB_OK;
}

static enum gb_status read_vertex(struct gb_reader *r, float out[3])
{
	double value;

	for (int k = 0; k < 3; k++) {
		if (line_ends(r))
			return gb_reader_fail(r, "the line ends where a coordinate should be");
		if (gb_reader_number(r, "a coordinate", &value))
			return r->err->code;
		out[k] = gb_mesh_coordinate(value);
	}
	while (!line_ends(r))
		if (gb_reader_number(r, "a weight or a colour", &value))
			return r->err->code;
	return GB_OK;
}

static enum gb_status read_line(struct gb_reader *r, struct gb_mesh_pass *p)
{
	switch (line_type(r)) {
	case VERTEX:
		p->vertices++;
		return p->mesh ? read_vertex(r, p->mesh->vertex + 3 * (p->vertices - 1)) : GB_OK;
	case FACE:
		return read_face(r, p);
	case OTHER:
		gb_mesh_skip_line(p, r);
		break;
	case ATTRIBUTE:
		break;
	}
	return GB_OK;
}

static enum gb_status read_lines(struct gb_reader *r, struct gb_mesh_pass *p)
{
	for (; r->at < r->end; gb_reader_next_line(r)) {
		if (read_line(r, p))
			return r->err->code;
		finish_line(r);
	}
	if (p->vertices)
		return GB_OK;
	return gb_reader_reject(r, " is neither a PLY, an STL nor an OBJ file");
}

enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct lbvh_input *mesh)
{
	gb_reader_is(r, GB_FILE_OBJ, "");
	return gb_mesh_read_twice(r, mesh, read_lines, NULL);
}
