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

/* Seconds that the measurement would take from create() to destroy(), with the settings `how`, by
 * the trial's durations and the noise of its samples. */
double gb_estimate_s(const struct gb_result *trial, const struct gb_settings *how);

#endif
