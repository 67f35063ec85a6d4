#include "datasets/trees/ground.h"

#include <math.h>

#include "common/rng.h"

enum { STREAM_HEIGHTS = 1, OCTAVES = 6, TABLE = GB_GROUND_TABLE };

static const double ALTITUDE = 0.05; /* of the camera above the ground */
static const double SPEED = 0.01;    /* of the camera, per frame */

void gb_ground_make(struct gb_ground *ground, uint64_t seed)
{
	for (uint64_t i = 0; i < (uint64_t)TABLE * TABLE; i++)
		ground->value[i / TABLE][i % TABLE] =
			(float)gb_random_unit_stream(seed, STREAM_HEIGHTS, i);
}

static double smooth(double t)
{
	return t * t * (3 - 2 * t);
}

/* One octave: in [0, 1]. */
static double noise(const struct gb_ground *g, double x, double y)
{
	const double fx = floor(x), fy = floor(y);
	const double tx = smooth(x - fx), ty = smooth(y - fy);
	const unsigned i = (unsigned)fx % TABLE, j = (unsigned)fy % TABLE;
	const unsigned i1 = (i + 1) % TABLE, j1 = (j + 1) % TABLE;
	const double low = (double)g->value[j][i] * (1 - tx) + (double)g->value[j][i1] * tx;
	const double high = (double)g->value[j1][i] * (1 - tx) + (double)g->value[j1][i1] * tx;

	return low * (1 - ty) + high * ty;
}

double gb_ground_height(const struct gb_ground *ground, double x, double y)
{
	double sum = 0, amplitude = GB_GROUND_ROUGHNESS, frequency = 5;

	for (int octave = 0; octave < OCTAVES; octave++) {
		sum += amplitude * noise(ground, x * frequency, y * frequency);
		amplitude *= 0.5;
		frequency *= 2;
	}
	return sum;
}

struct gb_place gb_ground_camera(const struct gb_ground *ground, size_t frame)
{
	const double along = 0.2 + SPEED * (double)frame;
	struct gb_place c = { along - floor(along), 0.3, 0 };

	c.y += 0.4 * c.x;
	c.z = gb_ground_height(ground, c.x, c.y) + ALTITUDE;
	return c;
}
