/* sample.h -- takes one sample of a measurement: poisons, resets, flushes, holds back and times a
 * run or a batch of runs, as requested, and decides whether the sample counts.
 */
#ifndef GPUBENCH_CLI_MEASURING_SAMPLE_H
#define GPUBENCH_CLI_MEASURING_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/records/result.h"
#include "common/backend.h"
#include "common/timer.h"

/* The state of a measurement. */
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
	struct gb_error *err; /* the error that stopped the measurement */
	int64_t runs;         /* runs so far; the number passed to reset() */
	bool counting;        /* the counter counts the first run */
	int64_t distinct;
	int64_t first; /* number of the run that was the first sample */
	double started_ns;
};

/* How a sample is taken. */
struct gb_manner {
	int64_t batch;
	bool held;     /* queue behind a hold, so that only device time is measured */
	bool phases;   /* mark the phases */
	bool verified; /* the caller verifies afterwards */
	bool counts;   /* a real sample: retake it if the GPU lowered its clocks */
};

/* Run `op` (upload or download) between two marks and store its time in *ns. */
enum gb_status gb_timed_step(struct gb_measurement *m,
			     enum gb_status (*op)(struct gb_measurement *m), double *ns);

/* True if a sample's results are poisoned before it.  All samples with cold caches are, so that a
 * run cannot tell whether it will be verified.  This writes what the run writes again, before the
 * flush.  With hot caches only verified samples are, because poison would change the caches. */
bool gb_is_poisoned(const struct gb_measurement *m, bool verified);

/* Overwrite the last run's result, so that any result found after the next run is its own. */
enum gb_status gb_poison_result(struct gb_measurement *m);

/* Verify the result of the last run; does nothing with --no-verify. */
enum gb_status gb_verify_run(struct gb_measurement *m);

/* Take one sample: poison, reset, flush if cold, run.  *ns and *host_ns are per run.  The sample is
 * taken again if the hold failed or if clocks were lowered meanwhile. */
enum gb_status gb_sample(struct gb_measurement *m, struct gb_manner how, double *ns,
			 double *host_ns);

/* Note in the result if it includes throttled samples or samples that could not be held back. */
void gb_doubt_samples(struct gb_result *result);

#endif
