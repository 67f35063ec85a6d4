/* view.c -- views of meshes from files, and cameras of views. */
#include "cli/benchmarks/lbvh/view.h"

#include <math.h>
#include <string.h>

#include "cli/benchmarks/lbvh/lbvh_reference.h"
#include "common/text.h"
#include "datasets/mesh/surfaces.h"

/* Cameras of public meshes, for a file of that name and number of triangles.  A public mesh often
 * has another count than the paper's mesh of the same name. */
static const struct {
	const char *file;
	size_t triangles;
	struct gb_view view;
} known[] = {
	{ "bunny.ply", 69451, { { -0.05, 0.17, 0.26 }, { -0.017, 0.105, 0 }, { 0, 1, 0 }, 40 } },
	{ "dragon202k.ply",
	  202520,
	  { { -0.08, 0.19, 0.27 }, { -0.005, 0.12, 0 }, { 0, 1, 0 }, 42 } },
	{ "dragon.ply", 871414, { { -0.08, 0.19, 0.27 }, { -0.005, 0.12, 0 }, { 0, 1, 0 }, 42 } },
	{ "dabrovic-sponza.obj", 66450, { { -12, 3, 0.5 }, { 0, 5, -0.5 }, { 0, 1, 0 }, 70 } },
	{ "sponza.ply", 66447, { { -12, 3, 0.5 }, { 0, 5, -0.5 }, { 0, 1, 0 }, 70 } },
	{ "crytek-sponza.obj", 262267, { { -1200, 300, 50 }, { 0, 450, -50 }, { 0, 1, 0 }, 70 } },
	{ "crysponza.ply", 279163, { { -1200, 300, 50 }, { 0, 450, -50 }, { 0, 1, 0 }, 70 } },
	{ "conference.obj", 331179, { { 1000, 500, -300 }, { 0, 150, -300 }, { 0, 1, 0 }, 70 } },
	{ "nefertiti.ply", 99938, { { -250, -650, 150 }, { 0, 0, 0 }, { 0, 0, 1 }, 45 } },
};

/* A view from outside: the bounding sphere of the mesh's box fills the image. */
static void outside_view(const struct lbvh_input *mesh, struct gb_view *view)
{
	const double from[3] = { 0.5, 0.4, 0.77 };
	struct lbvh_box box = lbvh_no_box();
	double radius = 0;

	for (size_t i = 0; i < mesh->vertex_count; i++)
		lbvh_grow(&box, mesh->vertex + 3 * i, mesh->vertex + 3 * i);
	for (int k = 0; k < 3; k++) {
		const double edge = (double)box.hi[k] - (double)box.lo[k];

		radius += edge * edge / 4;
	}
	radius = radius > 0 ? sqrt(radius) : 1;
	*view = (struct gb_view){ .up = { 0, 1, 0 }, .fov = 45 };
	for (int k = 0; k < 3; k++) {
		view->target[k] = ((double)box.lo[k] + (double)box.hi[k]) / 2;
		view->eye[k] = view->target[k] + 2.6 * radius * from[k];
	}
}

void lbvh_view_file(const char *path, const struct lbvh_input *mesh, struct gb_view *view)
{
	for (size_t i = 0; i < GB_COUNT(known); i++)
		if (known[i].triangles == mesh->count && gb_equal(known[i].file, basename(path))) {
			*view = known[i].view;
			return;
		}
	outside_view(mesh, view);
}

struct lbvh_camera lbvh_camera_of(const struct gb_view *view, uint32_t edge)
{
	const double half = tan(view->fov * PI / 360);
	const double step = 2 * half / edge;
	struct lbvh_camera camera;
	double ahead[3], right[3], up[3];

	for (int k = 0; k < 3; k++)
		ahead[k] = view->target[k] - view->eye[k];
	gb_normalise(ahead);
	gb_cross(ahead, view->up, right);
	gb_normalise(right);
	gb_cross(right, ahead, up);
	gb_normalise(up);
	for (int k = 0; k < 3; k++) {
		camera.eye[k] = (float)view->eye[k];
		camera.dx[k] = (float)(right[k] * step);
		camera.dy[k] = (float)(-up[k] * step);
		camera.corner[k] = (float)(ahead[k] + (up[k] - right[k]) * (half - step / 2));
	}
	return camera;
}
