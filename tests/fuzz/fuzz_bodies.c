/* fuzz_bodies.c -- arbitrary bytes as a .csv and as what they look like: accepted bodies are
 * complete and finite; a refused file leaks nothing.
 */
#include <math.h>

#include "common/memory.h"
#include "datasets/bodies/bodies.h"
#include "tests/fuzz/fuzz.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const endings[] = { ".csv", ".any" };

	for (int k = 0; k < 2; k++) {
		const char *path = fuzz_file(data, size, endings[k]);

		read_as(path, size ? data[0] % 4 : 0);
		(void)unlink(path);
	}
	if (gb_memory_used(GB_HOST_MEMORY))
		abort();
	return 0;
}
