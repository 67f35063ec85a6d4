/* embree.h -- Intel's Embree, 4 or 3: devices, errors and the version, for all peers on it.
 *
 * A device has as many threads as --threads asks for.  Embree allocates its trees itself; that memory
 * is not in the record.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_EMBREE_H
#define GPUBENCH_CPU_LBVH_PARTS_EMBREE_H

#if GB_EMBREE >= 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include "common/status.h"

/* A device of that many threads, or NULL. */
RTCDevice lbvh_embree_device(int threads, struct gb_error *err);
/* GB_ERUNTIME with Embree's words, if it reports an error; the device may be NULL. */
enum gb_status lbvh_embree_check(RTCDevice device, struct gb_error *err);
/* "Embree 4.3.3": the library that runs. */
const char *lbvh_embree_library(void);

#endif
