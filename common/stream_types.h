/* stream.h -- the interface of the stream benchmark (copy bandwidth) and its variants.
 *
 * Copy bandwidth is the reference for all other times: an algorithm that must read and write its
 * data once cannot be faster than a copy.  The kernel is STREAM's copy (McCalpin, "Memory bandwidth
 * and machine balance in current high performance computers", 1995) for any number of bytes.
 */
#ifndef GPUBENCH_COMMON_STREAM_TYPES_H
#define GPUBENCH_COMMON_STREAM_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct stream_params {
	int64_t count; /* bytes to copy */
	int64_t threads;
	int64_t seed;
};

/* The first count bytes of words are copied.  An output is count bytes. */
struct stream_input {
	size_t count;
	uint64_t *words; /* word i is half i % 2 of random block i / 2 */
};

/* Words that hold so many bytes. */
static inline size_t stream_words(size_t count)
{
	return (count + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

#endif
