/* driver_rt.c -- vulkan/driver-rt: the driver's ray tracing, in hardware if the device has it, with
 * a tree for fast traversal and ray queries in a compute shader.
 *
 * This is the column "RTX" of the paper's tables 3 and 6, which do not state the flags.  The format
 * of the tree is opaque, and only the driver can traverse it, so download() of a build traces probe
 * rays for its verification.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "common/text.h"
#include "vulkan/lbvh/shared/scene.h"
#include "vulkan/runtime/pipeline.h"

static const uint32_t query_code[] = {
#include "vulkan/lbvh/shared/query.comp.inc"
};

/* The same as in rays.glsl. */
enum kind { IMAGE, NEAREST, ANY };
struct push {
	VkDeviceAddress scene, rays, t, answer;
	float eye[3];
	uint32_t edge;
	float corner[4], dx[4], dy[4];
};

enum { TILE = 8, GROUP = TILE * TILE };

struct state {
	struct lbvh_vk_scene scene;
	bool build;
	struct lbvh_camera camera; /* the input's at the last upload, or that of probe rays */
	uint32_t edge;             /* edge of the image in pixels */
	struct vk_buffer *ray;     /* rays of a stream; else NULL */
	struct vk_buffer *t;       /* edge * edge distances; NULL for occlusion */
	struct vk_buffer *answer;  /* primitives, or occlusion bits */
	struct vk_pipeline pipeline;
};

static enum kind kind_of(const struct state *s)
{
	const struct lbvh_input *in = s->scene.input;

	return s->build || !in->ray ? IMAGE : in->occlusion ? ANY : NEAREST;
}

static size_t ray_count(const struct state *s)
{
	return (size_t)s->edge * s->edge;
}

static size_t answer_bytes(const struct state *s)
{
	const size_t words = kind_of(s) == ANY ? lbvh_bit_words(s->scene.input) : ray_count(s);

	return words * sizeof(uint32_t);
}

/* ---- create ------------------------------------------------------------------------------- */

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;
	const struct lbvh_input *in = input;
	const struct vk_limits *limits = vk_limits();

	s->build = ((const struct lbvh_params *)params)->op == LBVH_BUILD;
	s->edge = s->build ? LBVH_PROBE_EDGE : in->edge;
	if (limits && !limits->query)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "the device has no ray queries (VK_KHR_acceleration_structure, "
			       "VK_KHR_ray_query)");
	if (lbvh_vk_scene_init(&s->scene, input, err))
		return err->code;
	if (kind_of(s) != IMAGE)
		s->ray = vk_alloc(ray_count(s), sizeof *in->ray, 0, err);
	if (kind_of(s) != ANY)
		s->t = vk_alloc(ray_count(s), sizeof(float), 0, err);
	s->answer = vk_alloc(answer_bytes(s), 1, 0, err);
	if (err->code)
		return err->code;
	if (s->build) {
		gb_memory_result(s->scene.bottom.store, GB_WHOLE, GB_POISON);
		gb_memory_result(s->scene.top.store, GB_WHOLE, GB_POISON);
	} else {
		gb_memory_result(s->t, GB_WHOLE, GB_POISON);
		gb_memory_result(s->answer, GB_WHOLE, GB_POISON);
	}
	return gb_memory_is_dry() ? GB_OK
				  : vk_pipeline_create(&s->pipeline, query_code, sizeof query_code,
						       kind_of(s), sizeof(struct push), err);
}

static void destroy(void *state)
{
	struct state *s = state;

	vk_pipeline_destroy(&s->pipeline);
	lbvh_vk_scene_destroy(&s->scene);
}

/* ---- tracing ------------------------------------------------------------------------------ */

static struct vk_scope traced_by(VkAccessFlags access)
{
	return (struct vk_scope){ VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, access };
}

