/* lbvh.h -- the interface of the lbvh benchmark (bounding volume hierarchy): input, tree, hits, and
 * the functions whose results must be bitwise equal on every back end.
 *
 * A scene is a list of triangles; primitive p is triangle p.  `build` makes a binary tree over
 * their boxes; `trace` finds the hits of rays in a tree that create() has built.  Builders start
 * from the triangles: computing the boxes of the primitives is part of the timed work, in the phase
 * "bounds".
 *
 * A trace uses either the primary rays of a square image or a stream.  Each variant generates
 * primary rays from the camera, within the timed work, and finds the nearest hit.  A stream is an
 * array of rays in memory that all variants read; the input selects the nearest hit or any hit
 * (occlusion).
 *
 * The phases of a build, if a builder separates them: bounds, codes, sort, leaves, hierarchy, refit
 * (Frolov, Galaktionov 2023, section 4.1).
 *
 * The tree (section 4.2, listing 2): 32-byte nodes, offsets instead of pointers, L leaves and
 * L - 1 inner nodes.
 *
 *	root		node 0
 *	inner node	left, right: the numbers of its children
 *	leaf		left = LBVH_LEAF | first, right = count >= 1: its primitives are
 *			index[first .. first + count)
 *	index		a permutation of 0 .. count - 1
 *
 * A node's box is exactly the union of its primitives' boxes.
 *
 * All builders but ploc number nodes as Karras 2012: inner nodes are 0 .. L - 2, the
 * node of range [a, b] is a if it is its parent's right child and b if it is the left one, leaf i
 * is node L - 1 + i, and leaves are in ascending order of codes.  Primitives of equal code share a
 * leaf, in ascending order of index, so that builders of equal code width produce equal bytes.
 *
 * In a hit, t is the distance along the ray's unit direction: t > 0, and near < t <= far for a ray
 * of a stream.  If distances are equal, the smaller primitive is the hit.  A ray that hits nothing
 * has t = INFINITY and primitive = LBVH_MISS.
 */
#ifndef GPUBENCH_COMMON_LBVH_TYPES_H
#define GPUBENCH_COMMON_LBVH_TYPES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the choices of --op, --tree, --rays-kind, --order and --rays-per-call. */
enum lbvh_op { LBVH_BUILD, LBVH_TRACE, LBVH_OPS };
enum lbvh_tree { LBVH_BEST_TREE, LBVH_PAPER_TREE, LBVH_TREES };
enum lbvh_rays { LBVH_PRIMARY, LBVH_SHADOW, LBVH_AMBIENT, LBVH_RANDOM, LBVH_BOUNCE, LBVH_KINDS };
enum lbvh_order { LBVH_OWN, LBVH_SPATIAL, LBVH_ORDERS };
enum lbvh_calls { LBVH_ALL_RAYS, LBVH_ONE_RAY, LBVH_16_RAYS, LBVH_CALLS };

struct lbvh_params {
	int64_t op;            /* enum lbvh_op */
	int64_t scene;         /* index into gb_scene_names (datasets/mesh/scene.h) */
	const char *file;      /* read the triangles from this file instead, or NULL */
	int64_t primitives;    /* triangles of a generated scene; 0: the scene's default */
	int64_t rays;          /* edge of the image: rays * rays of them, also in a stream */
	int64_t tree;          /* enum lbvh_tree: what our traversals walk; Embree has its own */
	const char *image;     /* file to write the picture to, or NULL */
	int64_t rays_kind;     /* enum lbvh_rays */
	int64_t order;         /* enum lbvh_order, of the rays */
	int64_t rays_per_call; /* enum lbvh_calls */
	int64_t threads;
	int64_t seed;
};

/* Coordinates are finite and at most this large, so that neither a product of three nor a sum of
 * boxes overflows a float.  Code that makes an input rejects larger ones. */
#define LBVH_COORDINATE_MAX 1e12f
/* Positions and both kinds of node numbers fit in 31 bits. */
#define LBVH_PRIMITIVES_MAX (UINT32_C(1) << 29)

/* A ray of a stream, 32 bytes.  It hits at distances near < t <= far along its unit direction. */
struct lbvh_ray {
	float origin[3], near;
	float direction[3], far;
};

/* The direction of pixel (x, y) is corner + x dx + y dy, normalised: lbvh_direction(). */
struct lbvh_camera {
	float eye[3];
	float corner[3]; /* towards the centre of pixel (0, 0), which is at the top left */
	float dx[3], dy[3];
};

struct lbvh_reference; /* state that verify() keeps between variants */

