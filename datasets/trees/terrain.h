/* terrain.h -- a procedural height field, meshed by longest-edge bisection for a moving camera.
 *
 * The square [0, 1]^2 is cut along a diagonal into the nodes 2 and 3.  A node is a right isosceles
 * triangle (p, q, r) with hypotenuse p-r.  With m the midpoint of p-r, its children are (p, m, q)
 * and (q, m, r).  All triangles of one level have the same orientation, so neighbours of one level
 * traverse their common edge in opposite directions.  The two triangles at a hypotenuse form a
 * diamond.  A mesh has no cracks if and only if the two triangles of a diamond are always split and
 * merged together.
 *
 * A triangle should be split if the error of its hypotenuse, seen from the camera, exceeds a
 * threshold: (|height(m) - (height(p) + height(r)) / 2| + |p-r| / 64) / distance from m to the
 * camera.  The tree of the first frame is refined until no leaf exceeds the threshold; a split also
 * splits the neighbours that it requires.  In each later frame a leaf can change only once, as in
 * the data structure.  A leaf whose diamond is incomplete splits the larger leaf in its way and
 * waits for the next frame.
 */
#ifndef GPUBENCH_DATASETS_TREES_TERRAIN_H
#define GPUBENCH_DATASETS_TREES_TERRAIN_H

#include "common/cbt_types.h"
#include "common/status.h"
#include "datasets/noise.h"

struct gb_place {
	double x, y, z;
};

struct gb_terrain {
	struct gb_noise ground;
	unsigned depth;
	double threshold;
	struct gb_place camera;
	uint64_t *split; /* marks, at the field's bits of the leaves */
	uint64_t *merge;
};

/* Make the ground and allocate the marks, which the caller frees. */
enum gb_status gb_terrain_begin(struct gb_terrain *terrain, unsigned depth, uint64_t seed,
				struct gb_error *err);

/* Choose the threshold so that the tree of the first camera has about `leaves` leaves, and build
 * this tree in the field.  Returns its number of leaves. */
size_t gb_terrain_tree(struct gb_terrain *terrain, size_t leaves, uint64_t *field);

/* Store the wishes of frame f for the leaves of the field in the frame's zeroed arrays. */
void gb_terrain_wishes(struct gb_terrain *terrain, const uint64_t *field, size_t f,
		       struct cbt_frame *frame);

#endif
