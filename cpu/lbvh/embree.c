/* embree.c -- cpu/embree, -medium, embree8, embree16, embree16-medium: Intel's Embree, 4 or 3, traced
 * by calls with 1, 8 and 16 rays; cpu/embree-morton: its general builder.
 *
 * The peer that the paper compares with.  Build: rtcCommitScene() of one mesh, at low quality by
 * Morton codes (the paper's "HLBVH"), at medium quality by the surface area heuristic; it ends with
 * a tree of up to eight children a node ready for traversal, so cpu/wide is its counterpart.  Trace:
 * the same scene.  In calls with several rays neighbours lie side by side in a vector and share the
 * fetch of a node; 16 with the better tree are the fastest way through Embree.
 *
 * What calls Embree for tracing are our own threads, with the rays that all variants get.  Vertices
 * and indices are shared with the input.  A repeated build reuses what the one before has allocated,
 * as our builders do.
 *
 * Embree's arithmetic is its own: where a ray grazes an edge its hit may differ from ours.
 *
 * A device has as many threads as --threads asks for.  Embree allocates its trees itself; that memory
 * is not in the record.
 *
 * embree-morton is rtcBuildBVH() at low quality.
 * Morton codes and a binary tree over boxes, as ours; the caller's functions make the nodes.  The
 * boxes of the primitives are made in run(), as all builders do.  The tree has pointers instead of
 * numbers; download() renumbers it, untimed.
 */
#if GB_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/trace.h"

struct state {
	struct lbvh_tracer tracer; /* first: its operations take a state as one of these */
	RTCDevice device;
	RTCGeometry mesh;
	RTCScene scene;
	bool coherent; /* neighbours go the same way: to the image, or to a light */
	bool built;    /* the scene's tree is that of the mesh as it is */
};

/* GB_ERUNTIME with Embree's words, if it reports an error. */
static enum gb_status check(RTCDevice device, struct gb_error *err)
{
	static const char *const words[] = { "no error",         "unknown error",
					     "invalid argument", "invalid operation",
					     "out of memory",    "unsupported processor",
					     "cancelled" };
	const unsigned code = (unsigned)rtcGetDeviceError(device);

	if (!code)
		return GB_OK;
	return gb_fail(err, code == RTC_ERROR_OUT_OF_MEMORY ? GB_EMEMORY : GB_ERUNTIME,
		       "Embree: %s", code < sizeof words / sizeof *words ? words[code] : "error");
}

/* A device of that many threads, or NULL. */
static RTCDevice new_device(int threads, struct gb_error *err)
{
	char settings[64];
	RTCDevice device;

	(void)snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", threads);
	device = rtcNewDevice(settings);
	if (!device)
		(void)check(NULL, err);
	if (!device && !err->code)
		gb_fail(err, GB_EUNAVAILABLE, "Embree gave no device");
	return device;
}

/* "Embree 4.3.3": the library that runs; only a device tells. */
static const char *library(void)
{
	static char text[48];
	RTCDevice device = text[0] ? NULL : rtcNewDevice("threads=1,set_affinity=0");

	if (!text[0])
		(void)snprintf(text, sizeof text, "Embree " RTC_VERSION_STRING);
	if (device) {
		(void)snprintf(text, sizeof text, "Embree %zd.%zd.%zd",
			       rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MAJOR),
			       rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MINOR),
			       rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_PATCH));
		rtcReleaseDevice(device);
	}
	return text;
}

/* How a call treats its rays, asked for the nearest hit or for any: arguments in Embree 4, a context
 * in Embree 3; and their places. */
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

/* Both kinds of query. */
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

/* Occluded rays have no interval any more. */
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
		rtcIntersect1(s->scene, RAYS_BY(&r, &q.nearest));
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
			rtcOccluded1(s->scene, RAYS_BY(&r.ray, &q.any));
			lbvh_batch_keep(batch, i, 0, occluder_of(r.ray.tfar));
		} else {
			rtcIntersect1(s->scene, RAYS_BY(&r, &q.nearest));
			lbvh_batch_keep(batch, i, r.ray.tfar,
					primitive_of(r.hit.geomID, r.hit.primID));
		}
	}
}

