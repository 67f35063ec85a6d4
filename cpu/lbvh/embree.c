/* embree.c -- cpu/embree, embree-medium, embree16: Intel's Embree, 4 or 3, traced with 1 or 16 rays
 * per call.
 *
 * The library that the paper compares with.  Build: rtcCommitScene() of one mesh, by Morton codes
 * at low quality (the paper's "HLBVH"), by the surface area heuristic at medium quality.  The tree
 * has up to eight children per node and is ready for traversal, so cpu/wide is its counterpart.
 * Trace: the same scene.  A call with 16 rays holds neighbours side by side in a vector; they share
 * the fetch of a node.
 *
 * Our own threads call Embree, with the rays that all variants get.  Vertices and indices are
 * shared with the input.  A repeated build reuses the allocations of the previous one, as in our
 * builders.
 *
 * Embree has its own arithmetic: where a ray grazes an edge, its hit may differ from ours.  Its
 * single precision is inexact if a ray grazes a long thin triangle (LBVH_COARSE).  Its leaves hold
 * copies of the vertices, so a trace does not read the shared buffers.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/embree.h"
#include "cpu/lbvh/parts/trace.h"

struct state {
	struct lbvh_tracer tracer; /* must be first: a state is passed as a tracer */
	RTCDevice device;
	RTCGeometry mesh;
	RTCScene scene;
	bool coherent; /* neighbouring rays are similar: primary or shadow rays */
	bool built;    /* the scene's tree matches the mesh */
};

/* Options of a query for the nearest or any hit: arguments in Embree 4, a context in Embree 3.
 * RAYS_BY() puts them in the order of a call. */
#if RTC_VERSION_MAJOR >= 4
#define NEAREST              RTCIntersectArguments
#define ANY                  RTCOccludedArguments
#define COHERENT             RTC_RAY_QUERY_FLAG_COHERENT
#define INIT_NEAREST(query)  rtcInitIntersectArguments(query)
#define INIT_ANY(query)      rtcInitOccludedArguments(query)
#define RAYS_BY(rays, query) (rays), (query)
#else
#define NEAREST              RTCIntersectContext
#define ANY                  RTCIntersectContext
#define COHERENT             RTC_INTERSECT_CONTEXT_FLAG_COHERENT
#define INIT_NEAREST(query)  rtcInitIntersectContext(query)
#define INIT_ANY(query)      rtcInitIntersectContext(query)
#define RAYS_BY(rays, query) (query), (rays)
#endif

/* Options of both kinds of query. */
struct queries {
	struct NEAREST nearest;
	struct ANY any;
};

static struct queries make_queries(bool coherent)
{
	struct queries q;

	INIT_NEAREST(&q.nearest);
	INIT_ANY(&q.any);
	if (coherent)
		q.nearest.flags = q.any.flags = COHERENT;
	return q;
}

static uint32_t primitive_of(unsigned geometry, unsigned primitive)
{
	return geometry == RTC_INVALID_GEOMETRY_ID ? LBVH_MISS : primitive;
}

/* Embree makes the end of an occluded ray negative. */
static uint32_t occluder_of(float far)
{
	return far < 0 ? 0 : LBVH_MISS;
}

/* ---- calls with one ray ------------------------------------------------------------------- */

static struct RTCRayHit one_ray(const struct lbvh_ray *ray)
{
	return (struct RTCRayHit){ .ray = { .org_x = ray->origin[0],
					    .org_y = ray->origin[1],
					    .org_z = ray->origin[2],
					    .dir_x = ray->direction[0],
					    .dir_y = ray->direction[1],
					    .dir_z = ray->direction[2],
					    .tnear = ray->near,
					    .tfar = ray->far,
					    .mask = UINT32_MAX },
				   .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };
}

static void trace1(const void *state, int thread, struct lbvh_packet *packet,
		   struct lbvh_counts *counts)
{
	const struct state *s = state;
	const float *eye = s->tracer.input->camera.eye;
	struct queries q = make_queries(false);

