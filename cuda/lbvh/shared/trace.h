/* trace.h -- what the CUDA traversals share: rays, hits, the order of the image, and the walk of a
 * binary tree.
 *
 * A thread takes one ray.  A warp takes 8 x 4 pixels, or 32 consecutive rays of a stream, whose
 * occlusion bits form one word.  A traversal is a struct with a member
 *
 *	template <class SEARCH> __device__ void walk(struct lbvh_gpu_ray *ray, SEARCH *search) const
 *
 * It passes everything that the ray may hit to `search`, which keeps the answer and knows when it
 * is complete.  It also reports the nodes and triangles it meets; a separate kernel counts these
 * once, at no cost to the timed kernel.  Triangles are tested with common/lbvh_types.h's arithmetic.  A
 * box's distance may be off by a rounding, so it is compared with a slack of four units in the last
 * place, as on the CPU: all traversals find the same hits.
 */
#ifndef GPUBENCH_CUDA_LBVH_SHARED_TRACE_H
#define GPUBENCH_CUDA_LBVH_SHARED_TRACE_H

#include <math.h>

#include "cuda/lbvh/shared/builder.h"

enum {
	LBVH_TRACE_BLOCK = 128,
	LBVH_TILE_WIDE = 8, /* pixels per warp */
	LBVH_TILE_HIGH = WARP / LBVH_TILE_WIDE,
	LBVH_STACK = 64, /* levels of a tree over 63-bit codes, and one more */
};

/* 1 + 2^-21 */
#define LBVH_SLACK 0x1.000008p0f

/* A triangle in place: three vectors of 16 bytes. */
struct alignas(16) lbvh_corners {
	float a[3];
	uint32_t primitive;
	float b[3];
	uint32_t unused_b;
	float c[3];
	uint32_t unused_c;
};

/* Inner nodes and triangles met by all rays. */
struct lbvh_trace_counts {
	uint64_t nodes, triangles;
};

struct lbvh_gpu_tracer;

/* lbvh_gpu_trace_count() for the state that begins with this tracer. */
typedef gb_status lbvh_trace_counter(const lbvh_gpu_tracer *tracer, gb_error *err);

/* The first member of a traversal's state. */
struct lbvh_gpu_tracer {
	lbvh_gpu gpu; /* the mesh and its binary tree */
	size_t rays;
	lbvh_ray *ray;             /* a stream's rays, else NULL */
	float *t;                  /* one per ray; NULL for occlusion */
	uint32_t *primitive;       /* the same */
	uint32_t *bits;            /* for occlusion: lbvh_bit_words() words */
	lbvh_trace_counts *counts; /* on the device */
	lbvh_trace_counts met;     /* counts of a run, taken when metrics are requested */
	lbvh_trace_counter *count;
	const void *kernel; /* the timed one */
	lbvh_camera camera; /* the input's at the last upload */
};

/* Allocate for the mesh, the tree that lbvh_gpu_fastest() makes, a stream, and the answers to
 * `rays` rays.  Codes have 63 bits for a trace, unless it uses the paper's tree; else they have
 * 30. */
gb_status lbvh_gpu_tracer_init(lbvh_gpu_tracer *tracer, lbvh_trace_counter *count,
			       const lbvh_params *params, const lbvh_input *input, size_t rays,
			       gb_error *err);
/* Upload the mesh and the stream, keep the camera, and wait. */
gb_status lbvh_gpu_tracer_upload(lbvh_gpu_tracer *tracer, gb_error *err);
/* Queue the copy of triangle index[i] of the tree to triangle[position[i]], or to triangle[i] if
 * `position` is NULL. */
gb_status lbvh_gpu_corners(const lbvh_gpu *g, const uint32_t *position, lbvh_corners *triangle,
			   gb_error *err);
/* Download the hits and wait. */
gb_status lbvh_gpu_tracer_hits(const lbvh_gpu_tracer *tracer, float *t, uint32_t *primitive,
			       gb_error *err);
/* Operations of a state that begins with a tracer.  The download gives hits or bits.  The metrics
 * nodes_per_ray and triangles_per_ray trace the rays once more, outside all timed work;
 * local_bytes_per_thread is the local memory of the timed kernel, mostly its stack. */
gb_status lbvh_gpu_tracer_download(const lbvh_gpu_tracer *tracer, void *output, gb_error *err);
void lbvh_gpu_tracer_metrics(lbvh_gpu_tracer *tracer, gb_metrics *metrics);

