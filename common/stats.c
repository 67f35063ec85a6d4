/* stats.c -- order statistics, moments and their confidence intervals.
 *
 * The moments take two passes; the second corrects the rounding errors of the first.  The interval
 * of the median is exact: binomial weights are summed outwards from the middle, so that nothing
 * underflows for any count.  The interval of the mean needs Student's t quantile.
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

double gb_median_ranks(size_t count, double level, size_t *low, size_t *high)
{
	/* C(count, i) / C(count, count / 2), for i from the middle down. */
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

/* The number of values beyond Tukey's fences, 1.5 interquartile ranges beyond the quartiles. */
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

/* P(|T| < t) for df degrees of freedom and t = sqrt(df) tan(angle), and its derivative with respect
 * to the angle (Abramowitz and Stegun 26.7.3 and 26.7.4). */
static double central(size_t df, double angle, double *density)
{
	const double factor = df % 2 ? M_2_PI : 1, cosine = cos(angle);
	double term = df % 2 ? cosine : 1, sum = df > 1 ? term : 0;

	for (size_t k = 2 + df % 2; k < df; k += 2) {
		term *= cosine * cosine * (double)(k - 1) / (double)k;
		sum += term;
	}
	*density = df > 1 ? factor * (double)(df - 1) * term * cosine : factor;
	return factor * ((df % 2 ? angle : 0) + sin(angle) * sum);
}

/* Newton's method from below.  The probability is concave in the angle, so no step overshoots. */
double gb_student_quantile(double level, size_t df)
{
	double angle = 0, step;

	if (df < 1 || !(level >= 0 && level < 1))
		return (double)NAN;
	do {
		double density;
		const double error = level - central(df, angle, &density);

		step = error / density;
		angle += step;
	} while (step > 1e-15 * angle);
	return sqrt((double)df) * tan(angle);
}

/* ---- the summary ------------------------------------------------------------------------- */

/* Compute all members but mad. */
static void summarize_sorted(const double *sorted, size_t count, struct gb_summary *summary)
{
	const double mean = mean_of(sorted, count), stddev = stddev_of(sorted, count, mean);
	const double t = gb_student_quantile(GB_LEVEL, count ? count - 1 : 0);
	const double half = t * stddev / sqrt((double)count);
	size_t low, high;

	(void)gb_median_ranks(count, GB_LEVEL, &low, &high);
	*summary = (struct gb_summary){
		.count = count,
		.min = gb_quantile_sorted(sorted, count, 0),
		.q1 = gb_quantile_sorted(sorted, count, 0.25),
		.median = gb_median_sorted(sorted, count),
		.q3 = gb_quantile_sorted(sorted, count, 0.75),
		.max = gb_quantile_sorted(sorted, count, 1),
		.mean = mean,
		.stddev = stddev,
		.ci_low = low ? sorted[low - 1] : (double)NAN,
		.ci_high = low ? sorted[high - 1] : (double)NAN,
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
			return gb_out_of_memory(err, "a summary");
		memcpy(sorted, value, count * sizeof *sorted);
		gb_sort(sorted, count);
	}
	summarize_sorted(sorted, count, summary);
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(sorted[i] - summary->median);
	gb_sort(sorted, count);
	summary->mad = gb_median_sorted(sorted, count);
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
