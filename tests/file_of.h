/* file_of.h -- writes a file for a test that reads one, and counts open files. */
#ifndef GPUBENCH_TESTS_FILE_OF_H
#define GPUBENCH_TESTS_FILE_OF_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

/* A file of these bytes, named after the test because tests run in parallel.  The path is valid
 * until the next call. */
static inline const char *file_of(const char *ending, const void *bytes, size_t size)
{
	static char path[64];
	FILE *file;

	(void)snprintf(path, sizeof path, "/tmp/gpubench-test-%d%s", (int)getpid(), ending);
	file = fopen(path, "wb");
	cr_assert(file && fwrite(bytes, 1, size, file) == size);
	(void)fclose(file);
	return path;
}

/* Open descriptors of this process, and one or two. */
static inline size_t open_files(void)
{
	DIR *files = opendir("/proc/self/fd");
	size_t count = 0;

	while (files && readdir(files))
		count++;
	if (files)
		(void)closedir(files);
	return count;
}

#endif
