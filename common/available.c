/* available.c -- reads the memory limits of the machine and the cgroups. */
#include "common/available.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 1024 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

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

/* The bytes that one group still allows.  Its usage includes inactive cached files, which the
 * kernel reclaims when memory is needed, so they are subtracted. */
static uint64_t left_by(const char *folder)
{
	char path[PATH_ROOM + 64];
	uint64_t limit, usage;

	(void)snprintf(path, sizeof path, "%s/memory.max", folder);
	limit = read_row(path, "", UINT64_MAX);
	(void)snprintf(path, sizeof path, "%s/memory.current", folder);
	usage = read_row(path, "", UINT64_MAX);
	if (limit == UINT64_MAX || usage == UINT64_MAX)
		return UINT64_MAX;
	(void)snprintf(path, sizeof path, "%s/memory.stat", folder);
	usage -= smaller(read_row(path, "inactive_file ", 0), usage);
	return limit > usage ? limit - usage : 0;
}

/* The group of version 2 is the line "0::PATH".  In a container the path may be the host's and not
 * exist here; the root of the hierarchy is checked anyway. */
uint64_t gb_cgroup_available(const char *groups, const char *root)
{
	const size_t top = strlen(root);
	uint64_t left = UINT64_MAX;
	char folder[PATH_ROOM], line[PATH_ROOM], *slash;
	FILE *file = fopen(groups, "re");

	if (!file)
		return UINT64_MAX;
	while (fgets(line, sizeof line, file)) {
		if (strncmp(line, "0::/", 4) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		(void)snprintf(folder, sizeof folder, "%s%s", root, line + 3);
		do {
			left = smaller(left, left_by(folder));
			slash = strrchr(folder + top, '/');
			if (slash)
				*slash = '\0';
		} while (slash);
	}
	(void)fclose(file);
	return left;
}

uint64_t gb_host_available(void)
{
	const uint64_t kib = read_row("/proc/meminfo", "MemAvailable:", UINT64_MAX / 1024);

	return smaller(kib * 1024, gb_cgroup_available("/proc/self/cgroup", "/sys/fs/cgroup"));
}
