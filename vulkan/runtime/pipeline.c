/* pipeline.c -- create, bind and run compute and ray tracing pipelines. */
#include "vulkan/runtime/pipeline.h"

#include <string.h>

enum { ENTRIES = 3, MAX_HANDLE = 256, MAX_STEP = 1024 };

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

enum gb_status vk_pipeline_tracing(struct vk_pipeline *p, const struct vk_shader shader[3],
				   uint32_t constant, uint32_t push_bytes, struct gb_error *err)
{
	const VkSpecializationInfo constants = set_to(&constant);
	VkPipelineShaderStageCreateInfo stage[ENTRIES];
	VkRayTracingShaderGroupCreateInfoKHR group[ENTRIES];
	VkShaderModule module[ENTRIES] = { VK_NULL_HANDLE };
	const VkRayTracingPipelineCreateInfoKHR start = {
		.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
		.stageCount = ENTRIES,
		.pStages = stage,
		.groupCount = ENTRIES,
		.pGroups = group,
		.maxPipelineRayRecursionDepth = 1,
	};
	VkRayTracingPipelineCreateInfoKHR info = start;

	p->stages = VK_SHADER_STAGE_RAYGEN_BIT_KHR;
	for (uint32_t i = 0; i < ENTRIES; i++) {
		const bool hit = shader[i].stage == VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR;

		module[i] = make_module(shader[i], err);
		stage[i] = stage_of(shader[i].stage, module[i],
				    shader[i].stage == VK_SHADER_STAGE_RAYGEN_BIT_KHR ? &constants
										      : NULL);
		group[i] = (VkRayTracingShaderGroupCreateInfoKHR){
			.sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
			.type = hit ? VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR
				    : VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
			.generalShader = hit ? VK_SHADER_UNUSED_KHR : i,
			.closestHitShader = hit ? i : VK_SHADER_UNUSED_KHR,
			.anyHitShader = VK_SHADER_UNUSED_KHR,
			.intersectionShader = VK_SHADER_UNUSED_KHR,
		};
	}
	if (!err->code && !make_layout(p, push_bytes, err)) {
		info.layout = p->layout;
		(void)VK_OK(err, vk.CreateRayTracingPipelinesKHR(vk_device(), VK_NULL_HANDLE,
								 VK_NULL_HANDLE, 1, &info, NULL,
								 &p->handle));
	}
	for (size_t i = 0; i < ENTRIES; i++)
		if (module[i])
			vk.DestroyShaderModule(vk_device(), module[i], NULL);
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

/* ---- the table of shaders ----------------------------------------------------------------- */

static uint32_t round_up(uint32_t value, uint32_t to)
{
	return to ? (value + to - 1) / to * to : value;
}

uint32_t vk_table_step(void)
{
	const struct vk_limits *limits = vk_limits();

	return limits ? round_up(round_up(limits->handle_size, limits->handle_alignment),
				 limits->table_alignment)
		      : 64;
}

/* One entry more than needed: the first entry is aligned, but the buffer may not be. */
size_t vk_table_bytes(void)
{
	return (size_t)(ENTRIES + 1) * vk_table_step();
}

enum gb_status vk_pipeline_table(const struct vk_pipeline *p, const struct vk_buffer *table,
				 VkDeviceAddress *first, struct gb_error *err)
{
	unsigned char handle[ENTRIES * MAX_HANDLE], entries[(ENTRIES + 1) * MAX_STEP] = { 0 };
	const uint32_t size = vk_limits()->handle_size, step = vk_table_step();
	const uint32_t alignment = vk_limits()->table_alignment;
	const VkDeviceAddress at = (table->address + alignment - 1) / alignment * alignment;

	if (size > MAX_HANDLE || step > MAX_STEP)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "shader handles of %u bytes, %u apart, exceed %d and %d", size, step,
			       MAX_HANDLE, MAX_STEP);
	if (!VK_OK(err, vk.GetRayTracingShaderGroupHandlesKHR(vk_device(), p->handle, 0, ENTRIES,
							      (size_t)ENTRIES * size, handle)))
		return err->code;
	for (size_t i = 0; i < ENTRIES; i++)
		memcpy(entries + (at - table->address) + i * step, handle + i * size, size);
	*first = at;
	return vk_upload(table, entries, vk_table_bytes(), err);
}

/* ---- running ------------------------------------------------------------------------------ */

void vk_pipeline_bind(VkCommandBuffer commands, const struct vk_pipeline *p, const void *push,
		      uint32_t push_bytes)
{
	vk.CmdBindPipeline(commands,
			   p->stages == VK_SHADER_STAGE_COMPUTE_BIT
				   ? VK_PIPELINE_BIND_POINT_COMPUTE
				   : VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
			   p->handle);
	vk.CmdPushConstants(commands, p->layout, p->stages, 0, push_bytes, push);
}

void vk_dispatch(VkCommandBuffer commands, uint64_t groups)
{
	const uint64_t most = vk_limits()->groups;
	const uint64_t x = groups < most ? groups : most;

	if (groups)
		vk.CmdDispatch(commands, (uint32_t)x, (uint32_t)((groups + x - 1) / x), 1);
}