/* ---- device ------------------------------------------------------------------------------- */

/* A ray in registers, and its nearest hit. */
struct lbvh_gpu_ray {
	float origin[3], direction[3], inverse[3];
	float near; /* hits must be farther than this; not tested for images */
	float t;    /* and no farther than this */
	uint32_t primitive;
};

/* A waiting subtree, and the distance where the ray enters it. */
struct lbvh_stack_entry {
	float t;
	uint32_t at;
};

/* Initialise a ray whose origin and direction are set, without a hit.  Adding 0 turns -0
 * into +0, which keeps the inverse from becoming -INFINITY. */
static __device__ __forceinline__ void lbvh_gpu_ray_start(lbvh_gpu_ray *ray)
{
	for (int k = 0; k < 3; k++)
		ray->inverse[k] = 1 / (ray->direction[k] + 0.0F);
	ray->near = 0;
	ray->t = INFINITY;
	ray->primitive = LBVH_MISS;
}

/* Load a ray of a stream: 32 bytes as two loads. */
static __device__ __forceinline__ lbvh_gpu_ray lbvh_gpu_ray_load(const lbvh_ray *in)
{
	const float4 *const from = (const float4 *)(const void *)in;
	const float4 origin = from[0], direction = from[1];
	lbvh_gpu_ray ray = { { origin.x, origin.y, origin.z },
			     { direction.x, direction.y, direction.z } };

	lbvh_gpu_ray_start(&ray);
	ray.near = origin.w;
	ray.t = direction.w;
	return ray;
}

/* The distance at which the ray enters the box before ray->t, or INFINITY.  fmaxf() and fminf()
 * drop the NaN of 0 * INFINITY, so such a plane does not bound. */
static __device__ __forceinline__ float lbvh_box_enter(const lbvh_gpu_ray *ray, const float *lo,
						       const float *hi)
{
	float entry = 0, last = ray->t;

	for (int k = 0; k < 3; k++) {
		const float near = (lo[k] - ray->origin[k]) * ray->inverse[k];
		const float far = (hi[k] - ray->origin[k]) * ray->inverse[k];
		const bool backwards = ray->inverse[k] < 0;

		entry = fmaxf(backwards ? far : near, entry);
		last = fminf(backwards ? near : far, last);
	}
	return entry <= last * LBVH_SLACK ? entry : INFINITY;
}

static __device__ __forceinline__ void lbvh_gpu_ray_hit(lbvh_gpu_ray *ray, float t,
							uint32_t primitive)
{
	if (lbvh_nearer(t, primitive, ray->t, ray->primitive)) {
		ray->t = t;
		ray->primitive = primitive;
	}
}

/* Rays ask for the nearest hit, in an image or a stream, or for any hit, in a stream. */
enum lbvh_query { LBVH_IMAGE, LBVH_NEAREST, LBVH_ANY };

/* Records a ray's hits and, if COUNT, the nodes and triangles it meets. */
template <bool COUNT, lbvh_query QUERY> struct lbvh_search {
	uint32_t nodes, triangles;

	__device__ __forceinline__ void node(void)
	{
		if (COUNT)
			nodes++;
	}
	__device__ __forceinline__ void triangle(uint32_t count)
	{
		if (COUNT)
			triangles += count;
	}
	__device__ __forceinline__ void hit(lbvh_gpu_ray *ray, float t, uint32_t primitive) const
	{
		if (QUERY == LBVH_IMAGE || t > ray->near)
			lbvh_gpu_ray_hit(ray, t, primitive);
	}
	/* True if nothing else needs to be visited. */
	__device__ __forceinline__ bool done(const lbvh_gpu_ray *ray) const
	{
		return QUERY == LBVH_ANY && ray->primitive != LBVH_MISS;
	}
};

static __device__ __forceinline__ lbvh_corners lbvh_corners_load(const lbvh_corners *from)
{
	const float4 *const v = (const float4 *)(const void *)from;
	const float4 a = v[0], b = v[1], c = v[2];

	return {
		{ a.x, a.y, a.z }, __float_as_uint(a.w), { b.x, b.y, b.z }, 0, { c.x, c.y, c.z }, 0
	};
}

/* Pop the next waiting subtree that may still hold a nearer hit; false if there is none. */
static __device__ __forceinline__ bool lbvh_stack_pop(const lbvh_gpu_ray *ray,
						      const lbvh_stack_entry *stack, int *top,
						      uint32_t *at)
{
	while (*top > 0) {
		const lbvh_stack_entry w = stack[--*top];

		if (w.t <= ray->t * LBVH_SLACK) {
			*at = w.at;
			return true;
		}
	}
	return false;
}

