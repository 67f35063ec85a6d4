/* launch.h -- the value of one launch of the program for a key, and the comparison of two times.
 *
 * The launch is the unit of evidence (compare.h).  Its value is the median of its samples, in every
 * table and gate; it is also the time that the launch's own table shows.  Over the stored
 * launches, the median varies no more than the fastest sample.  The value of several launches is
 * the median of their values.
 */
#ifndef GPUBENCH_CLI_REPORTS_LAUNCH_H
#define GPUBENCH_CLI_REPORTS_LAUNCH_H

#include "cli/records/record.h"

enum { GB_LAUNCHES = 4 }; /* launches on each side, at least, for a verdict */

/* The launch's value in ns.  NAN if it has no valid time: it failed, was skipped or emulated. */
double gb_launch_value(const struct gb_record *record);

/* True if the record has a verified time of hardware. */
bool gb_is_timed(const struct gb_record *record);

/* The ratio b / a of two verified times and its interval.  If both sides have at least GB_LAUNCHES
 * launches, the interval is the gate's (gate.h); if both are single launches, it is
 * the quotient of the intervals of their medians.  Else the interval is NAN; if a time is missing,
 * so is the estimate. */
struct gb_ratio gb_time_ratio(const struct gb_record *a, const struct gb_record *b);

/* True if a's time is shorter: the whole interval of the ratio is above 1. */
bool gb_is_faster(const struct gb_record *a, const struct gb_record *b);

#endif
