/* compare.h -- two sets of records, key by key: what became faster, became slower, or is undecided.
 *
 * The unit of evidence is the launch of a program: samples within one share its memory layout, its
 * clocks and its neighbours, and comparing two builds by the samples of one launch each gives false
 * alarms most of the time.  So each launch gives one value per key (launch.h), and the
 * values of both sides are compared by their ratio (gb_ratio()).  With fewer than four launches on
 * a side nothing is decided.
 *
 * Every verdict has the evidence for it: a change is one beyond the threshold by an interval that
 * excludes 1; `same` is a ratio within the threshold by an interval that excludes changes of twice
 * the threshold.  All else is unsure, and says why.
 *
 * Exact counts need no statistics: each that differs is reported as worse, better or changed.
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_COMPARE_H
#define GPUBENCH_CLI_REPORTS_COMPARE_COMPARE_H

#include "cli/records/lines.h"
#include "cli/reports/compare/setups.h"
#include "cli/reports/launch.h"
#include "cli/reports/verdict.h"
#include "common/stats.h"

struct gb_comparison {
	/* How to compare: */
	double level;      /* of the intervals: GB_LEVEL, or that of a look (looks.h) */
	double threshold;  /* as a share: 0.05 */
	double floor_ns;   /* smaller differences are no difference */
	bool in_cycles;    /* of the SM clock, where both sides have it; else by time */
	bool unverified;   /* records that nobody verified count like others */
	bool judge_counts; /* a count that became worse is a failure, too */

	/* What passes (gb_comparison_status()): */
	bool allow_missing;
	double max_unsure; /* keys, or a share of those compared */
	bool unsure_is_share;

	/* Results: */
	size_t count, verdicts[GB_VERDICT_WORDS];
	size_t missing; /* of those absent: in base, and nothing in new */
	struct gb_change *change;
	struct gb_setups setups; /* of the runs that the keys in common are from */
	size_t counted;          /* keys with exact counts on both sides */
	size_t counts_worse, counts_better, counts_changed; /* changed: neither */
};

/* One key.  Values are ns, or thousands of cycles. */
struct gb_change {
	const char *key; /* points into the records */
	enum gb_verdict_word verdict;
	bool in_base, in_new; /* there is something to compare */
	char why[256];        /* the verdict, if the numbers do not say it; or "" */
	bool in_cycles;
	size_t base_launches, new_launches;
	double base, new_; /* medians over the launches; NAN: no time */
	struct gb_ratio ratio;
	const struct gb_record *base_counts, *new_counts; /* with counts; NULL: none */
};

/* Fill the results, keys in the order in which they appear.  Both lists must outlive it.
 * GB_ERUNTIME if memory ran out. */
enum gb_status gb_compare(struct gb_comparison *comparison, const struct gb_records *base,
			  const struct gb_records *new_, struct gb_error *err);
void gb_comparison_release(struct gb_comparison *comparison);

/* The exit status: GB_EVERIFY if something is slower or broken, or has a count that is worse and
 * judged; else GB_EUNDECIDED if nothing could be decided, or what was not is more than what
 * passes; else GB_OK.  why (of GB_WHY bytes) is set to the reason, or "". */
enum { GB_WHY = 256 };
enum gb_status gb_comparison_status(const struct gb_comparison *comparison, char *why);

#endif
