/* mesh.c -- allocation of meshes and checks of their limits. */
#include "datasets/mesh/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/lbvh_types.h"
#include "common/memory.h"
#include "datasets/reading/reader.h"

enum gb_status gb_mesh_alloc(struct gb_mesh *mesh, struct gb_error *err)
{
	mesh->vertex = gb_host_alloc(3 * mesh->vertex_count + 4, sizeof *mesh->vertex, err);
	mesh->triangle = gb_host_alloc(3 * mesh->count, sizeof *mesh->triangle, err);
	if (!mesh->triangle) {
		gb_mesh_release(mesh);
		return err->code;
	}
	memset(mesh->vertex + 3 * mesh->vertex_count, 0, 4 * sizeof *mesh->vertex);
	return GB_OK;
}

void gb_mesh_release(struct gb_mesh *mesh)
{
	gb_host_free(mesh->vertex);
	gb_host_free(mesh->triangle);
	*mesh = (struct gb_mesh){ 0 };
}

enum gb_status gb_mesh_alloc_read(const struct gb_reader *r, size_t vertices, size_t triangles,
				  struct gb_mesh *mesh)
{
	struct gb_error memory = { 0 };

	if (triangles == 0)
		return gb_fail(r->err, GB_EUSAGE, "%s has no faces", r->path);
	if (triangles > LBVH_PRIMITIVES_MAX || vertices > UINT32_MAX)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s has %zu triangles and %zu vertices: at most %" PRIu32
			       " and %" PRIu32 " can be numbered",
			       r->path, triangles, vertices, LBVH_PRIMITIVES_MAX, UINT32_MAX);
	mesh->count = triangles;
	mesh->vertex_count = vertices;
	if (gb_mesh_alloc(mesh, &memory))
		return gb_fail(r->err, memory.code, "%s, %zu triangles: %s", r->path, triangles,
			       memory.message);
	return GB_OK;
}

enum gb_status gb_mesh_coordinate(const struct gb_reader *r, double value, float *out)
{
	if (!(fabs(value) <= (double)LBVH_COORDINATE_MAX))
		return gb_reader_fail(r, "a coordinate is %g: they are finite and at most %g",
				      value, (double)LBVH_COORDINATE_MAX);
	*out = (float)value + 0.0f; /* no -0 */
	return GB_OK;
}
