/* digest_of.h -- a digest of an array, for the recorded digests of generated inputs. */
#ifndef GPUBENCH_TESTS_DIGEST_OF_H
#define GPUBENCH_TESTS_DIGEST_OF_H

#include <stddef.h>
#include <stdint.h>

/* A digest of the bytes based on FNV-1a, continued from `digest`, which is 0 at first. */
static inline uint64_t digest_of(uint64_t digest, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		digest =
			(digest ^ byte[i] ^ UINT64_C(0xcbf29ce484222325)) * UINT64_C(0x100000001b3);
	return digest;
}

#endif
