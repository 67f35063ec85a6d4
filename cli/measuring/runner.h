/* runner.h -- the life of one measurement: a variant at a point of a sweep.
 *
 * create, upload, [reset, run] x (warm-ups + samples), download, verify, destroy.  A single sample
 * is sample.h's; when there are enough, stopping.h says.  What came of it is a struct gb_result;
 * record.c turns that into a line of the record file.
 *
 * Verified are the first sample, the last, and one between that the seed chooses; where samples are
 * different work, the first of each; all, if that is asked for.  Before each of these the variant's
 * results are poisoned where run() writes them (gb_memory_result()): what is right afterwards, that
 * run has made.
 */
#ifndef GPUBENCH_CLI_MEASURING_RUNNER_H
#define GPUBENCH_CLI_MEASURING_RUNNER_H

#include <signal.h>
#include <stdbool.h>

#include "cli/records/result.h"

/* Set by the signal handler; the runner stops after the run under way. */
extern volatile sig_atomic_t gb_interrupted;

/* Measure (or, with timed == false, only run once and verify).  workload, variant, params are set
 * in result; the rest is filled.  The status in `code` is the result's, not an error of gb_run:
 * only GB_EINTERRUPTED and exhausted memory for the samples are returned. */
enum gb_status gb_run(struct gb_result *result, const void *input, const struct gb_settings *how,
		      bool timed, struct gb_error *err);

#endif
