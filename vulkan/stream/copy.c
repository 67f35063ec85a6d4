/* copy.c -- vulkan/copy: copy an array with a compute shader, the yardstick of this back end. */
#include "common/benchmark.h"
#include "common/memory.h"
#include "common/stream_types.h"
#include "vulkan/runtime/pipeline.h"

static const uint32_t copy_code[] = {
#include "vulkan/stream/shared/copy.comp.inc"
};

enum { VECTOR = 16, GROUP = 1024 }; /* bytes per vector, vectors per work group */

struct state {
	const struct stream_input *input;
	struct vk_buffer *from, *to; /* input->count bytes each */
	struct vk_pipeline pipeline;
};

/* The layout of the shader's push constants. */
struct push {
	VkDeviceAddress from, to;
	uint32_t count;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct vk_shader shader = VK_SHADER(copy_code, VK_SHADER_STAGE_COMPUTE_BIT);
	struct state *s = state;

	(void)params;
	s->input = input;
	s->from = vk_alloc(s->input->count, 1, 0, err);
	s->to = vk_alloc(s->input->count, 1, 0, err);
	gb_memory_result(s->to, GB_WHOLE, GB_POISON);
	if (err->code || gb_memory_is_dry())
		return err->code;
	return vk_pipeline_compute(&s->pipeline, shader, 0, sizeof(struct push), err);
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	const struct state *s = state;

	return vk_upload(s->from, s->input->words, s->input->count, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct state *s = state;
	const uint64_t vectors = (s->input->count + VECTOR - 1) / VECTOR;
	const struct push push = { s->from->address, s->to->address, (uint32_t)vectors };
	const VkCommandBuffer commands = vk_commands(err);

	(void)timer;
	if (!commands)
		return err->code;
	vk_barrier(commands, vk_shader_writes, vk_shader_writes);
	vk_pipeline_bind(commands, &s->pipeline, &push, sizeof push);
	vk_dispatch(commands, (vectors + GROUP - 1) / GROUP);
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;

	return vk_download(output, s->to, s->input->count, err);
}

static void destroy(void *state)
{
	struct state *s = state;

	vk_pipeline_destroy(&s->pipeline);
}

const struct gb_variant_ops stream_vulkan_copy = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.destroy = destroy,
	.flags = GB_REPEATABLE,
};
