/* sample.h -- takes one sample of a measurement: changes the input, poisons, resets, flushes, holds
 * back and times a run or a batch of runs, as requested, and decides whether the sample counts.
 */
#ifndef GPUBENCH_CLI_MEASURING_SAMPLE_H
#define GPUBENCH_CLI_MEASURING_SAMPLE_H

#include "cli/measuring/measurement.h"

/* Take one sample: change the input, poison, reset, flush if cold, run.  *ns and *host_ns are per
 * run.  The sample is taken again if the hold failed or if clocks were lowered meanwhile. */
enum gb_status gb_sample(struct gb_measurement *m, struct gb_manner how, double *ns,
			 double *host_ns);

/* Run once more without reset().  *ns is NAN if it would include launches. */
enum gb_status gb_run_again(struct gb_measurement *m, double *ns);

/* Note in the result if it includes throttled samples or samples that could not be held back. */
void gb_doubt_samples(struct gb_result *result);

#endif
