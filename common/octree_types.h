/* octree.h -- the interface of the octree benchmark and its variants: parameters, input, the root
 * box, the keys of bodies, the format of a tree, and its structural hash.
 *
 * All variants build the same tree.  The root is a cube whose size is a power of two and whose
 * corner is a multiple of half the size, so that every cell of every level has exact bounds and the
 * digits of a body's key are its path from the root.  The tree depends only on the bodies and the
 * bucket size, not on the builder, the order of insertion or the number of threads.
 *
 *	key   63 bits, 21 digits of 3 bits, the most significant digit first; in a digit, bit 0 is
 *	      the upper half of x, bit 1 of y, bit 2 of z
 *	cell  of level l (0: the root, 21: the finest): all bodies whose keys share l digits
 *	node  the root, and every cell of level <= 20 with more than `bucket` bodies
 *	leaf  every child cell of a node that has bodies and is not a node.  At level 21 keys are
 *	      equal and a leaf holds any number of bodies
 *
 * A tree is two arrays.  child[k][d] is the content of octant d of node k:
 *
 *	OCTREE_FREE		empty
 *	k > 0			node k; node 0 is the root
 *	octree_body(i) < -1	a leaf whose first body is i; next[i] is the second one and so on,
 *				-1 after the last, in any order
 *
 * Nodes are numbered in any order and with holes (nodes that were allocated but not used).
 */
#ifndef GPUBENCH_COMMON_OCTREE_TYPES_H
#define GPUBENCH_COMMON_OCTREE_TYPES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define OCTREE_INLINE static inline __host__ __device__
#else
#define OCTREE_INLINE static inline
#endif

enum octree_distribution {
	OCTREE_PLUMMER,
	OCTREE_CUBE,
	OCTREE_UNIFORM,
	OCTREE_CLUSTERED,
	OCTREE_COINCIDENT,
	OCTREE_PAIRS,
	OCTREE_DISTRIBUTIONS,
};

enum octree_order {
	OCTREE_OWN,     /* the order of the distribution or the file */
	OCTREE_RANDOM,  /* shuffled */
	OCTREE_SPATIAL, /* ascending keys */
	OCTREE_ORDERS,
};

enum {
	OCTREE_LEVELS = 21,  /* digits of a key */
	OCTREE_DEEPEST = 20, /* the deepest level of a node */
	OCTREE_FREE = -1,
	OCTREE_LOCKED = INT32_MIN, /* for builders that lock; never in an output */
	OCTREE_MAX_BUCKET = 32,
	OCTREE_MAX_COUNT = 1 << 30,
	/* Nodes that builders may allocate in advance and not use: at most this many, and at most
	 * one per body. */
	OCTREE_SLACK = 1 << 19,
};

struct octree_params {
	int64_t distribution; /* enum octree_distribution; not used with a file */
	const char *file;     /* .csv, .ply, or raw float32 xyz; or NULL */
	int64_t count;        /* bodies; with a file: read at most this many, 0: all */
	int64_t bucket;       /* most bodies in a leaf: 1 .. OCTREE_MAX_BUCKET */
	int64_t order;        /* enum octree_order */
	int64_t threads;
	int64_t seed;
};

/* Properties of a tree that are known without building it. */
struct octree_shape {
	size_t nodes;
	size_t leaves;
	int max_depth;     /* level of the deepest leaf; 0 if there are no leaves */
	double mean_depth; /* mean level of a body's leaf; 0 if there are no leaves */
	uint64_t hash;     /* sum of octree_hash_*() over the tree */
};

struct octree_verifier;

struct octree_input {
	size_t count;
	int bucket;
	float *x, *y, *z; /* count each, finite */
	/* Nodes that a builder allocates: every node of the tree plus, for holes, the lesser of
	 * OCTREE_SLACK and one per body.  A builder that needs more stops with GB_ERUNTIME and
	 * OCTREE_POOL_EXHAUSTED.  It never writes beyond its pool, wraps around or waits for a node
	 * to appear. */
	size_t pool;
	/* Shape of the correct result, from sorted keys.  Variations of the input have the same
	 * nodes, leaves and depths; the hash is that of the original. */
	struct octree_shape tree;
	struct octree_verifier *verifier; /* scratch of verify() */
};

/* The error message of an exhausted pool; its arguments are size_t pool and count. */
#define OCTREE_POOL_EXHAUSTED \
	"the pool of %zu nodes is exhausted: the tree of these %zu bodies needs more"

/* ---- values of child ---------------------------------------------------------------------- */

/* Converts body i to a value of child and back; the function is its own inverse. */
OCTREE_INLINE int32_t octree_body(int32_t value)
{
	return -2 - value;
}

