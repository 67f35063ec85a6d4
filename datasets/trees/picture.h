/* picture.h -- the meshes of a terrain as pictures, seen from above: PNG or PPM, 1024 x 1024.
 *
 * In those of a flight, the triangles that a frame splits are red and those that it merges are blue,
 * and a white ring is where the camera is.
 */
#ifndef GPUBENCH_DATASETS_TREES_PICTURE_H
#define GPUBENCH_DATASETS_TREES_PICTURE_H

#include "common/cbt.h"
#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The mesh of a field.  GB_EIO, GB_EMEMORY. */
enum gb_status gb_terrain_draw(const char *path, const uint64_t *field, unsigned depth,
			       uint64_t seed, struct gb_error *err);

/* The input's mesh before each of its frames, with what that does, and after the last one: as many
 * pictures as frames and one, numbered from 0 (common/numbered.h). */
enum gb_status gb_terrain_film(const char *path, const struct cbt_input *in, uint64_t seed,
			       struct gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