	for (uint32_t i = 0; i < LBVH_PACKET; i++) {
		const struct lbvh_ray ray = {
			.origin = { eye[0], eye[1], eye[2] },
			.direction = { packet->direction[0][i], packet->direction[1][i],
				       packet->direction[2][i] },
			.far = INFINITY,
		};
		struct RTCRayHit r = one_ray(&ray);

		if (i % LBVH_PACKET_EDGE >= packet->width || i / LBVH_PACKET_EDGE >= packet->height)
			continue;
		rtc.Intersect1(s->scene, RAYS_BY(&r, &q.nearest));
		packet->t[i] = r.ray.tfar;
		packet->primitive[i] = primitive_of(r.hit.geomID, r.hit.primID);
	}
}

static void batch1(const void *state, int thread, struct lbvh_batch *batch,
		   struct lbvh_counts *counts)
{
	const struct state *s = state;
	struct queries q = make_queries(false);

	for (uint32_t i = 0; i < batch->count; i++) {
		struct RTCRayHit r = one_ray(batch->ray + i);

		if (batch->occluded) {
			rtc.Occluded1(s->scene, RAYS_BY(&r.ray, &q.any));
			lbvh_batch_keep(batch, i, 0, occluder_of(r.ray.tfar));
		} else {
			rtc.Intersect1(s->scene, RAYS_BY(&r, &q.nearest));
			lbvh_batch_keep(batch, i, r.ray.tfar,
					primitive_of(r.hit.geomID, r.hit.primID));
		}
	}
}

static const struct lbvh_ways by_1 = { trace1, batch1 };

/* ---- calls with 16 rays ------------------------------------------------------------------- */

/* A call traces a block of 4 x 4 pixels, whose first is pixel (x, y) of the packet. */
enum { BLOCK_WIDTH = 4 };

/* Copy a block from the packet's layout, a row of four floats at a time. */
static void take_block(float *to, const float *from, uint32_t first, size_t rays)
{
	for (size_t i = 0; i < rays; i += BLOCK_WIDTH)
		memcpy(to + i, from + first + i / BLOCK_WIDTH * LBVH_PACKET_EDGE,
		       BLOCK_WIDTH * sizeof *to);
}

/* The arrays of the structure for 16 rays. */
struct call {
	size_t rays;
	int *valid;
	float *origin[3], *direction[3];
	float *near, *far, *time;
	unsigned *mask, *id, *flags, *geometry, *primitive, *instance;
};

static void fill_rest(const struct call *c, size_t i)
{
	c->time[i] = 0;
	c->mask[i] = UINT32_MAX;
	c->id[i] = c->flags[i] = 0;
	c->geometry[i] = c->primitive[i] = c->instance[i] = RTC_INVALID_GEOMETRY_ID;
}

static void fill_call(const struct call *c, const float eye[3], const struct lbvh_packet *packet,
		      uint32_t first)
{
	for (int k = 0; k < 3; k++)
		take_block(c->direction[k], packet->direction[k], first, c->rays);
	for (size_t i = 0; i < c->rays; i++) {
		const uint32_t x = first % LBVH_PACKET_EDGE + (uint32_t)i % BLOCK_WIDTH;
		const uint32_t y = first / LBVH_PACKET_EDGE + (uint32_t)i / BLOCK_WIDTH;

		for (int k = 0; k < 3; k++)
			c->origin[k][i] = eye[k];
		c->valid[i] = x < packet->width && y < packet->height ? -1 : 0;
		c->near[i] = 0;
		c->far[i] = INFINITY;
		fill_rest(c, i);
	}
}

/* Take the rays of a batch from `first` on.  Lanes past the last ray repeat it and are not
 * valid. */
