/* shifts.h -- where the level of a series shifts: values of one launch each, in the order of time.
 *
 * Only the order of the values counts (ranks), so that neither outliers nor the shape of the noise
 * matter. In two passes, as Hunter has them (Fleming et al., ICPE 2023):
 *
 * Candidates are splits of seeded intervals (splits.h): the most significant of all, then the most
 * significant one of an interval without a candidate in it, and so on. A few are let through by
 * chance.
 *
 * Then each candidate is put where the launches between its neighbours place it, and tested on
 * these alone; the weakest is removed, and its neighbours anew, until all that are left are
 * significant and not too small.
 *
 * Significance needs no permutations (splits.h). Launches that followed each other may be alike for
 * other reasons than a shift: what is left when the levels are taken away tells how much, and the
 * statistic is reduced by that.
 *
 * Pure functions of their arguments.
 */
#ifndef GPUBENCH_CLI_REPORTS_HISTORY_SHIFTS_H
#define GPUBENCH_CLI_REPORTS_HISTORY_SHIFTS_H

#include "common/stats.h"

/* The median; room is for as many values, and may be the values themselves. */
double gb_median_of(const double *value, size_t count, double *room);

struct gb_shift_rule {
	size_t segment;    /* launches between two shifts, at least: >= 2 */
	double candidates; /* how many a series without a shift has on average, at most */
	double alpha;      /* a shift has a p within it, by the launches between its neighbours */
	double least;      /* smaller shifts are none, as a share: 0.01 */
};

/* The rule that results/history.md is about. */
extern const struct gb_shift_rule gb_shift_rule;

struct gb_shift {
	size_t at; /* the first value of the new level */
	double p;  /* that no shift lies between its neighbours, by their launches alone */
	struct gb_ratio ratio; /* new level / old one: gb_shift_ratio() */
};

/* The shifts of the series, ascending; *shift is for free().  Values must be positive; fewer than
 * two segments' have no shift.  GB_EMEMORY; GB_ERUNTIME for a value that is not positive. */
enum gb_status gb_shifts_find(const double *value, size_t count, const struct gb_shift_rule *rule,
			      struct gb_shift **shift, size_t *shift_count, struct gb_error *err);

/* By what factor value[at .. end) is above value[begin .. at), from the launches next to the shift:
 * GB_SHIFT_NEAR a side at most. */
enum { GB_SHIFT_NEAR = 64 };
enum gb_status gb_shift_ratio(const double *value, size_t begin, size_t at, size_t end,
			      struct gb_ratio *ratio, struct gb_error *err);

#endif
