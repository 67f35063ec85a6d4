/* best_split.h -- cpu/best: one task into 256 by a digit, by one thread or by all. */
#ifndef GPUBENCH_CPU_RADIX_PARTS_BEST_SPLIT_H
#define GPUBENCH_CPU_RADIX_PARTS_BEST_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/radix/parts/records.h"
#include "cpu/sort/digit.h"

/* Sort the records begin .. begin + count - 1, which agree in bits `top` and above.  They lie in
 * cpu.record, or in cpu.spare if in_spare; either way that range of both arrays is the task's
 * own, and the result belongs into cpu.record.  raw: the bits of floats, not yet in order. */
struct radix_task {
	size_t begin, count;
	unsigned top;
	bool in_spare, raw;
};

/* What a thread found in its records of a task. */
struct radix_survey {
	size_t count[RADIX_DIGITS]; /* by the digit at `shift` */
	bool sorted;
};

enum radix_found {
	RADIX_WAS_SPLIT,  /* the records were moved to the other array */
	RADIX_WAS_EQUAL,  /* all keys are equal: nothing was moved */
	RADIX_WAS_SORTED, /* they lie in cpu.record in order: nothing was moved */
};

/* Move the records of a task to the other array, ordered by the first digit in which they
 * differ, by `threads` threads.  survey has room for one per thread.  task->top may shrink to
 * where keys differ; *shift is the digit's lowest bit, which is the children's top; digit d begins
 * at task->begin + first[d]. */
enum radix_found radix_split(const struct radix_cpu *cpu, struct radix_task *task, int threads,
			     struct radix_survey *survey, unsigned *shift,
			     size_t first[RADIX_DIGITS + 1]);

/* Whether a look at some records of a task, of which there are many, says that a split by a digit would do
 * little: their highest digits are few. */
bool radix_is_skewed(const struct radix_cpu *cpu, const struct radix_task *task);

#endif
