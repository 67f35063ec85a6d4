/* verdict.h -- the value of one repetition of the program for a key, and the verdicts.
 *
 * The repetition is the unit of evidence (compare_records.h).  Its value is the median of its samples, in
 * every table and gate; it is also the time that the repetition's own table shows.  Over the stored
 * repetitions, the median varies no more than the fastest sample.  The value of several repetitions
 * is the median of their values.
 */
#ifndef GPUBENCH_CLI_REPORT_VERDICT_H
#define GPUBENCH_CLI_REPORT_VERDICT_H

#include "cli/records/record.h"
#include "cli/report/table.h"

enum { GB_REPETITIONS = 4 }; /* repetitions on each side, at least, for a verdict */

/* The repetition's value in ns.  NAN if it has no valid time: it failed, was skipped or
 * emulated. */
double gb_repetition_value(const struct gb_record *record);

/* True if the record has a verified time of hardware. */
bool gb_is_timed(const struct gb_record *record);

enum gb_verdict_word {
	GB_SAME,   /* within the threshold, with an interval within twice the threshold */
	GB_FASTER, /* beyond the threshold (if there is one), with an interval that excludes 1 */
	GB_SLOWER,
	GB_UNSURE,     /* too few repetitions, or they disagree */
	GB_ABSENT,     /* one side has nothing to compare: not measured, skipped or emulated */
	GB_FAILED_RUN, /* "failed" */
	GB_UNVERIFIED, /* the result was not verified */
	GB_VERDICT_WORDS,
};

/* "slower" */
const char *gb_verdict_text(enum gb_verdict_word verdict);
enum gb_style gb_verdict_style(enum gb_verdict_word verdict);

#endif
