/* fuzz_bodies.c -- arbitrary bytes as a .csv and as what they look like: accepted bodies are
 * complete and finite; a refused file leaks nothing.
 */
#include <math.h>

#include "common/memory.h"
#include "datasets/bodies/bodies.h"
#include "tests/fuzz/fuzz.h"

static void read_as(const char *path, size_t limit)
{
	struct octree_input in = { 0 };
	struct gb_error err = { 0 };

	if (gb_bodies_read(path, limit, &in, &err)) {
		if (!err.message[0])
			abort();
	} else {
		if (!in.count || (limit && in.count > limit))
			abort();
		for (size_t i = 0; i < in.count; i++)
			if (!isfinite(in.x[i]) || !isfinite(in.y[i]) || !isfinite(in.z[i]))
				abort();
	}
	gb_host_free(in.x);
	gb_host_free(in.y);
	gb_host_free(in.z);
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
