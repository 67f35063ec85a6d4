/* scene.c -- generation of scenes, and cameras of scenes and meshes; scene.h lists the scenes. */
#include "datasets/mesh/scene.h"

#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"
#include "common/text.h"
#include "datasets/mesh/shapes.h"

enum { STREAM_LATTICE = 100, FLAKE_ROWS = 10, FLAKE_CELLS = FLAKE_ROWS * FLAKE_ROWS };

/* A scene is either a surface (point) or a set of loose triangles (triangle). */
struct scene {
	size_t usual; /* triangles */
	void (*point)(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);
	void (*triangle)(uint64_t seed, size_t count, size_t i, float corner[9]);
	size_t pieces; /* pieces of a surface; 0: one per FLAKE_CELLS cells */
	double aspect; /* rows : columns of a piece */
	struct gb_view view;
};

const char *const gb_scene_names[] = { "terrain", "knot", "flake",  "soup",   "city", "hall",
				       "teapot",  "flat", "points", "copies", "huge", NULL };

/* In the order of the names. */
static const struct scene scenes[] = {
	{ 1 << 20,
	  gb_point_terrain,
	  NULL,
	  1,
	  1,
	  { { -0.1, 0.35, -0.15 }, { 0.55, -0.05, 0.6 }, { 0, 1, 0 }, 50 } },
	{ 1 << 18, gb_point_knot, NULL, 1, 10, { { 1, 8, 7 }, { 0, 0, 0 }, { 0, 1, 0 }, 40 } },
	{ 1 << 20,
	  gb_point_flake,
	  NULL,
	  0,
	  1,
	  { { 1.5, 2.2, 4.5 }, { 0, 0.25, 0 }, { 0, 1, 0 }, 45 } },
	{ 1 << 20,
	  NULL,
	  gb_triangle_soup,
	  0,
	  0,
	  { { -0.8, 1.3, -1.1 }, { 0.5, 0.5, 0.5 }, { 0, 1, 0 }, 45 } },
	{ 1 << 20,
	  NULL,
	  gb_triangle_city,
	  0,
	  0,
	  { { -0.15, 0.35, -0.2 }, { 0.5, 0, 0.5 }, { 0, 1, 0 }, 50 } },
	{ 1 << 18,
	  gb_point_hall,
	  NULL,
	  GB_HALL_PIECES,
	  4,
	  { { 0.05, 0.74, 0.1 }, { 3, 0.54, 0.72 }, { 0, 1, 0 }, 70 } },
	{ 25600,
	  gb_point_teapot,
	  NULL,
	  32,
	  1,
	  { { 2.5, 5, 8 }, { 0.2, 1.4, 0 }, { 0, 1, 0 }, 45 } },
	{ 1 << 14,
	  gb_point_flat,
	  NULL,
	  1,
	  1,
	  { { 0.3, 1.3, -0.7 }, { 0.5, 0.25, 0.45 }, { 0, 1, 0 }, 50 } },
	{ 1 << 14,
	  NULL,
	  gb_triangle_points,
	  0,
	  0,
	  { { -8, 12, -10 }, { 4, 4, 4 }, { 0, 1, 0 }, 45 } },
	{ 1 << 14,
	  NULL,
	  gb_triangle_copies,
	  0,
	  0,
	  { { 0.3, 0.3, -2 }, { 0.3, 0.3, 0 }, { 0, 1, 0 }, 45 } },
	{ 1 << 14,
	  NULL,
	  gb_triangle_huge,
	  0,
	  0,
	  { { -8e10, 1.3e11, -1.1e11 }, { 5e10, 5e10, 5e10 }, { 0, 1, 0 }, 45 } },
};

static const struct scene *find(const char *name)
{
	for (size_t i = 0; i < GB_COUNT(scenes); i++)
		if (gb_equal(gb_scene_names[i], name))
			return &scenes[i];
	return NULL;
}

/* ---- surfaces ----------------------------------------------------------------------------- */

/* Set the rows and columns of the pieces to just enough cells for `count` triangles. */
static void divide(struct gb_surface *s, const struct scene *scene, size_t count)
{
	const size_t cells = (count + 1) / 2;
	size_t each;

	s->pieces = scene->pieces;
	if (!s->pieces) {
		s->rows = s->cols = FLAKE_ROWS;
		s->pieces = (cells + FLAKE_CELLS - 1) / FLAKE_CELLS;
		return;
	}
	each = (cells + s->pieces - 1) / s->pieces;
	s->cols = (size_t)(sqrt((double)each / scene->aspect) + 0.5);
	s->cols = s->cols ? s->cols : 1;
	s->rows = (each + s->cols - 1) / s->cols;
}

/* Compute vertex i.  Vertices are ordered by piece, then row, then column. */
static void set_vertex(const struct gb_surface *s, size_t i, float out[3])
{
	const size_t row_length = s->cols + 1, piece_size = (s->rows + 1) * row_length;
	const size_t place = i % piece_size, row = place / row_length, col = place % row_length;
	double point[3];

	s->point(s, i / piece_size, (double)row / (double)s->rows, (double)col / (double)s->cols,
		 point);
	for (int k = 0; k < 3; k++)
		out[k] = (float)point[k] + 0.0f; /* no -0 */
}

