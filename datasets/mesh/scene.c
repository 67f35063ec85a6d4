/* scene.c -- generation of scenes, and cameras of scenes and meshes; scene.h lists the scenes.  y points
 * up. */
#include "datasets/mesh/scene.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"
#include "common/text.h"
#include "datasets/noise.h"

/* A surface: point() computes the point at (u, v), both in 0 .. 1, of a piece. */
struct surface {
	void (*point)(const struct surface *surface, size_t piece, double u, double v,
		      double out[3]);
	const struct gb_noise *noise; /* of the terrain */
	size_t pieces;                /* equal pieces with vertices of their own */
	size_t rows, cols;            /* cells of a piece */
};

enum {
	HALL_PIECES = 128, /* pieces of the hall */
	FLAKE_ROWS = 10,
	FLAKE_CELLS = FLAKE_ROWS * FLAKE_ROWS,
};
enum { STREAM_SOUP = 1, STREAM_CITY, STREAM_POINTS, STREAM_NOISE = 100 };

#define PI 3.14159265358979323846

static void normalise(double v[3])
{
	const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

	for (int k = 0; k < 3; k++)
		v[k] /= length;
}

static void cross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Two unit vectors perpendicular to the unit vector `axis` and to each other.  `right` is also
 * perpendicular to `help`. */
static void frame(const double axis[3], const double help[3], double right[3], double ahead[3])
{
	cross(axis, help, right);
	normalise(right);
	cross(right, axis, ahead);
}

/* ---- surfaces ----------------------------------------------------------------------------- */

static void point_terrain(const struct surface *s, size_t piece, double u, double v, double out[3])
{
	double height = 0, size = 0.1, frequency = 3;

	(void)piece;
	for (int octave = 0; octave < 6; octave++) {
		height += size * gb_noise_at(s->noise, u * frequency + 7 * octave,
					     v * frequency + 13 * octave);
		size *= 0.5;
		frequency *= 2;
	}
	out[0] = u;
	out[1] = height;
	out[2] = v;
}

static void knot_centre(double angle, double out[3])
{
	const double r = 2 + cos(3 * angle);

	out[0] = r * cos(2 * angle);
	out[1] = -sin(3 * angle);
	out[2] = r * sin(2 * angle);
}

static void point_knot(const struct surface *s, size_t piece, double u, double v, double out[3])
{
	const double angle = 2 * PI * u, radius = 0.45;
	double centre[3], next[3], axis[3], right[3], ahead[3];
	const double up[3] = { 0, 1, 0 };

	(void)s;
	(void)piece;
	knot_centre(angle, centre);
	knot_centre(angle + 1e-4, next);
	for (int k = 0; k < 3; k++)
		axis[k] = next[k] - centre[k];
	normalise(axis);
	/* The knot is never vertical, so `up` gives a frame that closes. */
	frame(axis, up, right, ahead);
	for (int k = 0; k < 3; k++)
		out[k] = centre[k] +
			 radius * (cos(2 * PI * v) * right[k] + sin(2 * PI * v) * ahead[k]);
}

/* Return the radius of sphere `number` of the flake, counted level by level, and store its centre.
 * Each sphere has six children around the equator of its axis and three above it, a third as
 * large. */
static double flake_sphere(size_t number, double centre[3])
{
	unsigned path[64];
	int depth = 0;
	double axis[3] = { 0, 1, 0 }, radius = 1;

	for (; number > 0; number = (number - 1) / 9)
		path[depth++] = (unsigned)((number - 1) % 9);
	centre[0] = centre[1] = centre[2] = 0;
	while (depth-- > 0) {
		const unsigned child = path[depth];
		const double turn = child < 6 ? child * PI / 3 : (child - 6) * 2 * PI / 3 + PI / 6;
		const double rise = child < 6 ? 0 : PI / 3.3;
		const double aside = fabs(axis[0]) < 0.9 ? 1 : 0;
		double right[3], ahead[3], to[3];

		frame(axis, (double[]){ aside, 1 - aside, 0 }, right, ahead);
		for (int k = 0; k < 3; k++)
			to[k] = cos(rise) * (cos(turn) * right[k] + sin(turn) * ahead[k]) +
				sin(rise) * axis[k];
		for (int k = 0; k < 3; k++) {
			centre[k] += radius * (4.0 / 3) * to[k];
			axis[k] = to[k];
		}
		radius /= 3;
	}
	return radius;
}

static void point_flake(const struct surface *s, size_t piece, double u, double v, double out[3])
{
	double centre[3];
	const double radius = flake_sphere(piece, centre);

	(void)s;
	out[0] = centre[0] + radius * sin(PI * u) * cos(2 * PI * v);
	out[1] = centre[1] + radius * cos(PI * u);
	out[2] = centre[2] + radius * sin(PI * u) * sin(2 * PI * v);
}

