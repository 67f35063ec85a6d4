/* read.c -- read meshes from files. */
#include <string.h>

#include "datasets/mesh/mesh.h"
#include "datasets/reading/ply.h"

static enum gb_status read_any(struct gb_reader *r, struct lbvh_input *mesh)
{
	const size_t size = (size_t)(r->end - r->begin);

	if (gb_is_ply(r))
		return gb_mesh_read_ply(r, mesh);
	if (gb_reader_start_text(r))
		return r->err->code;
	if (gb_is_stl(*r))
		return gb_mesh_read_stl(r, mesh);
	if (gb_reader_refuse(r))
		return r->err->code;
	if (memchr(r->at, 0, size < 4096 ? (size_t)(r->end - r->at) : 4096))
		return gb_reader_ends(r, ".stl")
			       ? gb_mesh_read_stl(r, mesh)
			       : gb_reader_reject(r, " is neither a PLY, an STL nor an OBJ file");
	return gb_mesh_read_obj(r, mesh);
}

enum gb_status gb_mesh_read(const char *path, struct lbvh_input *mesh, struct gb_error *err)
{
	struct gb_reader r;

	if (gb_reader_open(&r, path, "a mesh", err))
		return err->code;
	(void)read_any(&r, mesh);
	gb_reader_close(&r);
	return err->code;
}
