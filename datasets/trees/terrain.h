/* terrain.h -- a procedural height field, meshed by longest-edge bisection for a moving camera.
 *
 * The square [0, 1]^2 is cut along a diagonal into the nodes 2 and 3.  A node is a right isosceles
 * triangle (p, q, r) with hypotenuse p-r; with m the middle of p-r its children are (p, m, q) and
 * (q, m, r).  Triangles of one level have one orientation, so neighbours of one level pass their
 * common edge in opposite directions, and the two at a hypotenuse are a diamond: a mesh has no
 * cracks if and only if the two of a diamond are always split and merged together.
 *
 * A triangle should be split if its hypotenuse, seen from the camera, errs by more than a
 * threshold: (|height(m) - (height(p) + height(r)) / 2| + |p-r| / 64) / distance from m to the
 * camera.  The tree of the first frame is refined until no leaf wants more, neighbours that a split
 * needs along with it.  After that one frame lets each leaf change once, as the structure does: a
 * leaf whose diamond is not complete splits what is in its way and waits for the next frame.
 */
#ifndef GPUBENCH_DATASETS_TREES_TERRAIN_H
#define GPUBENCH_DATASETS_TREES_TERRAIN_H

#include "common/cbt.h"
#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the ground: value noise, six octaves over one table of Philox words, smoothly interpolated */

enum { GB_GROUND_TABLE = 64 }; /* lattice points per side, repeated */

struct gb_ground {
	float value[GB_GROUND_TABLE][GB_GROUND_TABLE];
};

struct gb_place {
	double x, y, z;
};

/* The height of the first octave; no ground is higher than twice that. */
#define GB_GROUND_ROUGHNESS 0.12

void gb_ground_make(struct gb_ground *ground, uint64_t seed);

/* x and y in [0, 1]. */
double gb_ground_height(const struct gb_ground *ground, double x, double y);

/* Frame 0 is where the flight begins; the wishes of frame f see frame f + 1. */
struct gb_place gb_ground_camera(const struct gb_ground *ground, size_t frame);

/* ---- its meshes -------------------------------------------------------------------------- */

struct gb_terrain;

enum gb_status gb_terrain_create(struct gb_terrain **terrain, unsigned depth, uint64_t seed,
				 struct gb_error *err);
/* Accepts NULL. */
void gb_terrain_destroy(struct gb_terrain *terrain);

/* Choose the threshold so that the tree of the first camera has about `leaves` leaves, and make it
 * in the field, all zero before.  Returns its leaves. */
size_t gb_terrain_tree(struct gb_terrain *terrain, size_t leaves, uint64_t *field);

/* The wishes of frame f for the leaves of the field, into the frame's zeroed arrays. */
void gb_terrain_wishes(struct gb_terrain *terrain, const uint64_t *field, size_t f,
		       struct cbt_frame *frame);

/* Node k >= 2: its corners p, q, r in units of 2^-15. */
enum { GB_TERRAIN_UNIT = 1 << 15 };
struct gb_triangle {
	int32_t x[3], y[3];
};
struct gb_triangle gb_terrain_triangle(uint32_t k);

/* GB_EVERIFY if the leaves leave a crack or overlap: each edge must belong to two triangles, or to
 * one and lie on the border of the square. */
enum gb_status gb_terrain_check(const uint64_t *field, unsigned depth, size_t leaves,
				struct gb_error *err);

/* Pictures of a mesh, seen from above: PNG or PPM, 1024 x 1024.  In those of a flight, the triangles that
 * a frame splits are red and those that it merges are blue, and a white ring is where the camera is. */

/* The mesh of a field.  GB_EIO, GB_EMEMORY. */
enum gb_status gb_terrain_draw(const char *path, const uint64_t *field, unsigned depth,
			       uint64_t seed, struct gb_error *err);

/* The input's mesh before each of its frames, with what that does, and after the last one: as many
 * pictures as frames and one, numbered from 0 (gb_numbered_path()). */
enum gb_status gb_terrain_film(const char *path, const struct cbt_input *in, uint64_t seed,
			       struct gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
