/* mesh.c -- meshes in memory: their allocation, and what all readers of files do. */
#include "datasets/mesh/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "datasets/reading/reader.h"

enum gb_status gb_mesh_alloc(struct lbvh_input *mesh, struct gb_error *err)
{
	mesh->vertex = gb_host_alloc(3 * mesh->vertex_count + 4, sizeof *mesh->vertex, err);
	mesh->triangle = gb_host_alloc(3 * mesh->count, sizeof *mesh->triangle, err);
	if (!mesh->triangle)
		return err->code;
	memset(mesh->vertex + 3 * mesh->vertex_count, 0, 4 * sizeof *mesh->vertex);
	return GB_OK;
}

/* ---- faces -------------------------------------------------------------------------------- */

float gb_mesh_coordinate(double value)
{
	/* The sum turns -0 into 0. */
	return fabs(value) <= (double)LBVH_COORDINATE_MAX ? (float)value + 0.0f : NAN;
}

void gb_mesh_triangle(struct gb_mesh_pass *p, uint32_t a, uint32_t b, uint32_t c)
{
	if (p->mesh && p->triangles < p->mesh->count) {
		uint32_t *triangle = p->mesh->triangle + 3 * p->triangles;

		triangle[0] = a;
		triangle[1] = b;
		triangle[2] = c;
	}
	p->triangles++;
}

void gb_mesh_corner(struct gb_mesh_pass *p, uint32_t vertex)
{
	if (p->corners == 0)
		p->first = vertex;
	else if (p->corners > 1)
		gb_mesh_triangle(p, p->first, p->last, vertex);
	p->last = vertex;
	p->corners++;
}

void gb_mesh_end_face(struct gb_mesh_pass *p)
{
	p->few += p->corners < 3;
	p->fans += p->corners > 3;
	p->corners = 0;
}

void gb_mesh_skip_line(struct gb_mesh_pass *p, const struct gb_reader *r)
{
	if (p->others++ == 0)
		p->first_other = r->line;
}

/* ---- passes ------------------------------------------------------------------------------- */

static enum gb_status alloc_read(const struct gb_reader *r, size_t vertices, size_t triangles,
				 struct lbvh_input *mesh)
{
	const double bytes = 12.0 * ((double)vertices + (double)triangles);
	struct gb_error memory = { 0 };

	if (triangles == 0)
		return gb_reader_fail(r, "no face has three corners (vertices: %zu)", vertices);
	if (triangles > LBVH_PRIMITIVES_MAX || vertices > UINT32_MAX)
		return gb_reader_reject(r,
					" has %zu triangles and %zu vertices: at most %" PRIu32
					" and %" PRIu32 " can be numbered",
					triangles, vertices, LBVH_PRIMITIVES_MAX, UINT32_MAX);
	if (gb_reader_claim(r, bytes, "%zu triangles, %zu vertices", triangles, vertices))
		return r->err->code;
	mesh->count = triangles;
	mesh->vertex_count = vertices;
	if (gb_mesh_alloc(mesh, &memory))
		return gb_fail(r->err, memory.code, "%s, %zu triangles: %s", r->path, triangles,
			       memory.message);
	return GB_OK;
}

static bool has_place(const struct lbvh_input *mesh, size_t v)
{
	const float *vertex = mesh->vertex + 3 * v;

	return !isnan(vertex[0]) && !isnan(vertex[1]) && !isnan(vertex[2]);
}

/* Drop the triangles that use one of the `lost` vertices, which have no place.  Such a vertex gets the
 * place of one that has one, so that the bounds of all vertices stay as they are.  Returns how many of
 * the others repeat a vertex. */
static size_t drop_lost(struct lbvh_input *mesh, size_t lost)
{
	const size_t triangles = mesh->count;
	size_t repeated = 0;

	mesh->count = 0;
	for (size_t i = 0; i < triangles; i++) {
		const uint32_t *t = mesh->triangle + 3 * i;

		if (lost &&
		    !(has_place(mesh, t[0]) && has_place(mesh, t[1]) && has_place(mesh, t[2])))
			continue;
		repeated += t[0] == t[1] || t[1] == t[2] || t[0] == t[2];
		memmove(mesh->triangle + 3 * mesh->count++, t, 3 * sizeof *t);
	}
	for (size_t v = 0; lost && mesh->count && v < mesh->vertex_count; v++)
		if (!has_place(mesh, v))
			memcpy(mesh->vertex + 3 * v, mesh->vertex + 3 * (size_t)mesh->triangle[0],
			       3 * sizeof *mesh->vertex);
	return repeated;
}

/* Note that a far origin leaves few bits of the mesh. */
static void note_rounding(const float *vertex, size_t count)
{
	double low[3] = { INFINITY, INFINITY, INFINITY };
	double high[3] = { -INFINITY, -INFINITY, -INFINITY };

	for (size_t i = 0; i < 3 * count; i++) {
		low[i % 3] = fmin(low[i % 3], (double)vertex[i]);
		high[i % 3] = fmax(high[i % 3], (double)vertex[i]);
	}
	gb_reader_note_steps(low, high);
}

/* Drop the triangles that have a NaN, and note what was read. */
static enum gb_status finish(struct gb_reader *r, struct lbvh_input *mesh,
			     const struct gb_mesh_pass *read)
{
	const size_t triangles = mesh->count;
	size_t lost = 0, repeated;

	for (size_t v = 0; v < mesh->vertex_count; v++)
		lost += !has_place(mesh, v);
	repeated = drop_lost(mesh, lost);
	if (!mesh->count)
		return gb_reader_reject(
			r, ": each triangle has a coordinate that is not finite or beyond %g",
			(double)LBVH_COORDINATE_MAX);
	gb_reader_count("triangles", "triangle", triangles, mesh->count);
	gb_reader_count("vertices", "vertex", mesh->vertex_count, mesh->vertex_count - lost);
	if (lost)
		gb_reader_note("vertices not finite or beyond %g: %zu (triangles dropped: %zu)",
			       (double)LBVH_COORDINATE_MAX, lost, triangles - mesh->count);
	note_rounding(mesh->vertex, mesh->vertex_count);
	if (read->few)
		gb_reader_note("faces of fewer than three corners skipped: %zu", read->few);
	if (read->others)
		gb_reader_note("lines of other things skipped: %zu (first: line %zu)", read->others,
			       read->first_other);
	if (read->fans)
		gb_reader_tell("polygons split into fans: %zu", read->fans);
	if (repeated)
		gb_reader_tell("triangles that repeat a vertex: %zu", repeated);
	return GB_OK;
}

enum gb_status gb_mesh_read_twice(struct gb_reader *r, struct lbvh_input *mesh,
				  gb_mesh_read_pass *read, void *own)
{
	const struct gb_reader start = *r;
	struct gb_mesh_pass count = { .own = own }, fill = { .mesh = mesh, .own = own };

	r->quiet = true;
	if (read(r, &count))
		return r->err->code;
	r->quiet = false;
	r->line -= r->line > 0; /* the last one */
	if (alloc_read(r, count.vertices, count.triangles, mesh))
		return r->err->code;
	r->at = start.at;
	r->line = start.line;
	if (read(r, &fill))
		return r->err->code;
	if (fill.vertices != mesh->vertex_count || fill.triangles != mesh->count)
		return gb_reader_fail(r, "%zu triangles where %zu were counted", fill.triangles,
				      mesh->count);
	return finish(r, mesh, &fill);
}