struct lbvh_input {
	size_t count; /* triangles, 1 .. LBVH_PRIMITIVES_MAX */
	size_t vertex_count;
	float *vertex;      /* x y z of each; the float after the last may be read; no -0 */
	uint32_t *triangle; /* three vertex numbers each */
	uint32_t edge;      /* edge of the image in pixels */
	struct lbvh_camera camera;
	struct lbvh_camera probe;         /* the same view, LBVH_PROBE_EDGE pixels wide */
	struct lbvh_ray *ray;             /* a stream of edge * edge; NULL: the camera's rays */
	bool occlusion;                   /* stream: find any hit, not the nearest one */
	struct lbvh_reference *reference; /* used only by the benchmark, not by variants */
};

/* ---- the tree ----------------------------------------------------------------------------- */

struct lbvh_node {
	float lo[3];
	uint32_t left;
	float hi[3];
	uint32_t right;
};

/* A box in the paper's format, two float4; the fourth components are unused. */
struct lbvh_box {
	float lo[4], hi[4];
};

#define LBVH_LEAF (UINT32_C(1) << 31)
#define LBVH_MISS UINT32_MAX

/* ---- outputs ------------------------------------------------------------------------------ */

/* A build outputs its tree in one of two forms, or in both. */
enum lbvh_tree_kind {
	LBVH_BINARY = 1, /* nodes and index as above: every part is checked */
	LBVH_PROBED = 2, /* any other tree, wide or a library's: download() traces the
			    LBVH_PROBE_EDGE^2 rays of input->probe and outputs the hits */
};

enum { LBVH_PROBE_EDGE = 64, LBVH_PROBES = LBVH_PROBE_EDGE * LBVH_PROBE_EDGE };

/* Marks hits computed by a library with its own arithmetic: the verifier then allows more rays that
 * graze an edge to differ.  Other outputs must match lbvh_intersect(). */
#define LBVH_FOREIGN UINT32_C(0x6f726967)
/* The same.  In addition, the distances are too inexact to compare if a ray grazes a long thin
 * triangle: the verifier replaces each one by that of lbvh_intersect() if they differ by at most
 * 1 %. */
#define LBVH_COARSE UINT32_C(0x636f6172)

/* The output of build: this header, room for 2 n - 1 nodes, n indices, LBVH_PROBES distances,
 * LBVH_PROBES primitives; n is the number of primitives.  A binary tree uses nodes and index, a
 * probed one the hits. */
struct lbvh_tree_header {
	uint32_t kind;       /* enum lbvh_tree_kind, or both of them */
	uint32_t leaves;     /* L; for a tree that is only probed, 0 if unknown */
	uint32_t nodes;      /* 2 L - 1; the same */
	uint32_t arithmetic; /* of the hits: LBVH_FOREIGN, LBVH_COARSE or any other value */
	uint32_t unused[12];
};

static inline size_t lbvh_build_size(const struct lbvh_input *in)
{
	return sizeof(struct lbvh_tree_header) + (2 * in->count - 1) * sizeof(struct lbvh_node) +
	       in->count * sizeof(uint32_t) + (size_t)LBVH_PROBES * 8;
}

static inline struct lbvh_node *lbvh_build_nodes(void *output)
{
	return (struct lbvh_node *)(void *)((unsigned char *)output +
					    sizeof(struct lbvh_tree_header));
}

static inline uint32_t *lbvh_build_index(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)(void *)(lbvh_build_nodes(output) + (2 * in->count - 1));
}

static inline float *lbvh_build_probe_t(const struct lbvh_input *in, void *output)
{
	return (float *)(void *)(lbvh_build_index(in, output) + in->count);
}

static inline uint32_t *lbvh_build_probe_primitive(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)(void *)(lbvh_build_probe_t(in, output) + LBVH_PROBES);
}

/* Bytes that a builder moves: the mesh once, and `bytes` for each primitive. */
static inline double lbvh_build_bytes(const void *input, size_t bytes)
{
	const struct lbvh_input *in = (const struct lbvh_input *)input;

	return 12 * (double)(in->vertex_count + in->count) + (double)in->count * (double)bytes;
}

static inline size_t lbvh_ray_count(const struct lbvh_input *in)
{
	return (size_t)in->edge * in->edge;
}

/* Number of 32-bit words that hold one bit per ray. */
static inline size_t lbvh_bit_words(const struct lbvh_input *in)
{
	return (lbvh_ray_count(in) + 31) / 32;
}

/* The output of trace: a distance for each ray, then a primitive for each; ray (x, y) of an image
 * is at y * edge + x.  With occlusion, bit i % 32 of word i / 32 is set if ray i hits anything, and
 * the bits after the last ray are 0.  A word follows that may be LBVH_FOREIGN or LBVH_COARSE. */
static inline size_t lbvh_trace_size(const struct lbvh_input *in)
{
	return sizeof(uint32_t) *
	       ((in->occlusion ? lbvh_bit_words(in) : 2 * lbvh_ray_count(in)) + 1);
}

static inline float *lbvh_trace_t(void *output)
{
	return (float *)output;
}

