/* mesh.h -- meshes: triangles over shared vertices, generated or read from files. */
#ifndef GPUBENCH_DATASETS_MESH_MESH_H
#define GPUBENCH_DATASETS_MESH_MESH_H

#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

struct gb_reader;

/* The arrays come from gb_host_alloc(); vertex has 16 spare bytes. */
struct gb_mesh {
	size_t count, vertex_count;
	float *vertex;      /* x y z */
	uint32_t *triangle; /* three vertex numbers */
};

/* Allocate the arrays for mesh->count triangles and mesh->vertex_count vertices and zero the spare
 * bytes.  On failure both pointers are NULL. */
enum gb_status gb_mesh_alloc(struct gb_mesh *mesh, struct gb_error *err);
void gb_mesh_release(struct gb_mesh *mesh);

/* Read a mesh from a .ply (ASCII or binary of either byte order) or .obj file.  Polygons become
 * triangle fans.  GB_EUSAGE, with FILE:LINE (text) or FILE: byte N (binary), for wrong counts, an
 * index out of range, a malformed number, a coordinate that is not finite or beyond
 * LBVH_COORDINATE_MAX, or a truncated file; GB_EMEMORY if memory runs out.  On failure *mesh is
 * empty. */
enum gb_status gb_mesh_read(const char *path, struct gb_mesh *mesh, struct gb_error *err);

/* The readers behind gb_mesh_read().  On failure the caller frees the arrays of *mesh. */
enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct gb_mesh *mesh);
enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh);

/* For the readers: allocate the arrays for these numbers of vertices and triangles.  GB_EUSAGE if
 * there are no triangles or more than can be numbered. */
enum gb_status gb_mesh_alloc_read(const struct gb_reader *r, size_t vertices, size_t triangles,
				  struct gb_mesh *mesh);
/* For the readers: convert a coordinate, which must be finite and at most LBVH_COORDINATE_MAX in
 * absolute value.  -0 becomes 0. */
enum gb_status gb_mesh_coordinate(const struct gb_reader *r, double value, float *out);

#endif
