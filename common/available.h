/* available.h -- the memory that the host can still give to this process.
 *
 * It is the minimum of the machine's MemAvailable, the limits of the process's cgroups (versions 1
 * and 2) and its own limits (RLIMIT_AS, RLIMIT_DATA).
 */
#ifndef GPUBENCH_COMMON_AVAILABLE_H
#define GPUBENCH_COMMON_AVAILABLE_H

#include <stdint.h>

/* Bytes.  Unknown limits are ignored. */
uint64_t gb_host_available(void);

/* The bytes that the cgroups listed in the file `groups` (/proc/self/cgroup) and their ancestors
 * still allow.  Their hierarchies are below `root` (/sys/fs/cgroup). */
uint64_t gb_cgroup_available(const char *groups, const char *root);

#endif
