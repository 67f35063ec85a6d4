/* interrupt.h -- ends a program that does not come back from a variant or an input: after a signal,
 * or because a run hangs.
 *
 * The program's own loops look at gb_interrupted.  A thread watches work that may take long without
 * such a loop: half a second after a signal, or once a run has taken longer than --hang,
 * the watched work is abandoned.  Its threads go on, but what watched it never comes back; the
 * thread writes what is known and ends the process.
 */
#ifndef GPUBENCH_CLI_MEASURE_INTERRUPT_H
#define GPUBENCH_CLI_MEASURE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

#include "common/status.h"

/* Set by the signal handler: measuring stops after the run under way. */
extern volatile sig_atomic_t gb_interrupted;

/* Set gb_interrupted.  For a signal's handler. */
void gb_interrupt(void);

/* Write what is known, without the abandoned work.  err says why: GB_EINTERRUPTED, or GB_ERUNTIME
 * if a run hangs.  `work` is what gb_watch_begin() was given.  Return the exit status. */
typedef enum gb_status gb_abandon(void *self, void *work, struct gb_error *err);

/* Call abandon(self, ...) when work is abandoned; NULL: only end the process. */
void gb_on_abandon(gb_abandon *abandon, void *self);

/* Begin and end what is watched, on one thread.  Each run in it must end within hang_s seconds; 0:
 * it may take for ever. */
void gb_watch_begin(void *work, double hang_s);
void gb_watch_end(void);

/* A run in it begins, or has ended.  Does nothing if nothing is watched. */
void gb_watch_run(bool begins);

/* The end of the program: say the error, unless nothing was said in it, and close standard output.
 * Return the exit status. */
int gb_say_the_end(enum gb_status status, struct gb_error *err);

#endif
