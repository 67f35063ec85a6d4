/* compare_records.h -- compares two sets of records by key: faster, slower, the same or undecided.
 *
 * The unit of evidence is the repetition of a program.  Samples within one repetition share its
 * memory layout, clocks and neighbours, so comparing two builds by the samples of a single launch
 * each mostly gives false alarms.  Each launch therefore gives one value per key (gate.h), and
 * the values of both sides are compared by gate.h, with one error rate for all keys.  With fewer
 * than four repetitions on a side, nothing is decided.
 *
 * Every verdict needs evidence.  Everything else is unsure, with the reason.  An unsure key is not
 * a pass.
 *
 * A key whose code has the same hash on both sides, in the same setup, is unchanged, and its times are
 * not judged.
 *
 * Exact counts need no statistics.  They decide keys that have counts on both sides and no times.
 */
#ifndef GPUBENCH_CLI_REPORT_COMPARE_COMPARE_RECORDS_H
#define GPUBENCH_CLI_REPORT_COMPARE_COMPARE_RECORDS_H

#include "cli/records/lines.h"
#include "cli/report/compare/gate.h"
#include "cli/report/compare/setups.h"

enum { GB_FLOOR_NS = 100 }; /* smaller differences are ignored */

/* The comparison of one key. */
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

struct gb_comparison {
	/* Set by the caller: */
	struct gb_gate gate; /* gate.keys is a result */
	bool all;            /* unchanged keys are judged, too */
	bool allow_missing;  /* keys that only base has do not matter */

	/* Results: */
	size_t count, verdicts[GB_VERDICT_WORDS];
	size_t missing; /* absent keys that only base has */
	struct gb_change *change;
	struct gb_setups setups; /* setups of the runs that both sides have keys of */
};

/* Fill the results, with keys in order of first appearance.  Both lists must outlive it.
 * GB_EMEMORY. */
enum gb_status gb_compare(struct gb_comparison *comparison, const struct gb_records *base,
			  const struct gb_records *new_, struct gb_error *err);
void gb_comparison_release(struct gb_comparison *comparison);

/* The exit status.  GB_EVERIFY if a key is slower or failed; else GB_EUNDECIDED if nothing could be
 * decided or a key is undecided; else GB_OK.
 * reason (GB_REASON_MAX bytes) is set to the reason in one line. */
enum { GB_REASON_MAX = 320 };
enum gb_status gb_comparison_status(const struct gb_comparison *comparison, char *reason);

/* Format the evidence for the verdict in one line: the ratio, or why there is none.  Returns
 * text. */
const char *gb_change_text(const struct gb_change *change, char *text, size_t size);

/* ---- print_comparison.c, formats.c ------------------------------------------------------------ */

/* Print the differences in setup, the keys and the number of each verdict.
 * Formats for people show only keys that changed, unless `all` is true. */
enum gb_status gb_comparison_print(FILE *file, const struct gb_comparison *comparison, bool all,
				   enum gb_format format, struct gb_error *err);

/* JUnit XML, as read by Jenkins, GitLab and report actions of GitHub: a case per key, whose class is
 * the variant.  Slower is a failure, failed is an error, undecided is skipped with the reason. */
void gb_junit_print(FILE *file, const struct gb_comparison *comparison);

/* Workflow commands of GitHub Actions: an error for each key that is slower or failed, a warning
 * for each undecided key, and a notice with the totals. */
void gb_github_print(FILE *file, const struct gb_comparison *comparison);

#endif
