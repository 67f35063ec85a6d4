/* verdict.h -- the verdicts shared by compare, ab and counts. */
#ifndef GPUBENCH_CLI_REPORTS_VERDICT_H
#define GPUBENCH_CLI_REPORTS_VERDICT_H

#include "cli/reports/table.h"

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
