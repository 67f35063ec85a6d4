/* devices.h -- the GPUs of this machine, as all back ends together know them.
 *
 * The first back end that has devices numbers those that it finds; what others find besides follows.
 * One that several find is one, by its UUID.
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
	bool has_more;                       /* than there is room for */
	struct gb_cuda_info cuda;
	/* Why a back end that was asked has none. */
	struct gb_error absent[GB_BACKENDS];
};

/* Ask the back ends whose bits, 1 << GB_CUDA and so on, are set. */
void gb_devices_find(struct gb_devices *devices, unsigned backends);

/* Add what a back end finds, its gpu->id being that back end's number: to what is known of the same GPU,
 * or as another. */
void gb_devices_add(struct gb_devices *devices, enum gb_backend backend,
		    const struct gb_gpu_info *gpu);

/* Get GPU number `id` ready in a back end.  GB_EUNAVAILABLE as its open(), or if it does not find that
 * one. */
enum gb_status gb_device_open(enum gb_backend backend, int id, struct gb_error *err);

/* From now on, devices count that are programs of the CPU, of back ends that leave them out. */
void gb_devices_allow_software(void);

/* "GPU-xxxxxxxx-xxxx-...", as nvidia-smi -L shows it, from its 16 bytes. */
void gb_gpu_uuid_text(char text[64], const void *uuid);

#ifdef __cplusplus
}
#endif
#endif
