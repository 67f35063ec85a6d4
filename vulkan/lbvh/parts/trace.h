/* trace.h -- rays through the driver's tree, by ray queries in a compute shader or by a ray tracing
 * pipeline, and the operations of the variants that do so.
 */
#ifndef GPUBENCH_VULKAN_LBVH_PARTS_TRACE_H
#define GPUBENCH_VULKAN_LBVH_PARTS_TRACE_H

#include "vulkan/lbvh/parts/scene.h"
#include "vulkan/pipeline.h"

/* How rays are traced. */
enum lbvh_vk_way { LBVH_VK_QUERY, LBVH_VK_PIPELINE };

/* A variant's state. */
struct lbvh_vk_state {
	struct lbvh_vk_scene scene; /* first: see lbvh_vk_metrics() */
	bool build;
	enum lbvh_vk_way way;
	const struct lbvh_camera *camera; /* of the input, or of a build's probes */
	uint32_t edge;                    /* of that image */
	struct vk_buffer *ray;            /* of a stream; else NULL */
	struct vk_buffer *t;              /* edge * edge; not of occlusion */
	struct vk_buffer *answer;         /* primitives, or bits of occlusion */
	struct vk_buffer *table;          /* of a pipeline */
	VkDeviceAddress table_at;
	struct vk_pipeline pipeline;
};

/* create() of a variant that builds what the driver prefers for `prefer`.  LBVH_VK_PIPELINE is a way
 * to trace only: GB_EUNAVAILABLE for a build. */
enum gb_status lbvh_vk_create(void *state, const void *params, const void *input,
			      VkBuildAccelerationStructureFlagsKHR prefer, enum lbvh_vk_way way,
			      struct gb_error *err);
enum gb_status lbvh_vk_upload(void *state, struct gb_error *err);
enum gb_status lbvh_vk_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_vk_download(void *state, void *output, struct gb_error *err);
void lbvh_vk_destroy(void *state);
const char *lbvh_vk_excluded(const void *params);
/* The driver's name and version, as far as a device is open. */
const char *lbvh_vk_library(void);

#define LBVH_VK_OPS(create_)                                                                    \
	{                                                                                       \
		.state_size = sizeof(struct lbvh_vk_state), .create = create_,                  \
		.upload = lbvh_vk_upload, .run = lbvh_vk_run, .download = lbvh_vk_download,     \
		.destroy = lbvh_vk_destroy, .excluded = lbvh_vk_excluded,                       \
		.metrics = lbvh_vk_metrics, .library = lbvh_vk_library, .flags = GB_REPEATABLE, \
	}

#endif