static void fill_from_batch(const struct call *c, const struct lbvh_batch *batch, uint32_t first)
{
	for (uint32_t i = 0; i < c->rays; i++) {
		const uint32_t from = first + i < batch->count ? first + i : batch->count - 1;
		const struct lbvh_ray *ray = batch->ray + from;

		for (int k = 0; k < 3; k++) {
			c->origin[k][i] = ray->origin[k];
			c->direction[k][i] = ray->direction[k];
		}
		c->valid[i] = first + i < batch->count ? -1 : 0;
		c->near[i] = ray->near;
		c->far[i] = ray->far;
		fill_rest(c, i);
	}
}

static void keep_in_batch(const struct call *c, struct lbvh_batch *batch, uint32_t first)
{
	for (uint32_t i = 0; i < c->rays && first + i < batch->count; i++)
		lbvh_batch_keep(batch, first + i, c->far[i],
				batch->occluded ? occluder_of(c->far[i])
						: primitive_of(c->geometry[i], c->primitive[i]));
}

static void keep_hits(const struct call *c, struct lbvh_packet *packet, uint32_t first)
{
	for (size_t i = 0; i < c->rays; i++) {
		const size_t to = first + i / BLOCK_WIDTH * LBVH_PACKET_EDGE + i % BLOCK_WIDTH;

		packet->t[to] = c->far[i];
		packet->primitive[to] = primitive_of(c->geometry[i], c->primitive[i]);
	}
}

#define CALL(n, valid_, r)                                                        \
	{                                                                         \
		.rays = (n), .valid = (valid_),                                   \
		.origin = { (r).ray.org_x, (r).ray.org_y, (r).ray.org_z },        \
		.direction = { (r).ray.dir_x, (r).ray.dir_y, (r).ray.dir_z },     \
		.near = (r).ray.tnear, .far = (r).ray.tfar, .time = (r).ray.time, \
		.mask = (r).ray.mask, .id = (r).ray.id, .flags = (r).ray.flags,   \
		.geometry = (r).hit.geomID, .primitive = (r).hit.primID,          \
		.instance = (r).hit.instID[0]                                     \
	}

/* Define the functions that trace n rays per call. */
#define WAYS(n)                                                                             \
	static void trace##n(const void *state, int thread, struct lbvh_packet *packet,     \
			     struct lbvh_counts *counts)                                    \
	{                                                                                   \
		const struct state *s = state;                                              \
		struct queries q = make_queries(s->coherent);                               \
		_Alignas(4 * (n)) int valid[n];                                             \
		struct RTCRayHit##n r;                                                      \
		const struct call call = CALL(n, valid, r);                                 \
		for (uint32_t y = 0; y < packet->height; y += (n) / BLOCK_WIDTH)            \
			for (uint32_t x = 0; x < packet->width; x += BLOCK_WIDTH) {         \
				fill_call(&call, s->tracer.input->camera.eye, packet,       \
					  LBVH_PACKET_EDGE *y + x);                         \
				rtc.Intersect##n(valid, s->scene, RAYS_BY(&r, &q.nearest)); \
				keep_hits(&call, packet, LBVH_PACKET_EDGE *y + x);          \
			}                                                                   \
	}                                                                                   \
	static void batch##n(const void *state, int thread, struct lbvh_batch *batch,       \
			     struct lbvh_counts *counts)                                    \
	{                                                                                   \
		const struct state *s = state;                                              \
		struct queries q = make_queries(s->coherent);                               \
		_Alignas(4 * (n)) int valid[n];                                             \
		struct RTCRayHit##n r;                                                      \
		const struct call call = CALL(n, valid, r);                                 \
		for (uint32_t first = 0; first < batch->count; first += (n)) {              \
			fill_from_batch(&call, batch, first);                               \
			if (batch->occluded)                                                \
				rtc.Occluded##n(valid, s->scene, RAYS_BY(&r.ray, &q.any));  \
			else                                                                \
				rtc.Intersect##n(valid, s->scene, RAYS_BY(&r, &q.nearest)); \
			keep_in_batch(&call, batch, first);                                 \
		}                                                                           \
	}                                                                                   \
	static const struct lbvh_ways by_##n = { trace##n, batch##n }

WAYS(16);

/* ---- operations --------------------------------------------------------------------------- */

