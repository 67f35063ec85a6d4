/* compare.h -- two sets of records, key by key: what became faster, became slower, or is undecided.
 *
 * The unit of evidence is the launch of a program: samples within one share its memory layout, its
 * clocks and its neighbours, and comparing two builds by the samples of one launch each gives false
 * alarms most of the time.  So each launch gives one value per key, its fastest sample, and the
 * values of both sides are compared by their ratio (gb_ratio()).  With fewer than four launches on
 * a side nothing is called faster or slower.
 *
 * Exact counts need no statistics: each that differs is reported as worse, better or changed.
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_H
#define GPUBENCH_CLI_REPORTS_COMPARE_H

#include "cli/records/lines.h"
#include "common/stats.h"

enum gb_verdict_word {
	GB_SAME,   /* within the threshold */
	GB_FASTER, /* beyond the threshold, and the interval excludes 1 */
	GB_SLOWER,
	GB_UNSURE,  /* beyond the threshold, but the launches are too few or disagree */
	GB_MISSING, /* had a time in base, has none in new */
	GB_NEW,     /* the other way round */
	GB_BROKEN,  /* failed or timed out in new */
	GB_NO_TIME, /* on neither side: skipped, or emulated */
	GB_VERDICT_WORDS,
};

enum { GB_LAUNCHES = 4 }; /* on each side, before anything is called faster or slower */

struct gb_comparison {
	/* How to compare: */
	double threshold;  /* as a share: 0.05 */
	double floor_ns;   /* smaller differences are no difference */
	bool by_median;    /* a launch's value is its median instead of its minimum */
	bool in_cycles;    /* of the SM clock, where both sides have it; else by time */
	bool judge_counts; /* a count that became worse is a failure, too */

	/* Results: */
	size_t count, verdicts[GB_VERDICT_WORDS];
	struct gb_change *change;
	size_t counted; /* keys with exact counts on both sides */
	size_t counts_worse, counts_better, counts_changed; /* changed: neither */
};

/* One key.  Values are ns, or thousands of cycles. */
struct gb_change {
	const char *key; /* points into the records */
	enum gb_verdict_word verdict;
	bool in_cycles;
	size_t base_launches, new_launches;
	double base, new_; /* medians over the launches; NAN: no time */
	struct gb_ratio ratio;
	const char *note; /* why there is no time, or NULL; points into the records */
	const cJSON *base_counts, *new_counts; /* in the records; NULL: none */
};

/* Fill count, verdicts and change, in the order in which keys appear.  Both lists must outlive it.
 * GB_ERUNTIME if memory ran out. */
enum gb_status gb_compare(struct gb_comparison *comparison, const struct gb_records *base,
			  const struct gb_records *new_, struct gb_error *err);
void gb_comparison_release(struct gb_comparison *comparison);

/* GB_EVERIFY if something is slower or broken, or has a count that is worse and judged, else GB_OK:
 * the exit status. */
enum gb_status gb_comparison_status(const struct gb_comparison *comparison);

#endif
