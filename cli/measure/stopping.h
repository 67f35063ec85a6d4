/* stopping.h -- decides when a measurement has enough samples. */
#ifndef GPUBENCH_CLI_MEASURE_STOPPING_H
#define GPUBENCH_CLI_MEASURE_STOPPING_H

#include "cli/measure/result.h"
#include "cli/records/settings.h"

/* The stopping rule takes no more, because a record keeps all samples.  --samples may ask for
 * more. */
enum { GB_MAX_SAMPLES = 1000 };

/* The least time that the stopping rule samples for. */
double gb_least_time_s(const struct gb_settings *how);

/* True if the samples of the record are enough; its stop_reason then says why.  elapsed_s is the
 * time since the measurement started. */
bool gb_stop_sampling(struct gb_result *result, const struct gb_settings *how, double elapsed_s);

/* True if the median of each phase is known well enough: half its interval is at most --rel-ci
 * times the median of `time`.  Never with settings->for_paper. */
bool gb_phases_are_narrow(const struct gb_record *record, const struct gb_settings *how);

/* A random sample between the first and the last of those that are certain to be taken, to be
 * verified. */
int64_t gb_choose_sample(const struct gb_settings *how);

#endif
