/* embree.h -- Intel's Embree, 4 or 3: devices, errors and the version, for the variants on it.
 *
 * A device has --threads threads.  Embree allocates its trees itself; a record does not count that
 * memory.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_EMBREE_H
#define GPUBENCH_CPU_LBVH_PARTS_EMBREE_H

#if GB_EMBREE >= 4
#include <embree4/rtcore.h>
#define LBVH_EMBREE_SONAME "libembree4.so.4"
#else
#include <embree3/rtcore.h>
#define LBVH_EMBREE_SONAME "libembree3.so.3"
#endif

#include "common/status.h"

/* The library's functions, loaded by lbvh_embree_device(). */
#define LBVH_EMBREE_CALLS(X)       \
	X(NewDevice)               \
	X(ReleaseDevice)           \
	X(GetDeviceError)          \
	X(GetDeviceProperty)       \
	X(NewScene)                \
	X(SetSceneBuildQuality)    \
	X(CommitScene)             \
	X(ReleaseScene)            \
	X(NewGeometry)             \
	X(SetGeometryBuildQuality) \
	X(SetSharedGeometryBuffer) \
	X(UpdateGeometryBuffer)    \
	X(CommitGeometry)          \
	X(AttachGeometry)          \
	X(ReleaseGeometry)         \
	X(Intersect1)              \
	X(Intersect16)             \
	X(Occluded1)               \
	X(Occluded16)
#define X(name) __typeof__(rtc##name) *name;
extern struct lbvh_embree_calls {
	LBVH_EMBREE_CALLS(X)
} rtc;
#undef X

/* A new device with that many threads; NULL with an error, GB_EUNAVAILABLE without Embree. */
RTCDevice lbvh_embree_device(int threads, struct gb_error *err);
/* Report a pending error of Embree: GB_EMEMORY or GB_ERUNTIME with its text.  The device may be
 * NULL. */
enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err);
/* The version of the library that runs, like "Embree 4.3.3". */
const char *lbvh_embree_library(void);

#endif
