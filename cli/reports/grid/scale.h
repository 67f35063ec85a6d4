/* scale.h -- logarithmic axes of the pictures of a page. */
#ifndef GPUBENCH_CLI_REPORTS_GRID_SCALE_H
#define GPUBENCH_CLI_REPORTS_GRID_SCALE_H

#include <stdbool.h>
#include <stdio.h>

/* Values low .. high to pixels from .. to. */
struct gb_scale {
	double low, high, from, to;
};

/* Without values: widen it to each, then settle. */
struct gb_scale gb_scale_empty(double from, double to);

/* What is not positive or not finite is ignored. */
void gb_scale_widen(struct gb_scale *s, double value);

/* Make it a range that is not empty, with some air. */
void gb_scale_settle(struct gb_scale *s);

/* The pixel of a value. */
double gb_scale_at(const struct gb_scale *s, double value);

/* The first tick (1, 2, 5, 10, ...; some powers of ten where these would be less than `apart` pixels
 * from each other) if *tick is 0, else the next one; false if there is none. */
bool gb_scale_tick(const struct gb_scale *s, double apart, double *tick);

/* Lines and numbers along an axis; times if is_time, across if vertical. */
void gb_scale_print_axis(FILE *file, const struct gb_scale *s, bool vertical, bool is_time,
			 double other_from, double other_to);

#endif
