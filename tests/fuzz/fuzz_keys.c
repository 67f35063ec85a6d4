/* fuzz_keys.c -- arbitrary bytes as a raw file of keys: accepted keys are the file's bytes, as many
 * whole keys as requested; a refused file leaks nothing.
 *
 * The first byte selects the size of a key and the limit; the rest is the file.
 */
#include "common/memory.h"
#include "datasets/keys/keys.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t key_size = size && data[0] % 2 ? 8 : 4;
	const size_t limit = size ? data[0] / 2 % 8 : 0;
	const size_t bytes = size ? size - 1 : 0;
	const char *path = fuzz_file(data + (size > 0), bytes, ".keys");
	struct gb_error err = { 0 };
	size_t count = 0;
	void *keys = NULL;

	if (gb_keys_read(path, key_size, limit, &keys, &count, &err)) {
		if (keys || !strstr(err.message, path))
			abort();
	} else {
		if (!count || (limit && count > limit) || count * key_size > bytes ||
		    (!limit && count * key_size != bytes) ||
		    memcmp(keys, data + 1, count * key_size) != 0)
			abort();
		(void)gb_keys_digest(keys, key_size, NULL, count, 0);
	}
	gb_host_free(keys);
	(void)unlink(path);
	if (gb_memory_used(GB_HOST_MEMORY))
		abort();
	return 0;
}
