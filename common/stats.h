/* stats.h -- summaries and ratios of measured values.
 *
 * All functions are pure.  Only gb_summarize() allocates, temporarily.  Parameters
 * named `sorted` must be ascending: see gb_sort().  No value may be NaN.  Results that too few
 * values do not determine are NAN.
 */
#ifndef GPUBENCH_COMMON_STATS_H
#define GPUBENCH_COMMON_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

/* The confidence level of the intervals in struct gb_summary. */
#define GB_LEVEL 0.95

/* Sort in place, ascending. */
void gb_sort(double *value, size_t count);

/* The p-quantile, 0 <= p <= 1, by linear interpolation between the order statistics around
 * (count - 1) p: R's type 7, numpy's default.  NAN if count is 0. */
double gb_quantile_sorted(const double *sorted, size_t count, double p);
double gb_median_sorted(const double *sorted, size_t count);

/* A confidence interval; NAN if there is none. */
struct gb_interval {
	double low, high;
};

/* The order statistics that bound the median of any continuous distribution: ranks *low and *high =
 * count + 1 - *low (from 1) are the closest symmetric pair with coverage >= level.  Return the
 * exact coverage, 1 - 2 P(Binomial(count, 1/2) < *low).  If there are too few values (count < 6 at
 * 95 %), return NAN and set the ranks to 0. */
double gb_median_ranks(size_t count, double level, size_t *low, size_t *high);

/* The t with P(|T| < t) = level for Student's distribution with df >= 1 degrees of freedom; NAN for
 * other df and for a level outside [0, 1).  Takes O(df) time. */
double gb_student_quantile(double level, size_t df);

/* An estimate of a ratio; low and high are NAN if there are too few values for an interval. */
struct gb_ratio {
	double estimate;
	struct gb_interval interval;
};

/* A summary in the unit of the values; the intervals are at GB_LEVEL. */
struct gb_summary {
	size_t count;
	double min, q1, median, q3, max;
	double mean, stddev;    /* stddev of the sample: divisor count - 1; NAN if count < 2 */
	double mad;             /* median of |value - median| */
	double ci_low, ci_high; /* interval of the median, by ranks */
	double mean_ci_low, mean_ci_high; /* mean -+ t stddev / sqrt(count) */
	size_t outliers; /* beyond Tukey's fences: 1.5 interquartile ranges beyond the quartiles */
};

/* Summarize values in any order.  count == 0 is valid and gives NAN everywhere.  GB_ERUNTIME if a
 * value is not finite or there is no memory for a copy. */
enum gb_status gb_summarize(const double *value, size_t count, struct gb_summary *summary,
			    struct gb_error *err);

/* Widen the interval of the median, if there is one, to at least `resolution` on either side.  This
 * is the resolution of the clock: values may be equal only because it is too coarse. */
void gb_floor_interval(struct gb_summary *summary, double resolution);

/* Half the interval of the median divided by the median.  The stopping rule bounds it by --rel-ci.
 * NAN if there is no interval or the median is not positive. */
double gb_relative_half_width(const struct gb_summary *summary);

/* " wide" if the relative half-width exceeds 0.1, else "". */
const char *gb_width_mark(double half_width);

#endif
