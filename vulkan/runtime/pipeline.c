/* pipeline.c -- create, bind and run compute pipelines. */
#include "vulkan/runtime/pipeline.h"

/* ---- making ------------------------------------------------------------------------------- */

static VkShaderModule make_module(struct vk_shader shader, struct gb_error *err)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = shader.bytes,
		.pCode = shader.code,
	};
	VkShaderModule module = VK_NULL_HANDLE;

	(void)VK_OK(err, vk.CreateShaderModule(vk_device(), &info, NULL, &module));
	return module;
}

static enum gb_status make_layout(struct vk_pipeline *p, uint32_t push_bytes, struct gb_error *err)
{
	const VkPushConstantRange range = { .stageFlags = p->stages, .size = push_bytes };
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};

	(void)VK_OK(err, vk.CreatePipelineLayout(vk_device(), &info, NULL, &p->layout));
	return err->code;
}

static VkPipelineShaderStageCreateInfo stage_of(VkShaderStageFlagBits stage, VkShaderModule module,
						const VkSpecializationInfo *constants)
{
	return (VkPipelineShaderStageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = stage,
		.module = module,
		.pName = "main",
		.pSpecializationInfo = constants,
	};
}

static const VkSpecializationMapEntry number_0 = { .size = sizeof(uint32_t) };

static VkSpecializationInfo set_to(const uint32_t *constant)
{
	return (VkSpecializationInfo){ 1, &number_0, sizeof *constant, constant };
}

enum gb_status vk_pipeline_compute(struct vk_pipeline *p, struct vk_shader shader,
				   uint32_t constant, uint32_t push_bytes, struct gb_error *err)
{
	const VkSpecializationInfo constants = set_to(&constant);
	const VkShaderModule module = make_module(shader, err);
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO
	};

	p->stages = (VkShaderStageFlags)shader.stage;
	if (!module || make_layout(p, push_bytes, err))
		goto out;
	info.stage = stage_of(shader.stage, module, &constants);
	info.layout = p->layout;
	(void)VK_OK(err, vk.CreateComputePipelines(vk_device(), VK_NULL_HANDLE, 1, &info, NULL,
						   &p->handle));
out:
	if (module)
		vk.DestroyShaderModule(vk_device(), module, NULL);
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
	vk.CmdPushConstants(commands, p->layout, p->stages, 0, push_bytes, push);
}

void vk_dispatch(VkCommandBuffer commands, uint64_t groups)
{
	const uint64_t most = vk_limits()->groups;
	const uint64_t x = groups < most ? groups : most;

	if (groups)
		vk.CmdDispatch(commands, (uint32_t)x, (uint32_t)((groups + x - 1) / x), 1);
}
