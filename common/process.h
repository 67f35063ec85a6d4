/* process.h -- starts programs and waits for them. */
#ifndef GPUBENCH_COMMON_PROCESS_H
#define GPUBENCH_COMMON_PROCESS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/status.h"

/* Run the program at a path with argv (argv[0] included, NULL at the end) and our environment.
 * *status is its exit status, 128 + N if signal N ended it, or GB_EINTERRUPTED if we received a
 * signal to end, which sets *interrupted and is passed on.  The program does not outlive this
 * process.  It inherits descriptor `keep` (0: none), and its standard output is descriptor
 * `output` (0: ours).  GB_ERUNTIME if it cannot be started. */
enum gb_status gb_process_run(const char *program, char *const *argv, int keep, int output,
			      volatile sig_atomic_t *interrupted, int *status,
			      struct gb_error *err);

/* Its parts, for several programs at once: */

/* Block the signals that gb_process_wait() waits for; *mask is the previous mask. */
void gb_process_block(sigset_t *set, sigset_t *mask);

/* Start the program with that mask. */
enum gb_status gb_process_start(const char *program, char *const *argv, int keep, int output,
				const sigset_t *mask, pid_t *child, struct gb_error *err);

/* Wait for the first child with the signals of `set` blocked.  An interrupt is passed on to all
 * children as SIGTERM, then as SIGKILL after a second.  Return the exit status: 128 + N if signal
 * N ended the child. */
int gb_process_wait(const pid_t *child, size_t count, const sigset_t *set,
		    volatile sig_atomic_t *interrupted);

#endif
