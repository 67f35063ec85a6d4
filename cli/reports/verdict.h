/* verdict.h -- the one vocabulary of conclusions: compare, ab, versus, history and counts. */
#ifndef GPUBENCH_CLI_REPORTS_VERDICT_H
#define GPUBENCH_CLI_REPORTS_VERDICT_H

#include "cli/reports/grid/grid.h"

enum gb_verdict_word {
	GB_SAME,   /* within the threshold, and the interval within twice of it */
	GB_FASTER, /* beyond the threshold, if there is one, and the interval excludes 1 */
	GB_SLOWER,
	GB_UNSURE,     /* the launches are too few or disagree */
	GB_ABSENT,     /* a side has nothing to compare: not measured, skipped or emulated */
	GB_FAILED_RUN, /* "failed" */
	GB_UNVERIFIED, /* nobody verified what the time stands for */
	GB_VERDICT_WORDS,
};

/* "slower" */
const char *gb_verdict_text(enum gb_verdict_word verdict);
enum gb_tint gb_verdict_tint(enum gb_verdict_word verdict);

#endif
