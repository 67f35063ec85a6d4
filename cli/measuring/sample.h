/* sample.h -- one sample of a measurement: a run or a batch of runs, poisoned, reset, flushed, held back,
 * timed and verified, as far as it is asked for; and whether it may count.
 */
#ifndef GPUBENCH_CLI_MEASURING_SAMPLE_H
#define GPUBENCH_CLI_MEASURING_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/records/result.h"
#include "common/backend.h"
#include "common/timer.h"

/* What is under way. */
struct gb_measurement {
	struct gb_result *result;
	const struct gb_settings *how;
	const struct gb_variant_ops *ops;
	const struct gb_backend_ops *backend;
	const void *input;
	void *state;
	void *output;
	size_t output_size;
	struct gb_timer timer;
	struct gb_error *err; /* what stopped the measurement */
	int64_t runs;         /* so far: the number passed to reset() */
	bool counting;        /* the first of them is counted */
	int64_t distinct;
	int64_t first; /* the run that was the first sample */
	double started_ns;
};

/* How a sample is taken. */
struct gb_manner {
	int64_t batch;
	bool held;     /* behind a hold: only the device's time counts */
	bool phases;   /* with marks between the phases */
	bool verified; /* poisoned before, verified after */
	bool counts;   /* a sample: not one in which the GPU lowered its clocks */
};

/* Run `op` (upload or download) between two marks; its time to *ns. */
enum gb_status gb_timed_step(struct gb_measurement *m,
			     enum gb_status (*op)(struct gb_measurement *m), double *ns);

/* Overwrite the last run's result, so that what is found there after the next run was written by
 * that one. */
enum gb_status gb_poison_result(struct gb_measurement *m);

/* Verify what the last run has left; nothing with --no-verify. */
enum gb_status gb_verify_run(struct gb_measurement *m);

/* One sample: poison if it is to be verified, reset, flush if cold, run; *ns and *host_ns are per run.
 * One that was to be held back and was not, or during which clocks were lowered, is taken again. */
enum gb_status gb_sample(struct gb_measurement *m, struct gb_manner how, double *ns,
			 double *host_ns);

/* Remark in the result if samples count that should not. */
void gb_doubt_samples(struct gb_result *result);

#endif