/* A node that the ray has reached: the distance where it enters, and the children. */
struct lbvh_entered_node {
	float t;
	uint32_t left, right;
};

static __device__ __forceinline__ lbvh_entered_node lbvh_node_enter(const lbvh_node *node,
								    uint32_t i,
								    const lbvh_gpu_ray *ray)
{
	const lbvh_node n = lbvh_node_load(node, i);

	return { lbvh_box_enter(ray, n.lo, n.hi), n.left, n.right };
}

/* Walk a binary tree, the nearer child first.  That child stays in registers, and its children are
 * known since its box was read.  leaves->test(first, count, ray, search) tests a leaf.  stack: one
 * entry per level. */
template <class LEAVES, class SEARCH>
static __device__ __forceinline__ void lbvh_walk_binary(const lbvh_node *node, const LEAVES *leaves,
							lbvh_stack_entry *stack, lbvh_gpu_ray *ray,
							SEARCH *search)
{
	lbvh_entered_node at = lbvh_node_enter(node, 0, ray);
	uint32_t next;
	int top = 0;

	if (at.t == INFINITY)
		return;
	for (;;) {
		if (at.left & LBVH_LEAF) {
			leaves->test(at.left & ~LBVH_LEAF, at.right, ray, search);
			if (search->done(ray))
				return;
		} else {
			const lbvh_entered_node left = lbvh_node_enter(node, at.left, ray);
			const lbvh_entered_node right = lbvh_node_enter(node, at.right, ray);
			const bool left_first = left.t <= right.t;
			const float far = left_first ? right.t : left.t;

			search->node();
			if (far < INFINITY)
				stack[top++] = { far, left_first ? at.right : at.left };
			at = left_first ? left : right;
			if (at.t < INFINITY)
				continue;
		}
		if (!lbvh_stack_pop(ray, stack, &top, &next))
			return;
		at.left = node[next].left;
		at.right = node[next].right;
	}
}

/* Add up the counts of a warp's lanes.  All lanes call together. */
template <class SEARCH>
static __device__ __forceinline__ void lbvh_add_counts(const SEARCH *search,
						       lbvh_trace_counts *counts)
{
	__syncwarp();

	const uint64_t nodes = warp_sum((uint64_t)search->nodes);
	const uint64_t triangles = warp_sum((uint64_t)search->triangles);

	if (threadIdx.x % WARP == 0) {
		atomicAdd((unsigned long long *)&counts->nodes, (unsigned long long)nodes);
		atomicAdd((unsigned long long *)&counts->triangles, (unsigned long long)triangles);
	}
}

/* Trace all rays of an image; write the hits or, with COUNT, the nodes and triangles met.  The
 * tiles of a block's warps lie side by side. */
template <class TREE, bool COUNT>
static __global__ void lbvh_trace_kernel(lbvh_camera camera, uint32_t edge, TREE tree, float *t,
					 uint32_t *primitive, lbvh_trace_counts *counts)
{
	const uint32_t lane = threadIdx.x % WARP;
	const uint32_t tile = blockIdx.x * (LBVH_TRACE_BLOCK / WARP) + threadIdx.x / WARP;
	const uint32_t x = tile * LBVH_TILE_WIDE + lane % LBVH_TILE_WIDE;
	const uint32_t y = blockIdx.y * LBVH_TILE_HIGH + lane / LBVH_TILE_WIDE;
	lbvh_search<COUNT, LBVH_IMAGE> search = {};

	if (x < edge && y < edge) {
		lbvh_gpu_ray ray;

		lbvh_direction(&camera, x, y, ray.direction);
		for (int k = 0; k < 3; k++)
			ray.origin[k] = camera.eye[k];
		lbvh_gpu_ray_start(&ray);
		tree.walk(&ray, &search);
		if (!COUNT) {
			t[(size_t)y * edge + x] = ray.t;
			primitive[(size_t)y * edge + x] = ray.primitive;
		}
	}
	if (COUNT)
		lbvh_add_counts(&search, counts);
}

/* The same for a stream, one thread per ray in their order.  LBVH_ANY writes one word per warp: the
 * bits of its 32 rays. */
