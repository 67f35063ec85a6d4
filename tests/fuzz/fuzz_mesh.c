/* fuzz_mesh.c -- arbitrary bytes as a mesh file, whose name ends in .stl for every second size.
 * Accepted meshes must satisfy the readers' guarantees.
 */
#include <math.h>

#include "common/memory.h"
#include "datasets/mesh/mesh.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct lbvh_input *mesh)
{
	if (mesh->count == 0)
		abort();
	for (size_t i = 0; i < 3 * mesh->vertex_count; i++)
		if (!(fabsf(mesh->vertex[i]) <= LBVH_COORDINATE_MAX) ||
		    (mesh->vertex[i] == 0 && signbit(mesh->vertex[i])))
			abort();
	for (size_t i = 0; i < 3 * mesh->count; i++)
		if (mesh->triangle[i] >= mesh->vertex_count)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lbvh_input mesh = { 0 };
	struct gb_error err = { 0 };
	const char *path = fuzz_file(data, size, size % 2 ? ".stl" : ".any");

	if (!gb_mesh_read(path, &mesh, &err))
		check(&mesh);
	else if (!err.message[0])
		abort();
	gb_host_free(mesh.vertex);
	gb_host_free(mesh.triangle);
	(void)unlink(path);
	return 0;
}
