/* best_split.h -- cpu/best: splits one task into 256 by a digit, by one thread or by all. */
#ifndef GPUBENCH_CPU_RADIX_PARTS_BEST_SPLIT_H
#define GPUBENCH_CPU_RADIX_PARTS_BEST_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/radix/parts/records.h"
#include "cpu/sort/digit.h"

/* Sort the records begin .. begin + count - 1, which agree in bits `top` and above.  They lie in
 * cpu.record, or in cpu.spare if in_spare.  That range of both arrays belongs to the task, and the
 * result goes to cpu.record.  raw: the records are the bits of floats, not yet numbers of their
 * order. */
struct radix_task {
	size_t begin, count;
	unsigned top;
	bool in_spare, raw;
};

/* Result of one thread's survey of its records of a task. */
struct radix_survey {
	size_t count[RADIX_DIGITS]; /* records by the digit at `shift` */
};

enum radix_found {
	RADIX_WAS_SPLIT, /* the records were moved to the other array */
	RADIX_WAS_EQUAL, /* all keys are equal; nothing was moved */
};

/* Move the records of a task to the other array, ordered by the first digit in which they differ,
 * by `threads` threads.  survey has one entry per thread.  task->top may shrink to where keys
 * differ.  *shift is the digit's lowest bit, which is the children's top; digit d begins at
 * task->begin + first[d]. */
enum radix_found radix_split(const struct radix_cpu *cpu, struct radix_task *task, int threads,
			     struct radix_survey *survey, unsigned *shift,
			     size_t first[RADIX_DIGITS + 1]);

/* True if a sample of a large task has few distinct highest digits, so that a split by a digit
 * would do little. */
bool radix_is_skewed(const struct radix_cpu *cpu, const struct radix_task *task);

#endif
