/* best_runs.h -- cpu/best: merges a few neighbouring runs, in place, by all threads. */
#ifndef GPUBENCH_CPU_RADIX_PARTS_BEST_RUNS_H
#define GPUBENCH_CPU_RADIX_PARTS_BEST_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/radix/parts/records.h"
#include "cpu/simd.h"

enum { RADIX_MOST_RUNS = 4 }; /* the merges of more take longer than a sort */

struct radix_runs {
	const struct radix_cpu *cpu; /* floats as numbers of their order */
	size_t begin[RADIX_MOST_RUNS + 1];
	size_t count; /* run i: records begin[i] .. begin[i + 1] - 1, which ascend */
	void *buffer;
	size_t room; /* records in the buffer, any number of them */
	int threads;
	enum cpu_simd simd;
	bool words; /* records are compared whole, for which simd is at least CPU_AVX2 */
};

/* Merge all runs, stably. */
void radix_merge_runs(const struct radix_runs *runs);

#endif