static const struct lbvh_ways by_1 = { trace1, batch1 };

/* ---- calls with 8 and 16 rays ------------------------------------------------------------- */

/* The rays of a call are a block of 4 x 2 or 4 x 4 pixels, whose first is pixel (x, y) of the
 * packet. */
enum { BLOCK_WIDTH = 4 };

/* A row of a block from or to the packet's layout: floats in groups of four. */
static void take_block(float *to, const float *from, uint32_t first, size_t rays)
{
	for (size_t i = 0; i < rays; i += BLOCK_WIDTH)
		memcpy(to + i, from + first + i / BLOCK_WIDTH * LBVH_PACKET_EDGE,
		       BLOCK_WIDTH * sizeof *to);
}

/* What the structures for 8 and 16 rays have in common, as pointers to their arrays. */
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

/* Rays of a batch from `first` on; behind its last that one again, which is not valid. */
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

/* Ways to trace n rays at a time. */
#define WAYS(n)                                                                            \
	static void trace##n(const void *state, int thread, struct lbvh_packet *packet,    \
			     struct lbvh_counts *counts)                                   \
	{                                                                                  \
		const struct state *s = state;                                             \
		struct queries q = make_queries(s->coherent);                              \
		_Alignas(4 * (n)) int valid[n];                                            \
		struct RTCRayHit##n r;                                                     \
		const struct call call = CALL(n, valid, r);                                \
		for (uint32_t y = 0; y < packet->height; y += (n) / BLOCK_WIDTH)           \
			for (uint32_t x = 0; x < packet->width; x += BLOCK_WIDTH) {        \
				fill_call(&call, s->tracer.input->camera.eye, packet,      \
					  LBVH_PACKET_EDGE *y + x);                        \
				rtcIntersect##n(valid, s->scene, RAYS_BY(&r, &q.nearest)); \
				keep_hits(&call, packet, LBVH_PACKET_EDGE *y + x);         \
			}                                                                  \
	}                                                                                  \
	static void batch##n(const void *state, int thread, struct lbvh_batch *batch,      \
			     struct lbvh_counts *counts)                                   \
	{                                                                                  \
		const struct state *s = state;                                             \
		struct queries q = make_queries(s->coherent);                              \
		_Alignas(4 * (n)) int valid[n];                                            \
		struct RTCRayHit##n r;                                                     \
		const struct call call = CALL(n, valid, r);                                \
		for (uint32_t first = 0; first < batch->count; first += (n)) {             \
			fill_from_batch(&call, batch, first);                              \
			if (batch->occluded)                                               \
				rtcOccluded##n(valid, s->scene, RAYS_BY(&r.ray, &q.any));  \
			else                                                               \
				rtcIntersect##n(valid, s->scene, RAYS_BY(&r, &q.nearest)); \
			keep_in_batch(&call, batch, first);                                \
		}                                                                          \
	}                                                                                  \
	static const struct lbvh_ways by_##n = { trace##n, batch##n }

WAYS(8);
WAYS(16);

/* ---- operations --------------------------------------------------------------------------- */

static enum gb_status build(struct state *s, struct gb_error *err)
{
	rtcCommitScene(s->scene);
	s->built = true;
	return check(s->device, err);
}

/* A device, and the scene's buffers; for the operation trace also the tree. */
static enum gb_status create(struct state *s, const void *params, const void *input,
			     enum RTCBuildQuality quality, struct lbvh_ways ways,
			     struct gb_error *err)
{
	const int64_t kind = ((const struct lbvh_params *)params)->rays_kind;
	const struct lbvh_input *in = input;

