/* bodies.c -- generation of bodies; bodies.h defines the distributions.
 *
 * The code uses only the four basic operations and the square root.  They are correctly rounded, so
 * the bytes do not depend on the libm.
 */
#include "datasets/bodies/bodies.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"

/* Random streams of a seed. */
enum { PLACES, CENTRES, DIRECTIONS };

enum { CLUSTERS = 64, TRIES = 64 };

struct place {
	double x, y, z;
};

/* A multiple of 2^-32 in [-1, 1). */
static double signed_unit(uint32_t word)
{
	return (double)word * 0x1p-31 - 1;
}

/* The cube root of 0 < m < 1: four steps of Halley's method, starting with a third of the
 * exponent. */
static double cube_root(double m)
{
	uint64_t bits;
	double root;

	memcpy(&bits, &m, sizeof bits);
	bits = bits / 3 + UINT64_C(0x2a9f7893782da1ce);
	memcpy(&root, &bits, sizeof root);
	for (int i = 0; i < 4; i++) {
		double cube = root * root * root;

		root = root * (cube + 2 * m) / (2 * cube + m);
	}
	return root;
}

/* A uniform point on the unit sphere by Marsaglia's method, from a uniform point in the unit
 * disc. */
static struct place direction(uint64_t seed, uint64_t index)
{
	for (uint64_t t = 0; t < TRIES; t++) {
		struct gb_random_block block = gb_random_block(seed, DIRECTIONS + t, index);
		double a = 2 * gb_random_to_unit(gb_random_half(block, 0)) - 1;
		double b = 2 * gb_random_to_unit(gb_random_half(block, 1)) - 1;
		double square = a * a + b * b, root;

		if (square >= 1)
			continue;
		root = 2 * sqrt(1 - square);
		return (struct place){ a * root, b * root, 1 - 2 * square };
	}
	return (struct place){ 0, 0, 1 };
}

/* Body `index` of a Plummer sphere of scale a around the origin, cut at a fraction of its mass. */
static struct place plummer(double a, double cut, uint64_t seed, uint64_t index)
{
	struct place p = direction(seed, index);
	double m = cut * gb_random_unit_stream(seed, PLACES, index);
	double root, r;

	if (m < DBL_MIN)
		return (struct place){ 0, 0, 0 };
	root = cube_root(m);
	r = a * root / sqrt(1 - root * root);
	return (struct place){ p.x * r, p.y * r, p.z * r };
}

static struct place uniform(uint64_t seed, uint64_t stream, uint64_t index)
{
	struct gb_random_block block = gb_random_block(seed, stream, index);

	return (struct place){ signed_unit(block.word[0]), signed_unit(block.word[1]),
			       signed_unit(block.word[2]) };
}

/* A position in cell `cell` of `side` cells on an axis over [-1, 1), up to a tenth off its centre. */
static double lattice(uint64_t cell, uint64_t side, uint32_t word)
{
	return 2 * ((double)cell + 0.5 + 0.1 * signed_unit(word)) / (double)side - 1;
}

static struct place cube(uint64_t side, uint64_t seed, uint64_t index)
{
	struct gb_random_block block = gb_random_block(seed, PLACES, index);

	return (struct place){ lattice(index % side, side, block.word[0]),
			       lattice(index / side % side, side, block.word[1]),
			       lattice(index / side / side, side, block.word[2]) };
}

static struct place clustered(uint64_t seed, uint64_t index)
{
	uint32_t which = gb_random_block(seed, PLACES, index).word[3] % CLUSTERS;
	struct place centre = uniform(seed, CENTRES, which);
	struct place p = plummer(0x1p-8, 0.99, seed, index);

	return (struct place){ centre.x + p.x, centre.y + p.y, centre.z + p.z };
}

/* The first pair is in the lowest cell and the second in the highest one, so the root box is
 * [-1, 1)^3 and the finest cell has size 2^-20. */
static struct place paired(uint64_t seed, uint64_t index)
{
	const double cells = 1024;
	struct place p = uniform(seed, PLACES, index / 2);
	double apart = index % 2 ? 0x1p-20 : 0;

	if (index < 4)
		p.x = p.y = p.z = index < 2 ? -1 : 1 - 1 / cells;
	return (struct place){ floor(p.x * cells) / cells + apart,
			       floor(p.y * cells) / cells + apart,
			       floor(p.z * cells) / cells + apart };
}

static struct place body(enum octree_distribution distribution, uint64_t side, uint64_t seed,
			 uint64_t index)
{
	const double plummer_scale = 0.58904862254808621; /* 3 pi / 16 */

	switch (distribution) {
	case OCTREE_PLUMMER:
		return plummer(plummer_scale, 0.999, seed, index);
	case OCTREE_CUBE:
		return cube(side, seed, index);
	case OCTREE_UNIFORM:
		return uniform(seed, PLACES, index);
	case OCTREE_CLUSTERED:
		return clustered(seed, index);
	case OCTREE_PAIRS:
		return paired(seed, index);
	case OCTREE_COINCIDENT:
	case OCTREE_DISTRIBUTIONS:
		break;
	}
	return (struct place){ 0.3, -0.7, 0.9 };
}

/* ---- order ------------------------------------------------------------------------------- */

static uint32_t scramble(uint32_t x)
{
	x = (x ^ x >> 16) * UINT32_C(0x85ebca6b);
	x = (x ^ x >> 13) * UINT32_C(0xc2b2ae35);
	return x ^ x >> 16;
}

/* A bijection of 0 .. count - 1: a Feistel network over an even number of bits, applied repeatedly
 * until the result is in range (cycle walking). */
static uint64_t shuffle(uint64_t index, uint64_t count, unsigned half, uint64_t seed)
{
	const uint32_t mask = (UINT32_C(1) << half) - 1;

	do {
		uint32_t left = (uint32_t)(index >> half), right = (uint32_t)index & mask;

		for (uint32_t round = 0; round < 6; round++) {
			uint32_t key = (uint32_t)(seed >> (round % 2 ? 32 : 0)) + round;
			uint32_t next = left ^ (scramble(right ^ scramble(key)) & mask);

			left = right;
			right = next;
		}
		index = (uint64_t)left << half | right;
	} while (index >= count);
	return index;
}

/* The smallest number whose cube is at least count. */
static uint64_t side_of(uint64_t count)
{
	uint64_t side = 1;

	while (side * side * side < count)
		side++;
	return side;
}

enum gb_status gb_bodies_shuffle(struct octree_input *in, uint64_t seed, struct gb_error *err)
{
	float *axis[] = { in->x, in->y, in->z };
	const size_t count = in->count;
	float *old = gb_host_alloc(count, sizeof *old, err);
	unsigned half = 1; /* of the bits of the network, of which 2^bits >= count */

	while (UINT64_C(1) << 2 * half < count)
		half++;
	if (!old)
		return err->code;
	for (int d = 0; d < 3; d++) {
		memcpy(old, axis[d], count * sizeof *old);
#pragma omp parallel for schedule(static)
		for (size_t i = 0; i < count; i++)
			axis[d][i] = old[shuffle(i, count, half, seed)];
	}
	gb_host_free(old);
	return GB_OK;
}

void gb_bodies_fill(struct octree_input *in, enum octree_distribution distribution, uint64_t seed)
{
	const uint64_t side = side_of(in->count);

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < in->count; i++) {
		const struct place p = body(distribution, side, seed, i);

		in->x[i] = (float)p.x;
		in->y[i] = (float)p.y;
		in->z[i] = (float)p.z;
	}
}
