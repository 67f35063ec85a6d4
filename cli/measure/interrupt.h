/* interrupt.h -- ends work that a signal would have to wait for.
 *
 * The program's own loops look at gb_interrupted.  One run of a variant, the verification of a
 * result or the making of an input may take minutes without such a loop. */
#ifndef GPUBENCH_CLI_MEASURE_INTERRUPT_H
#define GPUBENCH_CLI_MEASURE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/* Set by the signal handler: the runner stops after the run under way. */
extern volatile sig_atomic_t gb_interrupted;

/* Set gb_interrupted.  For a signal's handler. */
void gb_interrupt(void);

/* Call work(self).  False if gb_interrupt() was called before, or half a second before the end.
 * The work is then left: its memory stays, and its threads stop.  The caller's next steps must
 * end within .3 s, or the program ends, with status GB_EINTERRUPTED. */
bool gb_ends(void (*work)(void *self), void *self);

/* True if work was left: the process must end by _exit(), since others wait for its threads. */
bool gb_was_left(void);

#endif
