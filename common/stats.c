/* stats.c -- order statistics, moments and the intervals around them.
 *
 * The moments are taken in two passes, the second of which corrects the rounding of the first.
 * The interval of the median is exact (binomial weights, summed outwards from the middle, so that
 * nothing underflows for any count); that of the mean needs Student's t quantile, found by a
 * bracketed Newton iteration on the tail probability, which is an incomplete beta function
 * evaluated by its continued fraction (Lentz's method).
 */
#include "common/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a_, const void *b_)
{
	double a = *(const double *)a_, b = *(const double *)b_;

	return (a > b) - (a < b);
}

void gb_sort(double *value, size_t count)
{
	if (count)
		qsort(value, count, sizeof *value, ascending);
}

/* ---- order statistics -------------------------------------------------------------------- */

double gb_quantile_sorted(const double *sorted, size_t count, double p)
{
	double position, whole;
	size_t i;

	if (!count || !(p >= 0 && p <= 1))
		return (double)NAN;
	position = (double)(count - 1) * p;
	whole = floor(position);
	i = (size_t)whole;
	if (i >= count - 1)
		return sorted[count - 1];
	return sorted[i] + (position - whole) * (sorted[i + 1] - sorted[i]);
}

double gb_median_sorted(const double *sorted, size_t count)
{
	return gb_quantile_sorted(sorted, count, 0.5);
}

/* Median of |value - median|, not scaled to a normal's sigma.
 * The deviations from the median fall away from it on both sides, each side in order, so that the
 * middle ones are found by merging the two sides from the centre outwards. */
static double mad_sorted(const double *sorted, size_t count)
{
	double median = gb_median_sorted(sorted, count);
	size_t right = count - count / 2, left = right; /* next: sorted[left - 1], sorted[right] */
	double last = 0, previous = 0;

	if (!count)
		return (double)NAN;
	for (size_t taken = 0; taken <= count / 2; taken++) {
		double below = left > 0 ? fabs(median - sorted[left - 1]) : (double)INFINITY;
		double above = right < count ? fabs(sorted[right] - median) : (double)INFINITY;

		previous = last;
		if (below <= above) {
			last = below;
			left--;
		} else {
			last = above;
			right++;
		}
	}
	return count % 2 ? last : previous + (last - previous) / 2;
}

double gb_median_ranks(size_t count, double level, size_t *low, size_t *high)
{
	/* C(count, i) over C(count, count / 2), for i from the middle down. */
	double weight = 1, total, covered;
	size_t middle = count / 2;

	*low = *high = 0;
	total = count % 2 ? 2 : 1;
	for (size_t i = middle; i > 0 && weight > 1e-20 * total; i--) {
		weight *= (double)i / (double)(count - i + 1);
		total += 2 * weight;
	}
	weight = 1;
	covered = count % 2 ? 2 : 1;
	for (size_t i = middle; i > 0; i--) {
		if (covered >= level * total) {
			*low = i;
			*high = count + 1 - i;
			return fmin(1, covered / total);
		}
		weight *= (double)i / (double)(count - i + 1);
		covered += 2 * weight;
	}
	return (double)NAN;
}

/* How many values are beyond Tukey's fences, 1.5 interquartile ranges beyond the quartiles. */
static size_t count_outliers(const double *sorted, size_t count)
{
	const double q1 = gb_quantile_sorted(sorted, count, 0.25);
	const double q3 = gb_quantile_sorted(sorted, count, 0.75);
	const double low_fence = q1 - 1.5 * (q3 - q1), high_fence = q3 + 1.5 * (q3 - q1);
	size_t outliers = 0;

	for (size_t i = 0; i < count; i++)
		outliers += sorted[i] < low_fence || sorted[i] > high_fence;
	return outliers;
}

/* ---- moments ----------------------------------------------------------------------------- */

static double mean_of(const double *value, size_t count)
{
	double mean = 0, rest = 0;

	if (!count)
		return (double)NAN;
	for (size_t i = 0; i < count; i++)
		mean += value[i];
	mean /= (double)count;
	for (size_t i = 0; i < count; i++)
		rest += value[i] - mean;
	return mean + rest / (double)count;
}

/* Standard deviation of the sample (divisor count - 1). */
static double stddev_of(const double *value, size_t count, double mean)
{
	double squares = 0, rest = 0;

	if (count < 2)
		return (double)NAN;
	for (size_t i = 0; i < count; i++) {
		squares += (value[i] - mean) * (value[i] - mean);
		rest += value[i] - mean;
	}
	squares -= rest * rest / (double)count;
	return sqrt(fmax(0, squares) / (double)(count - 1));
}

/* ---- Student's distribution -------------------------------------------------------------- */

/* Gamma(a + 1/2) / Gamma(a): the quotient itself while both are far from overflow, then the
 * asymptotic series, whose first omitted term is below 1e-16 there. */
static double gamma_ratio(double a)
{
	double s = 1 / a;

	if (a < 100)
		return tgamma(a + 0.5) / tgamma(a);
	return sqrt(a) *
	       (1 + s * (-1. / 8 +
			 s * (1. / 128 +
			      s * (5. / 1024 + s * (-21. / 32768 +
						    s * (-399. / 262144 + s * 869. / 4194304))))));
}

