/* scene.h -- triangle scenes of the lbvh benchmark, generated with an exact number of triangles, and
 * their views.
 *
 * A generated scene depends only on (name, triangles, seed), not on the number of threads:
 *
 *	terrain   a height field of six octaves of value noise, seen along the ground
 *	knot      a tube around the (2, 3) torus knot
 *	flake     spheres on spheres, nine on each, of 200 triangles each
 *	soup      triangles of random position and direction, n^(-1/3) of the cube in size
 *	city      towers, cables and streets: long thin triangles next to small ones
 *	hall      an interior: two storeys of columns and arches, panels, drapes and ropes; as many
 *		  nodes and triangles per ray as the public meshes sponza and crysponza, within a
 *		  factor of 1.3
 *	teapot    Newell's 32 Bezier patches of g x g x 2 triangles; 25 600 for g = 20
 *	flat      a square of g x g x 2 triangles without extent in y
 *	points    triangles whose corners coincide, on a coarse lattice: boxes without extent
 *	copies    copies of one triangle
 *	huge      soup with coordinates up to 1e11
 *
 * Surfaces consist of rows of cells of two triangles.  The last row is incomplete if the number of
 * triangles does not fill it.
 */
#ifndef GPUBENCH_DATASETS_MESH_SCENE_H
#define GPUBENCH_DATASETS_MESH_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh_types.h"
#include "datasets/mesh/mesh.h"

/* The view of a scene, independent of the image size. */
struct gb_view {
	double eye[3], target[3], up[3];
	double fov; /* degrees, across the whole edge of the image */
};

/* The names above; NULL after the last one. */
extern const char *const gb_scene_names[];

/* Generate a scene, by its number among the names, of `count` triangles (0: the scene's default) in *mesh
 * and its view in *view.  GB_EMEMORY if memory runs out. */
enum gb_status gb_scene_make(size_t number, size_t count, uint64_t seed, struct lbvh_input *mesh,
			     struct gb_view *view, struct gb_error *err);

#endif
