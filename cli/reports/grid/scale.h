/* scale.h -- logarithmic axes for the pictures of a page. */
#ifndef GPUBENCH_CLI_REPORTS_GRID_SCALE_H
#define GPUBENCH_CLI_REPORTS_GRID_SCALE_H

#include <stdbool.h>
#include <stdio.h>

/* Maps values low .. high to pixels from .. to. */
struct gb_scale {
	double low, high, from, to;
};

/* A scale without values.  Widen it to each value, then settle it. */
struct gb_scale gb_scale_empty(double from, double to);

/* Extend the range to the value; ignores values that are not positive or not finite. */
void gb_scale_widen(struct gb_scale *s, double value);

/* Add a margin, so that the range is not empty. */
void gb_scale_settle(struct gb_scale *s);

/* The pixel position of a value. */
double gb_scale_at(const struct gb_scale *s, double value);

/* Set *tick to the first tick if it is 0, else to the next one; false if there is none.  Ticks are
 * 1, 2, 5, 10, ..., or only powers of ten if these would be less than `apart` pixels apart. */
bool gb_scale_tick(const struct gb_scale *s, double apart, double *tick);

/* Draw the lines and numbers of an axis: of times if is_time, else of plain numbers. */
void gb_scale_print_axis(FILE *file, const struct gb_scale *s, bool vertical, bool is_time,
			 double other_from, double other_to);

#endif
