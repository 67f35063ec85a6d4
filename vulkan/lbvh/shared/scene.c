/* scene.c -- build the driver's tree over a mesh. */
#include "vulkan/lbvh/shared/scene.h"

#include <string.h>

#include "common/memory.h"
#include "common/text.h"

/* Estimated bytes per triangle of a tree and of its scratch memory, for a dry run without a
 * driver. */
enum { USUAL_BYTES = 128, USUAL_SCRATCH = 64, USUAL_ALIGNMENT = 256 };

/* ---- a level ------------------------------------------------------------------------------ */

static VkAccelerationStructureBuildGeometryInfoKHR build_of(const struct lbvh_vk_level *level)
{
	return (VkAccelerationStructureBuildGeometryInfoKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
		.type = level->type,
		.flags = VK_BUILD_ACCELERATION_STRUCTURE_PREFER_FAST_TRACE_BIT_KHR,
		.mode = VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
		.dstAccelerationStructure = level->handle,
		.geometryCount = 1,
		.pGeometries = &level->geometry,
	};
}

static void ask_sizes(struct lbvh_vk_level *level, uint32_t count)
{
	const VkAccelerationStructureBuildGeometryInfoKHR build = build_of(level);
	VkAccelerationStructureBuildSizesInfoKHR sizes = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR
	};

	if (vk_limits())
		vk.GetAccelerationStructureBuildSizesKHR(
			vk_device(), VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &build,
			&count, &sizes);
	level->bytes =
		vk_limits() ? sizes.accelerationStructureSize : (VkDeviceSize)count * USUAL_BYTES;
	level->scratch_bytes =
		vk_limits() ? sizes.buildScratchSize : (VkDeviceSize)count * USUAL_SCRATCH;
}

/* Allocate the memory of a level and create its handle. */
static enum gb_status make_level(struct lbvh_vk_level *level, struct gb_error *err)
{
	VkAccelerationStructureCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
		.size = level->bytes,
		.type = level->type,
	};
	VkAccelerationStructureDeviceAddressInfoKHR address = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR
	};

	level->store = vk_alloc(level->bytes, 1,
				VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR, err);
	if (err->code || gb_memory_is_dry())
		return err->code;
	info.buffer = level->store->handle;
	if (!VK_OK(err,
		   vk.CreateAccelerationStructureKHR(vk_device(), &info, NULL, &level->handle)))
		return err->code;
	address.accelerationStructure = level->handle;
	level->address = vk.GetAccelerationStructureDeviceAddressKHR(vk_device(), &address);
	return GB_OK;
}

static void destroy_level(struct lbvh_vk_level *level)
{
	if (level->handle)
		vk.DestroyAccelerationStructureKHR(vk_device(), level->handle, NULL);
	level->handle = VK_NULL_HANDLE;
}

/* ---- the scene ---------------------------------------------------------------------------- */

static void describe_triangles(struct lbvh_vk_scene *s)
{
	s->bottom.type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
	s->bottom.geometry = (VkAccelerationStructureGeometryKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
		.geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
		.flags = VK_GEOMETRY_OPAQUE_BIT_KHR,
		.geometry.triangles = {
			/* clang-format off */
			.sType =
			VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
			/* clang-format on */
			.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
			.vertexData.deviceAddress = s->vertex->address,
			.vertexStride = 3 * sizeof(float),
			.maxVertex = (uint32_t)s->input->vertex_count - 1,
			.indexType = VK_INDEX_TYPE_UINT32,
			.indexData.deviceAddress = s->index->address,
		},
	};
}

static void describe_instance(struct lbvh_vk_scene *s)
{
	s->top.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
	s->top.geometry = (VkAccelerationStructureGeometryKHR){
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
		.geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
		.flags = VK_GEOMETRY_OPAQUE_BIT_KHR,
		.geometry.instances = {
			/* clang-format off */
			.sType =
			VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
			/* clang-format on */
			.data.deviceAddress = s->instance->address,
		},
	};
}

static enum gb_status make_levels(struct lbvh_vk_scene *s, struct gb_error *err)
{
	ask_sizes(&s->bottom, (uint32_t)s->input->count);
	ask_sizes(&s->top, 1);
	return make_level(&s->bottom, err) ? err->code : make_level(&s->top, err);
}