static inline uint32_t *lbvh_trace_primitive(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)output + lbvh_ray_count(in);
}

static inline uint32_t *lbvh_trace_bits(void *output)
{
	return (uint32_t *)output;
}

static inline uint32_t *lbvh_trace_arithmetic(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)output + lbvh_trace_size(in) / sizeof(uint32_t) - 1;
}

/* ---- arithmetic that all back ends share ---------------------------------------------------
 *
 * Every operation is rounded once: neither compiler may fuse a product and a sum.  gcc does not
 * with -std=c11; nvcc would, hence the intrinsics.  Minima are `a < b ? a : b`, never fminf(). */

#ifdef __CUDACC__
#define LBVH_FN static __host__ __device__ inline
#else
#define LBVH_FN static inline
#endif

LBVH_FN float lbvh_mul(float a, float b)
{
#ifdef __CUDA_ARCH__
	return __fmul_rn(a, b);
#else
	return a * b;
#endif
}

LBVH_FN float lbvh_add(float a, float b)
{
#ifdef __CUDA_ARCH__
	return __fadd_rn(a, b);
#else
	return a + b;
#endif
}

LBVH_FN float lbvh_min(float a, float b)
{
	return a < b ? a : b;
}

LBVH_FN float lbvh_max(float a, float b)
{
	return a > b ? a : b;
}

LBVH_FN float lbvh_dot(const float a[3], const float b[3])
{
	return lbvh_add(lbvh_add(lbvh_mul(a[0], b[0]), lbvh_mul(a[1], b[1])), lbvh_mul(a[2], b[2]));
}

LBVH_FN void lbvh_cross(const float a[3], const float b[3], float out[3])
{
	out[0] = lbvh_add(lbvh_mul(a[1], b[2]), -lbvh_mul(a[2], b[1]));
	out[1] = lbvh_add(lbvh_mul(a[2], b[0]), -lbvh_mul(a[0], b[2]));
	out[2] = lbvh_add(lbvh_mul(a[0], b[1]), -lbvh_mul(a[1], b[0]));
}

/* The box of primitive p. */
LBVH_FN struct lbvh_box lbvh_primitive_box(const float *vertex, const uint32_t *triangle, size_t p)
{
	const float *a = vertex + 3 * (size_t)triangle[3 * p];
	const float *b = vertex + 3 * (size_t)triangle[3 * p + 1];
	const float *c = vertex + 3 * (size_t)triangle[3 * p + 2];
	struct lbvh_box box;

	for (int k = 0; k < 3; k++) {
		box.lo[k] = lbvh_min(lbvh_min(a[k], b[k]), c[k]);
		box.hi[k] = lbvh_max(lbvh_max(a[k], b[k]), c[k]);
	}
	box.lo[3] = box.hi[3] = 0;
	return box;
}

/* ---- Morton codes ------------------------------------------------------------------------- */

enum { LBVH_BITS_30 = 10, LBVH_BITS_63 = 21 }; /* per axis */

/* Maps twice a box's centre to a cell, per axis: cell = (lo + hi - origin) * scale. */
struct lbvh_grid {
	float origin[3]; /* twice the scene's lower corner */
	float scale[3];  /* 0 for an axis without extent */
};

/* The grid of 2^bits cells per axis over the scene's box; bits <= LBVH_BITS_63. */
LBVH_FN struct lbvh_grid lbvh_grid_over(const float lo[3], const float hi[3], int bits)
{
	const float cells = (float)(UINT32_C(1) << bits);
	struct lbvh_grid grid;

	for (int k = 0; k < 3; k++) {
		const float extent = lbvh_add(hi[k], -lo[k]);

		grid.origin[k] = lbvh_add(lo[k], lo[k]);
		grid.scale[k] = extent > 0 ? lbvh_mul(cells, 0.5f) / extent : 0;
	}
	return grid;
}

/* The cell of a box's centre along axis k, 0 .. 2^bits - 1; 0 if the axis has no extent. */
LBVH_FN uint32_t lbvh_cell(const struct lbvh_grid *grid, int k, float lo, float hi, int bits)
{
	const float most = (float)((UINT32_C(1) << bits) - 1);
	const float place = lbvh_mul(lbvh_add(lbvh_add(lo, hi), -grid->origin[k]), grid->scale[k]);

	return place > 0 ? (uint32_t)(place < most ? place : most) : 0;
}

/* Spread bits 0 .. 9 of v to every third bit. */
LBVH_FN uint32_t lbvh_spread_10(uint32_t v)
{
	v = (v | v << 16) & UINT32_C(0x030000ff);
	v = (v | v << 8) & UINT32_C(0x0300f00f);
	v = (v | v << 4) & UINT32_C(0x030c30c3);
	return (v | v << 2) & UINT32_C(0x09249249);
}

