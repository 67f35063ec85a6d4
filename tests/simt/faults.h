/* faults.h -- kernels and host code with one seeded fault each: some checker must catch it.
 *
 * usage: faults NAME | --list.  A fault's run() prepares arrays, launches, and compares with what a
 * right program would give; the process then prints "result right", "result wrong" or "result
 * error ...".  That is itself one of the checkers.
 */
#ifndef GPUBENCH_TESTS_SIMT_FAULTS_H
#define GPUBENCH_TESTS_SIMT_FAULTS_H

#include "cuda/gpu.h"

enum { FAULT_BLOCK = 256, FAULT_BLOCKS = 4, FAULT_COUNT = FAULT_BLOCK * FAULT_BLOCKS };

/* What all faults start with; COUNT words each, made by fault_begin(). */
extern uint32_t fault_host[FAULT_COUNT];     /* well mixed */
extern uint32_t fault_expected[FAULT_COUNT]; /* at first a copy of that */
extern uint32_t *fault_in;                   /* the same on the device */
extern uint32_t *fault_out;                  /* zero */
extern uint32_t *fault_words;                /* zero */

struct fault {
	const char *name;
	/* Who is known to catch it, separated by |: reported (by the engine, in any build), wrong
	 * (the result, in forward order), refused (a CUDA error), asan, check, seeds,
	 * reverse, preempt, protect.  Each one named must. */
	const char *caught_by;
	void (*run)(void);
};

extern const struct fault block_faults[]; /* faults_block.cu; ends with a NULL name */
extern const struct fault grid_faults[];  /* faults_grid.cu */
extern const struct fault host_faults[];  /* faults_host.cu */

/* Compare fault_out with fault_expected and print the verdict; does not return. */
void fault_end(void) __attribute__((noreturn));
/* For faults whose result is no array. */
void fault_verdict(bool right) __attribute__((noreturn));

#endif
