/* surfaces.h -- the surfaces of generated scenes, and vectors. */
#ifndef GPUBENCH_DATASETS_MESH_SURFACES_H
#define GPUBENCH_DATASETS_MESH_SURFACES_H

#include <math.h>
#include <stddef.h>

#define PI 3.14159265358979323846

/* A place on a surface. */
struct gb_spot {
	const struct gb_noise *noise; /* of a terrain */
	size_t piece;
	double u, v; /* in 0 .. 1 */
};

/* Compute the point at a place; scene.h describes the surfaces. */
typedef void gb_surface(const struct gb_spot *at, double out[3]);
gb_surface gb_surface_terrain, gb_surface_knot, gb_surface_flake, gb_surface_flat, gb_surface_hall,
	gb_surface_teapot;

enum { GB_HALL_PIECES = 128, GB_TEAPOT_PIECES = 32 };

static inline void gb_normalise(double v[3])
{
	const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

	for (int k = 0; k < 3; k++)
		v[k] /= length;
}

static inline void gb_cross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
