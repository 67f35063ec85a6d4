/* nosys.c -- preloaded: hides /sys, as in some containers.  With NOSYS=libc the C library does not
 * know the sizes of caches either.  NOSYS=/FOLDER replaces /sys and the other files that describe a
 * machine by those below FOLDER, and the number of CPUs by that of its folders cpu0, cpu1, ...
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU "/sys/devices/system/cpu/cpu"

/* The folder; NULL if there is none. */
static const char *folder(void)
{
	const char *const word = getenv("NOSYS");

	return word && word[0] == '/' ? word : NULL;
}

FILE *fopen(const char *path, const char *mode)
{
	static const char *const described[] = { "/sys/", "/proc/cpuinfo", "/proc/meminfo",
						 "/etc/os-release" };
	FILE *(*real)(const char *, const char *);
	char other[4096];

	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	for (size_t i = 0; i < (folder() ? sizeof described / sizeof *described : 1); i++)
		if (strncmp(path, described[i], strlen(described[i])) == 0) {
			if (folder() && snprintf(other, sizeof other, "%s%s", folder(), path) > 0)
				return real(other, mode);
			errno = ENOENT;
			return NULL;
		}
	return real(path, mode);
}

static long count_cpus(void)
{
	char path[4096];

	for (long cpu = 0;; cpu++)
		if (snprintf(path, sizeof path, "%s" CPU "%ld", folder(), cpu) < 0 ||
		    access(path, F_OK))
			return cpu;
}

long sysconf(int name)
{
	const char *const unknown = getenv("NOSYS");
	long (*real)(int);

	if (unknown && (folder() || strcmp(unknown, "libc") == 0) &&
	    name >= _SC_LEVEL1_ICACHE_SIZE && name <= _SC_LEVEL4_CACHE_LINESIZE)
		return 0;
	if (folder() && name == _SC_NPROCESSORS_CONF)
		return count_cpus();
	*(void **)&real = dlsym(RTLD_NEXT, "sysconf");
	return real(name);
}
