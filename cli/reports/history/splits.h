/* splits.h -- where intervals of a series are split best, by the ranks of their values.
 *
 * Candidates for shifts.h come from seeded binary segmentation (Kovacs et al., Biometrika 110, 2023): a
 * fixed set of intervals of all lengths, in each of which the split with the largest Mann-Whitney
 * statistic is sought.
 *
 * How improbable a statistic is needs no permutations: the tail of one Mann-Whitney statistic is the
 * saddlepoint approximation of its exact distribution (Barndorff-Nielsen's r*); that of the largest over
 * the splits of an interval is bounded as by Miller and Siegmund (Biometrics 38, 1982).
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SPLITS_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SPLITS_H

#include <stdbool.h>
#include <stddef.h>

/* The split of an interval with the largest statistic: [begin, at) and [at, end). */
struct gb_split {
	size_t begin, end, at; /* at is begin if there is none */
	double z;              /* its normal deviate, without sign */
	double p;              /* that the largest one in the interval is beyond z by chance */
};

/* A series, and room to work in. */
struct gb_splitter {
	const double *value;
	size_t count, segment;   /* segment: values on each side of a split, at least; >= 2 */
	size_t most_splits;      /* that gb_splits_find() finds */
	struct gb_ranked *order; /* the values of an interval, ascending */
	double *rank;            /* their ranks within it */
};

/* At least 2 segment values.  False if memory ran out; release it also then. */
bool gb_splitter_init(struct gb_splitter *splitter, const double *value, size_t count,
		      size_t segment);
void gb_splitter_release(struct gb_splitter *splitter);

/* The splits of the seeded intervals that are worth a look; found has room for most_splits.  Each p is
 * multiplied by how many layers there are and intervals in its layer, so that a series without a shift
 * has at most `candidates` of them on average.  Returns how many. */
size_t gb_splits_find(struct gb_splitter *splitter, double candidates, struct gb_split *found);

/* The best split of [begin, end) by itself, where neighbours are alike so that the statistic's
 * variance is `inflation` times that of independent values. */
struct gb_split gb_split_of(struct gb_splitter *splitter, size_t begin, size_t end,
			    double inflation);

/* The normal deviate with the tail probability of a Mann-Whitney statistic: n and m values, u of
 * whose n m pairs are in one order and the others in the other. */
double gb_mann_whitney_deviate(size_t n, size_t m, double u);

/* The probability that the largest statistic over all splits of count values, with at least
 * `segment` on each side, has a deviate beyond z in either direction. */
double gb_largest_deviate_p(double z, size_t count, size_t segment);

#endif
