/* shifts.h -- finds level shifts of a series: one value per launch, in order of time.
 *
 * Tests use only the ranks of the values, so neither outliers nor the shape of the noise matters.
 * There are two passes, as in Hunter (Fleming et al., ICPE 2023).
 *
 * The first pass selects candidates among the splits of seeded intervals (splits.h): the most
 * significant split of all, then the most significant split of an interval without a candidate in
 * it, and so on.  Its threshold lets a few through by chance.
 *
 * The second pass moves each candidate to where the launches between its neighbours place it, and
 * tests it on these launches only.  It removes the weakest candidate and tests its neighbours
 * again, until all that remain are significant and large enough.
 *
 * Significance needs no permutations (splits.h).  Consecutive launches may be correlated for
 * reasons other than a shift.  This is estimated from the residuals about the levels, and the
 * statistic is reduced accordingly.
 *
 * All functions are pure.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SHIFTS_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SHIFTS_H

#include "common/stats.h"

/* The median.  room holds `count` values, and may be the values themselves. */
double gb_median_of(const double *value, size_t count, double *room);

struct gb_shift_rule {
	size_t segment;    /* minimum number of launches between two shifts, >= 2 */
	double candidates; /* maximum mean number of candidates in a series without a shift */
	double alpha;      /* maximum p of a shift, from the launches between its neighbours */
	double least;      /* ignore smaller shifts, as a fraction: 0.01 */
};

/* The rule of `gpubench history`. */
extern const struct gb_shift_rule gb_shift_rule;

struct gb_shift {
	size_t at; /* the first value of the new level */
	double p;  /* probability of such launches between its neighbours without a shift */
	struct gb_ratio ratio; /* new level / old level: gb_shift_ratio() */
};

/* Find the shifts, in ascending order; *shift is for free().  A series with fewer than two segments
 * has no shift.  GB_EMEMORY; GB_ERUNTIME for a value that is not positive. */
enum gb_status gb_shifts_find(const double *value, size_t count, const struct gb_shift_rule *rule,
			      struct gb_shift **shift, size_t *shift_count, struct gb_error *err);

/* The ratio of value[at .. end) to value[begin .. at), from at most GB_SHIFT_NEAR launches on each
 * side of the shift. */
enum { GB_SHIFT_NEAR = 64 };
enum gb_status gb_shift_ratio(const double *value, size_t begin, size_t at, size_t end,
			      struct gb_ratio *ratio, struct gb_error *err);

#endif
