/* pipeline.h -- pipelines of compute shaders.
 *
 * A shader gets its input through push constants, which include the addresses of buffers, and one
 * specialization constant, number 0.  There are no descriptors.  Each GLSL shader has its SPIR-V
 * next to it (FILE.inc, written by `make shaders`); the build uses the SPIR-V.
 */
#ifndef GPUBENCH_VULKAN_RUNTIME_PIPELINE_H
#define GPUBENCH_VULKAN_RUNTIME_PIPELINE_H

#include "vulkan/runtime/device.h"

struct vk_pipeline {
	VkPipelineLayout layout;
	VkPipeline handle;
};

/* Create the pipeline of a compute shader, `bytes` bytes of SPIR-V, with push_bytes bytes of push
 * constants. */
enum gb_status vk_pipeline_create(struct vk_pipeline *pipeline, const uint32_t *code, size_t bytes,
				  uint32_t constant, uint32_t push_bytes, struct gb_error *err);

/* Accepts a pipeline that was never created. */
void vk_pipeline_destroy(struct vk_pipeline *pipeline);

/* Record the binding of the pipeline and its push constants. */
void vk_pipeline_bind(VkCommandBuffer commands, const struct vk_pipeline *pipeline,
		      const void *push, uint32_t push_bytes);

/* Record a dispatch of at least `groups` work groups, along x and then y. */
void vk_dispatch(VkCommandBuffer commands, uint64_t groups);

#endif