/* ---- box and keys ------------------------------------------------------------------------- */

struct octree_box {
	double corner[3]; /* multiples of size / 2 */
	double size;      /* a power of two */
	double scale;     /* finest cells per unit of length: 2^21 / size */
};

OCTREE_INLINE int octree_box_holds(const struct octree_box *box, const float high[3])
{
	return (double)high[0] - box->corner[0] < box->size &&
	       (double)high[1] - box->corner[1] < box->size &&
	       (double)high[2] - box->corner[2] < box->size;
}

/* The root box of bodies between low and high (both finite and taken from bodies): the smallest
 * cube of its kind that holds them all.  Every operation is exact except the subtraction in the
 * comparison and in octree_cells(), which rounds monotonically.  The box is therefore the same on
 * every back end, and no body in it gets a coordinate of 2^21. */
OCTREE_INLINE struct octree_box octree_box_of(const float low[3], const float high[3])
{
	struct octree_box box;
	double extent = 0;
	int exponent = 0;

	for (int d = 0; d < 3; d++) {
		double side = (double)high[d] - (double)low[d];

		extent = side > extent ? side : extent;
	}
	if (extent > 0)
		(void)frexp(extent, &exponent); /* 2^exponent > extent */
	do {
		double half;

		box.size = ldexp(1.0, exponent++);
		half = box.size / 2;
		for (int d = 0; d < 3; d++)
			box.corner[d] = floor((double)low[d] / half) * half;
	} while (!octree_box_holds(&box, high));
	box.scale = ldexp(1.0, OCTREE_LEVELS) / box.size;
	return box;
}

/* The finest cell of a position along axis d: 21 bits. */
OCTREE_INLINE uint32_t octree_cells(const struct octree_box *box, int d, float position)
{
	return (uint32_t)(((double)position - box->corner[d]) * box->scale);
}

/* Move bit k of 21 to bit 3 k. */
OCTREE_INLINE uint64_t octree_spread(uint32_t cells)
{
	uint64_t bits = cells & UINT32_C(0x1fffff);

	bits = (bits | bits << 32) & UINT64_C(0x001f00000000ffff);
	bits = (bits | bits << 16) & UINT64_C(0x001f0000ff0000ff);
	bits = (bits | bits << 8) & UINT64_C(0x100f00f00f00f00f);
	bits = (bits | bits << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

OCTREE_INLINE uint64_t octree_key(const struct octree_box *box, float x, float y, float z)
{
	return octree_spread(octree_cells(box, 0, x)) |
	       octree_spread(octree_cells(box, 1, y)) << 1 |
	       octree_spread(octree_cells(box, 2, z)) << 2;
}

/* The octant of a key in a node of that level (0 .. 20). */
OCTREE_INLINE int octree_digit(uint64_t key, int level)
{
	return (int)(key >> (3 * (OCTREE_DEEPEST - level))) & 7;
}

/* A number that is unique over all levels for the cell of that level (0 .. 21) that holds the key:
 * a one, then the first `level` digits. */
OCTREE_INLINE uint64_t octree_cell(uint64_t key, int level)
{
	return (UINT64_C(1) << 63 | key) >> (3 * (OCTREE_LEVELS - level));
}

/* ---- the structural hash ------------------------------------------------------------------ */

/* A bijection in which every bit of the result depends on every bit of x. */
OCTREE_INLINE uint64_t octree_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd2b74407b1ce6e93);
	x = (x ^ x >> 29) * UINT64_C(0xca5a826395121157);
	return x ^ x >> 32;
}

/* The hash of a tree is the sum, modulo 2^64, of octree_hash_node() over its nodes and of
 * octree_hash_body() over its bodies, each with the cell of its leaf.  It is equal for equal sets
 * of (prefix, level, bodies), whatever the order of the summation. */
OCTREE_INLINE uint64_t octree_hash_node(uint64_t cell)
{
	return octree_mix(cell);
}

OCTREE_INLINE uint64_t octree_hash_body(uint64_t cell, uint32_t body)
{
	return octree_mix(octree_mix(~cell) + body);
}

/* ---- output ------------------------------------------------------------------------------- */

/* The output of download(): this header, pool rows of child, count elements of next.  Rows from
 * `rows` on are ignored. */
struct octree_output {
	int64_t rows; /* node numbers are below this; at most pool */
	int64_t unused[7];
	int32_t child[][8];
};

static inline size_t octree_output_size(const struct octree_input *input)
{
	return sizeof(struct octree_output) + input->pool * 8 * sizeof(int32_t) +
	       input->count * sizeof(int32_t);
}

static inline int32_t *octree_output_next(const struct octree_input *input,
					  struct octree_output *output)
{
	return &output->child[input->pool][0];
}

#endif
