/* logrank.h -- exact permutation tests of two sets of values by log-rank scores.
 *
 * All values are ranked together, smallest first.  The value of rank r of N has the score
 * 1/r + 1/(r+1) + ... + 1/N, so small values weigh most: launches of a busy machine agree on how
 * fast the program can be, and differ in how slow it was (Savage, "Contributions to the theory of
 * rank order statistics", 1956).  The statistic is the sum of the scores of one side.  If launches
 * are exchangeable, each choice of ranks for that side is equally likely, so tail probabilities are
 * counted, without assuming a distribution.  Scores are rounded to integers, which keeps the test
 * exact.
 *
 * Values are given as ascending logarithms.  A test at log_ratio asks whether the other side
 * differs from base times that ratio.  Ties are broken against the alternative that is tested.
 */
#ifndef GPUBENCH_COMMON_LOGRANK_H
#define GPUBENCH_COMMON_LOGRANK_H

#include <stdint.h>

#include "common/stats.h"

/* The distribution for one pair of sizes.  Start with { 0 }. */
struct gb_logrank {
	size_t base, other; /* numbers of values */
	int64_t *score;     /* score[r]: of rank r, from 0 */
	int64_t sum;        /* of all scores */
	double variance;    /* of the statistic; used if there is no table of probabilities */
	size_t most;        /* largest statistic */
	double *at_most, *at_least; /* probability that the statistic is <= or >= s; may be NULL */
};

/* The number of values, of both sides together, up to which probabilities are counted; above, they
 * are those of the normal distribution. */
enum { GB_LOGRANK_EXACT = 1000 };

/* Count the distribution; both sides have values.  GB_EMEMORY. */
enum gb_status gb_logrank_init(struct gb_logrank *test, size_t base, size_t other,
			       struct gb_error *err);
void gb_logrank_release(struct gb_logrank *test);

/* The probability of a difference at least as large, if the other side is base times the ratio. */
double gb_logrank_slower(const struct gb_logrank *test, const double *base, const double *other,
			 double log_ratio);
double gb_logrank_faster(const struct gb_logrank *test, const double *base, const double *other,
			 double log_ratio);

/* The ratio at which the statistic crosses its mean, and the interval of the ratios that a test in
 * each direction does not reject at (1 - level) / 2; NAN if too few values determine it.
 * GB_EMEMORY. */
enum gb_status gb_logrank_ratio(const struct gb_logrank *test, const double *base,
				const double *other, double level, struct gb_ratio *ratio,
				struct gb_error *err);

#endif
