/* counts.h -- exact counts of what kernels did: the first page of a profiler, without its times.
 *
 * The CUDA back end switches them on and off (struct gb_counter of common/backend.h); what is launched
 * in between is counted, and runs under the one fixed schedule.
 */
#ifndef GPUBENCH_TESTS_PTX_COUNTS_H
#define GPUBENCH_TESTS_PTX_COUNTS_H

#include "tests/ptx/ptx.h"

/* Requests of warps to one memory: how they spread, and the least that so many bytes need. */
struct traffic_count {
	uint64_t requests, parts, least; /* parts: sectors of 32 bytes, or wavefronts */
	uint64_t turns;                  /* of atomics: the most lanes at one address */
};

struct counts {
	uint64_t launches, blocks, threads;
	uint64_t instructions[CLASSES], lanes[CLASSES];
	uint64_t branches, divergent;
	uint64_t barriers; /* of blocks and clusters, times the warps that waited there */
	uint64_t grid_barriers;
	struct traffic_count global_load, global_store, global_atomic;
	struct traffic_count shared_load, shared_store, shared_atomic;
	uint64_t chain; /* the longest of dependent global loads; summed over launches */
};

enum access { LOADS, STORES, UPDATES };
struct warp;
/* A request of the lanes in mask, each for `bytes` at its address. */
void count_global(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes);
void count_shared(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes);
/* An atomic addition: is it that of block 0 in gpu_grid_sync()? */
void count_addition(struct warp &w, uint32_t addend);
/* An instruction is about to run; it cannot yet, and will be counted when it does. */
void count_instruction(struct warp &w, const struct instruction &i, uint32_t mask);
void count_postponed(struct warp &w, const struct instruction &i, uint32_t mask);
bool counts_on(void);
/* The only schedule under which counts are the same every time. */
void counts_fix_schedule(void);
/* The launch is over: add what its worker counted. */
void counts_collect(const struct kernel *k, const struct counts *counts);

#endif
