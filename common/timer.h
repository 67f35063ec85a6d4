/* timer.h -- how a run says what it is doing, on either kind of clock.
 *
 * run() calls gb_phase() when it starts something worth a name; the phase lasts until the next
 * call or the end of the run.  Phases of one name add up, so a loop may repeat them.  On the CPU
 * a mark is a clock reading; on CUDA it is an event in the stream, on
 * Vulkan a timestamp among the commands, read back after the run.
 */
#ifndef GPUBENCH_COMMON_TIMER_H
#define GPUBENCH_COMMON_TIMER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GB_MAX_MARKS = 512, GB_MAX_PHASES = 16 };

struct gb_timer_ops {
	const char *name;     /* "monotonic", "cuda_event", "vulkan_timestamp" */
	double resolution_ns; /* below this two times are not different */
	enum gb_status (*create)(void **clock, struct gb_error *err);
	/* Take mark number `index` (< GB_MAX_MARKS). */
	enum gb_status (*mark)(void *clock, size_t index, struct gb_error *err);
	/* Wait for mark `last`, then tell the time between the two in ns. */
	enum gb_status (*elapsed)(void *clock, size_t first, size_t last, double *ns,
				  struct gb_error *err);
	void (*destroy)(void *clock);
};

struct gb_timer {
	const struct gb_timer_ops *ops;
	void *clock;
	struct gb_error *err; /* of the run under way: gb_phase() has no status of its own */
	bool phases;          /* false: gb_phase() marks nothing */
	bool named;           /* gb_phase() was called */
	size_t mark_count;
	const char *mark_phase[GB_MAX_MARKS]; /* what follows mark i; NULL: no phase */
};

extern const struct gb_timer_ops gb_cpu_timer;

/* Nanoseconds of CLOCK_MONOTONIC. */
double gb_now_ns(void);

void gb_timer_begin(struct gb_timer *timer);
/* What follows is `name` (a literal); NULL ends the phase.  May be called at any time in run().
 * timer: NULL if nothing is timed. */
void gb_phase(struct gb_timer *timer, const char *name);
void gb_timer_end(struct gb_timer *timer);

/* One phase of a finished run, in the order of first appearance. */
struct gb_phase_time {
	const char *name;
	double ns;
};

/* After gb_timer_end(): the whole time, and the phases summed by name; *count in: room, out:
 * phases.  Returns the timer's error if a mark failed. */
enum gb_status gb_timer_read(struct gb_timer *timer, double *total_ns, struct gb_phase_time *phase,
			     size_t *count);

#ifdef __cplusplus
}
#endif
#endif
