/* devices.h -- the GPUs of this machine, as found by all back ends together.
 *
 * The GPUs that the first back end with devices finds come first, in its order; those that only
 * later back ends find follow.  GPUs with equal UUIDs are the same GPU.
 */
#ifndef GPUBENCH_COMMON_DEVICES_H
#define GPUBENCH_COMMON_DEVICES_H

#include "common/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GB_MAX_GPUS = 16 };

struct gb_devices {
	size_t count;
	struct gb_gpu_info gpu[GB_MAX_GPUS]; /* gpu[i].id is i */
	bool has_more;                       /* there are more than GB_MAX_GPUS */
	struct gb_cuda_info cuda;
	/* The reason why a back end that was asked has no devices. */
	struct gb_error absent[GB_BACKENDS];
};

/* Find the GPUs of the back ends whose bits (1 << GB_CUDA ...) are set. */
void gb_devices_find(struct gb_devices *devices, unsigned backends);

/* Add a GPU that a back end found; gpu->id is that back end's own number.  It is merged with a
 * known GPU of the same UUID, or else appended. */
void gb_devices_add(struct gb_devices *devices, enum gb_backend backend,
		    const struct gb_gpu_info *gpu);

/* Open GPU number `id` in a back end.  GB_EUNAVAILABLE if its open() fails so, or if it does not
 * find that GPU. */
enum gb_status gb_device_open(enum gb_backend backend, int id, struct gb_error *err);

/* From now on, include software devices in all back ends that leave them out by default. */
void gb_devices_allow_software(void);

/* Format the 16 bytes of a UUID as "GPU-xxxxxxxx-xxxx-...", as `nvidia-smi -L` prints it. */
void gb_gpu_uuid_text(char text[64], const void *uuid);

#ifdef __cplusplus
}
#endif
#endif
