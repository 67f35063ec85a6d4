/* available.c -- reads the memory limits of the machine, the cgroups and the process. */
#include "common/available.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/text.h"

enum { PATH_ROOM = 1024 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The number after `name` at the start of a line of the file; `otherwise` if there is none ("max",
 * no such file). */
static uint64_t read_row(const char *path, const char *name, uint64_t otherwise)
{
	const size_t length = strlen(name);
	uint64_t value = otherwise;
	char line[256];
	FILE *file = fopen(path, "re");

	while (file && fgets(line, sizeof line, file))
		if (!strncmp(line, name, length) && sscanf(line + length, "%" SCNu64, &value) == 1)
			break;
	if (file)
		(void)fclose(file);
	return value;
}

static uint64_t read_number(const char *path)
{
	return read_row(path, "", UINT64_MAX);
}

/* ---- cgroups -------------------------------------------------------------------------------- */

/* A version of the cgroup interface: the names of its files in a group's folder. */
struct version {
	const char *folder; /* the hierarchy's folder below the root */
	const char *limit, *usage, *cache;
};

static const struct version v1 = { "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
				   "total_inactive_file " };
static const struct version v2 = { "", "memory.max", "memory.current", "inactive_file " };

/* The bytes that one group still allows.  Its usage includes inactive cached files, which the
 * kernel reclaims when memory is needed, so they are subtracted. */
static uint64_t left_by(const struct version *v, const char *folder)
{
	char path[PATH_ROOM + 64];
	uint64_t limit, usage, cache;

	(void)snprintf(path, sizeof path, "%s/%s", folder, v->limit);
	limit = read_number(path);
	(void)snprintf(path, sizeof path, "%s/%s", folder, v->usage);
	usage = read_number(path);
	if (limit == UINT64_MAX || usage == UINT64_MAX)
		return UINT64_MAX;
	(void)snprintf(path, sizeof path, "%s/memory.stat", folder);
	cache = read_row(path, v->cache, 0);
	usage -= smaller(cache, usage);
	return limit > usage ? limit - usage : 0;
}

/* The bytes that the group at `path` and all its ancestors still allow.  In a container the path
 * may be the host's and not exist here; the root of the hierarchy is checked anyway. */
static uint64_t left_along(const struct version *v, const char *root, const char *path)
{
	char folder[PATH_ROOM];
	uint64_t left = UINT64_MAX;
	size_t top;
	char *slash;

	(void)snprintf(folder, sizeof folder, "%s%s", root, v->folder);
	top = strlen(folder);
	(void)snprintf(folder + top, sizeof folder - top, "%s", path);
	for (;;) {
		left = smaller(left, left_by(v, folder));
		slash = strrchr(folder + top, '/');
		if (!slash)
			return left;
		*slash = '\0';
	}
}

uint64_t gb_cgroup_available(const char *groups, const char *root)
{
	uint64_t left = UINT64_MAX;
	char line[PATH_ROOM];
	FILE *file = fopen(groups, "re");

	if (!file)
		return UINT64_MAX;
	/* NUMBER:CONTROLLERS:PATH; for version 2, NUMBER is 0 and CONTROLLERS is empty. */
	while (fgets(line, sizeof line, file)) {
		char *controllers = strchr(line, ':'), *path = strstr(line, ":/");

		if (!path)
			continue;
		path[strcspn(path, "\n")] = '\0';
		*controllers = *path++ = ','; /* ",hugetlb,memory,/PATH" */
		if (path - controllers == 2)
			left = smaller(left, left_along(&v2, root, path));
		else if (strstr(controllers, ",memory,"))
			left = smaller(left, left_along(&v1, root, path));
	}
	(void)fclose(file);
	return left;
}

/* ---- the process's own limits --------------------------------------------------------------- */

/* The remainder of a resource limit of which `used` is used. */
static uint64_t left_of(const struct rlimit *limit, uint64_t used)
{
	if (limit->rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit->rlim_cur > used ? limit->rlim_cur - used : 0;
}

/* The bytes that the process's own limits still allow.  /proc/self/statm counts pages; its first
 * number is the address space, its sixth data and stack. */
static uint64_t left_by_process(void)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct rlimit of_space = { RLIM_INFINITY, RLIM_INFINITY }, of_data = of_space;
	uint64_t space = 0, data = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		(void)!fscanf(file, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, &space, &data);
		(void)fclose(file);
	}
	(void)getrlimit(RLIMIT_AS, &of_space);
	(void)getrlimit(RLIMIT_DATA, &of_data);
	return smaller(left_of(&of_space, space * page), left_of(&of_data, data * page));
}

uint64_t gb_host_available(void)
{
	const uint64_t kib = read_row("/proc/meminfo", "MemAvailable:", UINT64_MAX / 1024);

	return smaller(smaller(kib * 1024, left_by_process()),
		       gb_cgroup_available("/proc/self/cgroup", "/sys/fs/cgroup"));
}
