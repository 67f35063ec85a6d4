/* check.h -- internals of our checker.
 *
 * Kernels compiled with gcc's -fsanitize=thread call __tsan_read4() and its like at every access.
 * These files are linked instead of libtsan and receive the calls:
 *
 *	check.cc          the calls; bounds, uninitialised reads, host memory, preemption
 *	check_race.cc     races, by barrier, __syncwarp, acquire and release
 *	check_symbol.cc   from code address to file and line
 *
 * Everything runs on one OS thread.  Each 4 bytes of device and shared memory have a cell.
 */
#ifndef GPUBENCH_TESTS_SIMT_CHECK_H
#define GPUBENCH_TESTS_SIMT_CHECK_H

#include "tests/simt/engine.h"

/* The last access to a word: enough to decide whether it is ordered before a new one. */
struct access {
	uint32_t launch;     /* 0: never */
	uint32_t block;      /* number in the grid */
	uint32_t pc;         /* see symbol_offset() */
	uint32_t barriers;   /* barriers that the block had passed */
	uint32_t warp_syncs; /* __syncwarp()s that the thread had passed */
	uint32_t time;       /* on the clock of acquires and releases */
	uint16_t thread;
	uint8_t bytes;                /* set of the four bytes */
	bool atomic : 1, several : 1; /* several: other threads have read too since the barrier */
};

struct cell {
	struct access write, read;
	uint8_t valid;       /* bytes that belong to an object */
	uint8_t initialised; /* bytes that have been written */
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

/* The checker's state of a loaded block. */
struct block_check {
	struct cell *cells; /* cells of its arena */
	uint32_t number;
	uint32_t barriers;
	uint32_t acquired; /* last acquire of any thread of the block */
	/* the same at the last barrier, which makes it visible to all threads */
	uint32_t all_acquired;
	uint32_t warp_syncs[MAX_THREADS];
	/* last acquire, by itself or by a lane before a __syncwarp() with it */
	uint32_t thread_acquired[MAX_THREADS];
	uint32_t thread_released[MAX_THREADS];
	uint32_t syncs_released[MAX_THREADS]; /* warp_syncs of the thread at its last release */
};

/* check.cc: true if this pair of places was not reported before. */
bool check_is_new(uint32_t kind, uint32_t pc, uint32_t other);

/* check_race.cc */
void race_launch(uint64_t blocks);
void race_block(struct block_check *c);
void race_touch(const struct touch *t, struct cell *cell, unsigned bytes);

/* check_symbol.cc: the program and the plug-ins that contain code compiled for the checker.
 * symbol_offset() packs the module's number and the offset in it.  symbol_line() is like
 * "radix_split.cu:33", the line of the kernel itself rather than of the emulator's headers.  The
 * string is never freed. */
void symbol_add(const void *code);      /* the module of this address, if it is new */
int symbol_module(const void *address); /* the number of the module; -1: none */
uint32_t symbol_offset(const void *code);
const char *symbol_line(uint32_t pc);

#endif
