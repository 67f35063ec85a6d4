/* nvml.h -- what NVIDIA's management library knows of a GPU.
 *
 * The library belongs to the driver and may be absent: it is loaded when first asked, never linked.
 * What cannot be told is left unknown (NAN, -1, ""), and nothing here fails.  A GPU is named by its
 * PCI address ("0000:01:00.0"), because NVML counts GPUs in another order than CUDA.
 */
#ifndef GPUBENCH_COMMON_NVML_H
#define GPUBENCH_COMMON_NVML_H

#include <stddef.h>

#include "common/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Temperature, power, energy, clock and the reasons for lowered clocks, now. */
void gb_nvml_state(const char *pci, struct gb_gpu_state *state);

/* How long clocks were lowered because of power, heat, the board or its reliability, in ns since the
 * driver was loaded; NAN if unknown. */
double gb_nvml_throttled_ns(const char *pci);

/* Fill in ecc, mig, persistence and power_limit_w; an ecc that NVML does not know is kept. */
void gb_nvml_settings(const char *pci, struct gb_gpu_info *info);

/* The kernel module's version, "580.95.05". */
void gb_nvml_driver(char *version, size_t size);

#ifdef __cplusplus
}
#endif
#endif
