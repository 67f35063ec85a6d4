/* surfaces.c -- the points of the surfaces of generated scenes.  y points up. */
#include "datasets/mesh/surfaces.h"

#include <assert.h>

#include "datasets/noise.h"

/* Two unit vectors perpendicular to the unit vector `axis` and to each other.  `right` is also
 * perpendicular to `help`. */
static void frame(const double axis[3], const double help[3], double right[3], double ahead[3])
{
	gb_cross(axis, help, right);
	gb_normalise(right);
	gb_cross(right, axis, ahead);
}

/* ---- terrain, knot, flake, flat ----------------------------------------------------------- */

void gb_surface_terrain(const struct gb_spot *at, double out[3])
{
	out[0] = at->u;
	out[1] = gb_noise_height(at->noise, at->u, at->v, 0.1, 3, 7, 13);
	out[2] = at->v;
}

static void knot_centre(double angle, double out[3])
{
	const double r = 2 + cos(3 * angle);

	out[0] = r * cos(2 * angle);
	out[1] = -sin(3 * angle);
	out[2] = r * sin(2 * angle);
}

void gb_surface_knot(const struct gb_spot *at, double out[3])
{
	const double angle = 2 * PI * at->u, radius = 0.45;
	double centre[3], next[3], axis[3], right[3], ahead[3];
	const double up[3] = { 0, 1, 0 };

	knot_centre(angle, centre);
	knot_centre(angle + 1e-4, next);
	for (int k = 0; k < 3; k++)
		axis[k] = next[k] - centre[k];
	gb_normalise(axis);
	/* The knot is never vertical, so `up` gives a frame that closes. */
	frame(axis, up, right, ahead);
	for (int k = 0; k < 3; k++)
		out[k] = centre[k] +
			 radius * (cos(2 * PI * at->v) * right[k] + sin(2 * PI * at->v) * ahead[k]);
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
		double right[3], ahead[3];

		frame(axis, (double[]){ aside, 1 - aside, 0 }, right, ahead);
		for (int k = 0; k < 3; k++) {
			axis[k] = cos(rise) * (cos(turn) * right[k] + sin(turn) * ahead[k]) +
				  sin(rise) * axis[k];
			centre[k] += radius * (4.0 / 3) * axis[k];
		}
		radius /= 3;
	}
	return radius;
}

void gb_surface_flake(const struct gb_spot *at, double out[3])
{
	double centre[3];
	const double radius = flake_sphere(at->piece, centre);

	out[0] = centre[0] + radius * sin(PI * at->u) * cos(2 * PI * at->v);
	out[1] = centre[1] + radius * cos(PI * at->u);
	out[2] = centre[2] + radius * sin(PI * at->u) * sin(2 * PI * at->v);
}

void gb_surface_flat(const struct gb_spot *at, double out[3])
{
	out[0] = at->u;
	out[1] = 0.25;
	out[2] = at->v;
}

/* ---- the hall: x along it in 0 .. 4, y up in 0 .. 1.5, z across in 0 .. 1 ------------------- */

/* Pieces.  Columns, arches and drapes are numbered by bay, storey and side. */
enum { SHELL = 8, COLUMNS = 40, ARCHES = 36, DRAPES = 22, ROPES = 22 };

static_assert(SHELL + COLUMNS + ARCHES + DRAPES + ROPES == GB_HALL_PIECES, "all pieces");

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

/* The bay of a piece, counted along the hall. */
static double bay_of(size_t number, size_t pieces)
{
	const size_t bay = number / pieces;

	return (double)bay;
}

/* A column, with long facets, wider at both ends. */
static void hall_column(size_t number, double u, double v, double out[3])
{
	const double height = panel(u), end = 2 * height - 1, radius = 0.025 + 0.02 * pow(end, 6);
	double x, z;

	on_circle(1, v, &x, &z);
	out[0] = 0.2 + 0.4 * bay_of(number, 4) + radius * x;
	out[1] = storey_of(number) + 0.6 * height;
	out[2] = row_of(number) + radius * z;
}

/* An arch from column to column: half a ring. */
static void hall_arch(size_t number, double u, double v, double out[3])
{
	double along, up, x, z;

	on_circle(0.5, u, &along, &up);
	on_circle(1, v, &x, &z);
	out[0] = 0.4 + 0.4 * bay_of(number, 4) + (0.2 + 0.02 * x) * along;
	out[1] = storey_of(number) + 0.6 + (0.2 + 0.02 * x) * up;
	out[2] = row_of(number) + 0.02 * z;
}

/* A drape across an aisle, in folds that widen towards its lower edge. */
static void hall_drape(size_t number, double u, double v, double out[3])
{
	out[0] = 0.4 + 0.4 * bay_of(number, 4) + 0.03 * sin(12 * PI * v) * (0.3 + u);
	out[1] = storey_of(number) + 0.75 - 0.55 * u;
	out[2] = (number % 2 ? 0.82 : 0.02) + 0.16 * v;
}

/* A rope across the hall, coiled five times, at one of two heights. */
static void hall_rope(size_t number, double u, double v, double out[3])
{
	double x, y;

	on_circle(1, v, &x, &y);
	out[0] = 0.1 + 0.34 * bay_of(number, 2) + 0.25 * u + 0.02 * sin(10 * PI * u) + 0.006 * x;
	out[1] = 0.8 + 0.3 * (double)(number % 2) + 0.02 * cos(10 * PI * u) + 0.006 * y;
	out[2] = u;
}

void gb_surface_hall(const struct gb_spot *at, double out[3])
{
	static const struct {
		size_t pieces;
		void (*point)(size_t number, double u, double v, double out[3]);
	} parts[] = { { SHELL, hall_shell },
		      { COLUMNS, hall_column },
		      { ARCHES, hall_arch },
		      { DRAPES, hall_drape },
		      { ROPES, hall_rope } };
	size_t piece = at->piece, part = 0;

	for (; piece >= parts[part].pieces; part++)
		piece -= parts[part].pieces;
	parts[part].point(piece, at->u, at->v, out);
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

void gb_surface_teapot(const struct gb_spot *at, double out[3])
{
	double along[4], aside[4];

	bernstein(at->u, along);
	bernstein(at->v, aside);
	out[0] = out[1] = out[2] = 0;
	for (int row = 0; row < 4; row++)
		for (int col = 0; col < 4; col++) {
			double point[3];

			control(at->piece, row, col, point);
			for (int k = 0; k < 3; k++)
				out[k] += along[row] * aside[col] * point[k];
		}
}
