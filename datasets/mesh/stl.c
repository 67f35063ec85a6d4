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

static enum gb_status read_binary(struct gb_reader *r, struct gb_mesh_pass *p)
{
	const size_t size = (size_t)(r->end - r->begin), vertices = 3 * declared(r);
	const size_t wanted = HEAD + declared(r) * TRIANGLE;

	if (wanted > size)
		return gb_reader_reject(
			r, ": a binary STL file of %zu triangles takes %zu bytes, and has %zu",
			vertices / 3, wanted, size);
	for (; p->vertices < vertices; p->vertices++) {
		const size_t i = p->vertices;
		float place[3];

		r->at = r->begin + HEAD + i / 3 * TRIANGLE + NORMAL + i % 3 * sizeof place;
		memcpy(place, r->at, sizeof place);
		for (size_t d = 0; d < 3 && p->mesh; d++)
			p->mesh->vertex[3 * i + d] = gb_mesh_coordinate((double)place[d]);
		gb_mesh_corner(p, (uint32_t)i);
		if (i % 3 == 2)
			gb_mesh_end_face(p);
	}
	if (p->mesh && wanted < size)
		gb_reader_note("bytes after the last triangle ignored: %zu", size - wanted);
	return GB_OK;
}

/* ---- text --------------------------------------------------------------------------------- */

static enum gb_status read_vertex(struct gb_reader *r, struct gb_mesh_pass *p)
{
	double value;

	for (size_t d = 0; d < 3 && p->mesh; d++) {
		if (gb_reader_number(r, "a coordinate", &value))
			return r->err->code;
		p->mesh->vertex[3 * p->vertices + d] = gb_mesh_coordinate(value);
	}
	gb_mesh_corner(p, (uint32_t)p->vertices++);
	return GB_OK;
}

static enum gb_status read_line(struct gb_reader *r, struct gb_mesh_pass *p, bool *in_loop)
{
	if (gb_reader_line_ends(r))
		return GB_OK;
	if (gb_reader_take(r, "vertex"))
		return *in_loop ? read_vertex(r, p) : gb_reader_fail(r, "a vertex outside a loop");
	if (gb_reader_take(r, "outer")) {
		if (*in_loop)
			return gb_reader_fail(r, "a loop begins inside another");
		*in_loop = true;
	} else if (gb_reader_take(r, "endloop")) {
		*in_loop = false;
		gb_mesh_end_face(p);
	} else if (!gb_reader_take(r, "facet") && !gb_reader_take(r, "endfacet") &&
		   !gb_reader_take(r, "solid") && !gb_reader_take(r, "endsolid")) {
		gb_mesh_skip_line(p, r);
	}
	return GB_OK;
}

static enum gb_status read_text(struct gb_reader *r, struct gb_mesh_pass *p)
{
	bool in_loop = false;

	for (; r->at < r->end; gb_reader_next_line(r)) {
		if (read_line(r, p, &in_loop))
			return r->err->code;
	}
	return in_loop ? gb_reader_fail(r, "the file ends inside a loop") : GB_OK;
}

/* ---- both --------------------------------------------------------------------------------- */

bool gb_is_stl(struct gb_reader r)
{
	while (r.at < r.end && gb_reader_line_ends(&r))
		r.at++;
	return !strncasecmp(r.at, "solid", 5) || gb_reader_take(&r, "facet") || is_whole(&r);
}

enum gb_status gb_mesh_read_stl(struct gb_reader *r, struct lbvh_input *mesh)
{
	const size_t size = (size_t)(r->end - r->begin), most = 1024;

	gb_reader_is(r, GB_FILE_STL, "");
	/* A binary file has zeros. */
	if (!memchr(r->begin, '\0', size < most ? size : most))
		return gb_mesh_read_twice(r, mesh, read_text, NULL);
	r->line = 0;
	return gb_mesh_read_twice(r, mesh, read_binary, NULL);
}