static enum gb_status build(struct state *s, struct gb_error *err)
{
	rtc.CommitScene(s->scene);
	s->built = true;
	return lbvh_embree_check(s->device, err);
}

/* Make a device and the scene's buffers; for --op=trace also the tree. */
static enum gb_status create(struct state *s, const void *params, const void *input,
			     enum RTCBuildQuality quality, struct lbvh_ways ways, bool builds,
			     struct gb_error *err)
{
	const int64_t kind = ((const struct lbvh_params *)params)->rays_kind;
	const struct lbvh_input *in = input;

	if ((!builds && lbvh_wants_trace(params, err)) ||
	    lbvh_tracer_init(&s->tracer, params, input, ways, err))
		return err->code;
	s->coherent = kind == LBVH_PRIMARY || kind == LBVH_SHADOW;
	s->device = lbvh_embree_device(s->tracer.threads, err);
	if (!s->device)
		return err->code;
	s->scene = rtc.NewScene(s->device);
	s->mesh = rtc.NewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
	rtc.SetSceneBuildQuality(s->scene, quality);
	rtc.SetGeometryBuildQuality(s->mesh, quality);
	rtc.SetSharedGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
				    in->vertex, 0, 3 * sizeof(float), in->vertex_count);
	rtc.SetSharedGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
				    in->triangle, 0, 3 * sizeof(uint32_t), in->count);
	rtc.CommitGeometry(s->mesh);
	rtc.AttachGeometry(s->scene, s->mesh);
	if (lbvh_embree_check(s->device, err) || s->tracer.op == LBVH_BUILD || gb_memory_is_dry())
		return err->code;
	return build(s, err);
}

/* Before a build: mark the mesh as changed, so that the build starts over. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD) {
		rtc.UpdateGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_VERTEX, 0);
		rtc.UpdateGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_INDEX, 0);
		rtc.CommitGeometry(s->mesh);
		s->built = false;
	}
	return lbvh_embree_check(s->device, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD)
		return build(s, err);
	(void)lbvh_tracer_run(state, timer, err);
	return lbvh_embree_check(s->device, err);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;

	if (s->tracer.op == LBVH_TRACE) {
		(void)lbvh_tracer_download(state, output, err);
		*lbvh_trace_arithmetic(s->tracer.input, output) = LBVH_COARSE;
	} else if (s->built) {
		*(struct lbvh_tree_header *)output =
			(struct lbvh_tree_header){ .arithmetic = LBVH_COARSE };
		lbvh_tracer_probe(&s->tracer, output);
	}
	return lbvh_embree_check(s->device, err);
}

static void destroy(void *state)
{
	const struct state *s = state;

	if (s->mesh)
		rtc.ReleaseGeometry(s->mesh);
	if (s->scene)
		rtc.ReleaseScene(s->scene);
	if (s->device)
		rtc.ReleaseDevice(s->device);
}

/* ---- the variants ------------------------------------------------------------------------- */

/* Define the operations of a variant: the quality of its tree, its calls, and whether it is a
 * variant of --op=build, too. */
#define VARIANT(name, quality, ways, builds)                                                    \
	static enum gb_status create_##name(void *state, const void *params, const void *input, \
					    struct gb_error *err)                               \
	{                                                                                       \
		return create(state, params, input, RTC_BUILD_QUALITY_##quality, ways, builds,  \
			      err);                                                             \
	}                                                                                       \
	const struct gb_variant_ops name = {                                                    \
		.state_size = sizeof(struct state),                                             \
		.create = create_##name,                                                        \
		.reset = reset,                                                                 \
		.run = run,                                                                     \
		.download = download,                                                           \
		.destroy = destroy,                                                             \
		.library = lbvh_embree_library,                                                 \
	}

VARIANT(lbvh_cpu_embree, LOW, by_1, true);
VARIANT(lbvh_cpu_embree_medium, MEDIUM, by_1, true);
VARIANT(lbvh_cpu_embree16, LOW, by_16, false);
