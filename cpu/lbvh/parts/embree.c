/* embree.c -- device, scene and traversal of the peers on Embree. */
#include "cpu/lbvh/parts/embree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"

enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err)
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

RTCDevice lbvh_embree_device(int threads, struct gb_error *err)
{
	char settings[64];
	RTCDevice device;

	(void)snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", threads);
	device = rtcNewDevice(settings);
	if (!device)
		(void)lbvh_embree_check(NULL, err);
	if (!device && !err->code)
		gb_fail(err, GB_EUNAVAILABLE, "Embree gave no device");
	return device;
}

/* Only a device tells. */
const char *lbvh_embree_library(void)
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

/* How a call treats its rays: arguments in Embree 4, a context in Embree 3; and their places. */
#if RTC_VERSION_MAJOR >= 4
#define QUERY                RTCIntersectArguments
#define COHERENT             RTC_RAY_QUERY_FLAG_COHERENT
#define INIT_QUERY(query)    rtcInitIntersectArguments(query)
#define RAYS_BY(rays, query) (rays), (query)
#else
#define QUERY                RTCIntersectContext
#define COHERENT             RTC_INTERSECT_CONTEXT_FLAG_COHERENT
#define INIT_QUERY(query)    rtcInitIntersectContext(query)
#define RAYS_BY(rays, query) (query), (rays)
#endif

/* ---- calls with one ray ------------------------------------------------------------------- */

void lbvh_embree_trace1(const void *state, int thread, struct lbvh_packet *packet,
			struct lbvh_counts *counts)
{
	const struct lbvh_embree *s = state;
	const float *eye = s->tracer.input->camera.eye;
	struct QUERY query;

	INIT_QUERY(&query);
	for (uint32_t i = 0; i < LBVH_PACKET; i++) {
		struct RTCRayHit r = { .ray = { .org_x = eye[0],
						.org_y = eye[1],
						.org_z = eye[2],
						.dir_x = packet->direction[0][i],
						.dir_y = packet->direction[1][i],
						.dir_z = packet->direction[2][i],
						.tfar = INFINITY,
						.mask = UINT32_MAX },
				       .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };

		if (i % LBVH_PACKET_EDGE >= packet->width || i / LBVH_PACKET_EDGE >= packet->height)
			continue;
		rtcIntersect1(s->scene, RAYS_BY(&r, &query));
		packet->t[i] = r.ray.tfar;
		packet->primitive[i] =
			r.hit.geomID == RTC_INVALID_GEOMETRY_ID ? LBVH_MISS : r.hit.primID;
	}
}

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
		c->near[i] = c->time[i] = 0;
		c->far[i] = INFINITY;
		c->mask[i] = UINT32_MAX;
		c->id[i] = c->flags[i] = 0;
		c->geometry[i] = c->primitive[i] = c->instance[i] = RTC_INVALID_GEOMETRY_ID;
	}
}

