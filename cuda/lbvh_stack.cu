/* lbvh_stack.cu -- cuda/stack: a thread per ray walks the binary tree with a stack, one level,
 * vertices in place.
 *
 * What the paper says of Hippie (section 5.3): there is one tree, and the corners of a leaf's
 * triangles lie one behind the other in the order of the leaves.  The tree is made by upload(),
 * untimed: 63-bit codes, so that a leaf is a primitive or close copies of one, and its levels, at
 * most 64, are the depth of the stack.  Of two children that are entered the nearer is followed
 * and the other one put on the stack.  A warp takes 8 x 4 pixels.
 *
 * A box's distance may be off by a rounding, so it is compared with a slack of four units in the
 * last place, as on the CPU; triangles are tested by common/lbvh.h's arithmetic, so that all
 * traversals find the same hits.
 *
 * Bound: latency of dependent 64-byte fetches, hidden by as many warps as there are; with some 50
 * nodes a ray in cache about 1 G rays/s are expected on an H200 for a mesh of 1 M triangles.
 */
#include <math.h>
#include <stdlib.h>

#include "cuda/lbvh_common.h"

enum {
	BLOCK = GPU_BLOCK(128),
	TILE_WIDE = 8, /* pixels of a warp */
	TILE_HIGH = WARP / TILE_WIDE,
	STACK = 64,
};

/* 1 + 2^-21 */
#define SLACK 0x1.000008p0f

struct corners {
	float a[3], b[3], c[3];
	uint32_t primitive;
};

struct counts {
	uint64_t nodes, triangles;
};

struct state {
	struct lbvh_gpu gpu;      /* the tree */
	struct corners *triangle; /* in the order of the tree's index */
	float *t;                 /* edge * edge */
	uint32_t *primitive;
	struct counts *counts;
	struct counts last;
};

struct beam {
	float origin[3], direction[3], inverse[3];
	float t;
	uint32_t primitive;
};

/* ---- device ------------------------------------------------------------------------------- */

/* One thread per place of the index. */
static __global__ void corners_kernel(struct lbvh_gpu g, struct corners *triangle)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= g.count)
		return;

	const uint32_t p = g.index[i], *const v = g.triangle + 3 * (size_t)p;

	for (int k = 0; k < 3; k++) {
		triangle[i].a[k] = g.vertex[3 * (size_t)v[0] + k];
		triangle[i].b[k] = g.vertex[3 * (size_t)v[1] + k];
		triangle[i].c[k] = g.vertex[3 * (size_t)v[2] + k];
	}
	triangle[i].primitive = p;
}

/* The distance at which the beam enters node i's box before beam->t, or INFINITY.  Where 0 *
 * INFINITY is NaN, lbvh_max() and lbvh_min() drop it, and the plane does not bound. */
static __device__ __forceinline__ float enter(const struct lbvh_node *node, uint32_t i,
					      const struct beam *beam)
{
	const float4 *const from = (const float4 *)(const void *)(node + i);
	const float4 low = from[0], high = from[1];
	const float lo[3] = { low.x, low.y, low.z }, hi[3] = { high.x, high.y, high.z };
	float entry = 0, last = beam->t;

	for (int k = 0; k < 3; k++) {
		const float near = (lo[k] - beam->origin[k]) * beam->inverse[k];
		const float far = (hi[k] - beam->origin[k]) * beam->inverse[k];
		const bool backwards = beam->inverse[k] < 0;

		entry = lbvh_max(backwards ? far : near, entry);
		last = lbvh_min(backwards ? near : far, last);
	}
	return entry <= last * SLACK ? entry : INFINITY;
}

static __device__ __forceinline__ void test_leaf(const struct corners *triangle, uint32_t count,
						 struct beam *beam)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct corners *const c = triangle + i;
		const float t = lbvh_intersect(beam->origin, beam->direction, c->a, c->b, c->c);

		if (lbvh_nearer(t, c->primitive, beam->t, beam->primitive)) {
			beam->t = t;
			beam->primitive = c->primitive;
		}
	}
}

/* Find the beam's hit; nodes and triangles: what it met. */
static __device__ __forceinline__ void walk(const struct lbvh_node *node,
					    const struct corners *triangle, struct beam *beam,
					    uint32_t *nodes, uint32_t *triangles)
{
	uint32_t waiting[STACK], at = 0;
	float waits_at[STACK], t = enter(node, 0, beam);
	int top = 0;

	while (t < INFINITY) {
		const uint32_t left = node[at].left, right = node[at].right;

		if (left & LBVH_LEAF) {
			test_leaf(triangle + (left & ~LBVH_LEAF), right, beam);
			*triangles += right;
		} else {
			const float t_left = enter(node, left, beam);
			const float t_right = enter(node, right, beam);
			const bool left_first = t_left <= t_right;
			const float far = left_first ? t_right : t_left;

			++*nodes;
			if (far < INFINITY) {
				waiting[top] = left_first ? right : left;
				waits_at[top++] = far;
			}
			t = left_first ? t_left : t_right;
			at = left_first ? left : right;
			if (t < INFINITY)
				continue;
		}
		/* The nearest that waits and may still hold a nearer hit. */
		for (t = INFINITY; top > 0 && t == INFINITY;) {
			top--;
			if (waits_at[top] <= beam->t * SLACK) {
				t = waits_at[top];
				at = waiting[top];
			}
		}
	}
}