/* Spread bits 0 .. 20 of v to every third bit. */
LBVH_FN uint64_t lbvh_spread_21(uint64_t v)
{
	v = (v | v << 32) & UINT64_C(0x001f00000000ffff);
	v = (v | v << 16) & UINT64_C(0x001f0000ff0000ff);
	v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
	v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (v | v << 2) & UINT64_C(0x1249249249249249);
}

/* Morton codes of a box's centre, with x in the highest bit: 30 bits over a grid of LBVH_BITS_30,
 * or 63 bits over one of LBVH_BITS_63. */
LBVH_FN uint32_t lbvh_code_30(const struct lbvh_grid *grid, const struct lbvh_box *box)
{
	return lbvh_spread_10(lbvh_cell(grid, 0, box->lo[0], box->hi[0], LBVH_BITS_30)) << 2 |
	       lbvh_spread_10(lbvh_cell(grid, 1, box->lo[1], box->hi[1], LBVH_BITS_30)) << 1 |
	       lbvh_spread_10(lbvh_cell(grid, 2, box->lo[2], box->hi[2], LBVH_BITS_30));
}

LBVH_FN uint64_t lbvh_code_63(const struct lbvh_grid *grid, const struct lbvh_box *box)
{
	return lbvh_spread_21(lbvh_cell(grid, 0, box->lo[0], box->hi[0], LBVH_BITS_63)) << 2 |
	       lbvh_spread_21(lbvh_cell(grid, 1, box->lo[1], box->hi[1], LBVH_BITS_63)) << 1 |
	       lbvh_spread_21(lbvh_cell(grid, 2, box->lo[2], box->hi[2], LBVH_BITS_63));
}

/* The number of leading bits, of 64, that two codes share; 64 if they are equal.  All builders use
 * this delta.  The codes of leaves differ, so no index is needed to break ties. */
LBVH_FN int lbvh_delta(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
	return __clzll((long long)(a ^ b));
#else
	return a == b ? 64 : __builtin_clzll(a ^ b);
#endif
}

/* ---- rays --------------------------------------------------------------------------------- */

/* The unit direction of pixel (x, y); all rays start at camera->eye. */
LBVH_FN void lbvh_direction(const struct lbvh_camera *camera, uint32_t x, uint32_t y,
			    float direction[3])
{
	float inverse;

	for (int k = 0; k < 3; k++)
		direction[k] =
			lbvh_add(lbvh_add(camera->corner[k], lbvh_mul((float)x, camera->dx[k])),
				 lbvh_mul((float)y, camera->dy[k]));
	inverse = 1.0f / sqrtf(lbvh_dot(direction, direction));
	for (int k = 0; k < 3; k++)
		direction[k] = lbvh_mul(direction[k], inverse);
}

/* Ray i of an image, in the format of a stream. */
static inline struct lbvh_ray lbvh_camera_ray(const struct lbvh_camera *camera, uint32_t edge,
					      size_t i)
{
	struct lbvh_ray ray = { .near = 0, .far = INFINITY };

	for (int k = 0; k < 3; k++)
		ray.origin[k] = camera->eye[k];
	lbvh_direction(camera, (uint32_t)(i % edge), (uint32_t)(i / edge), ray.direction);
	return ray;
}

/* The distance at which the ray hits triangle a b c from either side, or INFINITY (Moeller,
 * Trumbore 1997).  Edges and corners belong to the triangle.  The reference uses this arithmetic; a
 * traversal that rounds differently may differ for a ray that grazes an edge. */
LBVH_FN float lbvh_intersect(const float origin[3], const float direction[3], const float a[3],
			     const float b[3], const float c[3])
{
	float e1[3], e2[3], s[3], p[3], q[3], determinant, inverse, u, v, t;

	for (int k = 0; k < 3; k++) {
		e1[k] = lbvh_add(b[k], -a[k]);
		e2[k] = lbvh_add(c[k], -a[k]);
		s[k] = lbvh_add(origin[k], -a[k]);
	}
	lbvh_cross(direction, e2, p);
	determinant = lbvh_dot(e1, p);
	inverse = 1.0f / determinant;
	u = lbvh_mul(lbvh_dot(s, p), inverse);
	lbvh_cross(s, e1, q);
	v = lbvh_mul(lbvh_dot(direction, q), inverse);
	t = lbvh_mul(lbvh_dot(e2, q), inverse);
	/* A determinant of 0 gives NaN or infinities, which fail here. */
	return u >= 0 && v >= 0 && lbvh_add(u, v) <= 1 && t > 0 && t < INFINITY ? t : INFINITY;
}

/* True if hit (t, p) takes precedence over (best_t, best_p). */
LBVH_FN int lbvh_nearer(float t, uint32_t p, float best_t, uint32_t best_p)
{
	return t < best_t || (t == best_t && t < INFINITY && p < best_p);
}

#endif