static void keep_hits(const struct call *c, struct lbvh_packet *packet, uint32_t first)
{
	for (size_t i = 0; i < c->rays; i++) {
		const size_t to = first + i / BLOCK_WIDTH * LBVH_PACKET_EDGE + i % BLOCK_WIDTH;

		packet->t[to] = c->far[i];
		packet->primitive[to] =
			c->geometry[i] == RTC_INVALID_GEOMETRY_ID ? LBVH_MISS : c->primitive[i];
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

void lbvh_embree_trace8(const void *state, int thread, struct lbvh_packet *packet,
			struct lbvh_counts *counts)
{
	const struct lbvh_embree *s = state;
	struct QUERY query;
	_Alignas(32) int valid[8];
	struct RTCRayHit8 r;
	const struct call call = CALL(8, valid, r);

	INIT_QUERY(&query);
	query.flags = COHERENT;
	for (uint32_t y = 0; y < packet->height; y += 2)
		for (uint32_t x = 0; x < packet->width; x += BLOCK_WIDTH) {
			fill_call(&call, s->tracer.input->camera.eye, packet,
				  y * LBVH_PACKET_EDGE + x);
			rtcIntersect8(valid, s->scene, RAYS_BY(&r, &query));
			keep_hits(&call, packet, y * LBVH_PACKET_EDGE + x);
		}
}

void lbvh_embree_trace16(const void *state, int thread, struct lbvh_packet *packet,
			 struct lbvh_counts *counts)
{
	const struct lbvh_embree *s = state;
	struct QUERY query;
	_Alignas(64) int valid[16];
	struct RTCRayHit16 r;
	const struct call call = CALL(16, valid, r);

	INIT_QUERY(&query);
	query.flags = COHERENT;
	for (uint32_t y = 0; y < packet->height; y += 4)
		for (uint32_t x = 0; x < packet->width; x += BLOCK_WIDTH) {
			fill_call(&call, s->tracer.input->camera.eye, packet,
				  y * LBVH_PACKET_EDGE + x);
			rtcIntersect16(valid, s->scene, RAYS_BY(&r, &query));
			keep_hits(&call, packet, y * LBVH_PACKET_EDGE + x);
		}
}

/* ---- operations --------------------------------------------------------------------------- */

static enum gb_status build(struct lbvh_embree *s, struct gb_error *err)
{
	rtcCommitScene(s->scene);
	s->built = true;
	return lbvh_embree_check(s->device, err);
}

enum gb_status lbvh_embree_create(struct lbvh_embree *s, const void *params, const void *input,
				  enum RTCBuildQuality quality, lbvh_trace_fn *trace,
				  struct gb_error *err)
{
	const struct lbvh_input *in = input;

	if (lbvh_tracer_init(&s->tracer, params, input, trace, err))
		return err->code;
	s->device = lbvh_embree_device(s->tracer.threads, err);
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
	if (lbvh_embree_check(s->device, err) || s->tracer.op == LBVH_BUILD || gb_memory_is_dry())
		return err->code;
	return build(s, err);
}

/* Before a build: the mesh has changed, so that the build starts anew. */
enum gb_status lbvh_embree_reset(void *state, int64_t sample, struct gb_error *err)
{
	struct lbvh_embree *s = state;

	if (s->tracer.op == LBVH_BUILD) {
		rtcUpdateGeometryBuffer(s->mesh, RTC_BUFFER_TYPE_VERTEX, 0);
		rtcCommitGeometry(s->mesh);
		s->built = false;
	}
	return lbvh_embree_check(s->device, err);
}

enum gb_status lbvh_embree_run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_embree *s = state;

	if (s->tracer.op == LBVH_BUILD)
		return build(s, err);
	(void)lbvh_tracer_run(state, timer, err);
	return lbvh_embree_check(s->device, err);
}

/* Distances to the triangles that Embree has found, by the arithmetic that all variants share:
 * where a ray grazes a long thin triangle, Embree's single precision is off by parts in 10^4, which
 * would pass for a wrong hit.  A distance that is off by more than 1 % stays as it is. */
static void refine(const struct lbvh_input *in, const struct lbvh_camera *camera, uint32_t edge,
		   float *t, const uint32_t *primitive)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < (size_t)edge * edge; i++) {
		float direction[3], ours;
		const uint32_t *v;

		if (primitive[i] >= in->count)
			continue;
		v = in->triangle + 3 * (size_t)primitive[i];
		lbvh_ray(camera, (uint32_t)(i % edge), (uint32_t)(i / edge), direction);
		ours = lbvh_intersect(camera->eye, direction, in->vertex + 3 * (size_t)v[0],
				      in->vertex + 3 * (size_t)v[1], in->vertex + 3 * (size_t)v[2]);
		if (fabsf(ours - t[i]) <= 0.01F * t[i])
			t[i] = ours;
	}
}

enum gb_status lbvh_embree_download(void *state, void *output, struct gb_error *err)
{
	const struct lbvh_embree *s = state;
	const struct lbvh_input *in = s->tracer.input;

	if (s->tracer.op == LBVH_TRACE) {
		(void)lbvh_tracer_download(state, output, err);
		*lbvh_trace_arithmetic(in, output) = LBVH_FOREIGN;
		refine(in, &in->camera, in->edge, lbvh_trace_t(output),
		       lbvh_trace_primitive(in, output));
	} else if (s->built) {
		lbvh_tracer_probe(&s->tracer, 0, output);
		((struct lbvh_tree_header *)output)->arithmetic = LBVH_FOREIGN;
		refine(in, &in->probe, LBVH_PROBE_EDGE, lbvh_build_probe_t(in, output),
		       lbvh_build_probe_primitive(in, output));
	}
	return lbvh_embree_check(s->device, err);
}

void lbvh_embree_destroy(void *state)
{
	const struct lbvh_embree *s = state;

	if (s->mesh)
		rtcReleaseGeometry(s->mesh);
	if (s->scene)
		rtcReleaseScene(s->scene);
	if (s->device)
		rtcReleaseDevice(s->device);
}
