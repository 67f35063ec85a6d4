/* trace.h -- tracing of rays through the driver's tree, by ray queries in a compute shader, and the
 * operations of the variants that use it.
 */
#ifndef GPUBENCH_VULKAN_LBVH_SHARED_TRACE_H
#define GPUBENCH_VULKAN_LBVH_SHARED_TRACE_H

#include "vulkan/lbvh/shared/scene.h"
#include "vulkan/runtime/pipeline.h"

/* A variant's state. */
struct lbvh_vk_state {
	struct lbvh_vk_scene scene; /* first: see lbvh_vk_metrics() */
	bool build;
	struct lbvh_camera camera; /* the input's at the last upload, or that of probe rays */
	uint32_t edge;             /* edge of the image in pixels */
	struct vk_buffer *ray;     /* rays of a stream; else NULL */
	struct vk_buffer *t;       /* edge * edge distances; NULL for occlusion */
	struct vk_buffer *answer;  /* primitives, or occlusion bits */
	struct vk_pipeline pipeline;
};

/* create() of a variant that builds with the preference flags `prefer`. */
enum gb_status lbvh_vk_create(void *state, const void *params, const void *input,
			      VkBuildAccelerationStructureFlagsKHR prefer, struct gb_error *err);
enum gb_status lbvh_vk_upload(void *state, struct gb_error *err);
enum gb_status lbvh_vk_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_vk_download(void *state, void *output, struct gb_error *err);
void lbvh_vk_destroy(void *state);
/* The driver's name and version if a device is open, else "Vulkan 1.2". */
const char *lbvh_vk_library(void);

#define LBVH_VK_OPS(create_)                                                                \
	{                                                                                   \
		.state_size = sizeof(struct lbvh_vk_state), .create = create_,              \
		.upload = lbvh_vk_upload, .run = lbvh_vk_run, .download = lbvh_vk_download, \
		.destroy = lbvh_vk_destroy, .metrics = lbvh_vk_metrics,                     \
		.library = lbvh_vk_library, .flags = GB_REPEATABLE,                         \
	}

#endif
