/* stl.c -- read a mesh from an STL file, text or binary.  Each triangle has vertices of its own.
 *
 * Text has lines "vertex x y z" between "outer loop" and "endloop"; the first pass counts them.  A
 * binary file has 80 bytes of any text, which may begin with "solid", the number of triangles, and for
 * each a normal, three vertices and two bytes, all little-endian.  */
#include "datasets/mesh/mesh.h"

#include <string.h>
#include <strings.h>

#include "datasets/reading/reader.h"

enum { HEAD = 84, TRIANGLE = 50, NORMAL = 12 };

/* ---- binary ------------------------------------------------------------------------------- */

static size_t declared(const struct gb_reader *r)
{
	uint32_t triangles;

	memcpy(&triangles, r->begin + HEAD - 4, sizeof triangles);
	return triangles;
}

/* True for a binary file that has the bytes of the triangles that it declares. */
static bool is_whole(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);

	return size > HEAD && HEAD + declared(r) * TRIANGLE == size;
}

static enum gb_status read_binary(struct gb_reader *r, struct gb_mesh *mesh)
{
	const size_t size = (size_t)(r->end - r->begin), triangles = declared(r);

	r->line = 0;
	if (triangles == 0 || triangles > (size - HEAD) / TRIANGLE)
		return gb_fail(
			r->err, GB_EUSAGE,
			"%s: a binary STL file of %zu triangles takes %zu bytes, and has %zu",
			r->path, triangles, HEAD + triangles * TRIANGLE, size);
	if (gb_mesh_alloc_read(r, 3 * triangles, triangles, mesh))
		return r->err->code;
	for (size_t i = 0; i < 3 * triangles; i++) {
		float place[3];

		r->at = r->begin + HEAD + i / 3 * TRIANGLE + NORMAL + i % 3 * sizeof place;
		memcpy(place, r->at, sizeof place);
		for (size_t d = 0; d < 3; d++)
			mesh->vertex[3 * i + d] = gb_mesh_coordinate((double)place[d]);
		mesh->triangle[i] = (uint32_t)i;
	}
	if (HEAD + triangles * TRIANGLE < size)
		gb_reader_note("bytes after the last triangle ignored: %zu",
			       size - HEAD - triangles * TRIANGLE);
	return gb_mesh_finish(r, mesh, &(struct gb_mesh_faces){ 0 });
}

/* ---- text --------------------------------------------------------------------------------- */

/* True if the next word is this one, in any case; then skip it. */
static bool take_word(struct gb_reader *r, const char *word)
{
	const size_t length = strlen(word);

	if (gb_reader_line_ends(r) || (size_t)(r->end - r->at) < length ||
	    strncasecmp(r->at, word, length) != 0 || !gb_is_space(r->at[length]))
		return false;
	r->at += length;
	return true;
}

struct pass {
	struct gb_mesh *mesh; /* NULL: only count */
	size_t vertices;      /* so far */
	size_t corners;       /* of the loop at hand */
	bool in_loop;
	struct gb_mesh_faces done;
};

static enum gb_status read_vertex(struct gb_reader *r, struct pass *p)
{
	const size_t last = p->vertices;

	if (!p->in_loop)
		return gb_reader_fail(r, "a vertex outside a loop");
	for (size_t d = 0; d < 3 && p->mesh; d++) {
		double value;

		if (gb_reader_real(r, "a coordinate", &value))
			return r->err->code;
		p->mesh->vertex[3 * last + d] = gb_mesh_coordinate(value);
	}
	p->vertices++;
	if (++p->corners < 3)
		return GB_OK;
	if (p->mesh) {
		uint32_t *triangle = p->mesh->triangle + 3 * p->done.triangles;

		triangle[0] = (uint32_t)(p->vertices - p->corners);
		triangle[1] = (uint32_t)last - 1;
		triangle[2] = (uint32_t)last;
	}
	p->done.triangles++;
	return GB_OK;
}

static enum gb_status read_line(struct gb_reader *r, struct pass *p)
{
	if (gb_reader_line_ends(r))
		return GB_OK;
	if (take_word(r, "vertex"))
		return read_vertex(r, p);
	if (take_word(r, "outer")) {
		if (p->in_loop)
			return gb_reader_fail(r, "a loop begins inside another");
		p->in_loop = true;
		p->corners = 0;
	} else if (take_word(r, "endloop")) {
		p->in_loop = false;
		p->done.few += p->corners < 3;
		p->done.fans += p->corners > 3;
	} else if (!take_word(r, "facet") && !take_word(r, "endfacet") && !take_word(r, "solid") &&
		   !take_word(r, "endsolid")) {
		if (p->done.others++ == 0)
			p->done.first_other = r->line;
	}
	return GB_OK;
}

static enum gb_status read_text(struct gb_reader *r, struct pass *p)
{
	for (; r->at < r->end; gb_reader_next_line(r)) {
		if (read_line(r, p))
			return r->err->code;
		if (p->mesh && r->line % (1 << 16) == 0)
			gb_reader_progress_at(r);
	}
	return p->in_loop ? gb_reader_fail(r, "the file ends inside a loop") : GB_OK;
}

/* True for a text that begins with "solid"; a binary file has zeros. */
static bool is_text(struct gb_reader r)
{
	const size_t size = (size_t)(r.end - r.begin), most = 1024;

	while (r.at < r.end && gb_reader_line_ends(&r))
		r.at++;
	return take_word(&r, "solid") && !memchr(r.begin, '\0', size < most ? size : most);
}

/* ---- both --------------------------------------------------------------------------------- */

bool gb_is_stl(const struct gb_reader *r)
{
	const size_t size = (size_t)(r->end - r->begin);

	return is_text(*r) || is_whole(r) || (size >= HEAD && gb_reader_ends(r, ".stl"));
}

enum gb_status gb_mesh_read_stl(struct gb_reader *r, struct gb_mesh *mesh)
{
	struct pass count = { 0 }, fill = { .mesh = mesh };
	const char *start;

	gb_reader_is(r, GB_FILE_STL, "");
	if (!is_text(*r))
		return read_binary(r, mesh);
	start = r->at;
	if (read_text(r, &count))
		return r->err->code;
	r->line--;
	if (gb_mesh_alloc_read(r, count.vertices, count.done.triangles, mesh))
		return r->err->code;
	r->at = start;
	r->line = 1;
	if (read_text(r, &fill))
		return r->err->code;
	return gb_mesh_finish(r, mesh, &fill.done);
}
