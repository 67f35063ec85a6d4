/* plan.h -- --dry-run: lists the measurements of a sweep with the memory that each would take, or
 * prints their records (-o -), which are skipped.
 *
 * Everything is allocated and nothing touched; no device is opened.
 */
#ifndef GPUBENCH_CLI_MEASURE_PLAN_H
#define GPUBENCH_CLI_MEASURE_PLAN_H

#include "cli/measure/session.h"

/* All members but session start as zero. */
struct gb_plan {
	struct gb_session session; /* gb_session_plan() */
	size_t measurements, skipped;
	size_t host_bytes, device_bytes; /* the largest */
};

/* Print a line for each measurement of the sweep to standard output. */
enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err);

/* Print the totals. */
void gb_plan_total(const struct gb_plan *plan);

#endif
