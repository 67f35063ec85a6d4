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

#include "common/text.h"
#include "datasets/reading/reader.h"

/* The maximum number of values after x, y and z: a weight, or a colour and its opacity. */
enum { MOST_EXTRA = 4 };

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

/* Advance to the start of the next line, past all continuations of this one. */
static void next_line(struct gb_reader *r)
{
	const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));

	if (end && end - r->at >= 2 && (end[-1] == '\\' || end[-2] == '\\'))
		while (!line_ends(r))
			r->at = gb_skip_word(r->at);
	gb_reader_next_line(r);
}

/* Return the type of the line at r->at and skip its first word. */
static enum line_type line_type(struct gb_reader *r)
{
	/* What a face looks like: its group, material, normals.  Curves, surfaces, points, lines and
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
	if (length == 1 && *first == 'v')
		return VERTEX;
	if (*first == 'f' && (length == 1 || (length == 2 && first[1] == 'o')))
		return FACE;
	for (size_t i = 0; i < GB_COUNT(attributes); i++)
		if (strlen(attributes[i]) == length && memcmp(attributes[i], first, length) == 0)
			return ATTRIBUTE;
	return OTHER;
}

/* Read a corner of a face as a vertex number from 0. */
static enum gb_status read_corner(struct gb_reader *r, size_t seen, size_t vertices,
				  uint32_t *corner)
{
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

/* Read a face as a fan of triangles. */
static enum gb_status read_face(struct gb_reader *r, size_t seen, struct gb_mesh *mesh,
				struct gb_mesh_faces *done)
{
	uint32_t first = 0, last = 0, next = 0;
	size_t corners = 0;

	for (; !line_ends(r); corners++) {
		uint32_t *triangle = mesh->triangle + 3 * done->triangles;

		if (read_corner(r, seen, mesh->vertex_count, &next))
			return r->err->code;
		if (corners == 0)
			first = next;
		if (corners >= 2) {
			if (done->triangles == mesh->count)
				return gb_reader_fail(r, "more triangles than were counted");
			triangle[0] = first;
			triangle[1] = last;
			triangle[2] = next;
			done->triangles++;
		}
		last = next;
	}
	done->few += corners < 3;
	done->fans += corners > 3;
	return GB_OK;
}

static enum gb_status read_vertex(struct gb_reader *r, float out[3])
{
	double value;

	for (int k = 0; k < 3; k++) {
		if (line_ends(r))
			return gb_reader_fail(r, "the line ends where a coordinate should be");
		if (gb_reader_real(r, "a coordinate", &value))
			return r->err->code;
		out[k] = gb_mesh_coordinate(value);
	}
	for (int extra = 0; !line_ends(r); extra++)
		if (extra == MOST_EXTRA)
			return gb_reader_fail(r, "extra values after a vertex and its colour");
		else if (gb_reader_real(r, "a weight or a colour", &value))
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

/* Count the lines, the vertices and the triangles. */
static void count_lines(struct gb_reader *r, size_t *vertices, struct gb_mesh_faces *count)
{
	for (; r->at < r->end; next_line(r)) {
		const size_t line = r->line;
		const enum line_type type = line_type(r);

		if (type == VERTEX)
			(*vertices)++;
		if (type == OTHER && count->others++ == 0)
			count->first_other = line;
		if (type == FACE) {
			const size_t corners = count_words(r);

			count->triangles += corners > 2 ? corners - 2 : 0;
		}
	}
}

enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct gb_mesh *mesh)
{
	const char *const start = r->at;
	struct gb_mesh_faces count = { 0 }, done = { 0 };
	size_t vertices = 0, seen = 0;

	gb_reader_is(r, GB_FILE_OBJ, "");
	count_lines(r, &vertices, &count);
	r->line--;
	if (!vertices)
		return gb_fail(r->err, GB_EUSAGE, "%s is neither a PLY, an STL nor an OBJ file",
			       r->path);
	if (gb_mesh_alloc_read(r, vertices, count.triangles, mesh))
		return r->err->code;
	r->at = start;
	r->line = 1;
	for (; r->at < r->end; next_line(r)) {
		const enum line_type type = line_type(r);

		if (type == VERTEX && read_vertex(r, mesh->vertex + 3 * seen++))
			return r->err->code;
		if (type == FACE && read_face(r, seen, mesh, &done))
			return r->err->code;
		if (r->line % (1 << 16) == 0)
			gb_reader_progress_at(r);
	}
	if (done.triangles != mesh->count)
		return gb_reader_fail(r, "%zu triangles where %zu were counted", done.triangles,
				      mesh->count);
	done.others = count.others;
	done.first_other = count.first_other;
	return gb_mesh_finish(r, mesh, &done);
}
