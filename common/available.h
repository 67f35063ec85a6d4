/* available.h -- the memory that the host can still give to this process.
 *
 * It is the minimum of the machine's MemAvailable and the limits of the process's cgroups (version
 * 2).
 */
#ifndef GPUBENCH_COMMON_AVAILABLE_H
#define GPUBENCH_COMMON_AVAILABLE_H

#include <stdint.h>

/* Bytes.  Unknown limits are ignored. */
uint64_t gb_host_available(void);

/* The bytes that the cgroup listed in the file `groups` (/proc/self/cgroup) and its ancestors still
 * allow.  Their hierarchy is below `root` (/sys/fs/cgroup). */
uint64_t gb_cgroup_available(const char *groups, const char *root);

#endif