	if ((ways.trace != trace1 && lbvh_wants_trace(params, err)) ||
	    lbvh_tracer_init(&s->tracer, params, input, ways, err))
		return err->code;
	s->coherent = kind == LBVH_PRIMARY || kind == LBVH_SHADOW;
	s->device = new_device(s->tracer.threads, err);
	if (!s->device)
		return err->code;
	s->scene = rtcNewScene(s->device);
	s->mesh = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
	rtcSetSceneBuildQuality(s->scene, quality);
	rtcSetGeometryBuildQuality(s->mesh, quality);
	rtcSetSharedGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
				   in->vertex, 0, 3 * sizeof(float), in->vertex_count);
	rtcSetSharedGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
				   in->triangle, 0, 3 * sizeof(uint32_t), in->count);
	rtcCommitGeometry(s->mesh);
	rtcAttachGeometry(s->scene, s->mesh);
	if (check(s->device, err) || s->tracer.op == LBVH_BUILD || gb_memory_is_dry())
		return err->code;
	return build(s, err);
}

/* Before a build: the mesh has changed, so that the build starts anew. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD) {
		rtcUpdateGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_VERTEX, 0);
		rtcCommitGeometry(s->mesh);
		s->built = false;
	}
	return check(s->device, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (s->tracer.op == LBVH_BUILD)
		return build(s, err);
	(void)lbvh_tracer_run(state, timer, err);
	return check(s->device, err);
}

/* Distances to the triangles that Embree has found, by the arithmetic that all variants share:
 * where a ray grazes a long thin triangle, Embree's single precision is off by parts in 10^4, which
 * would pass for a wrong hit.  A distance that is off by more than 1 % stays as it is. */
static float refined(const struct lbvh_input *in, const struct lbvh_ray *ray, float t,
		     uint32_t primitive)
{
	const uint32_t *v = in->triangle + 3 * (size_t)primitive;
	const float ours =
		lbvh_intersect(ray->origin, ray->direction, in->vertex + 3 * (size_t)v[0],
			       in->vertex + 3 * (size_t)v[1], in->vertex + 3 * (size_t)v[2]);

	return fabsf(ours - t) <= 0.01F * t ? ours : t;
}

static void refine_hits(const struct lbvh_input *in, bool probe, float *t,
			const uint32_t *primitive)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < (probe ? LBVH_PROBES : lbvh_ray_count(in)); i++) {
		const struct lbvh_ray ray = probe ? lbvh_camera_ray(&in->probe, LBVH_PROBE_EDGE, i)
						  : lbvh_trace_ray(in, i);

		if (primitive[i] < in->count)
			t[i] = refined(in, &ray, t[i], primitive[i]);
	}
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;
	const struct lbvh_input *in = s->tracer.input;

	if (s->tracer.op == LBVH_TRACE) {
		(void)lbvh_tracer_download(state, output, err);
		*lbvh_trace_arithmetic(in, output) = LBVH_FOREIGN;
		if (!in->occlusion)
			refine_hits(in, false, lbvh_trace_t(output),
				    lbvh_trace_primitive(in, output));
	} else if (s->built) {
		*(struct lbvh_tree_header *)output =
			(struct lbvh_tree_header){ .arithmetic = LBVH_FOREIGN };
		lbvh_tracer_probe(&s->tracer, output);
		refine_hits(in, true, lbvh_build_probe_t(in, output),
			    lbvh_build_probe_primitive(in, output));
	}
	return check(s->device, err);
}

static void destroy(void *state)
{
	const struct state *s = state;

	if (s->mesh)
		rtcReleaseGeometry(s->mesh);
	if (s->scene)
		rtcReleaseScene(s->scene);
	if (s->device)
		rtcReleaseDevice(s->device);
}

/* ---- the variants ------------------------------------------------------------------------- */

#define OPS(create_)                                                                     \
	{                                                                                \
		.state_size = sizeof(struct state), .create = (create_), .reset = reset, \
		.run = run, .download = download, .destroy = destroy, .library = library \
	}

