/* stats.h -- summaries of measured values, and their ratios.
 *
 * Pure functions of their arguments.  Only gb_summarize() and gb_ratio() allocate, for their own
 * time.  Where a name says `sorted`, the values are ascending: see gb_sort().  No
 * value may be NaN.  What too few values do not determine is NAN, never a guess.
 */
#ifndef GPUBENCH_COMMON_STATS_H
#define GPUBENCH_COMMON_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The confidence level of the intervals in struct gb_summary. */
#define GB_LEVEL 0.95

/* Ascending, in place. */
void gb_sort(double *value, size_t count);

/* The p-quantile, 0 <= p <= 1, by linear interpolation between the order statistics around
 * (count - 1) p: R's type 7, numpy's default.  NAN if count is 0. */
double gb_quantile_sorted(const double *sorted, size_t count, double p);
double gb_median_sorted(const double *sorted, size_t count);

/* A confidence interval; low and high are NAN if there is none. */
struct gb_interval {
	double low, high;
	double coverage; /* the probability that it really has; NAN if there is none */
};

/* The order statistics that bound the median of any continuous distribution: ranks *low and *high
 * = count + 1 - *low (from 1) are the closest symmetric ones with coverage >= level.  Returns that
 * exact coverage, 1 - 2 P(Binomial(count, 1/2) < *low).  Too few values for any (count < 6 at
 * 95 %): NAN, and the ranks are 0. */
double gb_median_ranks(size_t count, double level, size_t *low, size_t *high);

/* t with P(|T| < t) = level for Student's distribution with df >= 1 degrees of freedom; NAN for other
 * df and for a level outside [0, 1).  Takes time in proportion to df. */
double gb_student_quantile(double level, size_t df);

/* By what factor values of one kind differ from those of another: the Hodges-Lehmann estimate, the
 * median of all quotients other / base, and the interval that inverts the Mann-Whitney test: exact
 * for up to 50 values a side, from the normal approximation above.  low and high are NAN if there
 * are too few values for any interval (3 a side at 95 %, say). */
struct gb_ratio {
	double estimate;
	struct gb_interval interval;
};

/* All values must be positive.  GB_ERUNTIME if one is not, or memory ran out; counts of 0 give
 * NAN. */
enum gb_status gb_ratio(const double *base, size_t base_count, const double *other,
			size_t other_count, double level, struct gb_ratio *ratio,
			struct gb_error *err);

/* In the values' own unit; the intervals are at GB_LEVEL. */
struct gb_summary {
	size_t count;
	double min, q1, median, q3, max;
	double mean, stddev; /* of the sample: divisor count - 1; NAN if count < 2 */
	double mad;          /* median of |value - median| */
	double ci_low, ci_high, ci_coverage; /* of the median, by ranks */
	double mean_ci_low, mean_ci_high;    /* mean -+ t stddev / sqrt(count) */
	size_t outliers; /* beyond Tukey's fences: 1.5 interquartile ranges beyond the quartiles */
};

/* Summarize values in any order.  count == 0 is valid: everything is NAN.  GB_ERUNTIME if a value
 * is not finite or there is no memory for a copy. */
enum gb_status gb_summarize(const double *value, size_t count, struct gb_summary *summary,
			    struct gb_error *err);

/* Widen the interval of the median, if there is one, to at least `resolution` on either side: that of
 * the clock, whose values may agree because it tells no more. */
void gb_floor_interval(struct gb_summary *summary, double resolution);

/* Half the interval of the median as a share of the median, what the stopping rule bounds by
 * --rel-ci.  NAN if there is no interval or the median is not positive. */
double gb_relative_half_width(const struct gb_summary *summary);

/* " wide" beside an interval of which half is more than a tenth of the median, else "". */
const char *gb_width_mark(double half_width);

#ifdef __cplusplus
}
#endif
#endif
