/* check.h -- the inside of the own checker.
 *
 * Kernels compiled with gcc's -fsanitize=thread call __tsan_read4() and its like at every access;
 * linked with these files instead of libtsan the calls come here:
 *
 *	check.cc          the calls; bounds, uninitialised reads, host memory, preemption
 *	check_race.cc     races, by barrier, __syncwarp, acquire and release
 *	check_symbol.cc   from code address to file and line
 *
 * All runs on one OS thread.  Each 4 bytes of device and shared memory have a cell of their own.
 */
#ifndef GPUBENCH_TESTS_SIMT_CHECK_H
#define GPUBENCH_TESTS_SIMT_CHECK_H

#include "tests/simt/engine.h"

/* Who touched the word last, and when: enough to tell whether that came before an access now. */
struct access {
	uint32_t launch;     /* 0: never */
	uint32_t block;      /* number in the grid */
	uint32_t pc;         /* from the start of the program */
	uint32_t barriers;   /* that the block had passed */
	uint32_t warp_syncs; /* that the thread had passed */
	uint32_t time;       /* on the clock of acquires and releases */
	uint16_t thread;
	uint8_t bytes;                /* which of the four */
	bool atomic : 1, several : 1; /* several: other threads have read, too, since the barrier */
};

struct cell {
	struct access write, read;
	uint8_t valid;       /* which bytes belong to an object */
	uint8_t initialised; /* which bytes have been written */
};

enum direction { DIRECTION_READ, DIRECTION_WRITE, DIRECTION_UPDATE };

/* One access, as the checkers see it. */
struct touch {
	uintptr_t address;
	unsigned size;
	enum direction direction;
	bool atomic, shared;
	uint32_t pc;
};

/* What the checker keeps for a block that is loaded. */
struct block_check {
	struct cell *cells; /* of its arena */
	uint32_t number;
	uint32_t barriers;
	uint32_t acquired;     /* when some thread of the block did last */
	uint32_t all_acquired; /* the same at the last barrier: all threads see that since */
	uint32_t warp_syncs[MAX_THREADS];
	uint32_t thread_acquired[MAX_THREADS]; /* itself, or a lane before a __syncwarp() with it */
	uint32_t thread_released[MAX_THREADS];
	uint32_t syncs_released[MAX_THREADS]; /* warp_syncs of the thread as it released last */
};

/* check.cc: report once for each pair of places. */
bool check_is_new(uint32_t kind, uint32_t pc, uint32_t other);

/* check_race.cc */
void race_launch(uint64_t blocks);
void race_block(struct block_check *c);
void race_touch(const struct touch *t, struct cell *cell, unsigned bytes);

/* check_symbol.cc: "radix_split.cu:33", of the kernel's own line and not of the emulator's headers;
 * lives for ever. */
uint32_t symbol_offset(const void *code);
const char *symbol_line(uint32_t pc);

#endif
