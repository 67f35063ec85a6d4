/* mesh.h -- triangles over shared vertices: what scenes are generated as and mesh files are read
 * into. */
#ifndef GPUBENCH_DATASETS_MESH_MESH_H
#define GPUBENCH_DATASETS_MESH_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct gb_reader;

/* Triangles and vertices; the arrays are from gb_host_alloc (vertex has 16 spare bytes). */
struct gb_mesh {
	size_t count, vertex_count;
	float *vertex;      /* x y z */
	uint32_t *triangle; /* three vertex numbers */
};

/* The arrays for mesh->count triangles and mesh->vertex_count vertices; the spare bytes are zero.
 * On failure both pointers are NULL. */
enum gb_status gb_mesh_alloc(struct gb_mesh *mesh, struct gb_error *err);
void gb_mesh_release(struct gb_mesh *mesh);

/* Read a mesh: .ply (ascii, binary of either byte order) or .obj.  Polygons become fans.  GB_EUSAGE
 * with FILE:LINE (text) or FILE: byte N (binary) for wrong counts, an index out of range, a number
 * that is malformed, not finite or beyond LBVH_COORDINATE_MAX, a truncated file; GB_EMEMORY if
 * memory does not suffice.  Then *mesh is empty. */
enum gb_status gb_mesh_read(const char *path, struct gb_mesh *mesh, struct gb_error *err);

/* Its readers.  On failure what was allocated in *mesh is left to the caller. */
enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct gb_mesh *mesh);
enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh);

/* For the readers of files.  Allocate for so many vertices and triangles; GB_EUSAGE for none or
 * more than can be numbered. */
enum gb_status gb_mesh_alloc_read(const struct gb_reader *r, size_t vertices, size_t triangles,
				  struct gb_mesh *mesh);
/* A coordinate: finite, not beyond LBVH_COORDINATE_MAX; -0 becomes 0. */
enum gb_status gb_mesh_coordinate(const struct gb_reader *r, double value, float *out);

#endif
