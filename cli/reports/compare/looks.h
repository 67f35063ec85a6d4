/* looks.h -- when launches are compared while more are to come, and how sure a verdict must be then.
 *
 * Who looks again and again at a 95 % interval finds it without 1 more often than once in twenty.
 * So the number of looks is known beforehand, and each asks for Pocock's level ("Group sequential
 * methods in the design and analysis of clinical trials", 1977), with which all together err as
 * often as one look at 95 %.  His constants are for equal steps; the looks here are at the full
 * number of launches and at 1/sqrt(2), 1/2, ... of it, whose values are correlated more closely,
 * so that they err less.  results/gates.md has what that comes to.
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_LOOKS_H
#define GPUBENCH_CLI_REPORTS_COMPARE_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GB_LOOKS = 6,      /* at most */
	GB_FIRST_LOOK = 5, /* launches a side, before which no look has a chance */
};

/* Whether to look after `done` launches a side where `most` are the last. */
bool gb_look_due(int64_t done, int64_t most);

/* The level of the interval at each of these looks. */
double gb_look_level(int64_t most);

#endif
