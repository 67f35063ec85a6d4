/* scene.h -- the driver's tree over a mesh, as in the paper: a bottom level of all triangles,
 * opaque, and a top level with one instance of it.
 */
#ifndef GPUBENCH_VULKAN_LBVH_SHARED_SCENE_H
#define GPUBENCH_VULKAN_LBVH_SHARED_SCENE_H

#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/timer.h"
#include "vulkan/runtime/device.h"

/* A level: its geometry, handle, address and memory. */
struct lbvh_vk_level {
	VkAccelerationStructureTypeKHR type;
	VkAccelerationStructureGeometryKHR geometry;
	VkAccelerationStructureKHR handle;
	VkDeviceAddress address;
	VkDeviceSize bytes, scratch_bytes;
	struct vk_buffer *store;
};

struct lbvh_vk_scene {
	const struct lbvh_input *input;
	struct vk_buffer *vertex, *index, *instance, *scratch;
	struct lbvh_vk_level bottom, top;
};

/* Allocate memory for the mesh and both levels.  GB_EUNAVAILABLE, with the limit, if the driver
 * does not accept this number of triangles. */
enum gb_status lbvh_vk_scene_init(struct lbvh_vk_scene *scene, const void *input,
				  struct gb_error *err);
/* Destroy everything except the counted memory. */
void lbvh_vk_scene_destroy(struct lbvh_vk_scene *scene);
/* Copy the mesh to the device and wait. */
enum gb_status lbvh_vk_scene_upload(struct lbvh_vk_scene *scene, struct gb_error *err);
/* Record a build with the phases blas and tlas.  `timer` is NULL
 * for an untimed build. */
enum gb_status lbvh_vk_scene_build(const struct lbvh_vk_scene *scene, struct gb_timer *timer,
				   struct gb_error *err);

#endif
