/* fuzz.h -- shared by the fuzz targets: provides the input as a file. */
#ifndef GPUBENCH_TESTS_FUZZ_FUZZ_H
#define GPUBENCH_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An in-memory file of these bytes, with a name that has this extension.  The path is valid until
 * the next call; the caller unlinks it. */
static inline const char *fuzz_file(const uint8_t *bytes, size_t size, const char *ending)
{
	static char path[64];
	FILE *file;

	(void)snprintf(path, sizeof path, "/dev/shm/gpubench-fuzz-%d%s", (int)getpid(), ending);
	file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		abort();
	return path;
}

#endif
