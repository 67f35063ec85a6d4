/* devices.c -- merges the GPUs that the back ends find into one list. */
#include "common/devices.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"

void gb_gpu_uuid_text(char text[64], const void *uuid)
{
	unsigned char id[16];

	memcpy(id, uuid, sizeof id);
	(void)snprintf(text, 64,
		       "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		       id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10],
		       id[11], id[12], id[13], id[14], id[15]);
}

/* ---- all of them -------------------------------------------------------------------------- */

/* The known GPU with the same UUID; NULL if there is none. */
static struct gb_gpu_info *find(struct gb_devices *devices, const struct gb_gpu_info *gpu)
{
	for (size_t i = 0; i < devices->count && gpu->uuid[0]; i++)
		if (gb_equal(devices->gpu[i].uuid, gpu->uuid))
			return &devices->gpu[i];
	return NULL;
}

void gb_devices_add(struct gb_devices *devices, enum gb_backend backend,
		    const struct gb_gpu_info *gpu)
{
	struct gb_gpu_info *known = find(devices, gpu);

	if (!known && devices->count == GB_MAX_GPUS) {
		devices->has_more = true;
		return;
	}
	if (!known) {
		known = &devices->gpu[devices->count];
		*known = *gpu;
		known->id = (int)devices->count++;
		memset(known->number, 0, sizeof known->number);
	}
	if (gpu->vulkan.api[0])
		known->vulkan = gpu->vulkan;
	known->number[backend] = gpu->id + 1;
}

void gb_devices_find(struct gb_devices *devices, unsigned backends)
{
	memset(devices, 0, sizeof *devices);
	for (int b = 0; b < GB_BACKENDS; b++) {
		const struct gb_backend_ops *ops = gb_backends[b];
		struct gb_gpu_info gpu[GB_MAX_GPUS];
		size_t count = 0;

		if (backends >> b & 1 && ops->absent)
			gb_fail(&devices->absent[b], GB_EUNAVAILABLE, "built without %s",
				ops->absent);
		if (!(backends >> b & 1) || !ops->devices ||
		    ops->devices(gpu, GB_MAX_GPUS, &count, &devices->cuda, &devices->absent[b]))
			continue;
		for (size_t i = 0; i < count && i < GB_MAX_GPUS; i++)
			gb_devices_add(devices, (enum gb_backend)b, &gpu[i]);
		devices->has_more = devices->has_more || count > GB_MAX_GPUS;
	}
}

/* ---- one of them -------------------------------------------------------------------------- */

/* The GPUs of all back ends, once they have been found. */
static struct {
	struct gb_devices devices;
	bool found;
} known;

void gb_devices_allow_software(void)
{
	for (int b = 0; b < GB_BACKENDS; b++)
		if (gb_backends[b]->allow_software)
			gb_backends[b]->allow_software();
	known.found = false;
}

enum gb_status gb_device_open(enum gb_backend backend, int id, struct gb_error *err)
{
	const struct gb_backend_ops *ops = gb_backends[backend];
	const struct gb_gpu_info *gpu;

	if (ops->absent)
		return gb_fail(err, GB_EUNAVAILABLE, "built without %s", ops->absent);
	if (backend <= GB_CUDA) /* its numbers are those of the list */
		return ops->open(id, err);
	if (!known.found)
		gb_devices_find(&known.devices, ~0U);
	known.found = true;
	if (known.devices.absent[backend].code)
		return gb_fail(err, GB_EUNAVAILABLE, "%s", known.devices.absent[backend].message);
	if (id < 0 || (size_t)id >= known.devices.count)
		return gb_fail(err, GB_EUNAVAILABLE, "there is no GPU %d: this machine has %zu", id,
			       known.devices.count);
	gpu = &known.devices.gpu[id];
	if (!gpu->number[backend])
		return gb_fail(err, GB_EUNAVAILABLE, "GPU %d (%.80s) is not visible to %s", id,
			       gpu->name, ops->name);
	return ops->open(gpu->number[backend] - 1, err);
}
