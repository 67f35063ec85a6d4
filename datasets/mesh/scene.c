/* scene.c -- generation of scenes; scene.h lists them.  y points up. */
#include "datasets/mesh/scene.h"

#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"
#include "datasets/mesh/surfaces.h"
#include "datasets/noise.h"

/* A surface that is divided into cells of two triangles. */
struct surface {
	gb_surface *point;
	const struct gb_noise *noise; /* of the terrain */
	size_t pieces;                /* equal pieces with vertices of their own */
	size_t rows, cols;            /* cells of a piece */
};

enum { FLAKE_ROWS = 10, FLAKE_CELLS = FLAKE_ROWS * FLAKE_ROWS };
enum { STREAM_SOUP = 1, STREAM_CITY, STREAM_POINTS, STREAM_NOISE = 100 };

/* ---- loose triangles ---------------------------------------------------------------------- */

/* Four uniform numbers in 0 .. 1. */
static void uniform4(uint64_t seed, uint64_t stream, uint64_t index, double out[4])
{
	const struct gb_random_block block = gb_random_block(seed, stream, index);

	for (int k = 0; k < 4; k++)
		out[k] = block.word[k] * 0x1p-32;
}

static void soup(uint64_t seed, size_t count, size_t i, double scale, float corner[9])
{
	const double size = scale / cbrt((double)count);
	double random[12];

	for (uint64_t k = 0; k < 3; k++)
		uniform4(seed, STREAM_SOUP, 3 * (uint64_t)i + k, random + 4 * k);
	for (int c = 0; c < 3; c++)
		for (int k = 0; k < 3; k++)
			corner[3 * c + k] = (float)(random[k] * scale +
						    (c ? size * (random[3 * c + k] - 0.5) : 0));
}

static void triangle_soup(uint64_t seed, size_t count, size_t i, float corner[9])
{
	soup(seed, count, i, 1, corner);
}

static void triangle_huge(uint64_t seed, size_t count, size_t i, float corner[9])
{
	soup(seed, count, i, 1e11, corner);
}

static void triangle_points(uint64_t seed, size_t count, size_t i, float corner[9])
{
	double random[4];

	(void)count;
	uniform4(seed, STREAM_POINTS, i, random);
	for (int c = 0; c < 3; c++)
		for (int k = 0; k < 3; k++)
			corner[3 * c + k] = (float)floor(random[k] * 8);
}

static void triangle_copies(uint64_t seed, size_t count, size_t i, float corner[9])
{
	static const float same[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0.5f };

	(void)seed;
	(void)count;
	(void)i;
	for (int k = 0; k < 9; k++)
		corner[k] = same[k];
}

/* Half `half` of the quad with corners a, b, a + d, b + d. */
static void half_quad(const double a[3], const double b[3], const double d[3], size_t half,
		      float corner[9])
{
	for (int k = 0; k < 3; k++) {
		corner[k] = (float)(half ? b[k] : a[k]);
		corner[3 + k] = (float)(half ? b[k] + d[k] : b[k]);
		corner[6 + k] = (float)(a[k] + d[k]);
	}
}

/* Triangle 0 .. 9 of a box without a floor over [x, x + width] x [z, z + width]. */
static void house(double x, double z, double width, double height, size_t triangle, float corner[9])
{
	const double base[4][2] = { { 0, 0 }, { width, 0 }, { width, width }, { 0, width } };
	const size_t side = triangle / 2; /* a wall; 4: the roof */
	const double *from = base[side % 4], *to = base[(side + 1) % 4];
	const double low = side < 4 ? 0 : height;
	const double up[3] = { 0, height, 0 }, along[3] = { 0, 0, width };

	half_quad((double[]){ x + from[0], low, z + from[1] },
		  (double[]){ x + to[0], low, z + to[1] }, side < 4 ? up : along, triangle % 2,
		  corner);
}

/* Blocks of 16 triangles on a square lattice: a tower (10), two cables to points up to a third of
 * the city away on each axis (4), and a marking along a street across the whole city (2). */
static void triangle_city(uint64_t seed, size_t count, size_t i, float corner[9])
{
	const size_t block = i / 16, part = i % 16, blocks = (count + 15) / 16;
	const double side = ceil(sqrt((double)blocks)), cell = 1 / side;
	const size_t row = block / (size_t)side, col = block % (size_t)side;
	const double x = (double)col * cell, z = (double)row * cell;
	double tower[4], random[4], height;

	uniform4(seed, STREAM_CITY, 4 * (uint64_t)block, tower);
	height = 2 * cell / (0.05 + tower[0]);
	if (part < 10) {
		house(x, z, cell * (0.3 + 0.4 * tower[1]), height, part, corner);
	} else if (part < 14) {
		const double width = 0.02 * cell;

		uniform4(seed, STREAM_CITY, 4 * (uint64_t)block + 1 + (part - 10) / 2, random);
		half_quad((double[]){ x, height, z }, (double[]){ x, height + width, z },
			  (double[]){ (random[0] - 0.5) * 2 / 3, -height * random[1],
				      (random[2] - 0.5) * 2 / 3 },
			  part % 2, corner);
	} else {
		const double from = (tower[2] + 0.02) * cell;

		half_quad((double[]){ 0, 0, z + from }, (double[]){ 0, 0, z + from + 0.01 * cell },
			  (double[]){ 1, 0, 0 }, part % 2, corner);
	}
}

/* ---- scenes ------------------------------------------------------------------------------- */

