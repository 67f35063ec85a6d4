/* verdict.h -- the value of one launch of the program for a key, the comparison of two times, and the
 * verdicts.
 *
 * The launch is the unit of evidence (compare.h).  Its value is the median of its samples, in every
 * table and gate; it is also the time that the launch's own table shows.  Over the stored
 * launches, the median varies no more than the fastest sample.  The value of several launches is
 * the median of their values.
 */
#ifndef GPUBENCH_CLI_REPORTS_VERDICT_H
#define GPUBENCH_CLI_REPORTS_VERDICT_H

#include "cli/records/record.h"
#include "cli/reports/table.h"

enum { GB_LAUNCHES = 4 }; /* launches on each side, at least, for a verdict */

/* The launch's value in ns.  NAN if it has no valid time: it failed, was skipped or emulated. */
double gb_launch_value(const struct gb_record *record);

/* True if the record has a verified time of hardware. */
bool gb_is_timed(const struct gb_record *record);

/* The ratio b / a of two verified times and its interval.  If both sides have at least GB_LAUNCHES
 * launches, the interval is that of the Hodges-Lehmann ratio; if both are single launches, it is
 * the quotient of the intervals of their medians.  Else the interval is NAN; if a time is missing,
 * so is the estimate. */
struct gb_ratio gb_time_ratio(const struct gb_record *a, const struct gb_record *b);

/* True if a's time is shorter: the whole interval of the ratio is above 1. */
bool gb_is_faster(const struct gb_record *a, const struct gb_record *b);

enum gb_verdict_word {
	GB_SAME,   /* within the threshold, with an interval within twice the threshold */
	GB_FASTER, /* beyond the threshold (if there is one), with an interval that excludes 1 */
	GB_SLOWER,
	GB_UNSURE,     /* too few launches, or they disagree */
	GB_ABSENT,     /* one side has nothing to compare: not measured, skipped or emulated */
	GB_FAILED_RUN, /* "failed" */
	GB_UNVERIFIED, /* the result was not verified */
	GB_VERDICT_WORDS,
};

/* "slower" */
const char *gb_verdict_text(enum gb_verdict_word verdict);
enum gb_style gb_verdict_style(enum gb_verdict_word verdict);

#endif
