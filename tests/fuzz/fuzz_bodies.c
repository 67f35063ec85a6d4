/* fuzz_bodies.c -- any bytes as a .csv, a .ply and a raw file of bodies: what is accepted is whole
 * and finite, what is not leaves nothing behind. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"
#include "datasets/bodies/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const char *path, size_t limit)
{
	float *axis[3];
	struct gb_error err = { 0 };
	size_t count = 0;

	if (gb_bodies_read(path, limit, &axis[0], &axis[1], &axis[2], &count, &err)) {
		if (axis[0] || axis[1] || axis[2] || !err.message[0])
			abort();
		return;
	}
	if (!count || (limit && count > limit))
		abort();
	for (int d = 0; d < 3; d++) {
		for (size_t i = 0; i < count; i++)
			if (!isfinite(axis[d][i]))
				abort();
		gb_host_free(axis[d]);
	}
}

/* The file is in memory; links give it the names that tell its format. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ends[] = { ".csv", ".ply", ".f32" };
	const int file = memfd_create("bodies", 0);
	char target[64], link[64];
	const size_t limit = size ? data[0] % 4 : 0;

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	(void)snprintf(target, sizeof target, "/proc/self/fd/%d", file);
	for (int k = 0; k < 3; k++) {
		(void)snprintf(link, sizeof link, "/tmp/fuzz_bodies.%d%s", (int)getpid(), ends[k]);
		(void)unlink(link);
		if (symlink(target, link))
			abort();
		read_as(link, limit);
		(void)unlink(link);
	}
	(void)close(file);
	if (gb_memory_used(GB_HOST_MEMORY))
		abort();
	return 0;
}
