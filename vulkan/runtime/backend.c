/* backend.c -- the Vulkan back end: open a device, describe the available devices.
 *
 * The back end exists because only a driver can use ray tracing hardware.  A device may be software
 * (Mesa's lavapipe).  A software device is used only on request and counts as emulated.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/backend.h"
#include "common/devices.h"
#include "common/nvml.h"
#include "common/text.h"
#include "vulkan/runtime/device.h"
#include "vulkan/runtime/parts.h"

static bool software_allowed;
static int open_number = -1;

static void allow_software(void)
{
	software_allowed = true;
}

/* ---- open and close ----------------------------------------------------------------------- */

static void close_device(void)
{
	if (open_number < 0)
		return;
	vk_flush_destroy();
	vk_device_stop();
	open_number = -1;
}

static enum gb_status open_device(int device, struct gb_error *err)
{
	struct vk_found found[GB_MAX_GPUS];
	size_t count = 0;

	if (open_number == device && vk_device_works())
		return GB_OK;
	close_device();
	if (vk_find_devices(found, GB_COUNT(found), &count, software_allowed, err))
		return err->code;
	count = count < GB_COUNT(found) ? count : GB_COUNT(found);
	if (device < 0 || (size_t)device >= count)
		return gb_fail(err, GB_EUNAVAILABLE, "no Vulkan device %d: there are %zu", device,
			       count);
	if (!vk_device_start(&found[device], err))
		open_number = device;
	return err->code;
}

static bool is_emulated(void)
{
	return vk_device_found() && vk_is_software(vk_device_found());
}

/* ---- description of the machine for records ----------------------------------------------- */

/* The PCI address of a device in the format of NVML and CUDA; "" if it is not known. */
static void pci_text(char *text, size_t size, const struct vk_found *f)
{
	text[0] = '\0';
	if (f->has_pci)
		(void)snprintf(text, size, "%04x:%02x:%02x.%x", f->pci.pciDomain, f->pci.pciBus,
			       f->pci.pciDevice, f->pci.pciFunction);
}

static void state(struct gb_gpu_state *state)
{
	char pci[32];

	pci_text(pci, sizeof pci, vk_device_found());
	gb_nvml_state(pci, state);
}

static double throttled_ns(void)
{
	char pci[32];

	pci_text(pci, sizeof pci, vk_device_found());
	return gb_nvml_throttled_ns(pci);
}

static void describe(struct gb_gpu_info *info, const struct vk_found *f, int number)
{
	const uint32_t api = f->properties.apiVersion;

	*info = (struct gb_gpu_info){ .id = number, .ecc = -1, .mig = -1, .persistence = -1 };
	(void)snprintf(info->name, sizeof info->name, "%.127s", f->properties.deviceName);
	(void)snprintf(info->vulkan.driver, sizeof info->vulkan.driver, "%s", f->driver);
	(void)snprintf(info->vulkan.api, sizeof info->vulkan.api, "%u.%u.%u",
		       VK_API_VERSION_MAJOR(api), VK_API_VERSION_MINOR(api),
		       VK_API_VERSION_PATCH(api));
	info->memory_bytes = (int64_t)f->memory;
	info->emulated = vk_is_software(f);
	if (info->emulated)
		return;
	gb_gpu_uuid_text(info->uuid, f->id.deviceUUID);
	pci_text(info->pci, sizeof info->pci, f);
	gb_nvml_settings(info->pci, info);
}

static enum gb_status devices(struct gb_gpu_info *info, size_t room, size_t *count,
			      struct gb_cuda_info *cuda, struct gb_error *err)
{
	struct vk_found found[GB_MAX_GPUS];

	(void)cuda;
	if (vk_find_devices(found, GB_COUNT(found), count, software_allowed, err))
		return err->code;
	for (size_t i = 0; i < *count && i < room && i < GB_COUNT(found); i++)
		describe(&info[i], &found[i], (int)i);
	return GB_OK;
}

extern const struct gb_backend_ops gb_vulkan_backend; /* for common/backends.c */
const struct gb_backend_ops gb_vulkan_backend = {
	.name = "vulkan",
	.allow_software = allow_software,
	.is_emulated = is_emulated,
	.open = open_device,
	.flush = vk_flush,
	.flush_bytes = vk_flush_bytes,
	.fill = vk_fill,
	.hold = vk_hold,
	.let_go = vk_let_go,
	.has_held = vk_has_held,
	.synchronize = vk_wait,
	.state = state,
	.throttled_ns = throttled_ns,
	.devices = devices,
	.timer = &vk_timer,
};
