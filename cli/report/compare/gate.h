/* gate.h -- decides the keys of a gate: slower, faster, the same, or not yet known.
 *
 * The repetitions of both sides are ranked together, fastest first.  The repetition of rank r of N
 * has the score 1/r + 1/(r+1) + ... + 1/N (Savage's or log-rank score), which gives the fastest
 * repetitions the most weight: repetitions of a busy machine agree on how fast a program can be.
 * The statistic is the sum of the new side's scores.  If both builds are equal and their
 * repetitions exchangeable, each choice of ranks is equally likely, so p is counted, without
 * assuming a distribution.  Scores are rounded to integers, ties are broken against the
 * alternative; both keep the test exact.
 *
 * The repetition is the unit of evidence (compare_records.h).  Its value is the median of its
 * samples, in every table and gate, and also the time that the repetition's own table shows.  At a
 * look, a key whose estimated
 * ratio is
 *
 *	above 1 + t	is slower if p of a ratio of 1 is at most error / (looks * keys),
 *	else		is the same if p of a ratio of 1 + 2 t is at most 1/70 at the first look and
 *			0.003 at later ones; it is faster if its ratio is also below 1 / (1 + t) and
 *			p of a ratio of 1, in the other direction, is at most that level.
 *
 * The first look that decides counts.  By the union bound, an unchanged build is called slower at
 * any key with a chance of at most `error`, and a key that is slower by 2 t passes with a chance of
 * at most 1/70 + 9 * 0.003 = 4.1 %.
 */
#ifndef GPUBENCH_CLI_REPORT_COMPARE_GATE_H
#define GPUBENCH_CLI_REPORT_COMPARE_GATE_H

#include <stdbool.h>

#include "cli/records/record.h"
#include "cli/report/table.h"
#include "common/stats.h"

enum gb_verdict_word {
	GB_SAME,      /* within the threshold, with an interval within twice the threshold */
	GB_UNCHANGED, /* not judged: both sides ran the same code in the same setup */
	GB_FASTER,    /* beyond the threshold (if there is one), with an interval that excludes 1 */
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

/* Looks are at 4, 6, 9, 13, 19, 28, 42, 63, 94 and 140 repetitions a side.  Repetitions beyond
 * GB_GATE_MOST are ignored. */
enum { GB_GATE_LOOKS = 10, GB_GATE_LEAST = 4, GB_GATE_MOST = 140 };
extern const size_t gb_gate_looks[GB_GATE_LOOKS];

struct gb_gate {
	double error;     /* of all keys together: 0.05 */
	double threshold; /* t as a fraction: 0.05 */
	size_t keys;      /* number of keys that share the error */
	size_t looks;     /* the first so many of gb_gate_looks; 0: one look at all repetitions */
};

/* The distributions that were counted.  Start with { 0 }. */
struct gb_gate_tests {
	size_t count;
	struct gb_gate_test *test;
};
void gb_gate_release(struct gb_gate_tests *tests);

/* The values of one key, one per repetition, in order of time. */
struct gb_gate_values {
	const double *base, *other;
	size_t base_count, other_count;
};

struct gb_gate_result {
	enum gb_verdict_word verdict; /* GB_SLOWER, GB_FASTER, GB_SAME or GB_UNSURE */
	/* At the last look: the ratio at which p crosses 1/2, and its 95 % interval.  NAN if there
	 * is no value, or none narrow enough. */
	struct gb_ratio ratio;
};

/* The probability of so slow or, if `faster`, so fast repetitions if the other side took `ratio`
 * times as long as base.  The values are ascending logarithms; both sides have some.  NAN if memory
 * ran out. */
double gb_gate_p(struct gb_gate_tests *tests, const struct gb_gate_values *logs, double ratio,
		 bool faster);

/* True if so many repetitions, all of them slower than those of base, would make a key slower. */
bool gb_gate_suffices(const struct gb_gate *gate, size_t base, size_t other);

/* Judge one key.  Sides without values are unsure.  GB_EMEMORY; GB_ERUNTIME for a value that is not
 * positive. */
enum gb_status gb_gate_judge(const struct gb_gate *gate, struct gb_gate_tests *tests,
			     const struct gb_gate_values *values, struct gb_gate_result *result,
			     struct gb_error *err);

/* The ratio alone, of all repetitions. */
enum gb_status gb_gate_ratio(struct gb_gate_tests *tests, const struct gb_gate_values *values,
			     struct gb_ratio *ratio, struct gb_error *err);

/* The repetition's value in ns.  NAN if it has no valid time: it failed, was skipped or
 * emulated. */
double gb_repetition_value(const struct gb_record *record);

/* True if the record has a verified time of hardware. */
bool gb_is_timed(const struct gb_record *record);

/* The ratio b / a of two verified times and its interval.  If both sides have at least
 * GB_GATE_LEAST repetitions, the interval is that of their values; if both are single repetitions,
 * it is the quotient of the intervals of their medians.  Else the interval is NAN; if a time is
 * missing, so is the estimate. */
struct gb_ratio gb_time_ratio(const struct gb_record *a, const struct gb_record *b);

/* True if a's time is shorter: the whole interval of the ratio is above 1. */
bool gb_is_faster(const struct gb_record *a, const struct gb_record *b);

#endif
