/* stream.h -- what the stream workload and its variants share: how fast memory can be copied.
 *
 * The yardstick beside every other time: no algorithm that has to read and write its data once can
 * be faster than a copy.  STREAM's copy kernel (McCalpin, "Memory bandwidth and machine balance in
 * current high performance computers", 1995), on bytes and of any size.
 */
#ifndef GPUBENCH_COMMON_STREAM_H
#define GPUBENCH_COMMON_STREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stream_params {
	int64_t count; /* bytes to copy */
	int64_t threads;
	int64_t seed;
};

/* The first count bytes of words are copied; an output is count bytes. */
struct stream_input {
	size_t count;
	uint64_t *words; /* word i is gb_random64(seed, i) */
};

#ifdef __cplusplus
}
#endif
#endif
