/* mesh.h -- meshes: triangles over shared vertices, read from files into an input of lbvh. */
#ifndef GPUBENCH_DATASETS_MESH_MESH_H
#define GPUBENCH_DATASETS_MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh_types.h"
#include "common/status.h"

struct gb_reader;

/* Allocate the arrays for mesh->count triangles and mesh->vertex_count vertices, and 16 zero bytes after
 * the last vertex.  The arrays, here and below, belong to the input that gb_input_begin() began, also
 * after a failure. */
enum gb_status gb_mesh_alloc(struct lbvh_input *mesh, struct gb_error *err);

/* Read a mesh from a PLY (text or binary of either byte order), STL (text or binary) or OBJ file; the
 * contents tell which.  Polygons become triangle fans.  gb_reader_notes() say what was not taken: lines
 * and faces without three corners, and triangles with a coordinate that is not finite or beyond
 * LBVH_COORDINATE_MAX, are dropped.  GB_EUSAGE, with FILE:LINE (text) or FILE: byte N (binary), for
 * wrong counts, an index out of range, a malformed number, or a truncated file; GB_EMEMORY if memory
 * runs out. */
enum gb_status gb_mesh_read(const char *path, struct lbvh_input *mesh, struct gb_error *err);

/* The readers behind gb_mesh_read(). */
enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct lbvh_input *mesh);
enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct lbvh_input *mesh);
enum gb_status gb_mesh_read_stl(struct gb_reader *r, struct lbvh_input *mesh);

/* True for an STL file: text that begins with "solid" or "facet", or all of a binary one. */
bool gb_is_stl(struct gb_reader r);

/* ---- for the readers ---------------------------------------------------------------------- */

/* A pass over a file.  The first one counts vertices and triangles, the second fills the arrays. */
struct gb_mesh_pass {
	struct lbvh_input *mesh;    /* of the second pass; NULL in the first */
	size_t vertices, triangles; /* so far */
	size_t corners;             /* of the face at hand, so far */
	uint32_t first, last;       /* the first and the last of them */
	size_t few, fans;           /* faces of fewer and of more than three corners */
	size_t others, first_other; /* lines of no use and the number of the first one */
	void *own;                  /* the reader's */
};

/* Read the mesh by two calls of `read`.  GB_EUSAGE if there are no triangles or more than can be
 * numbered. */
typedef enum gb_status gb_mesh_read_pass(struct gb_reader *r, struct gb_mesh_pass *p);
enum gb_status gb_mesh_read_twice(struct gb_reader *r, struct lbvh_input *mesh,
				  gb_mesh_read_pass *read, void *own);

/* Convert a coordinate; a NaN if it is not finite or beyond LBVH_COORDINATE_MAX in absolute value.  -0
 * becomes 0.  Triangles that use a NaN are dropped at the end. */
float gb_mesh_coordinate(double value);
void gb_mesh_triangle(struct gb_mesh_pass *p, uint32_t a, uint32_t b, uint32_t c);
/* Add a corner to the face at hand, which is a fan of triangles; end the face. */
void gb_mesh_corner(struct gb_mesh_pass *p, uint32_t vertex);
void gb_mesh_end_face(struct gb_mesh_pass *p);
/* Count a line of no use. */
void gb_mesh_skip_line(struct gb_mesh_pass *p, const struct gb_reader *r);

#endif