/* 1 / (1 + d1 / (1 + d2 / (1 + ...))), the continued fraction in the incomplete beta function
 * I_x(a, b) (Abramowitz and Stegun 26.5.8), by Lentz's method.  It converges fast for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double value = 1, upper = 1, lower = 0, change = 0;

	for (int n = 1; n < 200000 && fabs(change - 1) > 3e-16; n++) {
		int half = n / 2;
		double m = half, k = a + n;
		double d = n % 2 ? -(a + m) * (a + b + m) * x / ((k - 1) * k)
				 : m * (b - m) * x / ((k - 1) * k);

		upper = 1 + d / upper;
		lower = 1 + d * lower;
		if (fabs(upper) < tiny)
			upper = tiny;
		if (fabs(lower) < tiny)
			lower = tiny;
		lower = 1 / lower;
		change = upper * lower;
		value *= change;
	}
	return 1 / value;
}

/* P(T > r sqrt(df)) - tail for r >= 0, and the density of T / sqrt(df) at r.  Near the centre the
 * probability of (0, r) is what is computed and compared, so that nothing cancels. */
static double tail_error(double r, double df, double tail, double *density)
{
	const double root_pi = 1.7724538509055160273;
	double a = df / 2, constant = gamma_ratio(a) / root_pi;
	double log_x = r < 1e8 ? -log1p(r * r) : -2 * log(r);
	double x = exp(log_x), y = r < 1e8 ? r * r / (1 + r * r) : 1;
	double front = constant * exp(a * log_x) * sqrt(y);

	*density = constant * exp((a + 0.5) * log_x);
	if (x < (a + 1) / (a + 2.5))
		return front * beta_fraction(a, 0.5, x) / df - tail;
	return (0.5 - tail) - front * beta_fraction(0.5, a, y);
}

double gb_student_quantile(double p, double df)
{
	double tail = fmin(p, 1 - p), low = 0, high = 1, r, density;

	if (!(p >= 0 && p <= 1) || !(df > 0))
		return (double)NAN;
	if (tail <= 0)
		return p < 0.5 ? -(double)INFINITY : (double)INFINITY;
	if (tail >= 0.5)
		return 0;
	while (tail_error(high, df, tail, &density) > 0 && isfinite(high)) {
		low = high;
		high *= 2;
	}
	r = low + (high - low) / 2;
	for (int i = 0; i < 200; i++) {
		double error = tail_error(r, df, tail, &density), next;

		if (error > 0)
			low = r;
		else
			high = r;
		next = r + error / density;
		if (!(next > low && next < high))
			next = low + (high - low) / 2;
		if (fabs(next - r) <= 1e-16 * r)
			break;
		r = next;
	}
	return (p < 0.5 ? -r : r) * sqrt(df);
}

/* ---- the summary ------------------------------------------------------------------------- */

static void summarize_sorted(const double *sorted, size_t count, struct gb_summary *summary)
{
	const double mean = mean_of(sorted, count), stddev = stddev_of(sorted, count, mean);
	const double t = gb_student_quantile(0.5 + GB_LEVEL / 2, (double)count - 1);
	const double half = t * stddev / sqrt((double)count);
	size_t low, high;
	const double coverage = gb_median_ranks(count, GB_LEVEL, &low, &high);

	*summary = (struct gb_summary){
		.count = count,
		.min = gb_quantile_sorted(sorted, count, 0),
		.q1 = gb_quantile_sorted(sorted, count, 0.25),
		.median = gb_median_sorted(sorted, count),
		.q3 = gb_quantile_sorted(sorted, count, 0.75),
		.max = gb_quantile_sorted(sorted, count, 1),
		.mean = mean,
		.stddev = stddev,
		.mad = mad_sorted(sorted, count),
		.ci_low = low ? sorted[low - 1] : (double)NAN,
		.ci_high = low ? sorted[high - 1] : (double)NAN,
		.ci_coverage = coverage,
		.mean_ci_low = mean - half,
		.mean_ci_high = mean + half,
		.outliers = count_outliers(sorted, count),
	};
}

enum gb_status gb_summarize(const double *value, size_t count, struct gb_summary *summary,
			    struct gb_error *err)
{
	double *sorted = NULL;

	for (size_t i = 0; i < count; i++)
		if (!isfinite(value[i]))
			return gb_fail(err, GB_ERUNTIME, "value %zu of %zu is not a finite number",
				       i, count);
	if (count) {
		sorted = calloc(count, sizeof *sorted);
		if (!sorted)
			return gb_fail(err, GB_ERUNTIME, "no memory to summarize %zu values",
				       count);
		memcpy(sorted, value, count * sizeof *sorted);
		gb_sort(sorted, count);
	}
	summarize_sorted(sorted, count, summary);
	free(sorted);
	return GB_OK;
}

void gb_floor_interval(struct gb_summary *s, double resolution)
{
	if (isnan(s->ci_low))
		return;
	s->ci_low = fmin(s->ci_low, s->median - resolution);
	s->ci_high = fmax(s->ci_high, s->median + resolution);
}

double gb_relative_half_width(const struct gb_summary *summary)
{
	if (!(summary->median > 0))
		return (double)NAN;
	return (summary->ci_high - summary->ci_low) / 2 / summary->median;
}

const char *gb_width_mark(double half_width)
{
	return half_width > 0.1 ? " wide" : "";
}
