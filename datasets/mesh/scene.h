/* scene.h -- triangle scenes of the lbvh workload, generated with an exact number of triangles, and
 * the cameras of generated scenes and of meshes from files.
 *
 * Generated scenes depend on (name, triangles, seed) alone, not on the number of threads:
 *
 *	terrain   a height field of six octaves of value noise, seen along the ground
 *	knot      a tube around the (2, 3) torus knot
 *	flake     spheres on spheres, nine on each, of about 200 triangles each
 *	soup      triangles of random place and direction; about n^(-1/3) of the cube long
 *	city      towers, cables and streets: long thin triangles beside small ones
 *	teapot    Newell's 32 Bezier patches of g x g x 2 triangles; 25 600 for g = 20
 *	flat      a square of g x g x 2 triangles without extent in y
 *	points    triangles whose corners coincide, on a coarse lattice: boxes without extent
 *	copies    one triangle again and again
 *	huge      soup of coordinates up to 1e11
 *
 * Surfaces are made of rows of cells of two triangles; when the number asked for does not fill the
 * last row, the row stays unfinished.
 */
#ifndef GPUBENCH_DATASETS_MESH_SCENE_H
#define GPUBENCH_DATASETS_MESH_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "datasets/mesh/mesh.h"

/* The camera of a scene, before the image has a size. */
struct gb_view {
	double eye[3], target[3], up[3];
	double fov; /* degrees, of the whole edge of the image */
};

/* Whether `name` is a generated scene; else it is a path. */
bool gb_scene_known(const char *name);

/* Generate: `count` triangles (0: the scene's usual number) into *mesh, its view into *view.
 * GB_EMEMORY if memory does not suffice. */
enum gb_status gb_scene_make(const char *name, size_t count, uint64_t seed, struct gb_mesh *mesh,
			     struct gb_view *view, struct gb_error *err);

/* The view recorded for a public mesh of that file name and number of triangles
 * (datasets/mesh/meshes.def), else one from outside that shows the whole mesh. */
void gb_mesh_view(const char *path, const struct gb_mesh *mesh, struct gb_view *view);

/* The file name of public mesh number `index` of those that stand for a scene of the lbvh paper
 * ("bunny"), by name and size (datasets/mesh/meshes.def); NULL after the last. */
const char *gb_mesh_file(const char *scene, size_t index);

/* The camera of an image of edge x edge pixels. */
struct lbvh_camera gb_view_camera(const struct gb_view *view, uint32_t edge);

#endif
