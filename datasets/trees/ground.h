/* ground.h -- the height field of a terrain and the flight of the camera over it.
 *
 * Heights are value noise: six octaves over one table of Philox words, smoothly interpolated.
 */
#ifndef GPUBENCH_DATASETS_TREES_GROUND_H
#define GPUBENCH_DATASETS_TREES_GROUND_H

#include <stddef.h>
#include <stdint.h>

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

#endif
