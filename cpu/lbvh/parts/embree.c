/* embree.c -- see embree.h. */
#include "cpu/lbvh/parts/embree.h"

#include <stdio.h>

enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err)
{
	static const char *const words[] = { "no error",         "unknown error",
					     "invalid argument", "invalid operation",
					     "out of memory",    "unsupported processor",
					     "cancelled" };
	const unsigned code = (unsigned)rtcGetDeviceError(device);

	if (!code)
		return GB_OK;
	return gb_fail(err, code == RTC_ERROR_OUT_OF_MEMORY ? GB_EMEMORY : GB_ERUNTIME,
		       "Embree: %s", code < sizeof words / sizeof *words ? words[code] : "error");
}

RTCDevice lbvh_embree_device(int threads, struct gb_error *err)
{
	char settings[64];
	RTCDevice device;

	(void)snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", threads);
	device = rtcNewDevice(settings);
	if (!device)
		(void)lbvh_embree_check(NULL, err);
	if (!device && !err->code)
		gb_fail(err, GB_EUNAVAILABLE, "Embree could not create a device");
	return device;
}

/* The version that runs, not the one compiled against: only a device reports it. */
const char *lbvh_embree_library(void)
{
	static char text[48];
	RTCDevice device = text[0] ? NULL : rtcNewDevice("threads=1,set_affinity=0");

	if (!text[0])
		(void)snprintf(text, sizeof text, "Embree " RTC_VERSION_STRING);
	if (device) {
		(void)snprintf(text, sizeof text, "Embree %zd.%zd.%zd",
			       rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MAJOR),
			       rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MINOR),
			       rtcGetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_PATCH));
		rtcReleaseDevice(device);
	}
	return text;
}