static enum gb_status create_low(void *state, const void *params, const void *input,
				 struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_LOW, by_1, err);
}

static enum gb_status create_medium(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_MEDIUM, by_1, err);
}

static enum gb_status create_8(void *state, const void *params, const void *input,
			       struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_LOW, by_8, err);
}

static enum gb_status create_16(void *state, const void *params, const void *input,
				struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_LOW, by_16, err);
}

static enum gb_status create_16_medium(void *state, const void *params, const void *input,
				       struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_MEDIUM, by_16, err);
}

const struct gb_variant_ops lbvh_cpu_embree = OPS(create_low);
const struct gb_variant_ops lbvh_cpu_embree_medium = OPS(create_medium);
const struct gb_variant_ops lbvh_cpu_embree8 = OPS(create_8);
const struct gb_variant_ops lbvh_cpu_embree16 = OPS(create_16);
const struct gb_variant_ops lbvh_cpu_embree16_medium = OPS(create_16_medium);

/* ---- cpu/embree-morton -------------------------------------------------------------------- */

enum { LEAF_MAX = 4, DEPTH_MAX = 64 };

/* A node, inner if count is 0. */
struct link {
	struct RTCBounds bounds[2]; /* of the children; a leaf's own is bounds[0] */
	struct link *child[2];
	uint32_t count;
	uint32_t primitive[LEAF_MAX];
};

struct builder {
	const struct lbvh_input *input;
	int threads;
	RTCDevice device;
	RTCBVH bvh;
	struct RTCBuildPrimitive *box;
	struct link *root;
};

static enum gb_status morton_create(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	struct builder *s = state;

	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE, "this is a way to build: --op=build");
	s->input = input;
	s->threads = lbvh_cpu_threads(params);
	s->box = gb_host_alloc(s->input->count, sizeof *s->box, err);
	if (!s->box)
		return err->code;
	s->device = new_device(s->threads, err);
	if (!s->device)
		return err->code;
	s->bvh = rtcNewBVH(s->device);
	return check(s->device, err);
}

/* ---- what Embree calls -------------------------------------------------------------------- */

static void *make_node(RTCThreadLocalAllocator allocator, unsigned children, void *state)
{
	struct link *link = rtcThreadLocalAlloc(allocator, sizeof *link, 16);

	if (link)
		link->count = 0;
	return link;
}

static void set_children(void *node, void **child, unsigned children, void *state)
{
	for (unsigned i = 0; i < children; i++)
		((struct link *)node)->child[i] = child[i];
}

static void set_bounds(void *node, const struct RTCBounds **bounds, unsigned children, void *state)
{
	for (unsigned i = 0; i < children; i++)
		((struct link *)node)->bounds[i] = *bounds[i];
}

static void *make_leaf(RTCThreadLocalAllocator allocator, const struct RTCBuildPrimitive *primitive,
		       size_t count, void *state)
{
	struct link *link = rtcThreadLocalAlloc(allocator, sizeof *link, 16);

	if (!link)
		return NULL;
	link->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		link->primitive[i] = primitive[i].primID;
	return link;
}

/* ---- build -------------------------------------------------------------------------------- */

static void make_boxes(struct builder *s)
{
#pragma omp parallel for num_threads(s->threads) schedule(static)
	for (size_t i = 0; i < s->input->count; i++) {
		const struct lbvh_box box =
			lbvh_primitive_box(s->input->vertex, s->input->triangle, i);

		s->box[i] = (struct RTCBuildPrimitive){
			box.lo[0], box.lo[1], box.lo[2], 0,
			box.hi[0], box.hi[1], box.hi[2], (unsigned)i,
		};
	}
}

/* There is no tree before a build. */
static enum gb_status morton_reset(void *state, int64_t sample, struct gb_error *err)
{
	((struct builder *)state)->root = NULL;
	return GB_OK;
}