/* Check that the device accepts this number of triangles. */
static enum gb_status check_limits(const struct lbvh_input *in, struct gb_error *err)
{
	const struct vk_limits *limits = vk_limits();

	if (!limits)
		return GB_OK;
	if (in->count > limits->primitives)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%zu triangles: the driver accepts at most %llu per tree", in->count,
			       (unsigned long long)limits->primitives);
	return GB_OK;
}

enum gb_status lbvh_vk_scene_init(struct lbvh_vk_scene *s, const void *input, struct gb_error *err)
{
	const VkBufferUsageFlags read =
		VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
	VkDeviceSize scratch;

	s->input = input;
	if (check_limits(s->input, err))
		return err->code;
	s->vertex = vk_alloc(3 * s->input->vertex_count, sizeof(float), read, err);
	s->index = vk_alloc(3 * s->input->count, sizeof(uint32_t), read, err);
	s->instance = vk_alloc(1, sizeof(VkAccelerationStructureInstanceKHR), read, err);
	if (err->code)
		return err->code;
	describe_triangles(s);
	describe_instance(s);
	if (make_levels(s, err))
		return err->code;
	scratch = s->bottom.scratch_bytes > s->top.scratch_bytes ? s->bottom.scratch_bytes
								 : s->top.scratch_bytes;
	scratch += vk_limits() ? vk_limits()->scratch_alignment : USUAL_ALIGNMENT;
	s->scratch = vk_alloc(scratch, 1, 0, err);
	return err->code;
}

void lbvh_vk_scene_destroy(struct lbvh_vk_scene *s)
{
	vk_settle();
	destroy_level(&s->top);
	destroy_level(&s->bottom);
}

/* The instance is the whole mesh with the identity transform, visible from both sides. */
enum gb_status lbvh_vk_scene_upload(struct lbvh_vk_scene *s, struct gb_error *err)
{
	const VkAccelerationStructureInstanceKHR instance = {
		.transform.matrix = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } },
		.mask = 0xff,
		.flags = VK_GEOMETRY_INSTANCE_TRIANGLE_FACING_CULL_DISABLE_BIT_KHR,
		.accelerationStructureReference = s->bottom.address,
	};
	VkCommandBuffer commands;

	if (vk_upload(s->vertex, s->input->vertex, 3 * s->input->vertex_count * sizeof(float),
		      err) ||
	    vk_upload(s->index, s->input->triangle, 3 * s->input->count * sizeof(uint32_t), err))
		return err->code;
	commands = vk_commands(err);
	if (!commands)
		return err->code;
	vk_barrier(commands, vk_anything, vk_transfer_writes);
	vk.CmdUpdateBuffer(commands, s->instance->handle, 0, sizeof instance, &instance);
	vk_barrier(commands, vk_transfer_writes, vk_reading_inputs);
	return vk_wait(err);
}

/* ---- a build ------------------------------------------------------------------------------ */

static void build(VkCommandBuffer commands, const struct lbvh_vk_scene *s,
		  const struct lbvh_vk_level *level, uint32_t count)
{
	const VkDeviceSize alignment = vk_limits()->scratch_alignment;
	const VkAccelerationStructureBuildRangeInfoKHR range = { .primitiveCount = count };
	const VkAccelerationStructureBuildRangeInfoKHR *const ranges = &range;
	VkAccelerationStructureBuildGeometryInfoKHR info = build_of(level);

	info.scratchData.deviceAddress =
		(s->scratch->address + alignment - 1) / alignment * alignment;
	vk.CmdBuildAccelerationStructuresKHR(commands, 1, &info, &ranges);
}

enum gb_status lbvh_vk_scene_build(const struct lbvh_vk_scene *s, struct gb_timer *timer,
				   struct gb_error *err)
{
	VkCommandBuffer commands;

	gb_phase(timer, "blas");
	commands = vk_commands(err);
	if (!commands)
		return err->code;
	vk_barrier(commands, vk_building, vk_building); /* wait for the previous build */
	build(commands, s, &s->bottom, (uint32_t)s->input->count);
	vk_barrier(commands, vk_building, vk_building);
	gb_phase(timer, "tlas");
	build(commands, s, &s->top, 1);
	return err->code;
}
