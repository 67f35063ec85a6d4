/* noise.h -- height fields of value noise: random numbers at the points of a lattice, which repeats, and
 * smooth steps between them. */
#ifndef GPUBENCH_DATASETS_NOISE_H
#define GPUBENCH_DATASETS_NOISE_H

#include <math.h>

#include "common/rng.h"

enum { GB_NOISE_SIDE = 64 };
struct gb_noise {
	float at[GB_NOISE_SIDE][GB_NOISE_SIDE]; /* row y, column x */
};

/* Draw the lattice's numbers from a stream of the seed, uniform in least .. 1. */
static inline void gb_noise_fill(struct gb_noise *noise, double least, uint64_t seed,
				 uint64_t stream)
{
	for (uint64_t i = 0; i < (uint64_t)GB_NOISE_SIDE * GB_NOISE_SIDE; i++)
		noise->at[i / GB_NOISE_SIDE][i % GB_NOISE_SIDE] =
			(float)((1 - least) * gb_random_unit_stream(seed, stream, i) + least);
}

/* The noise at (x, y), neither of them negative. */
static inline double gb_noise_at(const struct gb_noise *noise, double x, double y)
{
	const double cell_x = floor(x), cell_y = floor(y);
	const size_t x0 = (size_t)cell_x % GB_NOISE_SIDE, x1 = (x0 + 1) % GB_NOISE_SIDE;
	const float *row0 = noise->at[(size_t)cell_y % GB_NOISE_SIDE];
	const float *row1 = noise->at[((size_t)cell_y + 1) % GB_NOISE_SIDE];
	double u = x - cell_x, v = y - cell_y;

	u *= u * (3 - 2 * u);
	v *= v * (3 - 2 * v);
	return ((double)row0[x0] * (1 - u) + (double)row0[x1] * u) * (1 - v) +
	       ((double)row1[x0] * (1 - u) + (double)row1[x1] * u) * v;
}

/* The height at (x, y): six octaves of noise, each half as high and twice as frequent as the one before,
 * and moved by (dx, dy). */
static inline double gb_noise_height(const struct gb_noise *noise, double x, double y, double size,
				     double frequency, double dx, double dy)
{
	double height = 0;

	for (int octave = 0; octave < 6; octave++, size *= 0.5, frequency *= 2)
		height += size * gb_noise_at(noise, x * frequency + dx * octave,
					     y * frequency + dy * octave);
	return height;
}

#endif
