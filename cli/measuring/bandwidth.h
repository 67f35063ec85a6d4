/* bandwidth.h -- what the machine can copy: the reference beside every rate. */
#ifndef GPUBENCH_CLI_MEASURING_BANDWIDTH_H
#define GPUBENCH_CLI_MEASURING_BANDWIDTH_H

#include "cli/measuring/runner.h"

/* Bytes per second, read and written added up, that stream's `copy` reaches on this back end with
 * that many threads (CPU) or on how->device (CUDA); NAN if it cannot be measured (not in this
 * build, emulated, too little memory).  Measured once per back end and thread count. */
double gb_copy_bandwidth(enum gb_backend backend, int threads, const struct gb_settings *how);

/* GB_EUSAGE if GPUBENCH_COPY in the environment is no number of bytes. */
enum gb_status gb_copy_check(struct gb_error *err);

#endif