static void point_flat(const struct surface *s, size_t piece, double u, double v, double out[3])
{
	(void)s;
	(void)piece;
	out[0] = u;
	out[1] = 0.25;
	out[2] = v;
}

/* ---- the hall: x along it in 0 .. 4, y up in 0 .. 1.5, z across in 0 .. 1 ------------------- */

/* Pieces.  Columns, arches and drapes are numbered by bay, storey and side. */
enum { SHELL = 8, COLUMNS = 40, ARCHES = 36, DRAPES = 22, ROPES = 22 };

static_assert(SHELL + COLUMNS + ARCHES + DRAPES + ROPES == HALL_PIECES, "all pieces");

/* x and y of the point at t, 0 .. 1, of the unit circle or, with part = 0.5, of its upper half. */
static void on_circle(double part, double t, double *x, double *y)
{
	*x = cos(2 * PI * part * t);
	*y = sin(2 * PI * part * t);
}

/* Move all but one cell of 0 .. 1 to the edges, as a frame around a panel: the cell in the middle
 * covers nine tenths.  Such cells beside small ones are what makes rays visit many nodes. */
static double panel(double t)
{
	return t <= 0.5 ? 0.1 * t : 0.9 + 0.1 * t;
}

/* Floor, vault, two walls along the hall, two across it, two galleries. */
static void hall_shell(size_t side, double u, double v, double out[3])
{
	const double x = panel(u), w = panel(v);
	double across, up;

	out[0] = 4 * x;
	out[1] = 0;
	out[2] = w;
	if (side == 1) {
		on_circle(0.5, v, &across, &up);
		out[1] = 1 + 0.5 * up;
		out[2] = 0.5 + 0.5 * across;
	} else if (side == 2 || side == 3) {
		out[1] = w;
		out[2] = side == 2 ? 0 : 1;
	} else if (side == 4 || side == 5) {
		out[0] = side == 4 ? 0 : 4;
		out[1] = 1.5 * w;
		out[2] = x;
	} else if (side > 5) {
		out[1] = 0.83;
		out[2] = (side == 6 ? 0 : 0.8) + 0.2 * w;
	}
}

/* The row of columns on this side. */
static double row_of(size_t number)
{
	return number % 2 ? 0.8 : 0.2;
}

static double storey_of(size_t number)
{
	return number / 2 % 2 ? 0.85 : 0;
}

/* A column, with long facets, wider at both ends. */
static void hall_column(size_t number, double u, double v, double out[3])
{
	const double height = panel(u), end = 2 * height - 1, radius = 0.025 + 0.02 * pow(end, 6);
	double x, z;

	on_circle(1, v, &x, &z);
	out[0] = 0.2 + 0.4 * (double)(number / 4) + radius * x;
	out[1] = storey_of(number) + 0.6 * height;
	out[2] = row_of(number) + radius * z;
}

/* An arch from column to column: half a ring. */
static void hall_arch(size_t number, double u, double v, double out[3])
{
	double along, up, x, z;

	on_circle(0.5, u, &along, &up);
	on_circle(1, v, &x, &z);
	out[0] = 0.4 + 0.4 * (double)(number / 4) + (0.2 + 0.02 * x) * along;
	out[1] = storey_of(number) + 0.6 + (0.2 + 0.02 * x) * up;
	out[2] = row_of(number) + 0.02 * z;
}

/* A drape across an aisle, in folds that widen towards its lower edge. */
static void hall_drape(size_t number, double u, double v, double out[3])
{
	out[0] = 0.4 + 0.4 * (double)(number / 4) + 0.03 * sin(12 * PI * v) * (0.3 + u);
	out[1] = storey_of(number) + 0.75 - 0.55 * u;
	out[2] = (number % 2 ? 0.82 : 0.02) + 0.16 * v;
}

/* A rope across the hall, coiled five times, at one of two heights. */
static void hall_rope(size_t number, double u, double v, double out[3])
{
	double x, y;

	on_circle(1, v, &x, &y);
	out[0] = 0.1 + 0.34 * (double)(number / 2) + 0.25 * u + 0.02 * sin(10 * PI * u) + 0.006 * x;
	out[1] = 0.8 + 0.3 * (double)(number % 2) + 0.02 * cos(10 * PI * u) + 0.006 * y;
	out[2] = u;
}

