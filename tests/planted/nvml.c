/* nvml.c -- a fake of NVIDIA's management library: one GPU at 0000:01:00.0, with counters set by
 * nvml_planted.
 *
 * It is loaded by path, under the library's real name, so the program finds it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/planted/nvml.h"

struct nvml_planted nvml_planted;

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NO_PERMISSION = 4, NOT_FOUND = 6 };

struct violation {
	unsigned long long reference_us, violation_ns;
};

int nvmlInit_v2(void)
{
	return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
	if (strcmp(pci, "0000:01:00.0") != 0)
		return NOT_FOUND;
	*device = &nvml_planted;
	return SUCCESS;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
	static unsigned now = 50;

	*celsius = now;
	now += nvml_planted.warmer;
	return device && sensor == 0 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = type == 1 ? 1980 : 0;
	return device ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
	*millijoules = 5000 + 250 * (unsigned long long)nvml_planted.energy_asked++;
	return device ? SUCCESS : NOT_SUPPORTED;
}

int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
	const bool fits = size > strlen("580.95.05");

	(void)snprintf(version, size, "580.95.05");
	return nvml_planted.knows_all && fits ? SUCCESS : NOT_SUPPORTED;
}

/* Set a value that only some GPUs know. */
static int tell(const void *device, unsigned *value, unsigned known)
{
	*value = known;
	return device && nvml_planted.knows_all ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
	return tell(device, milliwatts, 123456);
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
	return tell(device, milliwatts, 700000);
}

int nvmlDeviceGetPersistenceMode(void *device, unsigned *on)
{
	return tell(device, on, 1);
}

int nvmlDeviceGetEccMode(void *device, unsigned *now, unsigned *pending)
{
	*pending = 0;
	return tell(device, now, 1);
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending)
{
	*pending = 1;
	return tell(device, now, 0);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
	*reasons = nvml_planted.clears_after &&
				   nvml_planted.reasons_asked++ >= nvml_planted.clears_after
			   ? 0
			   : 0x84;
	return device && nvml_planted.knows_all ? SUCCESS : NOT_SUPPORTED;
}

/* A query of the throttle time adds lowered clocks if the test planted them for this query. */
int nvmlDeviceGetViolationStatus(void *device, int policy, struct violation *violation)
{
	if (policy != 0 && policy != 1)
		return NOT_SUPPORTED;
	if (policy == 0) {
		const int asked = nvml_planted.asked++;

		if (asked >= nvml_planted.first && asked < nvml_planted.end)
			nvml_planted.lowered_ns += 1000;
	}
	violation->reference_us = 0;
	violation->violation_ns = policy == 0 ? nvml_planted.lowered_ns : 7;
	return device ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetMinMaxClockOfPState(void *device, int type, int state, unsigned *least_mhz,
				     unsigned *most_mhz)
{
	*least_mhz = 345;
	*most_mhz = 1980;
	return device && type == 1 && state == 0 && !getenv("NVML_OLD") ? SUCCESS : NOT_SUPPORTED;
}

/* Append a line to the file NVML_LOG, which outlives this process. */
static void note(const char *line)
{
	const char *path = getenv("NVML_LOG");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	(void)fprintf(file, "%s\n", line);
	(void)fclose(file);
}

/* Only a user without NVML_REFUSES may lock clocks. */
int nvmlDeviceSetGpuLockedClocks(void *device, unsigned least_mhz, unsigned most_mhz)
{
	char line[64];

	if (getenv("NVML_REFUSES"))
		return NO_PERMISSION;
	(void)snprintf(line, sizeof line, least_mhz > 9999 ? "lock %x %x" : "lock %u %u", least_mhz,
		       most_mhz);
	note(line);
	return device ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceResetGpuLockedClocks(void *device)
{
	note("reset");
	return device ? SUCCESS : NOT_SUPPORTED;
}

const char *nvmlErrorString(int code)
{
	return code == NO_PERMISSION ? "Insufficient Permissions" : "Unknown Error";
}
