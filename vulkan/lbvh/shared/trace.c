/* trace.c -- trace rays through the driver's tree.
 *
 * The nodes of the driver's tree are not accessible, so download() of a build traces probe rays for
 * its verification.
 */
#include "vulkan/lbvh/shared/trace.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"

static const uint32_t query_code[] = {
#include "vulkan/lbvh/shared/query.comp.inc"
};

/* The same as in rays.glsl. */
enum kind { IMAGE, NEAREST, ANY };
struct lbvh_vk_push {
	VkDeviceAddress scene, rays, t, answer;
	float eye[3];
	uint32_t edge;
	float corner[4], dx[4], dy[4];
};

enum { TILE = 8, GROUP = TILE * TILE };

static enum kind kind_of(const struct lbvh_vk_state *s)
{
	const struct lbvh_input *in = s->scene.input;

	return s->build || !in->ray ? IMAGE : in->occlusion ? ANY : NEAREST;
}

static size_t ray_count(const struct lbvh_vk_state *s)
{
	return (size_t)s->edge * s->edge;
}

static size_t answer_bytes(const struct lbvh_vk_state *s)
{
	const size_t words = kind_of(s) == ANY ? lbvh_bit_words(s->scene.input) : ray_count(s);

	return words * sizeof(uint32_t);
}

/* ---- create ------------------------------------------------------------------------------- */

enum gb_status lbvh_vk_create(void *state, const void *params, const void *input,
			      VkBuildAccelerationStructureFlagsKHR prefer, struct gb_error *err)
{
	const struct vk_shader query = VK_SHADER(query_code, VK_SHADER_STAGE_COMPUTE_BIT);
	struct lbvh_vk_state *s = state;
	const struct lbvh_input *in = input;
	const struct vk_limits *limits = vk_limits();

	s->build = ((const struct lbvh_params *)params)->op == LBVH_BUILD;
	s->edge = s->build ? LBVH_PROBE_EDGE : in->edge;
	if (limits && !limits->query)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "the device has no ray queries (VK_KHR_acceleration_structure, "
			       "VK_KHR_ray_query)");
	if (lbvh_vk_scene_init(&s->scene, input, prefer, err))
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
				  : vk_pipeline_compute(&s->pipeline, query, kind_of(s),
							sizeof(struct lbvh_vk_push), err);
}

void lbvh_vk_destroy(void *state)
{
	struct lbvh_vk_state *s = state;

	vk_pipeline_destroy(&s->pipeline);
	lbvh_vk_scene_destroy(&s->scene);
}

/* ---- tracing ------------------------------------------------------------------------------ */

static struct vk_scope traced_by(VkAccessFlags access)
{
	return (struct vk_scope){ VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, access };
}

static struct lbvh_vk_push push_of(const struct lbvh_vk_state *s)
{
	struct lbvh_vk_push push = {
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
static enum gb_status trace(const struct lbvh_vk_state *s, struct gb_error *err)
{
	const struct lbvh_vk_push push = push_of(s);
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
enum gb_status lbvh_vk_upload(void *state, struct gb_error *err)
{
	struct lbvh_vk_state *s = state;
	const struct lbvh_input *in = s->scene.input;

	s->camera = s->build ? in->probe : in->camera;
	if (lbvh_vk_scene_upload(&s->scene, err) ||
	    (s->ray && vk_upload(s->ray, in->ray, ray_count(s) * sizeof(struct lbvh_ray), err)) ||
	    s->build)
		return err->code;
	return lbvh_vk_scene_build(&s->scene, NULL, err) ? err->code : vk_wait(err);
}

enum gb_status lbvh_vk_run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct lbvh_vk_state *s = state;

	return s->build ? lbvh_vk_scene_build(&s->scene, timer, err) : trace(s, err);
}

static enum gb_status get(const struct lbvh_vk_state *s, float *t, uint32_t *answer,
			  struct gb_error *err)
{
	if (s->t)
		(void)vk_download(t, s->t, ray_count(s) * sizeof *t, err);
	return vk_download(answer, s->answer, answer_bytes(s), err);
}

enum gb_status lbvh_vk_download(void *state, void *output, struct gb_error *err)
{
	const struct lbvh_vk_state *s = state;
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
const char *lbvh_vk_library(void)
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
