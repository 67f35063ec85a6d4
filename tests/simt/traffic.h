/* traffic.h -- how much memory a kernel moves, line by line; C and C++.
 *
 * Only the checker's build counts (simt_traffic_available()), and only when asked to: a request is
 * what one warp asks for with one instruction; a sector is 32 bytes of global memory that it
 * touches; a wavefront is a pass over the 32 banks of shared memory.  32 lanes that read 4 bytes
 * each touch 4 sectors if the addresses follow on each other and 32 if they are scattered.
 *
 * The k-th execution of an instruction by each lane is taken for one request: exact where the
 * lanes of a warp loop equally often.
 */
#ifndef GPUBENCH_TESTS_SIMT_TRAFFIC_H
#define GPUBENCH_TESTS_SIMT_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct simt_traffic {
	const char *kernel; /* as written at the launch */
	const char *file;   /* without folders */
	int line;
	bool shared, write; /* an atomic is a write */
	uint64_t requests;
	uint64_t sectors;    /* global memory only */
	uint64_t bytes;      /* that the lanes asked for */
	uint64_t wavefronts; /* shared memory only */
};

bool simt_traffic_available(void);
/* Forget what was counted, and count from now on. */
void simt_traffic_begin(void);
void simt_traffic_end(void);
/* The counts so far, by kernel, line, space and direction; returns how many rows there are. */
size_t simt_traffic_read(struct simt_traffic *rows, size_t room);
/* The sum over all lines of the kernels whose launch has `kernel` in it (NULL: of all), in one
 * space and direction. */
struct simt_traffic simt_traffic_sum(const char *kernel, bool shared, bool write);

#ifdef __cplusplus
}
#endif
#endif