static enum gb_status morton_run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct builder *s = state;
	struct RTCBuildArguments arguments = rtcDefaultBuildArguments();

	gb_phase(timer, "bounds");
	make_boxes(s);
	gb_phase(timer, "build");
	arguments.buildQuality = RTC_BUILD_QUALITY_LOW;
	arguments.maxBranchingFactor = 2;
	arguments.maxDepth = DEPTH_MAX;
	arguments.minLeafSize = 1;
	arguments.maxLeafSize = LEAF_MAX;
	arguments.bvh = s->bvh;
	arguments.primitives = s->box;
	arguments.primitiveCount = arguments.primitiveArrayCapacity = s->input->count;
	arguments.createNode = make_node;
	arguments.setNodeChildren = set_children;
	arguments.setNodeBounds = set_bounds;
	arguments.createLeaf = make_leaf;
	arguments.userPtr = s;
	s->root = rtcBuildBVH(&arguments);
	if (!s->root && !check(s->device, err))
		return gb_fail(err, GB_ERUNTIME, "Embree built no tree");
	return err->code;
}

/* ---- the tree as an output ---------------------------------------------------------------- */

struct flat {
	const struct builder *state;
	struct lbvh_node *node;
	uint32_t *index;
	uint32_t nodes, first, leaves;
};

static void widen(struct lbvh_node *to, const float lo[3], const float hi[3])
{
	for (int k = 0; k < 3; k++) {
		to->lo[k] = lbvh_min(to->lo[k], lo[k]);
		to->hi[k] = lbvh_max(to->hi[k], hi[k]);
	}
}

static void flatten(struct flat *f, const struct link *link, uint32_t at)
{
	struct lbvh_node *to = f->node + at;

	*to = (struct lbvh_node){ { INFINITY, INFINITY, INFINITY },
				  LBVH_LEAF | f->first,
				  { -INFINITY, -INFINITY, -INFINITY },
				  link->count };
	f->leaves += link->count != 0;
	for (uint32_t i = 0; i < link->count; i++) {
		const struct lbvh_input *in = f->state->input;
		const struct lbvh_box box =
			lbvh_primitive_box(in->vertex, in->triangle, link->primitive[i]);

		widen(to, box.lo, box.hi);
		f->index[f->first++] = link->primitive[i];
	}
	if (link->count)
		return;
	to->left = f->nodes++;
	to->right = f->nodes++;
	for (int i = 0; i < 2; i++) {
		const struct RTCBounds *b = &link->bounds[i];
		const float lo[3] = { b->lower_x, b->lower_y, b->lower_z };
		const float hi[3] = { b->upper_x, b->upper_y, b->upper_z };

		widen(to, lo, hi);
		flatten(f, link->child[i], i ? to->right : to->left);
	}
}

static enum gb_status morton_download(void *state, void *output, struct gb_error *err)
{
	const struct builder *s = state;
	struct lbvh_tree_header *header = output;
	struct flat flat = { s, lbvh_build_nodes(output), lbvh_build_index(s->input, output), 1, 0,
			     0 };

	if (!s->root)
		return GB_OK;
	flatten(&flat, s->root, 0);
	*header = (struct lbvh_tree_header){ .kind = LBVH_BINARY,
					     .leaves = flat.leaves,
					     .nodes = flat.nodes };
	return GB_OK;
}

static void morton_destroy(void *state)
{
	struct builder *s = state;

	if (s->bvh)
		rtcReleaseBVH(s->bvh);
	if (s->device)
		rtcReleaseDevice(s->device);
}

const struct gb_variant_ops lbvh_cpu_embree_morton = {
	.state_size = sizeof(struct builder),
	.create = morton_create,
	.reset = morton_reset,
	.run = morton_run,
	.download = morton_download,
	.destroy = morton_destroy,
	.library = library,
	.flags = GB_REPEATABLE,
};
