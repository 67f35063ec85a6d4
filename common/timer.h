/* timer.h -- times a run and its phases on any back end.
 *
 * run() calls gb_phase() when a phase starts; the phase lasts until the next call or the end of the
 * run.  The times of phases with the same name are added, so a loop may repeat them.  A mark is a
 * clock reading on the CPU, an event in the stream on CUDA, and a timestamp among the commands on
 * Vulkan, read back after the run.
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
	const char *name; /* "monotonic", "cuda_event", "vulkan_timestamp" */
	enum gb_status (*create)(void **clock, struct gb_error *err);
	/* Take mark number `index` (< GB_MAX_MARKS). */
	enum gb_status (*mark)(void *clock, size_t index, struct gb_error *err);
	/* Wait for mark `last`, then compute the time between the two marks in ns. */
	enum gb_status (*elapsed)(void *clock, size_t first, size_t last, double *ns,
				  struct gb_error *err);
	void (*destroy)(void *clock);
};

struct gb_timer {
	const struct gb_timer_ops *ops;
	void *clock;
	struct gb_error *err; /* error of the current run, as gb_phase() returns no status */
	bool phases;          /* false: gb_phase() marks nothing */
	bool named;           /* gb_phase() was called */
	bool in_range;
	/* For a profiler: start a range of that name, or end the last one (NULL).  If it is set, a
	 * phase is a range, and marks nothing. */
	void (*range)(const char *name);
	size_t mark_count;
	const char *mark_phase[GB_MAX_MARKS]; /* the phase that follows mark i; NULL: none */
};

extern const struct gb_timer_ops gb_cpu_timer;

/* The clock's resolution: smaller differences cannot be measured.  It is the smallest step seen
 * between the times of some hundred marks, never 0.  The first call measures and takes less than a
 * millisecond; later calls with the same operations return its result, because a process uses one
 * device.  The device must be idle, and no run may be in progress: the marks are overwritten. */
enum gb_status gb_timer_resolution(const struct gb_timer_ops *ops, void *clock, double *ns,
				   struct gb_error *err);

/* Nanoseconds of CLOCK_MONOTONIC. */
double gb_now_ns(void);

void gb_timer_begin(struct gb_timer *timer);
/* Start phase `name` (a literal); NULL only ends the current phase.  May be called at any time in
 * run().  timer may be NULL. */
void gb_phase(struct gb_timer *timer, const char *name);
void gb_timer_end(struct gb_timer *timer);

/* A phase of a finished run. */
struct gb_phase_time {
	const char *name;
	double ns;
};

/* After gb_timer_end(): compute the total time and the phases, summed by name, in the order of
 * first appearance.  *count is the room in `phase`, then the number of phases.  Returns the timer's
 * error if a mark failed. */
enum gb_status gb_timer_read(struct gb_timer *timer, double *total_ns, struct gb_phase_time *phase,
			     size_t *count);

#ifdef __cplusplus
}
#endif
#endif
