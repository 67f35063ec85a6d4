/* fuzz_keys.c -- arbitrary bytes as a file of keys of each type: a raw file gives its bytes, as many
 * whole keys as requested, and another at most its limit; a refused file leaks nothing.
 *
 * The first byte selects the type and the limit; the rest is the file.
 */
#include "common/memory.h"
#include "datasets/keys/keys.h"
#include "datasets/reading/reader.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const enum radix_type type = size ? data[0] % RADIX_TYPES : RADIX_U32;
	const size_t key_size = radix_key_size(type), limit = size ? data[0] / RADIX_TYPES % 8 : 0;
	const size_t bytes = size ? size - 1 : 0;
	const char *path = fuzz_file(data + (size > 0), bytes, ".keys");
	struct gb_error err = { 0 };
	struct radix_input in = { .type = type, .key_size = key_size };

	if (gb_keys_read(path, limit, &in, &err)) {
		if (!strstr(err.message, path))
			abort();
	} else {
		if (!in.count || (limit && in.count > limit))
			abort();
		if (strcmp(gb_reader_notes()->format, "raw keys") == 0 &&
		    !strstr(gb_reader_notes()->text, "unpacked") &&
		    (in.count != (limit && limit < bytes / key_size ? limit : bytes / key_size) ||
		     memcmp(in.keys, data + 1, in.count * key_size) != 0))
			abort();
	}
	gb_host_free(in.keys);
	(void)unlink(path);
	if (gb_memory_used(GB_HOST_MEMORY))
		abort();
	return 0;
}
