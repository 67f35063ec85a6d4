/* embree.c -- see embree.h. */
#include "cpu/lbvh/parts/embree.h"

#include <stdio.h>

#include "common/library.h"

struct lbvh_embree_calls rtc;

static enum gb_status load(struct gb_error *err)
{
#define X(name) "rtc" #name,
	static const char *const name[] = { LBVH_EMBREE_CALLS(X) };
#undef X

	_Static_assert(sizeof rtc == sizeof name, "");
	return gb_library_load(LBVH_EMBREE_SONAME, name, sizeof name / sizeof *name, &rtc, err);
}

enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err)
{
	static const char *const words[] = { "no error",         "unknown error",
					     "invalid argument", "invalid operation",
					     "out of memory",    "unsupported processor",
					     "cancelled" };
	const unsigned code = (unsigned)rtc.GetDeviceError(device);

	if (!code)
		return GB_OK;
	return gb_fail(err, code == RTC_ERROR_OUT_OF_MEMORY ? GB_EMEMORY : GB_ERUNTIME,
		       "Embree: %s", code < sizeof words / sizeof *words ? words[code] : "error");
}

RTCDevice lbvh_embree_device(int threads, struct gb_error *err)
{
	char settings[64];
	RTCDevice device;

	if (load(err))
		return NULL;
	(void)snprintf(settings, sizeof settings, "threads=%d,set_affinity=0", threads);
	device = rtc.NewDevice(settings);
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
	struct gb_error err = { 0 };
	RTCDevice device = text[0] ? NULL : lbvh_embree_device(1, &err);

	if (!text[0])
		(void)snprintf(text, sizeof text, "Embree%s",
			       rtc.NewDevice ? " " RTC_VERSION_STRING : "");
	if (device) {
		(void)snprintf(text, sizeof text, "Embree %zd.%zd.%zd",
			       rtc.GetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MAJOR),
			       rtc.GetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_MINOR),
			       rtc.GetDeviceProperty(device, RTC_DEVICE_PROPERTY_VERSION_PATCH));
		rtc.ReleaseDevice(device);
	}
	return text;
}