/* A warp takes a tile; tiles: of a row of the image. */
static __global__ void trace_kernel(struct lbvh_camera camera, uint32_t edge, uint32_t tiles,
				    const struct lbvh_node *node, const struct corners *triangle,
				    float *t, uint32_t *primitive, struct counts *counts)
{
	const uint32_t lane = threadIdx.x % WARP;
	const uint32_t tile = blockIdx.x * (BLOCK / WARP) + threadIdx.x / WARP;
	const uint32_t x = tile % tiles * TILE_WIDE + lane % TILE_WIDE;
	const uint32_t y = tile / tiles * TILE_HIGH + lane / TILE_WIDE;
	uint32_t nodes = 0, triangles = 0;

	if (x < edge && y < edge) {
		struct beam beam;

		lbvh_ray(&camera, x, y, beam.direction);
		for (int k = 0; k < 3; k++) {
			beam.origin[k] = camera.eye[k];
			/* -0 would turn the sign of what it is compared with */
			beam.inverse[k] = 1 / (beam.direction[k] + 0.0F);
		}
		beam.t = INFINITY;
		beam.primitive = LBVH_MISS;
		walk(node, triangle, &beam, &nodes, &triangles);
		t[(size_t)y * edge + x] = beam.t;
		primitive[(size_t)y * edge + x] = beam.primitive;
	}
	__syncwarp();

	const uint64_t all_nodes = warp_sum((uint64_t)nodes);
	const uint64_t all_triangles = warp_sum((uint64_t)triangles);

	if (lane == 0) {
		atomicAdd((unsigned long long *)&counts->nodes, (unsigned long long)all_nodes);
		atomicAdd((unsigned long long *)&counts->triangles,
			  (unsigned long long)all_triangles);
	}
}

/* ---- life --------------------------------------------------------------------------------- */

static size_t ray_count(const struct state *s)
{
	return (size_t)s->gpu.input->edge * s->gpu.input->edge;
}

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s;

	*state = NULL;
	if (((const struct lbvh_params *)params)->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "this is a way to trace: --op=trace");
	s = (struct state *)calloc(1, sizeof *s);
	*state = s;
	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	if (lbvh_gpu_init(&s->gpu, input, LBVH_GPU_CODES_63 | LBVH_GPU_ARRIVED, err) != GB_OK ||
	    gpu_alloc(&s->triangle, s->gpu.count, sizeof *s->triangle, err) != GB_OK ||
	    gpu_alloc(&s->t, ray_count(s), sizeof *s->t, err) != GB_OK ||
	    gpu_alloc(&s->primitive, ray_count(s), sizeof *s->primitive, err) != GB_OK)
		return err->code;
	return gpu_alloc(&s->counts, 1, sizeof *s->counts, err);
}

/* The mesh, and the tree from it. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *const s = (struct state *)state;

	if (lbvh_gpu_upload(&s->gpu, err) != GB_OK || lbvh_gpu_best(&s->gpu, NULL, err) != GB_OK)
		return err->code;
	GPU_LAUNCH(corners_kernel, lbvh_gpu_blocks(s->gpu.count, BLOCK), BLOCK, 0, gpu_stream(),
		   s->gpu, s->triangle);
	if (!CUDA_OK(err, cudaGetLastError()))
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *const s = (struct state *)state;
	const struct lbvh_input *const in = s->gpu.input;
	const uint32_t wide = lbvh_gpu_blocks(in->edge, TILE_WIDE);
	const size_t tiles = (size_t)wide * lbvh_gpu_blocks(in->edge, TILE_HIGH);

	(void)timer;
	if (!CUDA_OK(err, cudaMemsetAsync(s->counts, 0, sizeof *s->counts, gpu_stream())))
		return err->code;
	GPU_LAUNCH(trace_kernel, lbvh_gpu_blocks(tiles, BLOCK / WARP), BLOCK, 0, gpu_stream(),
		   in->camera, in->edge, wide, s->gpu.node, s->triangle, s->t, s->primitive,
		   s->counts);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

static bool copy(void *to, const void *from, size_t bytes, struct gb_error *err)
{
	return CUDA_OK(err, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, gpu_stream()));
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *const s = (struct state *)state;

	if (!copy(lbvh_trace_t(output), s->t, ray_count(s) * sizeof *s->t, err) ||
	    !copy(lbvh_trace_primitive(s->gpu.input, output), s->primitive,
		  ray_count(s) * sizeof *s->primitive, err) ||
	    !copy(&s->last, s->counts, sizeof s->last, err))
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

static void destroy(void *state)
{
	struct state *const s = (struct state *)state;

	if (!s)
		return;
	gpu_free(s->triangle);
	gpu_free(s->t);
	gpu_free(s->primitive);
	gpu_free(s->counts);
	lbvh_gpu_release(&s->gpu);
	free(s);
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *const s = (const struct state *)state;
	const double rays = (double)ray_count(s);

	gb_metric(metrics, "nodes_per_ray", (double)s->last.nodes / rays);
	gb_metric(metrics, "triangles_per_ray", (double)s->last.triangles / rays);
}

const struct gb_variant_ops lbvh_cuda_stack = {
	.create = create,
	.upload = upload,
	.reset = NULL,
	.run = run,
	.download = download,
	.destroy = destroy,
	.bytes = NULL,
	.metrics = metrics,
	.flags = GB_REPEATABLE,
};
