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
#include <stdio.h>
#include <string.h>
#if GB_EMBREE >= 4
#include <embree4/rtcore.h>
#define SONAME "libembree4.so.4"
#else
#include <embree3/rtcore.h>
#define SONAME "libembree3.so.3"
#endif

#include "common/library.h"
#include "common/memory.h"
#include "cpu/lbvh/shared/lanes.h"
#include "cpu/lbvh/shared/trace.h"

struct state {
	struct lbvh_tracer tracer; /* must be first: a state is passed as a tracer */
	RTCDevice device;
	RTCGeometry mesh;
	RTCScene scene;
	bool coherent; /* neighbouring rays are similar: primary or shadow rays */
	bool built;    /* the scene's tree matches the mesh */
};

/* ---- the library -------------------------------------------------------------------------- */

#define CALLS(X)                   \
	X(NewDevice)               \
	X(ReleaseDevice)           \
	X(GetDeviceError)          \
	X(GetDeviceProperty)       \
	X(NewScene)                \
	X(SetSceneBuildQuality)    \
	X(CommitScene)             \
	X(ReleaseScene)            \
	X(NewGeometry)             \
	X(SetGeometryBuildQuality) \
	X(SetSharedGeometryBuffer) \
	X(UpdateGeometryBuffer)    \
	X(CommitGeometry)          \
	X(AttachGeometry)          \
	X(ReleaseGeometry)         \
	X(Intersect1)              \
	X(Intersect16)             \
	X(Occluded1)               \
	X(Occluded16)

/* The library's functions, loaded by make_device(). */
static struct {
#define X(name) __typeof__(rtc##name) *name;
	CALLS(X)
#undef X
} rtc;

/* Report a pending error of Embree: GB_EMEMORY or GB_ERUNTIME with its text.  The device may be
 * NULL. */
static enum gb_status check(RTCDevice device, struct gb_error *err)
{
	static const char *const words[] = { "no error",         "unknown error",
					     "invalid argument", "invalid operation",
					     "out of memory",    "unsupported processor",
					     "cancelled" };
	const unsigned code = (unsigned)rtc.GetDeviceError(device);

	if (!code)
		return GB_OK;
	return gb_fail(err, code == RTC_ERROR_OUT_OF_MEMORY ? GB_EMEMORY : GB_ERUNTIME,
		       "Embree: %s", code < sizeof words / sizeof *words ? words[code] : "error");
}

/* A new device with that many threads; NULL with an error, GB_EUNAVAILABLE without Embree.  Embree
 * allocates its trees itself; a record does not count that memory. */
static RTCDevice make_device(int threads, struct gb_error *err)
{
#define X(name) "rtc" #name,
	static const char *const name[] = { CALLS(X) };
#undef X
	char settings[64];
	RTCDevice device;

	_Static_assert(sizeof rtc == sizeof name, "");
	if (gb_library_load(SONAME, name, sizeof name / sizeof *name, &rtc, err))
		return NULL;
	(void)snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", threads);
	device = rtc.NewDevice(settings);
	if (!device)
		(void)check(NULL, err);
	if (!device && !err->code)
		gb_fail(err, GB_EUNAVAILABLE, "Embree could not create a device");
	return device;
}

/* The version that runs, not the one compiled against: only a device reports it. */
static const char *library(void)
{
	static char text[48];
	struct gb_error err = { 0 };
	RTCDevice device = text[0] ? NULL : make_device(1, &err);

	if (!text[0])
		(void)snprintf(text, sizeof text, "Embree%s",
			       rtc.NewDevice ? " " RTC_VERSION_STRING : "");
	if (device) {
		(void)snprintf(text, sizeof text, "Embree %zd.%zd.%zd",
			       rtc.GetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MAJOR),
			       rtc.GetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MINOR),
			       rtc.GetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_PATCH));
		rtc.ReleaseDevice(device);
	}
	return text;
}

/* ---- queries ------------------------------------------------------------------------------ */

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

/* ---- calls with 16 rays ------------------------------------------------------------------- */

