/* kernels.h -- the inner loops of the CPU traversals, one version per instruction set.
 *
 * They work on packets of 8 x 8 rays with a common origin, or on batches of a stream.  Hits equal
 * those of lbvh_intersect() bit for bit: products and sums are never fused.  Boxes are tested with
 * a slack of a few units in the last place, so that rounding does not lose a hit at the face of a
 * box.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_KERNELS_H
#define GPUBENCH_CPU_LBVH_PARTS_KERNELS_H

#include <stdint.h>

#include "common/lbvh.h"
#include "cpu/lbvh/parts/wide.h"

enum { LBVH_PACKET_EDGE = 8, LBVH_PACKET = LBVH_PACKET_EDGE * LBVH_PACKET_EDGE };

/* Ray i is pixel (x + i % 8, y + i / 8).  Rays beyond width and height repeat the last pixel of
 * their row or column. */
struct lbvh_packet {
	_Alignas(64) float direction[3][LBVH_PACKET];
	float t[LBVH_PACKET];
	uint32_t primitive[LBVH_PACKET];
	uint32_t x, y, width, height; /* the part inside the image */
	/* The direction of ray i is middle + (i % 8 - 3.5) across + (i / 8 - 3.5) down, made a unit
	 * vector; its length is 1 or more before that.  This holds for pixels beyond the image,
	 * too.  terms: the sum of the magnitudes that each component was added up from, the measure
	 * of its rounding error. */
	float middle[3], across[3], down[3], terms[3];
};

/* Consecutive rays of a stream, and their answers. */
struct lbvh_batch {
	const struct lbvh_ray *ray; /* count */
	uint32_t count;
	/* NULL or, if any hit will do, the answers: bit i % 32 of word i / 32 is set if ray i hits
	 * something; 0 before. */
	uint32_t *occluded;
	float *t;            /* otherwise: distances of the nearest hits, count */
	uint32_t *primitive; /* and their primitives */
};

/* Store the answer to ray i; primitive is LBVH_MISS if it hits nothing. */
static inline void lbvh_batch_keep(struct lbvh_batch *batch, uint32_t i, float t,
				   uint32_t primitive)
{
	if (batch->occluded) {
		batch->occluded[i / 32] |= (uint32_t)(primitive != LBVH_MISS) << i % 32;
	} else {
		batch->t[i] = primitive == LBVH_MISS ? INFINITY : t;
		batch->primitive[i] = primitive;
	}
}

/* The work of a traversal, summed over rays or packets: nodes whose children (or box) were tested,
 * and triangles tested (the eight lanes of a block count as eight). */
struct lbvh_counts {
	uint64_t nodes, triangles;
};

/* A distance and its bits, which have the same order for non-negative distances. */
union lbvh_distance {
	float t;
	uint32_t bits;
};

/* A pending subtree: a child of a wide node, and the least distance at which its box is entered, as
 * a float's bits.  In a packet, the lowest bits hold the set of quarters that may enter. */
struct lbvh_entry {
	uint32_t child, key;
};

/* 1 + 2^-21: more than the error of a distance to a plane, of 1.5 units in the last place, plus
 * that of the distance that it is compared with. */
#define LBVH_SLACK 0x1.000008p0f

struct lbvh_kernels {
	/* Make the directions of the packet at pixel x, y of an image of edge x edge; set width and
	 * height. */
	void (*rays)(const struct lbvh_camera *camera, uint32_t edge, struct lbvh_packet *packet);
	/* Find the hits of a packet, all rays at once.  stack: lbvh_stack_room() entries. */
	void (*packet)(const struct lbvh_wide *wide, const float eye[3], struct lbvh_packet *packet,
		       struct lbvh_entry *stack, struct lbvh_counts *counts);
	/* Answer ray i of a batch alone. */
	void (*ray)(const struct lbvh_wide *wide, struct lbvh_batch *batch, uint32_t i,
		    struct lbvh_entry *stack, struct lbvh_counts *counts);
	/* Answer a batch with interleaved rays. */
	void (*batch)(const struct lbvh_wide *wide, struct lbvh_batch *batch,
		      struct lbvh_entry *stack, struct lbvh_counts *counts);
	/* Answer an occlusion batch with neighbours together. */
	void (*groups)(const struct lbvh_wide *wide, struct lbvh_batch *batch,
		       struct lbvh_entry *stack, struct lbvh_counts *counts);
};

extern const struct lbvh_kernels lbvh_kernels_plain, lbvh_kernels_avx2, lbvh_kernels_avx512,
	lbvh_kernels_neon; /* for ARM alone */

/* Rays that a thread interleaves. */
enum { LBVH_TURNS = 24 };

/* Stack entries that one ray may need in a wide tree, including the end marker. */
static inline size_t lbvh_ray_room(const struct lbvh_wide *wide)
{
	return (size_t)wide->depth * (LBVH_WIDTH - 1) + 2;
}

/* Stack entries that a traversal needs. */
static inline size_t lbvh_stack_room(const struct lbvh_wide *wide)
{
	return LBVH_TURNS * lbvh_ray_room(wide);
}

#endif