static void point_hall(const struct surface *s, size_t piece, double u, double v, double out[3])
{
	static const struct {
		size_t pieces;
		void (*point)(size_t number, double u, double v, double out[3]);
	} parts[] = { { SHELL, hall_shell },
		      { COLUMNS, hall_column },
		      { ARCHES, hall_arch },
		      { DRAPES, hall_drape },
		      { ROPES, hall_rope } };
	size_t part = 0;

	(void)s;
	for (; piece >= parts[part].pieces; part++)
		piece -= parts[part].pieces;
	parts[part].point(piece, u, v, out);
}

/* ---- the teapot: Martin Newell, 1975 ------------------------------------------------------ */

/* Parts rotated about the axis: radius and height of four control points.  Each part has four
 * patches of a quarter turn. */
static const double turned[6][4][2] = {
	{ { 1.4, 2.4 }, { 1.3375, 2.53125 }, { 1.4375, 2.53125 }, { 1.5, 2.4 } }, /* rim */
	{ { 1.5, 2.4 }, { 1.75, 1.875 }, { 2, 1.35 }, { 2, 0.9 } },               /* body */
	{ { 2, 0.9 }, { 2, 0.45 }, { 1.5, 0.225 }, { 1.5, 0.15 } },
	{ { 0, 3.15 }, { 0.8, 3.15 }, { 0, 2.85 }, { 0.2, 2.7 } }, /* lid */
	{ { 0.2, 2.7 }, { 0.4, 2.55 }, { 1.3, 2.55 }, { 1.3, 2.4 } },
	{ { 0, 0 }, { 1.425, 0 }, { 1.5, 0.075 }, { 1.5, 0.15 } }, /* bottom */
};

/* Mirrored parts: x and height of the inner and outer curve, and the half width, of four control
 * rows.  Each part has two patches. */
static const double mirrored[4][4][5] = {
	{ { -1.6, 2.025, -1.5, 2.25, 0.3 }, /* handle */
	  { -2.3, 2.025, -2.5, 2.25, 0.3 },
	  { -2.7, 2.025, -3, 2.25, 0.3 },
	  { -2.7, 1.8, -3, 1.8, 0.3 } },
	{ { -2.7, 1.8, -3, 1.8, 0.3 },
	  { -2.7, 1.575, -3, 1.35, 0.3 },
	  { -2.5, 1.125, -2.65, 0.9375, 0.3 },
	  { -2, 0.9, -1.9, 0.6, 0.3 } },
	{ { 1.7, 1.425, 1.7, 0.6, 0.66 }, /* spout */
	  { 2.6, 1.425, 3.1, 0.825, 0.66 },
	  { 2.3, 2.1, 2.4, 2.025, 0.25 },
	  { 2.7, 2.4, 3.3, 2.4, 0.25 } },
	{ { 2.7, 2.4, 3.3, 2.4, 0.25 },
	  { 2.8, 2.475, 3.525, 2.49375, 0.25 },
	  { 2.9, 2.475, 3.45, 2.5125, 0.15 },
	  { 2.8, 2.4, 3.2, 2.4, 0.15 } },
};

/* Control point (row, col) of a patch: 0 .. 23 turned, 24 .. 31 mirrored. */
static void control(size_t patch, int row, int col, double out[3])
{
	if (patch < 24) {
		const double *point = turned[patch / 4][row];
		const double bend = 0.56; /* approximates a quarter circle */
		const double along[4] = { 1, 1, bend, 0 }, aside[4] = { 0, bend, 1, 1 };
		double x = point[0] * along[col], z = point[0] * aside[col];

		for (size_t turn = patch % 4; turn > 0; turn--) {
			const double swap = x;

			x = -z;
			z = swap;
		}
		out[0] = x;
		out[1] = point[1];
		out[2] = z;
	} else {
		const double *line = mirrored[(patch - 24) / 2][row];
		const double side = patch % 2 ? -1 : 1;

		out[0] = line[col < 2 ? 0 : 2];
		out[1] = line[col < 2 ? 1 : 3];
		out[2] = col == 1 || col == 2 ? side * line[4] : 0;
	}
}

static void bernstein(double t, double weight[4])
{
	const double s = 1 - t;

	weight[0] = s * s * s;
	weight[1] = 3 * s * s * t;
	weight[2] = 3 * s * t * t;
	weight[3] = t * t * t;
}

