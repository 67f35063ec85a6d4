/* stats_ratio.c -- compares two sets of values by their quotients.
 *
 * Hodges and Lehmann (1963) estimate the shift between two samples by the median of all pairwise
 * differences.  Here the differences are of logarithms, so the shift is a factor.  The k-th
 * smallest and the k-th largest difference bound it with the confidence of the Mann-Whitney test
 * that rejects if fewer than k pairs are on the wrong side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

enum { EXACT_COUNT = 50 };

/* Return ways[u], 0 <= u <= n m: the number of orders of n + m different values in which the
 * Mann-Whitney statistic is u, by Mann and Whitney's recurrence over the side of the last value.
 * The caller frees it; NULL if memory ran out. */
static double *count_orders(size_t n, size_t m)
{
	const size_t most = n * m, width = most + 1;
	double *row = calloc((n + 1) * width, sizeof *row);

	if (!row)
		return NULL;
	/* row[i] counts the orders of i values of one side and the first j of the other. */
	for (size_t i = 0; i <= n; i++)
		row[i * width] = 1;
	for (size_t j = 1; j <= m; j++)
		for (size_t i = 1; i <= n; i++)
			for (size_t u = i * j; u >= j; u--)
				row[i * width + u] += row[(i - 1) * width + u - j];
	memmove(row, row + n * width, width * sizeof *row);
	return row;
}

/* The largest k for which the coverage without the k - 1 outermost pairs on each side is at least
 * level; 0 if there is none.  *coverage is the exact coverage for that k. */
static size_t exact_rank(size_t n, size_t m, double level, double *coverage)
{
	double *ways = count_orders(n, m);
	double total = 0, tail = 0;
	size_t k = 0;

	for (size_t u = 0; ways && u <= n * m; u++)
		total += ways[u];
	while (ways && k <= n * m / 2) {
		tail += ways[k];
		if (1 - 2 * tail / total < level)
			break;
		*coverage = 1 - 2 * tail / total;
		k++;
	}
	free(ways);
	return k;
}

/* The z with P(|Z| < z) = level, by Newton's method from below. */
static double normal_quantile(double level)
{
	double z = 0;

	for (int i = 0; i < 100; i++)
		z += (level - erf(z * M_SQRT1_2)) * sqrt(M_PI_2) * exp(z * z / 2);
	return z;
}

static size_t normal_rank(size_t n, size_t m, double level, double *coverage)
{
	const double a = (double)n, b = (double)m;
	const double z = normal_quantile(level);
	const double k = floor(a * b / 2 - z * sqrt(a * b * (a + b + 1) / 12));

	*coverage = level;
	return k > 0 ? (size_t)k : 0;
}

/* The logarithms of all quotients, ascending; the caller frees them. */
static enum gb_status log_quotients(const double *base, size_t n, const double *other, size_t m,
				    double **quotient, struct gb_error *err)
{
	double *d = malloc((n * m + 1) * sizeof *d);

	*quotient = d;
	if (!d)
		return gb_fail(err, GB_EMEMORY, "out of memory for %zu quotients", n * m);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m; j++) {
			if (!(base[i] > 0) || !(other[j] > 0))
				return gb_fail(err, GB_ERUNTIME,
					       "a value that is not positive has no ratio");
			d[i * m + j] = log(other[j] / base[i]);
		}
	}
	gb_sort(d, n * m);
	return GB_OK;
}

enum gb_status gb_ratio(const double *base, size_t base_count, const double *other,
			size_t other_count, double level, struct gb_ratio *ratio,
			struct gb_error *err)
{
	const size_t n = base_count, m = other_count, pairs = n * m;
	const bool small = n <= EXACT_COUNT && m <= EXACT_COUNT;
	double *d = NULL;
	double coverage = NAN;
	size_t k;

	*ratio = (struct gb_ratio){ NAN, { NAN, NAN, NAN } };
	if (pairs == 0)
		return GB_OK;
	if (!log_quotients(base, n, other, m, &d, err)) {
		ratio->estimate = exp(gb_median_sorted(d, pairs));
		k = small ? exact_rank(n, m, level, &coverage)
			  : normal_rank(n, m, level, &coverage);
		if (k > 0)
			ratio->interval =
				(struct gb_interval){ exp(d[k - 1]), exp(d[pairs - k]), coverage };
	}
	free(d);
	return err->code;
}
