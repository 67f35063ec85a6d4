/* change.h -- the comparison of one key. */
#ifndef GPUBENCH_CLI_REPORT_COMPARE_CHANGE_H
#define GPUBENCH_CLI_REPORT_COMPARE_CHANGE_H

#include "cli/records/record.h"
#include "cli/report/verdict.h"
#include "common/stats.h"

struct gb_change {
	const char *key; /* points into the records */
	enum gb_verdict_word verdict;
	bool in_base, in_new; /* this side has something to compare */
	char reason[256];     /* reason for the verdict if the numbers do not show it, or "" */
	size_t base_repetitions, new_repetitions;
	bool counted;      /* by counts: base and new_ are those of the one that grew most */
	double base, new_; /* in ns, medians over the repetitions; NAN if there is no time */
	struct gb_ratio ratio;
};

/* Set verdict, reason and numbers by the exact counts of both sides: slower if a count grew by more
 * than the threshold, a fraction. */
void gb_compare_counts(struct gb_change *change, const struct gb_record *base,
		       const struct gb_record *new_, double threshold);

/* Format the evidence for the verdict in one line: the ratio, or why there is none.  Returns
 * text. */
const char *gb_change_text(const struct gb_change *change, char *text, size_t size);

#endif
