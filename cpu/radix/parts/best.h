/* best.h -- the parts of cpu/best and what they hand to each other.
 *
 *	best.c               the variant: tasks, and which thread works on which
 *	parts/best_split.c   one task into 256 by a digit, by one thread or by all
 *	parts/best_leaf.c    a task that fits the cache, in portable C, stable
 *	parts/best_vector.c  a task that fits the cache, in AVX-512
 */
#ifndef GPUBENCH_CPU_RADIX_PARTS_BEST_H
#define GPUBENCH_CPU_RADIX_PARTS_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/radix/parts/common.h"
#include "cpu/radix/parts/digit.h"
#include "cpu/simd.h"

/* Sort the records begin .. begin + count - 1, which agree in bits `top` and above.  They lie in
 * cpu.record, or in cpu.spare if in_spare; either way that range of both arrays is the task's
 * own, and the result belongs into cpu.record.  raw: the bits of floats, not yet in order. */
struct radix_task {
	size_t begin, count;
	unsigned top;
	bool in_spare, raw;
};

/* What a look at the records of a task tells. */
struct radix_survey {
	size_t count[RADIX_DIGITS]; /* by the digit at `shift` */
	bool sorted;
};

/* A thread's own memory. */
struct radix_worker {
	void *full;        /* a leaf of records, for sorting by vectors, else NULL */
	uint16_t *half[2]; /* a leaf of half keys each, for u32 with VBMI2, else NULL */
};

/* The most records of a leaf, by what still is fast with a core's own cache. */
enum {
	RADIX_LEAF_MAX_32 = 1 << 19,
	RADIX_LEAF_MAX_64 = 1 << 14,
	RADIX_LEAF_MAX_STABLE = 1 << 16,
};

/* ---- parts/best_split.c -------------------------------------------------------------------- */

enum radix_found {
	RADIX_WAS_SPLIT,  /* the records were moved to the other array */
	RADIX_WAS_EQUAL,  /* all keys are equal: nothing was moved */
	RADIX_WAS_SORTED, /* they lie in cpu.record in order: nothing was moved */
};

/* Move the records of a task to the other array, ordered by the first digit that tells them
 * apart, by `threads` threads.  survey has room for one per thread.  task->top may shrink to
 * where keys differ; *shift is the digit's lowest bit, which is the children's top; digit d begins
 * at task->begin + first[d]. */
enum radix_found radix_split(const struct radix_cpu *cpu, struct radix_task *task, int threads,
			     struct radix_survey *survey, unsigned *shift,
			     size_t first[RADIX_DIGITS + 1]);

/* ---- leaves: sort a task of so many records into cpu.record -------------------------------- */

void radix_leaf_stable(const struct radix_cpu *cpu, const struct radix_task *task);
/* For keys without values, `simd` at least CPU_AVX512.  Equal keys cannot be told apart, so it
 * need not be stable. */
void radix_leaf_vector(const struct radix_cpu *cpu, const struct radix_task *task,
		       const struct radix_worker *worker, enum cpu_simd simd);

#endif
