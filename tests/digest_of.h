/* digest_of.h -- a number for the bytes of an array: those of generated inputs are kept in tests. */
#ifndef GPUBENCH_TESTS_DIGEST_OF_H
#define GPUBENCH_TESTS_DIGEST_OF_H

#include <stddef.h>
#include <stdint.h>

/* After FNV-1a: a digest of the bytes, continued from `digest`: at first 0. */
static inline uint64_t digest_of(uint64_t digest, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		digest =
			(digest ^ byte[i] ^ UINT64_C(0xcbf29ce484222325)) * UINT64_C(0x100000001b3);
	return digest;
}

#endif
