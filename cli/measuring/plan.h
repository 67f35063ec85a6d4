/* plan.h -- --dry-run: estimates the memory and time that a sweep would take.
 *
 * Memory is counted by allocating everything without touching it.  The time of a measurement is
 * that of the same key in the records of -o FILE.jsonl, or else the mean over the variant's records
 * there.  Without records it is a range given by the stopping rule: a tenth of --max-time if the
 * samples agree at once, --max-time if they never do, --timeout if one run takes longer than that.
 * Preparing the inputs is not included.
 */
#ifndef GPUBENCH_CLI_MEASURING_PLAN_H
#define GPUBENCH_CLI_MEASURING_PLAN_H

#include "cli/measuring/session.h"

/* All members but session start as zero. */
struct gb_plan {
	struct gb_session session;       /* gb_session_plan() */
	size_t measurements, known;      /* known: those timed by earlier records */
	size_t host_bytes, device_bytes; /* the largest */
	double low_s, high_s, at_most_s; /* sums */
};

/* Print a line for each measurement of the sweep to standard output. */
enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err);

/* Print the totals. */
void gb_plan_total(const struct gb_plan *plan);

#endif
