/* shapes.h -- the shapes behind scene.h: a point of a surface at given coordinates, or triangle i
 * of a set.  Points and triangles are independent of each other. */
#ifndef GPUBENCH_DATASETS_MESH_SHAPES_H
#define GPUBENCH_DATASETS_MESH_SHAPES_H

#include <stddef.h>
#include <stdint.h>

/* A surface: point() computes the point at (u, v), both in 0 .. 1, of a piece. */
struct gb_surface {
	void (*point)(const struct gb_surface *surface, size_t piece, double u, double v,
		      double out[3]);
	uint64_t seed;
	const float *lattice; /* random numbers of the terrain */
	size_t pieces;        /* equal pieces with vertices of their own */
	size_t rows, cols;    /* cells of a piece */
};

enum {
	GB_LATTICE = 64,      /* edge of the terrain's table of random numbers */
	GB_HALL_PIECES = 128, /* pieces of the hall */
};

void gb_point_terrain(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);
void gb_point_knot(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);
void gb_point_flake(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);
void gb_point_teapot(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);
void gb_point_hall(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);
void gb_point_flat(const struct gb_surface *s, size_t piece, double u, double v, double out[3]);

/* Scale v to length 1; the cross product of a and b. */
void gb_normalise(double v[3]);
void gb_cross(const double a[3], const double b[3], double out[3]);

/* The corners of triangle i of `count`. */
void gb_triangle_soup(uint64_t seed, size_t count, size_t i, float corner[9]);
void gb_triangle_huge(uint64_t seed, size_t count, size_t i, float corner[9]);
void gb_triangle_city(uint64_t seed, size_t count, size_t i, float corner[9]);
void gb_triangle_points(uint64_t seed, size_t count, size_t i, float corner[9]);
void gb_triangle_copies(uint64_t seed, size_t count, size_t i, float corner[9]);

#endif
