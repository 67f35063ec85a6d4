/* splits.h -- finds the best splits of intervals of a series, by the ranks of their values.
 *
 * Candidates for shifts.h come from seeded binary segmentation (Kovacs et al., Biometrika 110,
 * 2023): a fixed set of intervals of all lengths, in each of which the split with the largest
 * Mann-Whitney statistic is found.
 *
 * The probability of a statistic is computed without permutations.  The tail of one Mann-Whitney
 * statistic is the saddlepoint approximation of its exact distribution (Barndorff-Nielsen's r*).
 * The tail of the maximum over the splits of an interval is bounded as by Miller and Siegmund
 * (Biometrics 38, 1982).
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SPLITS_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SPLITS_H

#include <stdbool.h>
#include <stddef.h>

/* The split of an interval with the largest statistic: [begin, at) and [at, end). */
struct gb_split {
	size_t begin, end, at; /* at is begin if there is no split */
	double z;              /* its absolute normal deviate */
	double p;              /* probability that the maximum exceeds z by chance */
};

/* A series and working memory. */
struct gb_splitter {
	const double *value;
	size_t count, segment;   /* segment: minimum number of values on each side, >= 2 */
	size_t most_splits;      /* maximum result of gb_splits_find() */
	struct gb_ranked *order; /* the values of an interval, ascending */
	double *rank;            /* their ranks within it */
};

/* count must be at least 2 * segment.  False if memory ran out; must be released also then. */
bool gb_splitter_init(struct gb_splitter *splitter, const double *value, size_t count,
		      size_t segment);
void gb_splitter_release(struct gb_splitter *splitter);

/* Find the significant splits of the seeded intervals; found has room for most_splits.  Each p is
 * multiplied by the number of layers and the number of intervals in its layer, so a series without
 * a shift has at most `candidates` such splits on average.  Returns their number. */
size_t gb_splits_find(struct gb_splitter *splitter, double candidates, struct gb_split *found);

/* The best split of [begin, end) alone.  `inflation` is the factor by which correlation of
 * neighbours increases the statistic's variance over that of independent values. */
struct gb_split gb_split_of(struct gb_splitter *splitter, size_t begin, size_t end,
			    double inflation);

/* The normal deviate with the tail probability of a Mann-Whitney statistic u of n and m values: u
 * of the n m pairs are in one order, the others in the other. */
double gb_mann_whitney_deviate(size_t n, size_t m, double u);

/* The probability that the maximum statistic over all splits of `count` values, with at least
 * `segment` on each side, has a deviate beyond z in either direction. */
double gb_largest_deviate_p(double z, size_t count, size_t segment);

#endif
