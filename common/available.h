/* available.h -- how much memory the host can still give to this process.
 *
 * The least of what the machine has (MemAvailable), what the cgroups that the process is in allow,
 * versions 1 and 2, and what its own limits allow (RLIMIT_AS, RLIMIT_DATA).
 */
#ifndef GPUBENCH_COMMON_AVAILABLE_H
#define GPUBENCH_COMMON_AVAILABLE_H

#include <stdint.h>

/* Bytes; an unknown limit does not apply. */
uint64_t gb_host_available(void);

/* What the cgroups leave that the file `groups` names (/proc/self/cgroup) in the hierarchies below
 * `root` (/sys/fs/cgroup): of each its own limit and those of the groups around it. */
uint64_t gb_cgroup_available(const char *groups, const char *root);

#endif
