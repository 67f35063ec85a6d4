/* estimate.h -- what a measurement would take, from a short trial of it (--dry-run). */
#ifndef GPUBENCH_CLI_MEASURING_ESTIMATE_H
#define GPUBENCH_CLI_MEASURING_ESTIMATE_H

#include "cli/records/result.h"

/* The settings of the trial of a measurement with the settings `how`. */
struct gb_settings gb_trial_of(const struct gb_settings *how);

/* True if the samples in result->time are enough for a trial.  elapsed_s is the time since the
 * trial started. */
bool gb_stop_trial(const struct gb_result *result, const struct gb_settings *how, double elapsed_s);

/* True if the trial also does what follows the samples: if that is short. */
bool gb_trial_goes_on(const struct gb_result *result, const struct gb_settings *how);

/* The knowledge of a measurement that a trial gives. */
struct gb_tried {
	struct gb_cost cost;
	double run_s;      /* the runs of a sample, without flush and the like */
	double once_s;     /* the part of cost.before_s that grows with the problem */
	double half_width; /* of the median's interval after one sample, relative to the median */
};

struct gb_tried gb_tried_of(const struct gb_result *trial);

/* The same for a problem whose runs, inputs and results are `factor` times as large. */
struct gb_tried gb_tried_times(const struct gb_tried *tried, double factor);

/* The same of the seconds that making the input takes. */
double gb_input_s(double input_s, double factor);

/* Seconds that the trial of the problem takes at least. */
double gb_trial_s(const struct gb_tried *tried);

/* Seconds that the measurement would take from create() to destroy(), with the settings `how`. */
double gb_estimate_s(const struct gb_tried *tried, const struct gb_settings *how);

#endif