static struct push push_of(const struct state *s)
{
	struct push push = {
		.scene = s->scene.top.address,
		.rays = s->ray ? s->ray->address : 0,
		.t = s->t ? s->t->address : 0,
		.answer = s->answer->address,
		.edge = s->edge,
	};

	memcpy(push.eye, s->camera.eye, sizeof s->camera.eye);
	memcpy(push.corner, s->camera.corner, sizeof s->camera.corner);
	memcpy(push.dx, s->camera.dx, sizeof s->camera.dx);
	memcpy(push.dy, s->camera.dy, sizeof s->camera.dy);
	return push;
}

/* Record the trace of all rays, after a barrier for the build of the tree. */
static enum gb_status trace(const struct state *s, struct gb_error *err)
{
	const struct push push = push_of(s);
	const struct vk_scope writes = traced_by(VK_ACCESS_SHADER_WRITE_BIT);
	const uint64_t tiles = (s->edge + TILE - 1) / TILE;
	const VkCommandBuffer commands = vk_commands(err);

	if (!commands)
		return err->code;
	vk_barrier(commands, vk_building, traced_by(VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR));
	vk_barrier(commands, writes, writes);
	vk_pipeline_bind(commands, &s->pipeline, &push, sizeof push);
	vk_dispatch(commands,
		    kind_of(s) == IMAGE ? tiles * tiles : (ray_count(s) + GROUP - 1) / GROUP);
	return err->code;
}

/* ---- operations --------------------------------------------------------------------------- */

/* --op=trace also builds the tree here. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;
	const struct lbvh_input *in = s->scene.input;

	s->camera = s->build ? in->probe : in->camera;
	if (lbvh_vk_scene_upload(&s->scene, err) ||
	    (s->ray && vk_upload(s->ray, in->ray, ray_count(s) * sizeof(struct lbvh_ray), err)) ||
	    s->build)
		return err->code;
	return lbvh_vk_scene_build(&s->scene, NULL, err) ? err->code : vk_wait(err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct state *s = state;

	return s->build ? lbvh_vk_scene_build(&s->scene, timer, err) : trace(s, err);
}

static enum gb_status get(const struct state *s, float *t, uint32_t *answer, struct gb_error *err)
{
	if (s->t)
		(void)vk_download(t, s->t, ray_count(s) * sizeof *t, err);
	return vk_download(answer, s->answer, answer_bytes(s), err);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;
	const struct lbvh_input *in = s->scene.input;

	if (s->build) {
		*(struct lbvh_tree_header *)output =
			(struct lbvh_tree_header){ .kind = LBVH_PROBED,
						   .arithmetic = LBVH_FOREIGN };
		if (trace(s, err))
			return err->code;
		return get(s, lbvh_build_probe_t(in, output),
			   lbvh_build_probe_primitive(in, output), err);
	}
	*lbvh_trace_arithmetic(in, output) = LBVH_FOREIGN;
	if (kind_of(s) == ANY)
		return get(s, NULL, lbvh_trace_bits(output), err);
	return get(s, lbvh_trace_t(output), lbvh_trace_primitive(in, output), err);
}

/* The driver's name and the first version number after it. */
static const char *library(void)
{
	static char text[128];
	char *end = text;

	if (!vk_limits())
		return "Vulkan 1.2";
	(void)snprintf(text, sizeof text, "%s", vk_driver());
	while (*end && !(*end == ' ' && isdigit((unsigned char)end[1])))
		end++;
	if (*end)
		end[1 + strspn(end + 1, "0123456789.")] = '\0';
	return text;
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *s = state;

	gb_metric(metrics, "structure_bytes", (double)s->scene.bottom.bytes);
	gb_metric(metrics, "scratch_bytes", (double)s->scene.bottom.scratch_bytes);
}

const struct gb_variant_ops lbvh_vulkan_driver_rt = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.destroy = destroy,
	.metrics = metrics,
	.library = library,
	.flags = GB_REPEATABLE,
};
