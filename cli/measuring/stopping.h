/* stopping.h -- when a measurement has samples enough, and whether its result is noisy. */
#ifndef GPUBENCH_CLI_MEASURING_STOPPING_H
#define GPUBENCH_CLI_MEASURING_STOPPING_H

#include "cli/records/result.h"

/* How often --min-time is waited for before a noisy measurement is given up. */
enum { GB_PATIENCE = 10 };

/* Whether the samples in result->time, taken since elapsed_s ago, are enough; then result->stop,
 * outcome and reason say why. */
bool gb_stop_sampling(struct gb_result *result, const struct gb_settings *how, double elapsed_s);

#endif
