/* launch.h -- what one launch of the program tells about a key, and how much of it.
 *
 * The launch is the unit of evidence (compare.h): its samples become one value.
 */
#ifndef GPUBENCH_CLI_REPORTS_LAUNCH_H
#define GPUBENCH_CLI_REPORTS_LAUNCH_H

#include "cli/records/record.h"

/* Which of a launch's samples stands for it, and in which unit. */
struct gb_launch_stat {
	bool by_median; /* else the fastest */
	bool in_cycles; /* 1000 cycles of the SM clock; else ns */
};

/* The launch's value; NAN if it has no valid time (it failed, was skipped or emulated) or, in
 * cycles, no clock. */
double gb_launch_value(const struct gb_record *record, struct gb_launch_stat stat);

#endif