/* A scene is either a surface (point) or a set of loose triangles (triangle). */
struct scene {
	size_t usual; /* triangles */
	gb_surface *point;
	void (*triangle)(uint64_t seed, size_t count, size_t i, float corner[9]);
	size_t pieces;                 /* pieces of a surface; 0: one per FLAKE_CELLS cells */
	double aspect;                 /* rows : columns of a piece */
	double eye[3], target[3], fov; /* of its view, in which y points up */
};

const char *const gb_scene_names[] = { "terrain", "knot", "flake",  "soup",   "city", "hall",
				       "teapot",  "flat", "points", "copies", "huge", NULL };

/* In the order of the names. */
static const struct scene scenes[] = {
	{ 1 << 20,
	  gb_surface_terrain,
	  NULL,
	  1,
	  1,
	  { -0.1, 0.35, -0.15 },
	  { 0.55, -0.05, 0.6 },
	  50 },
	{ 1 << 18, gb_surface_knot, NULL, 1, 10, { 1, 8, 7 }, { 0, 0, 0 }, 40 },
	{ 1 << 20, gb_surface_flake, NULL, 0, 1, { 1.5, 2.2, 4.5 }, { 0, 0.25, 0 }, 45 },
	{ 1 << 20, NULL, triangle_soup, 0, 0, { -0.8, 1.3, -1.1 }, { 0.5, 0.5, 0.5 }, 45 },
	{ 1 << 20, NULL, triangle_city, 0, 0, { -0.15, 0.35, -0.2 }, { 0.5, 0, 0.5 }, 50 },
	{ 1 << 18,
	  gb_surface_hall,
	  NULL,
	  GB_HALL_PIECES,
	  4,
	  { 0.05, 0.74, 0.1 },
	  { 3, 0.54, 0.72 },
	  70 },
	{ 25600, gb_surface_teapot, NULL, GB_TEAPOT_PIECES, 1, { 2.5, 5, 8 }, { 0.2, 1.4, 0 }, 45 },
	{ 1 << 14, gb_surface_flat, NULL, 1, 1, { 0.3, 1.3, -0.7 }, { 0.5, 0.25, 0.45 }, 50 },
	{ 1 << 14, NULL, triangle_points, 0, 0, { -8, 12, -10 }, { 4, 4, 4 }, 45 },
	{ 1 << 14, NULL, triangle_copies, 0, 0, { 0.3, 0.3, -2 }, { 0.3, 0.3, 0 }, 45 },
	{ 1 << 14, NULL, triangle_huge, 0, 0, { -8e10, 13e10, -11e10 }, { 5e10, 5e10, 5e10 }, 45 },
};

/* ---- surfaces ----------------------------------------------------------------------------- */

/* Set the rows and columns of the pieces to just enough cells for `count` triangles. */
static void divide(struct surface *s, const struct scene *scene, size_t count)
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
static void set_vertex(const struct surface *s, size_t i, float out[3])
{
	const size_t row_length = s->cols + 1, piece_size = (s->rows + 1) * row_length;
	const size_t place = i % piece_size, row = place / row_length, col = place % row_length;
	const struct gb_spot at = { s->noise, i / piece_size, (double)row / (double)s->rows,
				    (double)col / (double)s->cols };
	double point[3];

	s->point(&at, point);
	for (int k = 0; k < 3; k++)
		out[k] = (float)point[k] + 0.0f; /* no -0 */
}

/* The corners of triangle `i`: half i % 2 of cell i / 2. */
static void set_triangle(const struct surface *s, size_t i, uint32_t corner[3])
{
	const size_t cell = i / 2, per_piece = s->rows * s->cols, place = cell % per_piece;
	const size_t row = place / s->cols, col = place % s->cols;
	const size_t first = (cell / per_piece * (s->rows + 1) + row) * (s->cols + 1) + col;
	const size_t below = first + s->cols + 1;

	corner[0] = (uint32_t)(i % 2 ? first + 1 : first);
	corner[1] = (uint32_t)(i % 2 ? below + 1 : first + 1);
	corner[2] = (uint32_t)below;
}

static void fill_surface(const struct surface *s, struct lbvh_input *mesh)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < mesh->vertex_count; i++)
		set_vertex(s, i, mesh->vertex + 3 * i);
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < mesh->count; i++)
		set_triangle(s, i, mesh->triangle + 3 * i);
}

static void fill_loose(const struct scene *scene, uint64_t seed, struct lbvh_input *mesh)
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

enum gb_status gb_scene_make(size_t number, size_t count, uint64_t seed, struct lbvh_input *mesh,
			     struct gb_view *view, struct gb_error *err)
{
	const struct scene *scene = &scenes[number];
	struct gb_noise noise;
	struct surface s = { .noise = &noise };

	*view = (struct gb_view){ .up = { 0, 1, 0 }, .fov = scene->fov };
	memcpy(view->eye, scene->eye, sizeof view->eye);
	memcpy(view->target, scene->target, sizeof view->target);
	mesh->count = count ? count : scene->usual;
	s.point = scene->point;
	if (s.point)
		divide(&s, scene, mesh->count);
	mesh->vertex_count = s.point ? s.pieces * (s.rows + 1) * (s.cols + 1) : 3 * mesh->count;
	if (gb_mesh_alloc(mesh, err))
		return err->code;
	if (gb_memory_is_dry())
		return GB_OK;
	gb_noise_fill(&noise, -1, seed, STREAM_NOISE);
	if (s.point)
		fill_surface(&s, mesh);
	else
		fill_loose(scene, seed, mesh);
	return GB_OK;
}