template <class TREE, bool COUNT, lbvh_query QUERY>
static __global__ void lbvh_stream_kernel(lbvh_gpu_tracer tracer, TREE tree)
{
	const size_t i = (size_t)blockIdx.x * LBVH_TRACE_BLOCK + threadIdx.x;
	lbvh_search<COUNT, QUERY> search = {};
	bool hit = false;

	if (i < tracer.rays) {
		lbvh_gpu_ray ray = lbvh_gpu_ray_load(tracer.ray + i);

		tree.walk(&ray, &search);
		hit = ray.primitive != LBVH_MISS;
		if (!COUNT && QUERY == LBVH_NEAREST) {
			tracer.t[i] = hit ? ray.t : INFINITY;
			tracer.primitive[i] = ray.primitive;
		}
	}
	if (!COUNT && QUERY == LBVH_ANY) {
		__syncwarp();

		const uint32_t bits = __ballot_sync(ALL_LANES, hit);

		if (i < tracer.rays && i % WARP == 0)
			tracer.bits[i / WARP] = bits;
	}
	if (COUNT)
		lbvh_add_counts(&search, tracer.counts);
}

/* Queue all rays of a camera whose image is `edge` pixels wide and high. */
template <bool COUNT = false, class TREE>
static inline gb_status lbvh_gpu_trace_image(const lbvh_gpu_tracer *tracer,
					     const lbvh_camera *camera, uint32_t edge,
					     const TREE &tree, gb_error *err)
{
	const dim3 blocks(gpu_blocks(edge, LBVH_TRACE_BLOCK / WARP * LBVH_TILE_WIDE),
			  gpu_blocks(edge, LBVH_TILE_HIGH));

	lbvh_trace_kernel<TREE, COUNT><<<blocks, LBVH_TRACE_BLOCK, 0, gpu_stream()>>>(
		*camera, edge, tree, tracer->t, tracer->primitive, tracer->counts);
	return CUDA_TRY(err, cudaGetLastError());
}

/* Queue all rays of the input as it was uploaded. */
template <bool COUNT, class TREE>
static inline gb_status lbvh_trace_launch(const lbvh_gpu_tracer *tracer, const TREE &tree,
					  gb_error *err)
{
	const lbvh_input *const in = tracer->gpu.input;
	const size_t blocks = gpu_blocks(tracer->rays, LBVH_TRACE_BLOCK);

	if (!in->ray)
		return lbvh_gpu_trace_image<COUNT>(tracer, &tracer->camera, in->edge, tree, err);

	const auto kernel = in->occlusion ? lbvh_stream_kernel<TREE, COUNT, LBVH_ANY>
					  : lbvh_stream_kernel<TREE, COUNT, LBVH_NEAREST>;

	kernel<<<blocks, LBVH_TRACE_BLOCK, 0, gpu_stream()>>>(*tracer, tree);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- operations of traversals: STATE begins with `tracer` and has tree() ------------------ */

/* Count the nodes and triangles that the input's rays meet; the hits stay unchanged. */
template <class STATE>
static inline gb_status lbvh_gpu_trace_count(const lbvh_gpu_tracer *tracer, gb_error *err)
{
	if (gpu_zero(tracer->counts, 1, err))
		return err->code;
	return lbvh_trace_launch<true>(tracer, ((const STATE *)tracer)->tree(), err);
}

/* The kernel that traces the input's rays, one thread per ray. */
template <class TREE> static inline const void *lbvh_gpu_trace_kernel(const lbvh_input *in)
{
	return !in->ray        ? (const void *)lbvh_trace_kernel<TREE, false>
	       : in->occlusion ? (const void *)lbvh_stream_kernel<TREE, false, LBVH_ANY>
			       : (const void *)lbvh_stream_kernel<TREE, false, LBVH_NEAREST>;
}

/* GB_EUNAVAILABLE unless the operation is trace. */
template <class STATE>
static inline gb_status lbvh_gpu_trace_create(STATE *s, const lbvh_params *params,
					      const lbvh_input *in, gb_error *err)
{
	if (params->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "this variant only traces: use --op=trace");
	s->tracer.kernel = lbvh_gpu_trace_kernel<decltype(s->tree())>(in);
	return lbvh_gpu_tracer_init(&s->tracer, lbvh_gpu_trace_count<STATE>, params, in,
				    lbvh_ray_count(in), err);
}

template <class STATE>
static inline gb_status lbvh_gpu_trace_run(const STATE *s, gb_timer *timer, gb_error *err)
{
	return lbvh_trace_launch<false>(&s->tracer, s->tree(), err);
}

#endif