static void point_teapot(const struct surface *s, size_t piece, double u, double v, double out[3])
{
	double along[4], aside[4];

	(void)s;
	bernstein(u, along);
	bernstein(v, aside);
	out[0] = out[1] = out[2] = 0;
	for (int row = 0; row < 4; row++)
		for (int col = 0; col < 4; col++) {
			double point[3];

			control(piece, row, col, point);
			for (int k = 0; k < 3; k++)
				out[k] += along[row] * aside[col] * point[k];
		}
}

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
	const size_t side = triangle / 2;
	double a[3], b[3], d[3] = { 0, height, 0 };

	if (side < 4) {
		const double *from = base[side], *to = base[(side + 1) % 4];

		a[0] = x + from[0];
		a[2] = z + from[1];
		b[0] = x + to[0];
		b[2] = z + to[1];
		a[1] = b[1] = 0;
	} else {
		a[0] = x;
		b[0] = x + width;
		a[1] = b[1] = height;
		a[2] = b[2] = z;
		d[1] = 0;
		d[2] = width;
	}
	half_quad(a, b, d, triangle % 2, corner);
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
	void (*point)(const struct surface *s, size_t piece, double u, double v, double out[3]);
	void (*triangle)(uint64_t seed, size_t count, size_t i, float corner[9]);
	size_t pieces;                 /* pieces of a surface; 0: one per FLAKE_CELLS cells */
	double aspect;                 /* rows : columns of a piece */
	double eye[3], target[3], fov; /* of its view, in which y points up */
};

const char *const gb_scene_names[] = { "terrain", "knot", "flake",  "soup",   "city", "hall",
				       "teapot",  "flat", "points", "copies", "huge", NULL };

/* In the order of the names. */
static const struct scene scenes[] = {
	{ 1 << 20, point_terrain, NULL, 1, 1, { -0.1, 0.35, -0.15 }, { 0.55, -0.05, 0.6 }, 50 },
	{ 1 << 18, point_knot, NULL, 1, 10, { 1, 8, 7 }, { 0, 0, 0 }, 40 },
	{ 1 << 20, point_flake, NULL, 0, 1, { 1.5, 2.2, 4.5 }, { 0, 0.25, 0 }, 45 },
	{ 1 << 20, NULL, triangle_soup, 0, 0, { -0.8, 1.3, -1.1 }, { 0.5, 0.5, 0.5 }, 45 },
	{ 1 << 20, NULL, triangle_city, 0, 0, { -0.15, 0.35, -0.2 }, { 0.5, 0, 0.5 }, 50 },
	{ 1 << 18, point_hall, NULL, HALL_PIECES, 4, { 0.05, 0.74, 0.1 }, { 3, 0.54, 0.72 }, 70 },
	{ 25600, point_teapot, NULL, 32, 1, { 2.5, 5, 8 }, { 0.2, 1.4, 0 }, 45 },
	{ 1 << 14, point_flat, NULL, 1, 1, { 0.3, 1.3, -0.7 }, { 0.5, 0.25, 0.45 }, 50 },
	{ 1 << 14, NULL, triangle_points, 0, 0, { -8, 12, -10 }, { 4, 4, 4 }, 45 },
	{ 1 << 14, NULL, triangle_copies, 0, 0, { 0.3, 0.3, -2 }, { 0.3, 0.3, 0 }, 45 },
	{ 1 << 14,
	  NULL,
	  triangle_huge,
	  0,
	  0,
	  { -8e10, 1.3e11, -1.1e11 },
	  { 5e10, 5e10, 5e10 },
	  45 },
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
	double point[3];

	s->point(s, i / piece_size, (double)row / (double)s->rows, (double)col / (double)s->cols,
		 point);
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

static void fill_surface(const struct surface *s, struct gb_mesh *mesh)
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

enum gb_status gb_scene_make(const char *name, size_t count, uint64_t seed, struct gb_mesh *mesh,
			     struct gb_view *view, struct gb_error *err)
{
	const struct scene *scene = find(name);
	struct gb_noise noise;
	struct surface s = { .noise = &noise };

	*mesh = (struct gb_mesh){ 0 };
	if (!scene)
		return gb_fail(err, GB_EUSAGE, "there is no generated scene %s", name);
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
	const double half = tan(view->fov * PI / 360);
	const double step = 2 * half / edge;
	struct lbvh_camera camera;
	double ahead[3], right[3], up[3];

	for (int k = 0; k < 3; k++)
		ahead[k] = view->target[k] - view->eye[k];
	normalise(ahead);
	cross(ahead, view->up, right);
	normalise(right);
	cross(right, ahead, up);
	normalise(up);
	for (int k = 0; k < 3; k++) {
		camera.eye[k] = (float)view->eye[k];
		camera.dx[k] = (float)(right[k] * step);
		camera.dy[k] = (float)(-up[k] * step);
		camera.corner[k] = (float)(ahead[k] + (up[k] - right[k]) * (half - step / 2));
	}
	return camera;
}
