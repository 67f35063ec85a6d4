/* deviates.h -- how improbable a rank statistic is, without permutations.
 *
 * The tail of one Mann-Whitney statistic is the saddlepoint approximation of its exact distribution
 * (Barndorff-Nielsen's r*); that of the largest over the splits of an interval is bounded as by Miller
 * and Siegmund (Biometrics 38, 1982).  Pure functions of their arguments.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_DEVIATES_H
#define GPUBENCH_CLI_REPORTS_HISTORY_DEVIATES_H

#include <stddef.h>

/* The normal deviate with the tail probability of a Mann-Whitney statistic: n and m values, u of
 * whose n m pairs are in one order and the others in the other. */
double gb_mann_whitney_deviate(size_t n, size_t m, double u);

/* The probability that the largest statistic over all splits of count values, with at least
 * `segment` on each side, has a deviate beyond z in either direction. */
double gb_largest_deviate_p(double z, size_t count, size_t segment);

#endif
