/* history.h -- the launches of each key in order of time, their level shifts, and a verdict on the
 * newest level.
 *
 * A series is one key on one machine, with cold or with hot caches.  Each launch contributes one
 * value.  Launches that failed, were not verified or were emulated are counted but have no value.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_HISTORY_H
#define GPUBENCH_CLI_REPORTS_HISTORY_HISTORY_H

#include "cli/reports/history/shifts.h"
#include "cli/reports/history/store.h"
#include "cli/reports/verdict.h"

enum gb_order { GB_ORDER_DATE, GB_ORDER_COMMIT };

struct gb_trend {
	const struct gb_stored_series *series;
	/* faster, slower: the newest level against the one before; same: there is no shift, or one
	 * within the threshold; unsure: too few launches, or a slower level whose p is too large
	 * for all series together. */
	enum gb_verdict_word verdict;
	size_t count; /* launches with a time, in order of time */
	double *value;
	const struct gb_stored_run **run; /* the run of each launch */
	size_t files;                     /* number of files that these are from */
	size_t kinds[GB_LAUNCH_KINDS];
	size_t undated; /* launches without a date, which are omitted */
	size_t failures;
	struct gb_failure {
		const struct gb_stored_run *run;
		const char *reason;
	} * failure;
	double level; /* the median of the newest level; NAN if there is none */
	size_t shifts;
	struct gb_shift *shift;
};

struct gb_history {
	/* Set by the caller: */
	enum gb_order order;
	double threshold; /* as a fraction: 0.05 */
	double error;     /* the chance that any series without a shift is called slower: 0.05 */
	struct gb_shift_rule rule;
	const char *const *glob; /* match keys, or keys up to the first space; no globs: all keys */
	size_t globs;

	/* Results, which point into the store; the store must outlive them. */
	const struct gb_store *store;
	size_t count, verdicts[GB_VERDICT_WORDS];
	struct gb_trend *trend; /* sorted by key, machine, cold before hot */
};

/* Fill the results.  GB_EUSAGE for a glob that matches no key; GB_EMEMORY. */
enum gb_status gb_history_judge(struct gb_history *history, const struct gb_store *store,
				struct gb_error *err);
void gb_history_release(struct gb_history *history);

/* The exit status: GB_EVERIFY if a newest level is slower than the one before; GB_EUNDECIDED if one
 * may be, or if nothing could be judged; else GB_OK.  why (GB_HISTORY_WHY bytes) is set to the
 * reason, or "". */
enum { GB_HISTORY_WHY = 160 };
enum gb_status gb_history_status(const struct gb_history *history, char *why);

/* The run of the first launch after shift i of the trend. */
const struct gb_stored_run *gb_first_after(const struct gb_trend *trend, size_t i);

#endif
