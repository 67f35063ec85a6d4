/* embree.h -- Intel's Embree, 4 or 3: devices, errors and the version, for all variants on it.
 *
 * A device has --threads threads.  Embree allocates its trees itself; a record does not count that
 * memory.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_EMBREE_H
#define GPUBENCH_CPU_LBVH_PARTS_EMBREE_H

#if GB_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include "common/status.h"

/* A new device with that many threads, or NULL. */
RTCDevice lbvh_embree_device(int threads, struct gb_error *err);
/* Report a pending error of Embree: GB_EMEMORY or GB_ERUNTIME with its text.  The device may be
 * NULL. */
enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err);
/* The version of the library that runs, like "Embree 4.3.3". */
const char *lbvh_embree_library(void);

#endif
