/* nosys.c -- preloaded: hides /sys, as in some containers.  With NOSYS=libc the C library does not
 * know the sizes of caches either.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *);

	if (strncmp(path, "/sys/", 5) == 0) {
		errno = ENOENT;
		return NULL;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}

long sysconf(int name)
{
	const char *const unknown = getenv("NOSYS");
	long (*real)(int);

	if (unknown && strcmp(unknown, "libc") == 0 && name >= _SC_LEVEL1_ICACHE_SIZE &&
	    name <= _SC_LEVEL4_CACHE_LINESIZE)
		return 0;
	*(void **)&real = dlsym(RTLD_NEXT, "sysconf");
	return real(name);
}
