/* scene.h -- the driver's tree over a mesh: a bottom level of all triangles, opaque, and a top level of
 * one instance of it, as the paper has it.
 */
#ifndef GPUBENCH_VULKAN_LBVH_PARTS_SCENE_H
#define GPUBENCH_VULKAN_LBVH_PARTS_SCENE_H

#include "common/lbvh.h"
#include "common/timer.h"
#include "common/workload.h"
#include "vulkan/device.h"

/* A level: what it is built from, and where it is. */
struct lbvh_vk_level {
	VkAccelerationStructureTypeKHR type;
	VkBuildAccelerationStructureFlagsKHR flags;
	VkAccelerationStructureGeometryKHR geometry;
	VkAccelerationStructureKHR handle;
	VkDeviceAddress address;
	VkDeviceSize bytes, scratch_bytes;
	struct vk_buffer *store;
};

struct lbvh_vk_scene {
	const struct lbvh_input *input;
	struct vk_buffer *vertex, *index, *instance, *scratch;
	struct lbvh_vk_level bottom, compact, top;
	VkQueryPool size; /* of the bottom level, compacted; only if it is to be compacted */
};

/* Memory for the mesh and both levels.  GB_EUNAVAILABLE if the driver does not take as many triangles,
 * with its limit. */
enum gb_status lbvh_vk_scene_init(struct lbvh_vk_scene *scene, const void *params,
				  const void *input, VkBuildAccelerationStructureFlagsKHR prefer,
				  struct gb_error *err);
/* What is not counted memory. */
void lbvh_vk_scene_destroy(struct lbvh_vk_scene *scene);
/* The mesh to the device; waits. */
enum gb_status lbvh_vk_scene_upload(struct lbvh_vk_scene *scene, struct gb_error *err);
/* Record a build, its phases blas, compact if the scene is compacted, and tlas.  timer: NULL for one
 * that is not timed. */
enum gb_status lbvh_vk_scene_build(const struct lbvh_vk_scene *scene, struct gb_timer *timer,
				   struct gb_error *err);
/* structure_bytes, scratch_bytes and compacted_bytes of what was built last; the state begins with a
 * scene. */
void lbvh_vk_metrics(void *state, struct gb_metrics *metrics);

#endif
