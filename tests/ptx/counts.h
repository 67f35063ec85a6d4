/* counts.h -- exact counts of what a kernel did: the first page of a profiler, without its times. */
#ifndef GPUBENCH_TESTS_PTX_COUNTS_H
#define GPUBENCH_TESTS_PTX_COUNTS_H

#include "tests/ptx/ptx.h"

/* Requests of warps to one memory: how they spread, and the least that so many bytes need. */
struct traffic_count {
	uint64_t requests, parts, least; /* parts: sectors of 32 bytes, or wavefronts */
};

struct counts {
	uint64_t launches, blocks, threads;
	uint64_t instructions[CLASSES], lanes[CLASSES];
	uint64_t branches, divergent;
	struct traffic_count global_load, global_store, global_atomic;
	struct traffic_count shared_load, shared_store, shared_atomic;
	uint64_t chain; /* longest, of dependent global loads */
};

enum access { LOADS, STORES, UPDATES };
struct warp;
/* A request of the lanes in mask, each for `bytes` at its address. */
void count_global(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes);
void count_shared(struct warp &w, enum access access, uint32_t mask, const uint64_t at[32],
		  unsigned bytes);
/* An instruction is about to run. */
void count_instruction(struct warp &w, const struct instruction &i, uint32_t mask);
/* The launch is over: add up what the workers counted. */
void counts_collect(const struct kernel *k, const struct counts *counts);
void counts_launched(const struct kernel *k);

#endif
