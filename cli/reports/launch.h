/* launch.h -- what one launch of the program tells about a key, and which of two times is shorter.
 *
 * The launch is the unit of evidence (compare.h).  Its value is the median of its samples, in every
 * table, gate and history; on the stored launches it varies no more than the fastest sample does, and it
 * is the time that the launch's own table shows.  Several launches have the median of their values.
 */
#ifndef GPUBENCH_CLI_REPORTS_LAUNCH_H
#define GPUBENCH_CLI_REPORTS_LAUNCH_H

#include "cli/records/record.h"

enum { GB_LAUNCHES = 4 }; /* on each side, before anything is decided */

/* The launch's value: ns, or 1000 cycles of the SM clock.  NAN if it has no valid time (it failed, was
 * skipped or emulated) or, in cycles, no clock. */
double gb_launch_value(const struct gb_record *record, bool in_cycles);

/* The ratio b / a of two verified times and its interval: of launches, GB_LAUNCHES on each side at
 * least, the Hodges-Lehmann ratio; of single launches the quotients of the intervals of their medians,
 * if both have one.  The interval is NAN if there is none, all of it if a time is missing. */
struct gb_ratio gb_time_ratio(const struct gb_record *a, const struct gb_record *b);

/* True if a's time is shorter by the interval of the ratio; the values alone do not decide. */
bool gb_is_faster(const struct gb_record *a, const struct gb_record *b);

#endif
