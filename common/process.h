/* process.h -- starts programs and waits for them. */
#ifndef GPUBENCH_COMMON_PROCESS_H
#define GPUBENCH_COMMON_PROCESS_H

#include <signal.h>

#include "common/status.h"

/* Run the program at a path with argv (argv[0] included, NULL at the end) and our environment.
 * *status is its exit status, 128 + N if signal N ended it, or GB_EINTERRUPTED if we received a
 * signal to end, which sets *interrupted and is passed on.  The program does not outlive this
 * process.  It inherits descriptor `keep` (0: none), and its standard output is descriptor
 * `output` (0: ours).  GB_ERUNTIME if it cannot be started. */
enum gb_status gb_process_run(const char *program, char *const *argv, int keep, int output,
			      volatile sig_atomic_t *interrupted, int *status,
			      struct gb_error *err);

#endif
