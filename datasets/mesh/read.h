/* read.h -- meshes from files. */
#ifndef GPUBENCH_DATASETS_MESH_READ_H
#define GPUBENCH_DATASETS_MESH_READ_H

#include "datasets/mesh/mesh.h"

/* Read a mesh: .ply (ascii, binary of either byte order) or .obj.  Polygons become fans.  GB_EUSAGE
 * with FILE:LINE (text) or FILE: byte N (binary) for wrong counts, an index out of range, a number
 * that is malformed, not finite or beyond LBVH_COORDINATE_MAX, a truncated file; GB_EMEMORY if
 * memory does not suffice.  Then *mesh is empty. */
enum gb_status gb_mesh_read(const char *path, struct gb_mesh *mesh, struct gb_error *err);

#endif
