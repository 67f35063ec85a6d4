/* plan.h -- --dry-run: what a sweep would take, in memory and in time.
 *
 * Memory is counted by creating everything without touching it.  The time of a measurement is that
 * of the same key among the records of -o FILE.jsonl; else the mean of the variant's others there;
 * else what the stopping rule bounds it by: a tenth of --max-time if the samples agree at once,
 * --max-time if they never do, --timeout if one run is longer than all that.  Preparing the inputs
 * comes on top.
 */
#ifndef GPUBENCH_CLI_MEASURING_PLAN_H
#define GPUBENCH_CLI_MEASURING_PLAN_H

#include "cli/measuring/session.h"

/* Otherwise zero at the start. */
struct gb_plan {
	struct gb_session session;       /* gb_session_plan() */
	size_t measurements, known;      /* of those: with times from earlier records */
	size_t host_bytes, device_bytes; /* the largest */
	double low_s, high_s, at_most_s; /* sums */
};

/* A line for each measurement of the sweep, on standard output. */
enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err);

/* The line for all. */
void gb_plan_total(const struct gb_plan *plan);

#endif
