/* virtual_machine.h -- the clock, the timer and the back end of a simulated machine, for virtual.c.
 *
 * The host's time passes only by what is simulated here.  A device's stream is the instant at which
 * its queued work ends.  While it is held, work and marks are queued relative to the release.  On a
 * CPU, one thread may work in the background while time passes.
 */
#ifndef GPUBENCH_TESTS_CLI_MEASURING_VIRTUAL_MACHINE_H
#define GPUBENCH_TESTS_CLI_MEASURING_VIRTUAL_MACHINE_H

#include <stdio.h>

#include "tests/cli/measuring/virtual.h"

/* Time on the host, in ns. */
enum { VIRTUAL_CALL_NS = 500, VIRTUAL_LAUNCH_NS = 2000 };

struct virtual_mark {
	double at;
	bool held; /* `at` counts from the release */
};

extern struct virtual_state {
	struct virtual_machine machine;
	struct virtual_random random;
	bool is_running;                   /* the system's clocks are those of the machine */
	double now, stream_end, other_end; /* instants */
	double cpu_ns;                     /* CPU time of the process */
	double queued;                     /* work behind the hold */
	double waited_ns;                  /* for a processor, all threads together */
	char waits[64];                    /* the same as the kernel states it */
	double background;                 /* work left to the thread in the background */
	bool held, has_held, cached;
	double noise, throttled_ns;
	int64_t runs, sample, episode;
	struct virtual_mark mark[GB_MAX_MARKS];
	char log[1 << 16];
	size_t logged, calls, late;
	enum virtual_event failed;
} vm;

/* Opens files for reading instead of fopen(); NULL: that does. */
extern FILE *(*virtual_open)(const char *path);

void virtual_note(enum virtual_event event);

/* Note a call that can fail, and whether it does. */
enum gb_status virtual_call(enum virtual_event event, struct gb_error *err);

/* The host works, with one thread. */
void virtual_spend_host(double ns);

/* Do work of this length: on the CPU at once, with all threads; on a device, behind the queue. */
void virtual_spend(double ns);

/* Wait for the thread in the background. */
void virtual_join(void);

/* Wait for the device. */
void virtual_wait(void);

/* The time of the next run. */
double virtual_draw(void);

/* The back end of vm.machine. */
const struct gb_backend_ops *virtual_backend(void);

#endif