/* The corners of triangle `i`: half i % 2 of cell i / 2. */
static void set_triangle(const struct gb_surface *s, size_t i, uint32_t corner[3])
{
	const size_t cell = i / 2, per_piece = s->rows * s->cols, place = cell % per_piece;
	const size_t row = place / s->cols, col = place % s->cols;
	const size_t first = (cell / per_piece * (s->rows + 1) + row) * (s->cols + 1) + col;
	const size_t below = first + s->cols + 1;

	corner[0] = (uint32_t)(i % 2 ? first + 1 : first);
	corner[1] = (uint32_t)(i % 2 ? below + 1 : first + 1);
	corner[2] = (uint32_t)below;
}

static void fill_surface(const struct gb_surface *s, struct gb_mesh *mesh)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < mesh->vertex_count; i++)
		set_vertex(s, i, mesh->vertex + 3 * i);
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < mesh->count; i++)
		set_triangle(s, i, mesh->triangle + 3 * i);
}

static void fill_loose(const struct scene *scene, uint64_t seed, struct gb_mesh *mesh)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < mesh->count; i++) {
		float corner[9];

		scene->triangle(seed, mesh->count, i, corner);
		for (size_t k = 0; k < 9; k++)
			mesh->vertex[9 * i + k] = corner[k] + 0.0f; /* no -0 */
		for (size_t k = 0; k < 3; k++)
			mesh->triangle[3 * i + k] = (uint32_t)(3 * i + k);
	}
}

static void fill_lattice(float *lattice, uint64_t seed)
{
	for (size_t i = 0; i < (size_t)GB_LATTICE * GB_LATTICE; i++)
		lattice[i] = (float)(2 * gb_random_unit_stream(seed, STREAM_LATTICE, i) - 1);
}

enum gb_status gb_scene_make(const char *name, size_t count, uint64_t seed, struct gb_mesh *mesh,
			     struct gb_view *view, struct gb_error *err)
{
	const struct scene *scene = find(name);
	float lattice[GB_LATTICE * GB_LATTICE];
	struct gb_surface s = { .seed = seed, .lattice = lattice };

	*mesh = (struct gb_mesh){ 0 };
	if (!scene)
		return gb_fail(err, GB_EUSAGE, "there is no generated scene %s", name);
	*view = scene->view;
	mesh->count = count ? count : scene->usual;
	s.point = scene->point;
	if (s.point)
		divide(&s, scene, mesh->count);
	mesh->vertex_count = s.point ? s.pieces * (s.rows + 1) * (s.cols + 1) : 3 * mesh->count;
	if (gb_mesh_alloc(mesh, err))
		return err->code;
	if (gb_memory_is_dry())
		return GB_OK;
	fill_lattice(lattice, seed);
	if (s.point)
		fill_surface(&s, mesh);
	else
		fill_loose(scene, seed, mesh);
	return GB_OK;
}

/* ---- views -------------------------------------------------------------------------------- */

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

/* The part of a path after its last slash. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A view from outside: the bounding sphere of the mesh's box fills the image. */
static void outside_view(const struct gb_mesh *mesh, struct gb_view *view)
{
	double lo[3] = { INFINITY, INFINITY, INFINITY };
	double hi[3] = { -INFINITY, -INFINITY, -INFINITY };
	const double from[3] = { 0.5, 0.4, 0.77 };
	double radius = 0;

	for (size_t i = 0; i < mesh->vertex_count; i++)
		for (size_t k = 0; k < 3; k++) {
			const double x = (double)mesh->vertex[3 * i + k];

			lo[k] = x < lo[k] ? x : lo[k];
			hi[k] = x > hi[k] ? x : hi[k];
		}
	for (int k = 0; k < 3; k++)
		radius += (hi[k] - lo[k]) * (hi[k] - lo[k]) / 4;
	radius = radius > 0 ? sqrt(radius) : 1;
	*view = (struct gb_view){ .up = { 0, 1, 0 }, .fov = 45 };
	for (int k = 0; k < 3; k++) {
		view->target[k] = (lo[k] + hi[k]) / 2;
		view->eye[k] = view->target[k] + 2.6 * radius * from[k];
	}
}

void gb_mesh_view(const char *path, const struct gb_mesh *mesh, struct gb_view *view)
{
	for (size_t i = 0; i < GB_COUNT(known); i++)
		if (known[i].triangles == mesh->count && gb_equal(known[i].file, base_name(path))) {
			*view = known[i].view;
			return;
		}
	outside_view(mesh, view);
}

struct lbvh_camera gb_view_camera(const struct gb_view *view, uint32_t edge)
{
	const double half = tan(view->fov * 3.14159265358979323846 / 360);
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
