/* stopping.h -- when warm-up and sampling end. */
#ifndef GPUBENCH_CLI_MEASURE_STOPPING_H
#define GPUBENCH_CLI_MEASURE_STOPPING_H

#include "cli/measure/result.h"
#include "cli/records/settings.h"

/* The GPU's clock and temperature, and since when they have been so; { 0 } at first. */
struct gb_steady {
	bool begun;
	double since_s, temperature_c, sm_clock_hz;
};

/* Take a reading at now_s.  Return how long no reading has differed by more than 1 degree or 2 % of
 * the clock; unknown values do not differ. */
double gb_steady_s(struct gb_steady *steady, const struct gb_gpu_state *state, double now_s);

/* The stopping rule takes no more, because a record keeps all samples.  --samples may ask for
 * more. */
enum { GB_MAX_SAMPLES = 1000 };

/* The least time that the stopping rule samples for. */
double gb_least_time_s(const struct gb_settings *how);

/* True if the samples of the record are enough; its stop_reason then says why.  elapsed_s is the
 * time since the measurement started. */
bool gb_stop_sampling(struct gb_result *result, const struct gb_settings *how, double elapsed_s);

#endif
