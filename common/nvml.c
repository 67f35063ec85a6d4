/* nvml.c -- loads NVML when it is first asked.
 *
 * The prototypes are our own and follow the library's stable ABI: every function returns an int, 0
 * for success, and a device is an opaque pointer.  gpubench therefore builds without nvml.h and
 * starts without a driver.  The drivers of CUDA 12 and later have all functions.
 */
#include "common/nvml.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/library.h"
#include "common/text.h"

enum { SUCCESS = 0, TEMPERATURE_OF_GPU = 0, CLOCK_OF_SM = 1, FASTEST_STATE = 0 };

/* nvmlPerfPolicyType_t: power, thermal, board limit, reliability. */
static const int policies[] = { 0, 1, 3, 5 };

/* nvmlViolationTime_t */
struct violation {
	unsigned long long reference_us, violation_ns;
};

struct nvml_device;

static struct {
	int (*init)(void);
	int (*driver_version)(char *version, unsigned size);
	int (*device_by_pci)(const char *pci, struct nvml_device **device);
	int (*temperature)(struct nvml_device *device, int sensor, unsigned *celsius);
	int (*power)(struct nvml_device *device, unsigned *milliwatts);
	int (*energy)(struct nvml_device *device, unsigned long long *millijoules);
	int (*clock)(struct nvml_device *device, int type, unsigned *mhz);
	int (*violation)(struct nvml_device *device, int policy, struct violation *violation);
	int (*throttle)(struct nvml_device *device, unsigned long long *reasons);
	int (*persistence)(struct nvml_device *device, unsigned *on);
	int (*ecc)(struct nvml_device *device, unsigned *now, unsigned *pending);
	int (*mig)(struct nvml_device *device, unsigned *now, unsigned *pending);
	int (*power_limit)(struct nvml_device *device, unsigned *milliwatts);
	int (*clock_range)(struct nvml_device *device, int type, int state, unsigned *least_mhz,
			   unsigned *most_mhz);
	int (*lock)(struct nvml_device *device, unsigned least_mhz, unsigned most_mhz);
	int (*unlock)(struct nvml_device *device);
	const char *(*error)(int code);
} nvml;

/* The names of the functions above, in their order. */
static const char *const names[] = {
	"nvmlInit_v2",
	"nvmlSystemGetDriverVersion",
	"nvmlDeviceGetHandleByPciBusId_v2",
	"nvmlDeviceGetTemperature",
	"nvmlDeviceGetPowerUsage",
	"nvmlDeviceGetTotalEnergyConsumption",
	"nvmlDeviceGetClockInfo",
	"nvmlDeviceGetViolationStatus",
	"nvmlDeviceGetCurrentClocksThrottleReasons",
	"nvmlDeviceGetPersistenceMode",
	"nvmlDeviceGetEccMode",
	"nvmlDeviceGetMigMode",
	"nvmlDeviceGetEnforcedPowerLimit",
	"nvmlDeviceGetMinMaxClockOfPState",
	"nvmlDeviceSetGpuLockedClocks",
	"nvmlDeviceResetGpuLockedClocks",
	"nvmlErrorString",
};

/* True if NVML is available.  It is loaded by the first call and stays loaded. */
static bool ready(void)
{
	static bool asked, found;
	struct gb_error ignored = { 0 };

	if (!asked)
		found = !gb_library_load("libnvidia-ml.so.1", names, GB_COUNT(names), &nvml,
					 &ignored) &&
			nvml.init() == SUCCESS;
	asked = true;
	return found;
}

/* The device at a PCI address; NULL if there is none. */
static struct nvml_device *find(const char *pci)
{
	struct nvml_device *device = NULL;

	if (!ready() || pci[0] == '\0' || nvml.device_by_pci(pci, &device) != SUCCESS)
		return NULL;
	return device;
}

/* The sum over the policies that the GPU supports; NAN if it supports none. */
static double throttled_ns(struct nvml_device *device)
{
	double sum = NAN;

	for (size_t i = 0; i < GB_COUNT(policies); i++) {
		struct violation v = { 0, 0 };

		if (nvml.violation(device, policies[i], &v) == SUCCESS)
			sum = (isnan(sum) ? 0 : sum) + (double)v.violation_ns;
	}
	return sum;
}

double gb_nvml_throttled_ns(const char *pci)
{
	struct nvml_device *const device = find(pci);

	return device ? throttled_ns(device) : (double)NAN;
}

void gb_nvml_state(const char *pci, struct gb_gpu_state *state)
{
	struct nvml_device *const device = find(pci);
	unsigned value = 0;
	unsigned long long wide = 0;

	*state = (struct gb_gpu_state){ .temperature_c = NAN,
					.power_w = NAN,
					.sm_clock_hz = NAN,
					.energy_j = NAN,
					.throttled_ns = NAN };
	if (!device)
		return;
	if (nvml.temperature(device, TEMPERATURE_OF_GPU, &value) == SUCCESS)
		state->temperature_c = value;
	if (nvml.power(device, &value) == SUCCESS)
		state->power_w = value * 1e-3;
	if (nvml.clock(device, CLOCK_OF_SM, &value) == SUCCESS)
		state->sm_clock_hz = value * 1e6;
	state->throttled_ns = throttled_ns(device);
	if (nvml.energy(device, &wide) == SUCCESS)
		state->energy_j = (double)wide * 1e-3;
	if (nvml.throttle(device, &wide) == SUCCESS) {
		state->throttle = wide;
		state->throttle_known = true;
	}
}

void gb_nvml_settings(const char *pci, struct gb_gpu_info *info)
{
	struct nvml_device *const device = find(pci);
	unsigned now = 0, pending = 0;

	info->mig = info->persistence = -1;
	info->power_limit_w = 0;
	if (!device)
		return;
	if (nvml.ecc(device, &now, &pending) == SUCCESS)
		info->ecc = now != 0;
	if (nvml.mig(device, &now, &pending) == SUCCESS)
		info->mig = now != 0;
	if (nvml.persistence(device, &now) == SUCCESS)
		info->persistence = now != 0;
	if (nvml.power_limit(device, &now) == SUCCESS)
		info->power_limit_w = now * 1e-3;
}

bool gb_nvml_clock_range(const char *pci, unsigned *least_mhz, unsigned *most_mhz)
{
	struct nvml_device *const device = find(pci);

	return device &&
	       nvml.clock_range(device, CLOCK_OF_SM, FASTEST_STATE, least_mhz, most_mhz) == SUCCESS;
}

void gb_nvml_lock_clocks(const char *pci, unsigned mhz, char *reason, size_t size)
{
	struct nvml_device *const device = find(pci);
	unsigned least;
	int code;

	reason[0] = '\0';
	if (!device) {
		(void)snprintf(reason, size, "NVML does not know this GPU");
		return;
	}
	code = mhz == GB_MAX_CLOCK
		       ? nvml.clock_range(device, CLOCK_OF_SM, FASTEST_STATE, &least, &mhz)
		       : SUCCESS;
	if (code == SUCCESS)
		code = nvml.lock(device, mhz, mhz);
	if (code != SUCCESS)
		(void)snprintf(reason, size, "NVML: %s", nvml.error(code));
}

void gb_nvml_reset_clocks(const char *pci)
{
	struct nvml_device *const device = find(pci);

	if (device)
		(void)nvml.unlock(device);
}

void gb_nvml_driver(char *version, size_t size)
{
	version[0] = '\0';
	if (ready() && nvml.driver_version(version, (unsigned)size) != SUCCESS)
		version[0] = '\0';
}
