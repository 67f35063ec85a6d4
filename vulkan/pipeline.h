/* pipeline.h -- shaders, ready to be run.
 *
 * All that a shader knows comes in push constants, buffers by their addresses, and in one constant,
 * number 0, that is set when the pipeline is made: there are no descriptors.  A shader is GLSL, with the SPIR-V made
 * of it beside it (FILE.inc, `make shaders`), which is what is built in.
 */
#ifndef GPUBENCH_VULKAN_PIPELINE_H
#define GPUBENCH_VULKAN_PIPELINE_H

#include "vulkan/device.h"

struct vk_pipeline {
	VkPipelineLayout layout;
	VkPipeline handle;
	VkShaderStageFlags stages;
};

struct vk_shader {
	const uint32_t *code;
	size_t bytes;
	VkShaderStageFlagBits stage;
};
#define VK_SHADER(code, stage)                \
	{                                     \
		(code), sizeof(code), (stage) \
	}

/* Of a compute shader, with that many bytes of push constants. */
enum gb_status vk_pipeline_compute(struct vk_pipeline *pipeline, struct vk_shader shader,
				   uint32_t constant, uint32_t push_bytes, struct gb_error *err);

/* Of three shaders that generate rays, miss and hit the nearest; their table, of three entries
 * `*step` bytes apart, is to be filled by vk_pipeline_table(). */
enum gb_status vk_pipeline_tracing(struct vk_pipeline *pipeline, const struct vk_shader shader[3],
				   uint32_t constant, uint32_t push_bytes, struct gb_error *err);

/* How far apart the entries of a table are, and how many bytes it takes. */
uint32_t vk_table_step(void);
size_t vk_table_bytes(void);
/* The table's entries into its buffer; waits.  *first is the address of the first one. */
enum gb_status vk_pipeline_table(const struct vk_pipeline *pipeline, const struct vk_buffer *table,
				 VkDeviceAddress *first, struct gb_error *err);

/* Accepts what was never made. */
void vk_pipeline_destroy(struct vk_pipeline *pipeline);

/* Record its binding, and what it knows. */
void vk_pipeline_bind(VkCommandBuffer commands, const struct vk_pipeline *pipeline,
		      const void *push, uint32_t push_bytes);

/* Record at least `groups` groups, along x and then y. */
void vk_dispatch(VkCommandBuffer commands, uint64_t groups);

#endif
