/* pipeline.c -- create, bind and run compute pipelines. */
#include "vulkan/runtime/pipeline.h"

/* ---- making ------------------------------------------------------------------------------- */

static enum gb_status make_layout(struct vk_pipeline *p, uint32_t push_bytes, struct gb_error *err)
{
	const VkPushConstantRange range = { .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
					    .size = push_bytes };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};

	(void)VK_OK(err, vk.CreatePipelineLayout(vk_device(), &info, NULL, &p->layout));
	return err->code;
}

enum gb_status vk_pipeline_create(struct vk_pipeline *p, const uint32_t *code, size_t bytes,
				  uint32_t constant, uint32_t push_bytes, struct gb_error *err)
{
	const VkSpecializationMapEntry number_0 = { .size = sizeof constant };
	const VkSpecializationInfo constants = { 1, &number_0, sizeof constant, &constant };
	const VkShaderModuleCreateInfo shader = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = bytes,
		.pCode = code,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {
			.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.pName = "main",
			.pSpecializationInfo = &constants,
		},
	};

	if (make_layout(p, push_bytes, err) ||
	    !VK_OK(err, vk.CreateShaderModule(vk_device(), &shader, NULL, &info.stage.module)))
		return err->code;
	info.layout = p->layout;
	(void)VK_OK(err, vk.CreateComputePipelines(vk_device(), VK_NULL_HANDLE, 1, &info, NULL,
						   &p->handle));
	vk.DestroyShaderModule(vk_device(), info.stage.module, NULL);
	return err->code;
}

void vk_pipeline_destroy(struct vk_pipeline *p)
{
	vk_settle();
	if (p->handle)
		vk.DestroyPipeline(vk_device(), p->handle, NULL);
	if (p->layout)
		vk.DestroyPipelineLayout(vk_device(), p->layout, NULL);
	*p = (struct vk_pipeline){ 0 };
}

/* ---- running ------------------------------------------------------------------------------ */

void vk_pipeline_bind(VkCommandBuffer commands, const struct vk_pipeline *p, const void *push,
		      uint32_t push_bytes)
{
	vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->handle);
	vk.CmdPushConstants(commands, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, push);
}

void vk_dispatch(VkCommandBuffer commands, uint64_t groups)
{
	const uint64_t most = vk_limits()->groups;
	const uint64_t x = groups < most ? groups : most;

	if (groups)
		vk.CmdDispatch(commands, (uint32_t)x, (uint32_t)((groups + x - 1) / x), 1);
}
