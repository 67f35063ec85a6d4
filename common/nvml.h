/* nvml.h -- the state of a GPU from NVIDIA's management library (NVML).
 *
 * The library belongs to the driver and may be absent.  It is loaded on first use, never linked.
 * No function fails; unknown values are NAN, -1 or "".  A GPU is identified by its PCI address
 * ("0000:01:00.0"), because NVML and CUDA number GPUs differently.
 */
#ifndef GPUBENCH_COMMON_NVML_H
#define GPUBENCH_COMMON_NVML_H

#include <stddef.h>

#include "common/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The current temperature, power, energy, clock and reasons for lowered clocks. */
void gb_nvml_state(const char *pci, struct gb_gpu_state *state);

/* The time in ns, since the driver was loaded, that clocks were lowered because of power, heat, the
 * board's limit or reliability; NAN if unknown. */
double gb_nvml_throttled_ns(const char *pci);

/* Fill in ecc, mig, persistence and power_limit_w; ecc does not change if NVML does not know it. */
void gb_nvml_settings(const char *pci, struct gb_gpu_info *info);

/* The lowest and the highest SM clock that can be locked, in MHz; false if they are unknown. */
bool gb_nvml_clock_range(const char *pci, unsigned *least_mhz, unsigned *most_mhz);

/* In place of a clock in MHz: the GPU's base clock, which it sustains within its power limit, and
 * its highest clock. */
#define GB_BASE_CLOCK 0xffffff01u /* NVML_CLOCK_LIMIT_ID_TDP of nvml.h */
#define GB_MAX_CLOCK  0xffffffffu

/* Lock the SM clock.  reason is set to "", or to why the clock is not locked. */
void gb_nvml_lock_clocks(const char *pci, unsigned mhz, char *reason, size_t size);
void gb_nvml_reset_clocks(const char *pci);

/* The kernel module's version, "580.95.05". */
void gb_nvml_driver(char *version, size_t size);

#ifdef __cplusplus
}
#endif
#endif
