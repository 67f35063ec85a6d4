/* stopping.h -- when a measurement has samples enough. */
#ifndef GPUBENCH_CLI_MEASURING_STOPPING_H
#define GPUBENCH_CLI_MEASURING_STOPPING_H

#include "cli/records/result.h"

/* The stopping rule takes no more: a record keeps them all.  --samples may ask for more. */
enum { GB_MAX_SAMPLES = 1000 };

/* How long sampling goes on in any case, by the stopping rule. */
double gb_least_time_s(const struct gb_settings *how);

/* Whether the samples in result->time, taken since elapsed_s ago, are enough; then result->stop says
 * why. */
bool gb_stop_sampling(struct gb_result *result, const struct gb_settings *how, double elapsed_s);

#endif
