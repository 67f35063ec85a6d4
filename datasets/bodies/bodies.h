/* bodies.h -- generated bodies and bodies from files, the input of octree.
 *
 * Body i of a generated set depends only on (distribution, count, seed, i), so the bytes do not
 * depend on the number of threads.  Positions are computed in double and rounded once to float.
 *
 *	plummer     Plummer's sphere: radius r = a / sqrt(m^(-2/3) - 1) for a mass fraction m
 *	            uniform in [0, 0.999), a = 3 pi / 16, in a uniform direction.  The cut at
 *	            0.999 of the mass bounds the sphere at r = 38.7 a = 22.8.  Bodies are
 *	            independent, so they are in random order in memory
 *	cube        one body in each cell of a cubic lattice over [-1, 1), jittered by a tenth
 *	            of the cell, x fastest: neighbours in memory are neighbours in space.
 *	            side = ceil(count^(1/3)); only the first count cells have a body
 *	uniform     independent and uniform in [-1, 1)^3
 *	clustered   64 Plummer spheres of a = 1/256, cut at 0.99 of the mass, at uniform
 *	            centres; each body belongs to a random sphere
 *	coincident  all bodies at one point
 *	pairs       bodies 2 k and 2 k + 1 in the lowest corner of a uniform cell of 2^-10 in
 *	            [-1, 1)^3, one finest cell of the tree apart on every axis: the longest
 *	            paths that a tree can have
 */
#ifndef GPUBENCH_DATASETS_BODIES_BODIES_H
#define GPUBENCH_DATASETS_BODIES_BODIES_H

#include <stddef.h>
#include <stdint.h>

#include "common/octree_types.h"
#include "common/status.h"

/* Fill the arrays x, y, z with in->count bodies. */
void gb_bodies_fill(struct octree_input *in, enum octree_distribution distribution, uint64_t seed);

/* Shuffle the bodies into an order that depends only on count and seed.  GB_EMEMORY if a copy of an
 * axis does not fit in memory. */
enum gb_status gb_bodies_shuffle(struct octree_input *in, uint64_t seed, struct gb_error *err);

/* Read the positions of at most `limit` bodies, or of all if it is 0, from one of these formats:
 *
 *	text   a body per line, in columns that commas, semicolons, tabs or blanks separate: those
 *	       that a heading names x, y, z, or the first three.  Numbers may be in quotes; empty
 *	       lines and lines that start with # or % are skipped
 *	PLY    ASCII or binary of either byte order: x, y, z (any number type) of the element vertex
 *	.npy   a row for each body
 *	raw    little-endian float32, x y z of each body: whatever is none of the others
 *
 * The arrays belong to the input that gb_input_begin() began, also after a failure.
 * GB_EUSAGE if the file cannot be read, is malformed (FILE:LINE, or FILE: byte N), holds no bodies
 * or more than OCTREE_MAX_COUNT, or has a coordinate that is not a finite float (the message names
 * its line or the body); GB_EMEMORY if memory runs out. */
enum gb_status gb_bodies_read(const char *path, size_t limit, struct octree_input *in,
			      struct gb_error *err);

#endif
