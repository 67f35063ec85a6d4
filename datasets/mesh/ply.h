/* ply.h -- a mesh from PLY; part of gb_mesh_read(). */
#ifndef GPUBENCH_DATASETS_MESH_PLY_H
#define GPUBENCH_DATASETS_MESH_PLY_H

#include "datasets/mesh/mesh.h"
#include "datasets/reading/reader.h"

/* On failure what was allocated in *mesh is left to the caller. */
enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh);

#endif