enum { RAYS = 16 };

/* The arguments that all rays of a call share. */
static void prepare(struct RTCRayHit16 *r)
{
	for (int i = 0; i < RAYS; i++) {
		r->ray.time[i] = 0;
		r->ray.mask[i] = UINT32_MAX;
		r->ray.id[i] = r->ray.flags[i] = 0;
		r->hit.primID[i] = r->hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
	}
}

/* Take the rays of a batch from `first` on.  Lanes past the last ray are not valid. */
static void fill(struct RTCRayHit16 *r, int valid[RAYS], const struct lbvh_batch *batch,
		 uint32_t first)
{
	float *const origin[] = { r->ray.org_x, r->ray.org_y, r->ray.org_z, r->ray.tnear };
	float *const direction[] = { r->ray.dir_x, r->ray.dir_y, r->ray.dir_z, r->ray.tfar };

	lanes_split_rays(batch->ray + first, batch->count - first, RAYS, origin, direction);
	for (uint32_t i = 0; i < RAYS; i++) {
		valid[i] = first + i < batch->count ? -1 : 0;
		r->hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
	}
}

static void batch16(const void *state, int thread, struct lbvh_batch *batch,
		    struct lbvh_counts *counts)
{
	const struct state *s = state;
	struct queries q = make_queries(s->coherent);
	_Alignas(64) int valid[RAYS];
	struct RTCRayHit16 r;

	prepare(&r);
	for (uint32_t first = 0; first < batch->count; first += RAYS) {
		fill(&r, valid, batch, first);
		if (batch->occluded)
			rtc.Occluded16(valid, s->scene, RAYS_BY(&r.ray, &q.any));
		else
			rtc.Intersect16(valid, s->scene, RAYS_BY(&r, &q.nearest));
		for (uint32_t i = 0; i < RAYS && first + i < batch->count; i++)
			lbvh_batch_keep(batch, first + i, r.ray.tfar[i],
					batch->occluded
						? occluder_of(r.ray.tfar[i])
						: primitive_of(r.hit.geomID[i], r.hit.primID[i]));
	}
}

/* ---- operations --------------------------------------------------------------------------- */

static enum gb_status build(struct state *s, struct gb_error *err)
{
	rtc.CommitScene(s->scene);
	s->built = true;
	return check(s->device, err);
}

/* Make a device and the scene's buffers; for --op=trace also the tree. */
static enum gb_status create(struct state *s, const void *params, const void *input,
			     enum RTCBuildQuality quality, lbvh_batch_fn *batch, bool builds,
			     struct gb_error *err)
{
	const int64_t kind = ((const struct lbvh_params *)params)->rays_kind;
	const struct lbvh_input *in = input;

	if ((!builds && lbvh_wants_trace(params, err)) ||
	    lbvh_tracer_init(&s->tracer, params, input, batch, err))
		return err->code;
	s->coherent = kind == LBVH_PRIMARY || kind == LBVH_SHADOW;
	s->device = make_device(s->tracer.threads, err);
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
	if (check(s->device, err) || s->tracer.op == LBVH_BUILD || gb_memory_is_dry())
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
	return check(s->device, err);
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
#define VARIANT(name, quality, batch, builds)                                                   \
	static enum gb_status create_##name(void *state, const void *params, const void *input, \
					    struct gb_error *err)                               \
	{                                                                                       \
		return create(state, params, input, RTC_BUILD_QUALITY_##quality, batch, builds, \
			      err);                                                             \
	}                                                                                       \
	const struct gb_variant_ops name = {                                                    \
		.state_size = sizeof(struct state),                                             \
		.create = create_##name,                                                        \
		.reset = reset,                                                                 \
		.run = run,                                                                     \
		.download = download,                                                           \
		.destroy = destroy,                                                             \
		.library = library,                                                             \
	}

VARIANT(lbvh_cpu_embree, LOW, batch1, true);
VARIANT(lbvh_cpu_embree_medium, MEDIUM, batch1, true);
VARIANT(lbvh_cpu_embree16, LOW, batch16, false);
