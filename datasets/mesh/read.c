/* read.c -- read meshes from files. */
#include "datasets/mesh/mesh.h"
#include "datasets/reading/reader.h"

enum gb_status gb_mesh_read(const char *path, struct gb_mesh *mesh, struct gb_error *err)
{
	const bool ply = gb_has_ending(path, ".ply"), obj = gb_has_ending(path, ".obj");
	struct gb_reader r;

	*mesh = (struct gb_mesh){ 0 };
	if (!ply && !obj)
		return gb_fail(err, GB_EUSAGE, "%s is neither a .ply nor a .obj file", path);
	if (gb_reader_open(&r, path, "a mesh", err))
		return err->code;
	if (gb_reader_start_text(&r) ||
	    (ply ? gb_mesh_read_ply(&r, mesh) : gb_mesh_read_obj(&r, mesh)))
		gb_mesh_release(mesh);
	gb_reader_close(&r);
	return err->code;
}
