/* bandwidth.h -- measures the machine's copy bandwidth, the reference for all rates. */
#ifndef GPUBENCH_CLI_MEASURE_BANDWIDTH_H
#define GPUBENCH_CLI_MEASURE_BANDWIDTH_H

#include "cli/measure/measure.h"

/* Bytes per second, read plus written, that stream's `copy` reaches on this back end with that many
 * threads (CPU) or on how->device (GPU).  NAN if it cannot be measured: not in this build,
 * emulated, too little memory.  Measured once per back end and number of threads; `again` measures
 * it once more, for the machine may have been busy, and keeps the larger value. */
double gb_copy_bandwidth(enum gb_backend backend, int threads, const struct gb_settings *how,
			 bool again);

/* Remember a bandwidth. */
void gb_copy_remember(enum gb_backend backend, int threads, double bytes_per_s);

/* Mark a result as doubtful if it has read its input, but for what hot caches can hold, faster than
 * the back end copies.  Its output may still be in a cache.  Call it whenever
 * the record's copy_bytes_per_s is measured. */
void gb_doubt_rate(struct gb_result *result);

/* Give the record its copy bandwidth, and doubt its rate.  The copy is measured again before a
 * doubt stays, because the machine may have been busy. */
void gb_compare_with_copy(struct gb_result *result, const struct gb_settings *how);

/* GB_EUSAGE if GPUBENCH_COPY in the environment is not a number of bytes. */
enum gb_status gb_copy_check(struct gb_error *err);

#endif
