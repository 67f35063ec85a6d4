/* history.h -- the launches of each key in the order of time, their level shifts, and what to think
 * of the newest level.
 *
 * A series is one key on one machine, with cold caches or with hot ones. Its values are those of
 * its launches, one each. What failed, was not verified or was emulated is counted and has no
 * value.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_HISTORY_H
#define GPUBENCH_CLI_REPORTS_HISTORY_HISTORY_H

#include "cli/reports/history/shifts.h"
#include "cli/reports/history/store.h"
#include "cli/reports/verdict.h"

enum gb_order { GB_ORDER_DATE, GB_ORDER_COMMIT };

struct gb_trend {
	const struct gb_stored_series *series;
	/* faster, slower: the newest level, than the one before it; same: there is no shift, or it
	 * is within the threshold; unsure: too few launches. */
	enum gb_verdict_word verdict;
	size_t count; /* of launches with a time, in the order of time */
	double *value;
	const struct gb_stored_run **run; /* of each */
	size_t files;                     /* that these are from */
	size_t kinds[GB_LAUNCH_KINDS];
	size_t undated; /* launches without a date, which are left out */
	size_t failures;
	struct gb_failure {
		const struct gb_stored_run *run;
		const char *reason;
	} * failure;
	double level; /* the median of the newest level; NAN: there is none */
	size_t shifts;
	struct gb_shift *shift;
};

struct gb_history {
	/* How to judge: */
	enum gb_order order;
	double threshold; /* as a share: 0.05 */
	struct gb_shift_rule rule;
	const char *const *glob; /* keys, whole or up to the first space; none: all */
	size_t globs;

	/* Results; they point into the store, which must outlive it. */
	const struct gb_store *store;
	size_t count, verdicts[GB_VERDICT_WORDS];
	struct gb_trend *trend; /* by key, machine, cold first */
};

/* Fill the results.  GB_EUSAGE for a glob that matches no key; GB_EMEMORY. */
enum gb_status gb_history_judge(struct gb_history *history, const struct gb_store *store,
				struct gb_error *err);
void gb_history_release(struct gb_history *history);

/* The exit status: GB_EVERIFY if a newest level is worse than the one before; GB_EUNDECIDED if
 * nothing could be judged; else GB_OK. why (of GB_HISTORY_WHY bytes) is set to the reason, or
 * "". */
enum { GB_HISTORY_WHY = 160 };
enum gb_status gb_history_status(const struct gb_history *history, char *why);

/* The first launch of shift number i of the trend: its run. */
const struct gb_stored_run *gb_first_after(const struct gb_trend *trend, size_t i);

#endif
