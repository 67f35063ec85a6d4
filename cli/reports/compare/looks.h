/* looks.h -- decides when to compare launches while more are to come, and at which level.
 *
 * Repeated looks at a 95 % interval find it to exclude 1 by chance more often than once in twenty.
 * The number of looks is therefore fixed in advance, and each uses Pocock's level ("Group
 * sequential methods in the design and analysis of clinical trials", 1977), at which all looks
 * together err as often as one look at 95 %.  Pocock's constants assume equal steps.  The looks
 * here are at the full number of launches, then at 1/sqrt(2) of it, 1/2 of it and so on; their
 * values are correlated more closely, so they err less.  See docs/gates.md for the simulated error
 * rates.
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_LOOKS_H
#define GPUBENCH_CLI_REPORTS_COMPARE_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GB_LOOKS = 6,      /* maximum number of looks */
	GB_FIRST_LOOK = 5, /* launches per side below which a look cannot decide */
};

/* True if a look is due after `done` launches per side, `most` being the last. */
bool gb_look_due(int64_t done, int64_t most);

/* The level of the interval at each look. */
double gb_look_level(int64_t most);

#endif
